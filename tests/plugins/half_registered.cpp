// half_registered.cpp: registers its device, then fails: nothing of it may be seen.
#include "tests/plugins/PluginDevice.h"

static kiln::Status registerHalf(kiln::Registrar &registrar) {
  kiln::plugins::addPluginDevice(registrar, "half_registered");
  return kiln::Status(kiln::Code::Unavailable, "the firmware does not answer");
}
KILN_BACKEND(half_registered, "0.1.0", registerHalf)
