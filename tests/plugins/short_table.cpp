// short_table.cpp: registers a device table that ends before the queue functions.
#include "tests/plugins/PluginDevice.h"

static kiln::Status registerShort(kiln::Registrar &registrar) {
  static KilnDeviceOps ops = kiln::sdk::deviceOps();
  ops.struct_size = offsetof(KilnDeviceOps, queue_create);
  registrar.addDeviceType("short_table", ops, nullptr);
  return registrar.status();
}
KILN_BACKEND(short_table, "0.1.0", registerShort)
