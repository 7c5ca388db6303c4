// NpuDevice.h: the device type "npu": software devices that hold memory, queues and simulated cores.
#ifndef KILN_BACKENDS_NPU_NPUDEVICE_H
#define KILN_BACKENDS_NPU_NPUDEVICE_H

#include "backends/npu/NpuOptions.h"
#include "kiln/sdk/HostMemoryDevice.h"

namespace kiln::npu {

/// One opened device. Its GM is memory of the host. Threads: every member is safe from any thread.
class NpuDevice final : public sdk::HostMemoryDevice {
public:
  NpuDevice(const KilnHost &host, const KilnDeviceOpenArgs &args, const NpuOptions &options);
  /// InvalidArgument: no kernel, or bindings, constants, workspace or grid are not what its metadata says.
  /// FailedPrecondition: it is for another chip.
  Status checkLaunch(KilnKernel *kernel, const KilnLaunch &launch) override;
  Status launch(const sdk::LaunchCommand &command) override;

private:
  const NpuOptions options;
  const Target target;            // what the simulator computes with
  const KilnParallelFor parallel; // the embedder's; zeroed: none
};

/// Any number of equal devices. Immutable after construction.
class NpuDeviceType final : public sdk::DeviceType {
public:
  explicit NpuDeviceType(const KilnHost &host) : theHost(host) {}
  const KilnHost &host() const override { return theHost; }
  Result<uint32_t> enumerate() override;
  Status describe(uint32_t ordinal, KilnDeviceInfo &info) override;
  Status target(std::string_view options, KilnTargetInfo &target) override;
  Status properties(std::string_view options, KilnPropertyFn fn, void *arg) override;
  Result<std::unique_ptr<sdk::Device>> open(const KilnDeviceOpenArgs &args) override;

private:
  const KilnHost &theHost;
};

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_NPUDEVICE_H
