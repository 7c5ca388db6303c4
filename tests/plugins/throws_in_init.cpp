// throws_in_init.cpp: registers its device, then lets something out of init that is no std::exception.
#include "tests/plugins/PluginDevice.h"

static kiln::Status registerThrows(kiln::Registrar &registrar) {
  kiln::plugins::addPluginDevice(registrar, "throws_in_init");
  throw 42;
}
KILN_BACKEND(throws_in_init, "0.1.0", registerThrows)
