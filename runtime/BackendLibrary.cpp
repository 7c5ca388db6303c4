// BackendLibrary.cpp: fingerprint, dlopen, query, negotiation, init into a StagedRegistrar; and the load
// states.
#include "runtime/BackendLibrary.h"

#include "runtime/Error.h"
#include "runtime/Log.h"
#include "runtime/ProcessState.h"
#include "runtime/StagedRegistrar.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <dlfcn.h>
#include <map>
#include <sys/stat.h>
#include <sys/utsname.h>

namespace kiln {

namespace {

// fork() waits this long for loads of other threads; a load that never ends must not hang it.
constexpr std::chrono::seconds kForkPatience(5);

/// The states of all libraries and who waits for whom. Never destroyed: backends may outlive main.
struct LoadTable {
  std::mutex mutex;
  // Replaced in the child of a fork: the old one counts waiters that are gone.
  std::condition_variable *changed = new std::condition_variable;
  std::map<std::tuple<dev_t, ino_t, std::string>, std::unique_ptr<BackendLibrary>> libraries;
  std::vector<std::unique_ptr<BackendLibrary>>
      replaced; // records of files that are gone; entries refer to them
  std::map<std::thread::id, const BackendLibrary *> waiting;
  std::vector<BackendLibrary *> initialised; // in that order
};
LoadTable &table() {
  static LoadTable *const instance = new LoadTable;
  return *instance;
}

std::string machineArch() {
  utsname name;
  return uname(&name) == 0 ? name.machine : "";
}

// Runs a function of the backend.
template <typename Fn> Status callBackend(const Manifest &manifest, std::string_view what, Fn &&fn) {
  return runBackendCode(manifest.name, what, [&] { return withContext(fromC(fn()), "{}", what); });
}

// Runs one part of a load and measures it. KILN_LOG=debug:backend.load shows where a load is when it hangs.
template <typename Fn> auto timed(uint64_t &ns, const char *part, const Manifest &manifest, Fn &&fn) {
  logDebug("backend.load", "{}: {} ({})", manifest.name, part, manifest.libraryPath());
  auto start = std::chrono::steady_clock::now();
  auto result = fn();
  ns = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
  return result;
}

} // namespace

Status checkFingerprint(const Manifest &manifest, Tier tier) {
  std::string file = manifest.path.substr(manifest.path.rfind('/') + 1);
  if (std::string arch = machineArch(); !manifest.arch.empty() && manifest.arch != arch)
    return failedPrecondition("built for {}, this is {} ({}, /arch)", manifest.arch, arch, file);
  const bool isRuntime = tier == Tier::Runtime;
  const std::string &declared = isRuntime ? manifest.abi.runtime : manifest.abi.compiler;
  const char *key = isRuntime ? "/abi/runtime" : "/abi/compiler";
  if (!manifest.abi.present || declared.empty())
    return failedPrecondition("{} has no {}; add_kiln_backend writes it", file, key);
  std::string_view ours = ownFingerprint(tier);
  if (std::string why = fingerprintMismatch(tier, declared, ours); !why.empty())
    return failedPrecondition("{} ({}, {}); rebuild it against this Kiln", why, file, key);
  Status fits = checkElfNote(tier, isRuntime ? manifest.libraryPath() : manifest.compilerPath());
  return fits.ok() ? fits : Status(Code::FailedPrecondition, fits.message());
}

Result<void *> openLibrary(std::string_view backend, const std::string &path) {
  void *handle = nullptr;
  KILN_RETURN_IF_ERROR(runBackendCode(backend, "dlopen", [&]() -> Status {
    dlerror();
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle)
      return {};
    const char *why = dlerror();
    return failedPrecondition("cannot be loaded: {}", why ? why : "dlopen gave no reason");
  }));
  return handle;
}

