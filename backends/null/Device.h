// Device.h: the null device: memory of the host, an in-order queue, launches that do nothing.
#ifndef KILN_BACKENDS_NULL_DEVICE_H
#define KILN_BACKENDS_NULL_DEVICE_H

#include "kiln/sdk/Device.h"

#include <mutex>
#include <string>
#include <unordered_map>

namespace kiln::null {

/// Host memory up to a limit. Owns what was allocated and not freed. Threads: every member from any thread.
class NullDevice final : public sdk::Device {
public:
  NullDevice(const KilnHost &host, const KilnAllocator &allocator, uint64_t limitBytes);
  ~NullDevice() override;

  Result<KilnDeviceAddress> allocate(uint64_t bytes, uint64_t alignment) override;
  void release(KilnDeviceAddress address) override;
  Result<KilnDeviceAddress> import(void *memory, uint64_t bytes) override;
  Result<void *> map(KilnDeviceAddress address, uint64_t) override { return hostPointer(address); }
  KilnMemoryStats memoryStats() override;
  Status launch(const sdk::LaunchCommand &) override { return {}; } // the whole of what this device computes

  static constexpr uint64_t kAlignmentBytes = 64; // a cache line, as devices on host memory use

private:
  struct Block {
    void *memory;
    uint64_t bytes, alignment;
  };
  void *obtain(uint64_t bytes, uint64_t alignment);
  void giveBack(const Block &block);

  const KilnAllocator allocator; // zeroed: aligned_alloc
  const uint64_t limitBytes;
  std::mutex mutex; // guards what follows
  std::unordered_map<KilnDeviceAddress, Block> blocks;
  uint64_t bytesInUse = 0, bytesPeak = 0;
};

/// Any number of null devices. Immutable after construction.
class NullDeviceType final : public sdk::DeviceType {
public:
  explicit NullDeviceType(const KilnHost &host) : theHost(host) {}
  const KilnHost &host() const override { return theHost; }
  Result<uint32_t> enumerate() override;
  Status describe(uint32_t ordinal, KilnDeviceInfo &info) override;
  Status target(std::string_view options, KilnTargetInfo &target) override;
  Result<std::unique_ptr<sdk::Device>> open(const KilnDeviceOpenArgs &args) override;

private:
  Result<uint64_t> option(std::string_view key) const; // an integer that the manifest declares
  Status checkOrdinal(uint32_t ordinal);
  const KilnHost &theHost;
};

/// Loads objects of format "null", which are empty: a kernel is a count of its launches' arguments.
const KilnKernelLoaderOps &loaderOps();

} // namespace kiln::null
#endif // KILN_BACKENDS_NULL_DEVICE_H
