// KernelCache.h: compiled kernels by key: in memory, in the layers below, else compiled on demand.
#ifndef KILN_RUNTIME_KERNELCACHE_H
#define KILN_RUNTIME_KERNELCACHE_H

#include "runtime/KernelMetadata.h"
#include "runtime/SingleFlight.h"

#include <atomic>

namespace kiln {

/// One layer below memory: a directory, a pack, a server. Every member is safe from any thread.
class KernelCacheLayer {
public:
  virtual ~KernelCacheLayer() = default;
  virtual std::string_view name() const = 0; // "disk"
  /// Null if absent. What cannot be read counts as absent; the layer logs why.
  virtual CompiledKernelRef find(const std::string &key) = 0;
  /// Best effort; a layer that cannot write logs why.
  virtual void insert(const std::string &key, const CompiledKernelRef &kernel) = 0;
};

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

/// Compiles a kernel; called at most once at a time for a key.
using KernelCompileFn = std::function<Result<CompiledKernelRef>()>;

/// The kernels of all devices of one instance; the key holds the device's features.
/// Kernels that nobody but the cache holds are evicted, the longest unused first, to stay within the budget;
/// those that a device has loaded stay.
/// Ownership: shares kernels; layers live as long as the cache. Threads: every member is safe from any
/// thread; no lock is held while a layer or the compiler is called.
class KernelCache {
public:
  /// Layers are asked in order; what a lower one or the compiler gave is inserted into those above it.
  explicit KernelCache(KernelBudget budget = {}, std::vector<std::unique_ptr<KernelCacheLayer>> layers = {})
      : theBudget(budget), layers(std::move(layers)) {}

  /// Fails as `compile` does.
  Result<CompiledKernelRef> get(const std::string &key, const KernelCompileFn &compile,
                                CompileCounters &counters);
  /// Null if it is not in memory.
  CompiledKernelRef findInMemory(const std::string &key);
  /// Bytes of the kernels in memory.
  uint64_t bytes() const { return residentBytes.load(std::memory_order_relaxed); }
  const KernelBudget &budget() const { return theBudget; }
  /// Evicts if the budget is exceeded; called when a kernel was added or unloaded.
  void trim();

private:
  Result<CompiledKernelRef> make(const std::string &key, const KernelCompileFn &compile,
                                 CompileCounters &counters);
  const KernelBudget theBudget;
  const std::vector<std::unique_ptr<KernelCacheLayer>> layers;
  SingleFlight<CompiledKernelRef> kernels;
  std::atomic<uint64_t> residentBytes{0};
  std::mutex trimming; // one thread evicts at a time
};

} // namespace kiln
#endif // KILN_RUNTIME_KERNELCACHE_H
