// KernelCache.h: compiled kernels by key: in memory, in the layers below, else compiled on demand.
#ifndef KILN_RUNTIME_KERNELCACHE_H
#define KILN_RUNTIME_KERNELCACHE_H

#include "runtime/KernelStore.h"
#include "runtime/SingleFlight.h"

#include <atomic>

namespace kiln {

/// What finding kernels cost and where they came from. Added to from many threads.
struct CompileCounters {
  std::atomic<uint64_t> importNs{0}, programNs{0}, kernelNs{0}, loadNs{0};
  std::atomic<uint64_t> programsBuilt{0}, kernelsCompiled{0}, memoryHits{0}, layerHits{0}, misses{0};
  std::atomic<uint64_t> kernelsWanted{0}; // ahead of a run
};

/// What compiled kernels may take in memory.
struct KernelBudget {
  uint64_t maxBytes = 256ull << 20;
  uint64_t maxKernels = 8191; // a loaded kernel is up to one mapping: an eighth of vm.max_map_count
  /// For this machine, with KILN_CACHE_MEMORY (bytes, or with suffix K, M, G) where it is set.
  static KernelBudget ofProcess();
};

/// The kernels of all devices of one instance; the key holds the device's features.
/// Kernels that nobody but the cache holds are evicted, the longest unused first, to stay within the budget;
/// those that a device has loaded stay.
/// Ownership: shares kernels and what lies below. Threads: every member is safe from any
/// thread; no lock of the process is held while files are read or a kernel is compiled.
class KernelCache {
public:
  /// `stack`: what lies below memory; may be null.
  explicit KernelCache(KernelBudget budget = {}, std::shared_ptr<CacheStack> stack = nullptr)
      : theBudget(budget), below(std::move(stack)) {}

  /// Fails as KernelStore::get.
  Result<CompiledKernelRef> get(const KernelRequest &request, const KernelCompileFn &compile,
                                CompileCounters &counters);
  /// Null if it is not in memory.
  CompiledKernelRef findInMemory(const std::string &key);
  /// Bytes of the kernels in memory.
  uint64_t bytes() const { return residentBytes.load(std::memory_order_relaxed); }
  const KernelBudget &budget() const { return theBudget; }
  /// Evicts if the budget is exceeded; called when a kernel was added or unloaded.
  void trim();

private:
  Result<CompiledKernelRef> make(const KernelRequest &request, const KernelCompileFn &compile,
                                 CompileCounters &counters);
  const KernelBudget theBudget;
  KernelStore below;
  SingleFlight<CompiledKernelRef> kernels;
  std::atomic<uint64_t> residentBytes{0};
  std::mutex trimming; // one thread evicts at a time
};

} // namespace kiln
#endif // KILN_RUNTIME_KERNELCACHE_H
