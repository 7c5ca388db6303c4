// Instance.h: what all sessions of one embedder share: backends, compiler, caches.
#ifndef KILN_RUNTIME_INSTANCE_H
#define KILN_RUNTIME_INSTANCE_H

#include "runtime/CompilerHandle.h"
#include "runtime/KernelCache.h"
#include "runtime/ProgramFile.h"

#include <set>

namespace kiln {

/// Ownership: owns the in-memory caches; backends and compiler live until the process ends.
/// Threads:   every member is safe from any thread.
class Instance {
public:
  /// Over the registry for these options; one compiler handle a registry.
  static Result<std::shared_ptr<Instance>> create(const BackendRegistry::Options &options);
  static Result<std::shared_ptr<Instance>> create(const BackendRegistry::Options &options,
                                                  const CacheSettings &cache);
  /// `cache`: what lies below memory; may be null.
  Instance(BackendAccess &backends, CompilerHandle &compiler, KernelBudget budget = KernelBudget::ofProcess(),
           std::shared_ptr<CacheStack> cache = nullptr);

  BackendAccess &backends() { return theBackends; }
  CompilerHandle &compiler() { return theCompiler; }
  KernelCache &kernels() { return theKernels; }
  /// Never null; without layers where there is no cache below memory.
  CacheStack &cache() { return *theCache; }
  /// Programs by request key.
  SingleFlight<ProgramFileRef> &programs() { return thePrograms; }
  /// The same text, as long as the instance lives.
  KilnStr intern(const std::string &text);

private:
  BackendAccess &theBackends;
  CompilerHandle &theCompiler;
  const std::shared_ptr<CacheStack> theCache;
  KernelCache theKernels;
  SingleFlight<ProgramFileRef> thePrograms;
  std::mutex textsMutex;
  std::set<std::string> texts;
};

} // namespace kiln
#endif // KILN_RUNTIME_INSTANCE_H
