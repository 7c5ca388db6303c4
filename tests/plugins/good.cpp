// good.cpp: a backend without fault, with two devices and an option that tests read back.
#include "tests/plugins/PluginDevice.h"

static kiln::Status registerGood(kiln::Registrar &registrar) {
  kiln::plugins::addPluginDevice(registrar, "good", 2);
  return registrar.status();
}
KILN_BACKEND(good, "0.1.0", registerGood)
