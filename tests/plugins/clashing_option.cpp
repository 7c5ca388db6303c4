// clashing_option.cpp: the sound runtime tier of a backend whose compiler tier is not.
#include "tests/plugins/PluginDevice.h"

static kiln::Status registerSound(kiln::Registrar &registrar) {
  kiln::plugins::addPluginDevice(registrar, "clashing_option");
  return registrar.status();
}
KILN_BACKEND(clashing_option, "0.1.0", registerSound)
