// HostDevice.h: the device type "host": the machine's CPU as a Kiln device.
#ifndef KILN_BACKENDS_HOST_HOSTDEVICE_H
#define KILN_BACKENDS_HOST_HOSTDEVICE_H

#include "HostMemory.h"
#include "HostOptions.h"
#include "ThreadPool.h"
#include "kiln/sdk/Device.h"

namespace kiln::host {

/// One opened handle of the CPU: memory, threads, and the launch of kernels. Addresses are host pointers.
/// Threads: every member is safe from any thread.
class HostDevice final : public sdk::Device {
public:
  struct Config {
    uint32_t threads;
    uint64_t memoryLimitBytes;
    KilnAllocator allocator;  // zeroed: the C library
    KilnParallelFor parallel; // zeroed: own threads
  };
  HostDevice(const KilnHost &host, const Config &config);

  Result<KilnDeviceAddress> allocate(uint64_t bytes, uint64_t alignment) override;
  void release(KilnDeviceAddress address) override;
  Result<KilnDeviceAddress> import(void *memory, uint64_t bytes) override;
  Result<void *> map(KilnDeviceAddress address, uint64_t bytes) override;
  KilnMemoryStats memoryStats() override { return memory.stats(); }
  /// InvalidArgument: no kernel, another count of bindings or constants than it has, a grid of several
  /// dimensions, a binding without an address.
  Status checkLaunch(KilnKernel *kernel, const KilnLaunch &launch) override;
  Status launch(const sdk::LaunchCommand &command) override;

private:
  HostMemory memory;
  ThreadPool pool;
};

/// The type as it is registered: one device, always present.
class HostDeviceType final : public sdk::DeviceType {
public:
  explicit HostDeviceType(const KilnHost &host) : theHost(host) {}
  const KilnHost &host() const override { return theHost; }
  Result<uint32_t> enumerate() override { return 1; }
  Status describe(uint32_t ordinal, KilnDeviceInfo &info) override;
  Status target(std::string_view options, KilnTargetInfo &target) override;
  Result<std::unique_ptr<sdk::Device>> open(const KilnDeviceOpenArgs &args) override;

private:
  const KilnHost &theHost;
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_HOSTDEVICE_H
