// Device.h: the null device: memory of the host, an in-order queue, launches that do nothing.
#ifndef KILN_BACKENDS_NULL_DEVICE_H
#define KILN_BACKENDS_NULL_DEVICE_H

#include "kiln/sdk/HostMemoryDevice.h"

namespace kiln::null {

/// Host memory, and launches that are dropped. Threads: every member from any thread.
class NullDevice final : public sdk::HostMemoryDevice {
public:
  using HostMemoryDevice::HostMemoryDevice;
  Status launch(const sdk::LaunchCommand &) override { return {}; } // the whole of what this device computes
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
