// HostMemory.cpp: reserves bytes against the limit first, then asks the allocator, so that no lock is held
// while it runs.
#include "HostMemory.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace kiln::host {
namespace {

constexpr uint64_t addressSpaceBytes = uint64_t(1) << 47; // of a process on x86-64

/// "3.0 GiB", "512 B".
std::string inUnits(uint64_t bytes) {
  constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  char text[32];
  std::snprintf(text, sizeof(text), unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
  return text;
}

uint64_t roundUpBytes(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }

} // namespace

uint64_t usableMemoryBytes() {
  uint64_t bytes =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (std::FILE *file = std::fopen("/sys/fs/cgroup/memory.max", "re")) {
    unsigned long long limit = 0;
    if (std::fscanf(file, "%llu", &limit) == 1 && limit) // "max" reads nothing
      bytes = std::min<uint64_t>(bytes, limit);
    std::fclose(file);
  }
  return bytes;
}

HostMemory::~HostMemory() {
  for (auto [address, block] : blocks)
    release(reinterpret_cast<void *>(address), block);
}

Result<KilnDeviceAddress> HostMemory::allocate(uint64_t bytes, uint64_t alignment) {
  if (bytes == 0)
    return Status(Code::InvalidArgument, "host memory: 0 bytes; expected at least 1");
  if (alignment & (alignment - 1))
    return Status(Code::InvalidArgument,
                  "host memory: an alignment of " + std::to_string(alignment) + "; expected a power of two");
  Block block = {bytes, std::max(alignment, alignmentBytes)};
  KILN_RETURN_IF_ERROR(reserve(bytes));
  void *memory = obtain(block);
  if (!memory) {
    unreserve(bytes);
    return Status(Code::ResourceExhausted, "host memory: no " + inUnits(bytes) + " to be had from the " +
                                               (allocator.allocate ? "embedder's allocator" : "system"));
  }
  auto address = reinterpret_cast<KilnDeviceAddress>(memory);
  std::lock_guard lock(mutex);
  blocks[address] = block;
  ++count;
  return address;
}

bool HostMemory::free(KilnDeviceAddress address) {
  Block block = {};
  {
    std::lock_guard lock(mutex);
    auto at = blocks.find(address);
    if (at == blocks.end())
      return false;
    block = at->second;
    blocks.erase(at);
    inUse -= block.bytes;
  }
  release(reinterpret_cast<void *>(address), block);
  return true;
}

KilnMemoryStats HostMemory::stats() {
  std::lock_guard lock(mutex);
  return {sizeof(KilnMemoryStats), inUse, peak, limit, count};
}

Status HostMemory::reserve(uint64_t bytes) {
  std::lock_guard lock(mutex);
  if (bytes > limit - inUse)
    return Status(Code::ResourceExhausted, "host memory: wants " + inUnits(bytes) + "; " +
                                               inUnits(limit - inUse) + " of " + inUnits(limit) + " free");
  inUse += bytes;
  peak = std::max(peak, inUse);
  return {};
}

void HostMemory::unreserve(uint64_t bytes) {
  std::lock_guard lock(mutex);
  inUse -= bytes;
}

void *HostMemory::obtain(Block block) {
  if (allocator.allocate)
    return allocator.allocate(allocator.self, block.bytes, block.alignment);
  if (block.bytes > addressSpaceBytes || block.alignment > addressSpaceBytes)
    return nullptr;
  return std::aligned_alloc(block.alignment, roundUpBytes(block.bytes, block.alignment));
}

void HostMemory::release(void *memory, Block block) {
  if (!allocator.allocate)
    std::free(memory);
  else if (allocator.deallocate)
    allocator.deallocate(allocator.self, memory, block.bytes, block.alignment);
}

} // namespace kiln::host
