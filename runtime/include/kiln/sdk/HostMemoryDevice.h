// kiln/sdk/HostMemoryDevice.h: a device whose memory is the host's: allocation with a limit, import, map,
// statistics.
//
// Header-only. A backend derives from it and says what a launch does; kiln/sdk/Device.h makes the C table.
#ifndef KILN_SDK_HOSTMEMORYDEVICE_H
#define KILN_SDK_HOSTMEMORYDEVICE_H

#include "kiln/sdk/Device.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

namespace kiln::sdk {

/// Addresses are pointers. Owns what was allocated and not freed. Threads: every member from any thread.
class HostMemoryDevice : public Device {
public:
  static constexpr uint64_t kAlignmentBytes = 64; // a cache line

  /// `name` stands in errors. `limitBytes` is the device's own; the program may ask for less.
  HostMemoryDevice(const KilnHost &host, std::string name, const KilnDeviceOpenArgs &args,
                   uint64_t limitBytes)
      : Device(host), name(std::move(name)), allocator(args.allocator),
        limitBytes(args.memory_limit_bytes ? std::min(limitBytes, args.memory_limit_bytes) : limitBytes) {}
  ~HostMemoryDevice() override {
    for (const auto &[address, block] : blocks)
      giveBack(block);
  }

  Result<KilnDeviceAddress> allocate(uint64_t bytes, uint64_t alignment) override {
    if (bytes == 0)
      return Status(Code::InvalidArgument, name + ": 0 bytes; expected at least 1");
    if (alignment & (alignment - 1))
      return Status(Code::InvalidArgument,
                    name + ": alignment " + std::to_string(alignment) + "; expected a power of two");
    alignment = std::max(alignment, kAlignmentBytes);
    std::lock_guard lock(mutex);
    if (alignment > limitBytes || bytes > limitBytes - bytesInUse)
      return Status(Code::ResourceExhausted, name + ": " + std::to_string(bytes) + " bytes asked for; " +
                                                 std::to_string(limitBytes - bytesInUse) + " of " +
                                                 std::to_string(limitBytes) + " bytes free");
    void *memory = obtain(bytes, alignment);
    if (!memory)
      return Status(Code::ResourceExhausted,
                    name + ": no host memory for " + std::to_string(bytes) + " bytes");
    auto address = reinterpret_cast<KilnDeviceAddress>(memory);
    blocks[address] = {memory, bytes, alignment};
    bytesInUse += bytes;
    bytesPeak = std::max(bytesPeak, bytesInUse);
    return address;
  }
  void release(KilnDeviceAddress address) override {
    std::lock_guard lock(mutex);
    auto it = blocks.find(address);
    if (it == blocks.end())
      return; // freed twice: nothing of ours
    bytesInUse -= it->second.bytes;
    giveBack(it->second);
    blocks.erase(it);
  }
  Result<KilnDeviceAddress> import(void *memory, uint64_t bytes) override {
    if (!memory || bytes == 0)
      return Status(Code::InvalidArgument, name + ": import of " + std::to_string(bytes) + " bytes at " +
                                               (memory ? "an address" : "null") + "; expected memory");
    return reinterpret_cast<KilnDeviceAddress>(memory);
  }
  Result<void *> map(KilnDeviceAddress address, uint64_t) override { return hostPointer(address); }
  KilnMemoryStats memoryStats() override {
    std::lock_guard lock(mutex);
    return {sizeof(KilnMemoryStats), bytesInUse, bytesPeak, limitBytes, blocks.size()};
  }

private:
  struct Block {
    void *memory;
    uint64_t bytes, alignment;
  };
  void *obtain(uint64_t bytes, uint64_t alignment) {
    if (allocator.allocate)
      return allocator.allocate(allocator.self, bytes, alignment);
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  void giveBack(const Block &block) {
    if (!allocator.allocate)
      std::free(block.memory);
    else if (allocator.deallocate)
      allocator.deallocate(allocator.self, block.memory, block.bytes, block.alignment);
  }

  const std::string name;
  const KilnAllocator allocator; // zeroed: aligned_alloc
  const uint64_t limitBytes;
  std::mutex mutex; // guards what follows
  std::unordered_map<KilnDeviceAddress, Block> blocks;
  uint64_t bytesInUse = 0, bytesPeak = 0;
};

} // namespace kiln::sdk
#endif // KILN_SDK_HOSTMEMORYDEVICE_H
