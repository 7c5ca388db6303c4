// Register.cpp: what the host's runtime tier registers.
#include "HostDevice.h"
#include "StrictLoader.h"
#include "kiln/Registrar.h"

namespace kiln::host {

Status registerHost(Registrar &registrar) {
  // Registered tables must live until the process ends, whatever the order of destructors.
  static auto *type = new HostDeviceType(registrar.host());
  static auto *strict = new StrictLoader(registrar.host());
  registrar.addDeviceType("host", sdk::deviceOps(), static_cast<sdk::DeviceType *>(type));
  registrar.addKernelLoader("host-elf", "strict", StrictLoader::ops(), strict);
  return registrar.status();
}

} // namespace kiln::host

KILN_BACKEND(host, "0.1.0", kiln::host::registerHost)
