// HostMemory.h: the memory of a host device: aligned, counted, limited.
#ifndef KILN_BACKENDS_HOST_HOSTMEMORY_H
#define KILN_BACKENDS_HOST_HOSTMEMORY_H

#include "kiln/Status.h"

#include <mutex>
#include <unordered_map>

namespace kiln::host {

/// Memory that this process may have: physical, cut by its control group's limit.
uint64_t usableMemoryBytes();

/// Allocates from the embedder's allocator or the C library.
/// Ownership: owns what has not been freed; frees it at the end.
/// Threads:   every member is safe from any thread; the embedder's allocator is called without a lock.
class HostMemory {
public:
  static constexpr uint64_t alignmentBytes = 64; // a cache line, and the widest vector

  /// allocator.allocate null: the C library.
  HostMemory(uint64_t limitBytes, KilnAllocator allocator) : limit(limitBytes), allocator(allocator) {}
  ~HostMemory();

  /// Errors: InvalidArgument, 0 bytes or an alignment that is no power of two; ResourceExhausted, says what
  /// is free.
  Result<KilnDeviceAddress> allocate(uint64_t bytes, uint64_t alignment);
  /// False if the address is not that of an allocation.
  bool free(KilnDeviceAddress address);
  KilnMemoryStats stats();

private:
  struct Block {
    uint64_t bytes, alignment;
  };
  Status reserve(uint64_t bytes);
  void unreserve(uint64_t bytes);
  void *obtain(Block block);
  void release(void *memory, Block block);

  const uint64_t limit;
  const KilnAllocator allocator;
  std::mutex mutex;
  std::unordered_map<KilnDeviceAddress, Block> blocks;
  uint64_t inUse = 0, peak = 0, count = 0;
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_HOSTMEMORY_H
