// BackendLibrary.h: the runtime-tier library of a backend in this process: opened, negotiated, initialised,
// once.
#ifndef KILN_RUNTIME_BACKENDLIBRARY_H
#define KILN_RUNTIME_BACKENDLIBRARY_H

#include "runtime/BackendRegistry.h"
#include "runtime/Fingerprint.h"

#include <thread>

namespace kiln {

/// What one backend's init registered. Immutable.
struct Registrations {
  std::vector<std::shared_ptr<const DeviceType>> deviceTypes;
  std::vector<std::shared_ptr<const KernelLoader>> kernelLoaders;
};

/// One library file under one backend name; shared by all registries, so that init runs once a process.
/// Ownership: never destroyed; the library is never closed (its threads and tables may be in use).
/// Threads:   every member is safe. One process-wide mutex guards the states of all libraries; it is never
/// held while
///            a library is opened or called. The thread that loads is the owner: re-entry by it, or a cycle
///            of threads that wait for each other's loads, gets InProgress; others wait for the result.
class BackendLibrary {
public:
  /// The record for the manifest's library file (by device, inode and, unless it is open, time of change) and
  /// backend name.
  static BackendLibrary &of(const Manifest &manifest);

  /// Loads at the first call; then the same registrations or the same error, until forgetFailure().
  /// The error holds the whole chain; state() tells a rejection from a failure.
  Result<std::shared_ptr<const Registrations>> load(const Manifest &manifest, const OptionSource &options,
                                                    const PreflightSettings &settings = {});
  void forgetFailure();
  /// Calls the shutdown of every initialised backend that has one, the last initialised first; once each.
  static void shutdownAll();

  /// Discovered, Loading, Ready, RejectedAbi or Failed.
  BackendState state() const;
  Status failure() const;
  LoadTimes times() const;

  /// Around fork(), so that no load is in progress then: beforeFork waits (a few seconds at most) and locks
  /// the states. In the child a load that another thread had not finished is Failed.
  static void beforeFork();
  static void afterFork(bool isChild);

private:
  Result<std::shared_ptr<const Registrations>>
  loadUnlocked(const Manifest &manifest, const PreflightSettings &settings, LoadTimes &times);
  Result<KilnBackend> negotiate(const Manifest &manifest, void *handle);

  BackendState theState = BackendState::Discovered;
  bool isOpen = false;       // dlopen succeeded: the inode stays this library's
  int64_t fileChangedNs = 0; // of the file that this record is for
  std::thread::id owner;
  Status theFailure;
  bool isRejected = false; // written by the owner while it loads
  LoadTimes theTimes;
  std::shared_ptr<const Registrations> registrations;
  KilnHost host = {};
  KilnBackend backend = {};
};

/// Checks that the library of a tier fits this process, from the manifest and the ELF note.
/// FailedPrecondition `built for LLVM 19.1.4, this is 19.1.7 (hpu.kiln.json, /abi/compiler); rebuild it
/// against this Kiln`.
Status checkFingerprint(const Manifest &manifest, Tier tier);
/// dlopen with the flags that all backend libraries are opened with.
Result<void *> openLibrary(std::string_view backend, const std::string &path);

} // namespace kiln
#endif // KILN_RUNTIME_BACKENDLIBRARY_H
