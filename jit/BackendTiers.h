// BackendTiers.h: loads the compiler tiers of backends on demand and publishes what they register.
#ifndef KILN_JIT_BACKENDTIERS_H
#define KILN_JIT_BACKENDTIERS_H

#include "jit/PipelineRegistry.h"

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <unistd.h>

namespace kiln::jit {

/// The compiler tiers of this process.
/// Ownership: borrows the host table and the registry; both must outlive it.
/// Threads:   safe from any thread. A tier is loaded once; no lock is held meanwhile. A thread that asks for
/// a
///            tier from inside an init gets InProgress; others wait for the one they ask for.
class BackendTiers {
public:
  BackendTiers(const KilnCompilerHost &host, PipelineRegistry &registry) : host(host), registry(registry) {}

  /// The pipeline of a target: loads its backend's compiler tier and those that the manifests let extend it;
  /// one of these that cannot be loaded is left out with a warning. Unimplemented: the backend has no
  /// compiler tier or does not compile for this device type.
  Result<std::shared_ptr<const TargetPipeline>> pipeline(const Target &target);
  /// Loads one backend's tier, or returns how that went before.
  Status load(llvm::StringRef backend);
  /// Loads every backend's tier; `failed` is told of those that cannot be loaded.
  Status loadAll(llvm::function_ref<void(llvm::StringRef backend, const Status &)> failed);

  /// Calls a library's code through the runtime, which turns what it throws into an error and puts back what
  /// it changes in the process: this library is compiled without exceptions. `name` and `part` are for
  /// messages.
  static Status run(const KilnCompilerHost &host, llvm::StringRef name, llvm::StringRef part,
                    llvm::function_ref<KilnStatus()> fn);

private:
  Status loadUnlocked(llvm::StringRef backend);
  Status initialise(llvm::StringRef backend, KilnBackendCompilerQueryFn query);
  void leaveOut(llvm::StringRef backend, llvm::StringRef target, const Status &status);
  Status checkTargets(const BackendRegistrations &registrations);
  Status checkInsertions(const BackendRegistrations &registrations);

  const KilnCompilerHost &host;
  PipelineRegistry &registry;
  struct Tier {
    std::thread::id loader; // the thread inside; none once the result stands
    pid_t process = 0;      // that the loader is a thread of
    Status result;
  };
  std::mutex mutex; // guards what follows
  std::condition_variable changed;
  std::map<std::string, Tier, std::less<>> tiers;
  std::set<std::string> leftOut; // extensions that were warned about
};

} // namespace kiln::jit
#endif // KILN_JIT_BACKENDTIERS_H