BackendLibrary &BackendLibrary::of(const Manifest &manifest) {
  struct stat info = {};
  std::string name = manifest.name;
  if (stat(manifest.libraryPath().c_str(), &info) != 0)
    name += "\n" + manifest.libraryPath(); // no file: a record of its own, its load says so
  int64_t changedNs = info.st_ctim.tv_sec * int64_t(1000000000) + info.st_ctim.tv_nsec;
  LoadTable &all = table();
  std::lock_guard lock(all.mutex);
  std::unique_ptr<BackendLibrary> &slot = all.libraries[{info.st_dev, info.st_ino, name}];
  // The inode of a file that was never opened may have been given to another one since.
  if (slot && !slot->isOpen && slot->theState != BackendState::Loading && slot->fileChangedNs != changedNs)
    all.replaced.push_back(std::move(slot));
  if (!slot) {
    slot.reset(new BackendLibrary);
    slot->fileChangedNs = changedNs;
  }
  return *slot;
}

Result<std::shared_ptr<const Registrations>> BackendLibrary::load(const Manifest &manifest,
                                                                  const OptionSource &options,
                                                                  const PreflightSettings &settings) {
  LoadTable &all = table();
  const std::thread::id self = std::this_thread::get_id();
  std::unique_lock lock(all.mutex);
  while (theState == BackendState::Loading) {
    // Follow who waits for whom: ending at this thread means that waiting would never end.
    for (const BackendLibrary *next = this; next;) {
      if (next->owner == self)
        return inProgress(
            "backend '{}': its load was asked for while this thread is inside a load that needs it",
            manifest.name);
      auto it = all.waiting.find(next->owner);
      next = it == all.waiting.end() ? nullptr : it->second;
    }
    all.waiting[self] = this;
    all.changed->wait(lock);
    all.waiting.erase(self);
  }
  if (theState == BackendState::Ready)
    return registrations;
  if (theState != BackendState::Discovered)
    return theFailure;
  theState = BackendState::Loading;
  owner = self;
  host = makeHostTable(options);
  isRejected = false;
  lock.unlock();

  LoadTimes times;
  Result<std::shared_ptr<const Registrations>> result = loadUnlocked(manifest, settings, times);

  lock.lock();
  theTimes = times;
  owner = {};
  if (result.ok()) {
    registrations = *result;
    theState = BackendState::Ready;
    all.initialised.push_back(this);
  } else {
    theFailure = result.status();
    theState = isRejected ? BackendState::RejectedAbi : BackendState::Failed;
  }
  all.changed->notify_all();
  lock.unlock();
  if (!result.ok()) // once: the failure is sticky
    logWarn("backend", "{}", result.status().message());
  return result;
}

Result<std::shared_ptr<const Registrations>>
BackendLibrary::loadUnlocked(const Manifest &manifest, const PreflightSettings &settings, LoadTimes &times) {
  Status fits =
      timed(times.checkNs, "check", manifest, [&] { return checkFingerprint(manifest, Tier::Runtime); });
  if (!fits.ok()) {
    isRejected = true;
    return failedPrecondition("backend '{}' rejected: {}", manifest.name, fits.message());
  }
  Status tried = timed(times.preflightNs, "preflight", manifest,
                       [&] { return preflight(manifest, Tier::Runtime, settings); });
  if (!tried.ok())
    return withContext(tried, "backend '{}' ({})", manifest.name, manifest.libraryPath());
  Result<void *> handle = timed(times.openNs, "dlopen", manifest,
                                [&] { return openLibrary(manifest.name, manifest.libraryPath()); });
  if (!handle.ok())
    return withContext(handle.status(), "backend '{}'", manifest.name);
  {
    std::lock_guard lock(table().mutex);
    isOpen = true;
  }
  Result<KilnBackend> negotiated =
      timed(times.queryNs, "query", manifest, [&] { return negotiate(manifest, *handle); });
  if (!negotiated.ok())
    return withContext(negotiated.status(), "backend '{}' ({})", manifest.name, manifest.libraryPath());
  StagedRegistrar registrar(manifest);
  Status status = timed(times.initNs, "init", manifest, [&] {
    return callBackend(manifest, "init",
                       [&] { return negotiated->init(negotiated->self, &host, &registrar.table()); });
  });
  if (!status.ok())
    return withContext(status, "backend '{}' ({})", manifest.name, manifest.libraryPath());
  Result<std::shared_ptr<const Registrations>> staged = registrar.finish();
  if (!staged.ok())
    return withContext(staged.status(), "backend '{}' ({})", manifest.name, manifest.libraryPath());
  backend = *negotiated;
  return staged;
}

