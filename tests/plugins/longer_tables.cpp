// longer_tables.cpp: built against a later minor of the ABI, whose structs are longer: what this Kiln does
// not know of them is ignored.
#include "tests/plugins/PluginDevice.h"

#include <cstring>

namespace {
struct LongerOps {
  KilnDeviceOps known;
  void (*later[4])();
};
LongerOps longerOps() {
  LongerOps ops = {kiln::sdk::deviceOps(), {}};
  ops.known.struct_size = sizeof(LongerOps);
  return ops;
}
} // namespace

static kiln::Status registerLonger(kiln::Registrar &registrar) {
  static const LongerOps ops = longerOps();
  auto *type = new kiln::plugins::PluginDeviceType(registrar.host(), 1);
  registrar.addDeviceType("longer_tables", ops.known, static_cast<kiln::sdk::DeviceType *>(type));
  return registrar.status();
}
KILN_BACKEND(longer_tables, "0.1.0", registerLonger)
