// BackendTiers.h: loads the compiler tiers of backends on demand and publishes what they register.
#ifndef KILN_JIT_BACKENDTIERS_H
#define KILN_JIT_BACKENDTIERS_H

#include "jit/PipelineRegistry.h"

#include <atomic>
#include <mutex>
#include <thread>

namespace kiln::jit {

/// The compiler tiers of this process.
/// Ownership: borrows the host table and the registry; both must outlive it.
/// Threads:   safe from any thread. A tier is loaded once, under a lock; its init must not compile.
class BackendTiers {
public:
  BackendTiers(const KilnCompilerHost &host, PipelineRegistry &registry) : host(host), registry(registry) {}

  /// The pipeline of a target: loads its backend's compiler tier and those that the manifests let extend it.
  /// Unimplemented: the backend has no compiler tier or does not compile for this device type.
  Result<std::shared_ptr<const TargetPipeline>> pipeline(const Target &target);
  /// Loads one backend's tier, or returns how that went before.
  Status load(llvm::StringRef backend);
  /// Loads every backend's tier; `failed` is told of those that cannot be loaded.
  Status loadAll(llvm::function_ref<void(llvm::StringRef backend, const Status &)> failed);

private:
  Status loadLocked(llvm::StringRef backend);
  Status initialise(llvm::StringRef backend, KilnBackendCompilerQueryFn query);
  Status checkInsertions(const BackendRegistrations &registrations);

  const KilnCompilerHost &host;
  PipelineRegistry &registry;
  std::mutex mutex;
  std::atomic<std::thread::id> loading{std::thread::id()}; // the thread inside, to tell re-entry from waiting
  std::map<std::string, Status, std::less<>> loaded;
};

} // namespace kiln::jit
#endif // KILN_JIT_BACKENDTIERS_H