Result<KilnBackend> BackendLibrary::negotiate(const Manifest &manifest, void *handle) {
  auto *query = reinterpret_cast<KilnBackendQueryFn>(dlsym(handle, KILN_BACKEND_QUERY_SYMBOL));
  if (!query)
    return failedPrecondition("exports no '{}'", KILN_BACKEND_QUERY_SYMBOL);
  KilnBackend result = {};
  result.struct_size = sizeof(KilnBackend);
  KILN_RETURN_IF_ERROR(
      callBackend(manifest, KILN_BACKEND_QUERY_SYMBOL, [&] { return query(&host, &result); }));
  if (result.abi_major != KILN_ABI_MAJOR || result.abi_minor > KILN_ABI_MINOR) {
    isRejected = true;
    return failedPrecondition("speaks ABI {}.{}; this Kiln speaks {}.{}", result.abi_major, result.abi_minor,
                              KILN_ABI_MAJOR, KILN_ABI_MINOR);
  }
  // A backend that cuts struct_size must still reach init, the last field that is required.
  if (result.struct_size < offsetof(KilnBackend, init) + sizeof result.init || !result.init)
    return failedPrecondition("fills in no init function (struct_size {}; expected {})", result.struct_size,
                              sizeof(KilnBackend));
  if (result.struct_size < sizeof(KilnBackend))
    result.shutdown = nullptr;
  if (toView(result.name) != manifest.name || toView(result.version) != manifest.version)
    return failedPrecondition("the library is '{}' {}; its manifest says '{}' {}", toView(result.name),
                              toView(result.version), manifest.name, manifest.version);
  return result;
}

void BackendLibrary::forgetFailure() {
  std::lock_guard lock(table().mutex);
  if (theState == BackendState::Failed || theState == BackendState::RejectedAbi)
    theState = BackendState::Discovered;
}

void BackendLibrary::shutdownAll() {
  std::unique_lock lock(table().mutex);
  std::vector<BackendLibrary *> order = std::exchange(table().initialised, {});
  lock.unlock();
  for (auto library = order.rbegin(); library != order.rend(); ++library)
    if (const KilnBackend &backend = (*library)->backend; backend.shutdown)
      backend.shutdown(backend.self);
}

void BackendLibrary::beforeFork() {
  LoadTable &all = table();
  std::unique_lock lock(all.mutex);
  auto othersLoad = [&] {
    return std::any_of(all.libraries.begin(), all.libraries.end(), [](const auto &entry) {
      return entry.second->theState == BackendState::Loading &&
             entry.second->owner != std::this_thread::get_id();
    });
  };
  all.changed->wait_for(lock, kForkPatience, [&] { return !othersLoad(); });
  lock.release(); // afterFork unlocks
}

void BackendLibrary::afterFork(bool isChild) {
  LoadTable &all = table();
  if (isChild) {
    all.changed = new std::condition_variable;
    all.waiting.clear();
    for (auto &[key, library] : all.libraries)
      if (library->theState == BackendState::Loading && library->owner != std::this_thread::get_id()) {
        library->theState = BackendState::Failed;
        library->owner = {};
        library->theFailure = failedPrecondition(
            "backend '{}': another thread was loading it when this process was forked", std::get<2>(key));
      }
  }
  all.mutex.unlock();
}

BackendState BackendLibrary::state() const {
  std::lock_guard lock(table().mutex);
  return theState;
}
Status BackendLibrary::failure() const {
  std::lock_guard lock(table().mutex);
  return theState == BackendState::Failed || theState == BackendState::RejectedAbi ? theFailure : Status();
}
LoadTimes BackendLibrary::times() const {
  std::lock_guard lock(table().mutex);
  return theTimes;
}

} // namespace kiln
