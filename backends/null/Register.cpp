// Register.cpp: what the null backend registers in the runtime tier: a device type and a loader of empty
// kernels.
#include "backends/null/Device.h"

#include "kiln/Registrar.h"

namespace {

kiln::Status registerNull(kiln::Registrar &registrar) {
  // Lives as long as the process, as device types do.
  static kiln::null::NullDeviceType *const type = new kiln::null::NullDeviceType(registrar.host());
  registrar.addDeviceType("null", kiln::sdk::deviceOps(), static_cast<kiln::sdk::DeviceType *>(type));
  registrar.addKernelLoader("null", "null", kiln::null::loaderOps(), type);
  return registrar.status();
}

} // namespace

KILN_BACKEND(null, "0.1.0", registerNull)
