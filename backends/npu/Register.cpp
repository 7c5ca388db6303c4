// Register.cpp: what the npu's runtime tier registers.
#include "backends/npu/NpuDevice.h"
#include "backends/npu/NpuLoader.h"
#include "kiln/Registrar.h"

namespace {

kiln::Status registerNpu(kiln::Registrar &registrar) {
  // Registered tables must live until the process ends, whatever the order of destructors.
  static auto *type = new kiln::npu::NpuDeviceType(registrar.host());
  registrar.addDeviceType("npu", kiln::sdk::deviceOps(), static_cast<kiln::sdk::DeviceType *>(type));
  static auto *loader = new kiln::npu::NpuLoader(registrar.host());
  registrar.addKernelLoader("npu-elf", "npu", kiln::npu::NpuLoader::ops(), loader);
  return registrar.status();
}

} // namespace

KILN_BACKEND(npu, "0.1.0", registerNpu)
