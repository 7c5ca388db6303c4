// BackendEntry.h: one manifest file of a search, as the registry that found it sees it.
#ifndef KILN_RUNTIME_BACKENDENTRY_H
#define KILN_RUNTIME_BACKENDENTRY_H

#include "runtime/BackendLibrary.h"
#include "runtime/Probe.h"

#include <atomic>

namespace kiln {

/// Everything but `commit` and the library's record is fixed when the registry is made.
/// Threads: safe; `commit` is guarded by the registry's snapshotMutex.
class BackendEntry {
public:
  std::string name, path, foundBy;
  std::shared_ptr<const Manifest> manifest; // null if the file is broken
  /// Discovered: may be loaded. Disabled, Shadowed, Failed: never, `reason` says why.
  BackendState fixedState = BackendState::Discovered;
  std::string reason;
  BackendOptions options;
  Status optionProblem; // a variable whose value the schema refuses: the load fails with it

  struct Commit {
    bool isDone = false;
    Status failure; // another backend has the name
  } commit;

  bool mayLoad() const { return fixedState == BackendState::Discovered; }
  BackendLibrary &library() const { return *record.load(); } // only if mayLoad()
  /// Looks for the library's record: at discovery, and again when a load is retried.
  void findLibrary() { record = &BackendLibrary::of(*manifest); }
  /// In a privileged process: Failed if others can write one of the libraries.
  void distrust() {
    for (const std::string &file : {manifest->libraryPath(), manifest->compilerPath()})
      if (file != manifest->folder() + "/")
        if (std::string why = whyUntrusted(file); !why.empty()) {
          fixedState = BackendState::Failed;
          reason = "backend '" + name + "' (" + file + "): " + why;
        }
  }
  /// "" if one of its devices can be present or it declares none.
  std::string whyAbsent(const Environment &environment) const {
    std::string why;
    for (const ManifestDevice &device : manifest->devices) {
      std::string missed = kiln::whyAbsent(device, environment, kPciRoot);
      if (missed.empty())
        return "";
      why += (why.empty() ? "" : "; ") + missed;
    }
    return why;
  }
  bool declares(std::string_view type) const { return manifest && manifest->findDevice(type); }
  bool declaresAlias(std::string_view alias) const {
    if (!manifest)
      return false;
    for (const ManifestDevice &device : manifest->devices)
      for (const std::string &other : device.aliases)
        if (other == alias)
          return true;
    return false;
  }

private:
  std::atomic<BackendLibrary *> record = nullptr;
};

} // namespace kiln
#endif // KILN_RUNTIME_BACKENDENTRY_H
