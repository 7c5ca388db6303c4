// sound_runtime.cpp: the sound runtime tier of a backend, PLUGIN_NAME, whose compiler tier is not.
#include "tests/plugins/PluginDevice.h"

#define KILN_QUOTED_(name) #name
#define KILN_QUOTED(name) KILN_QUOTED_(name)

static kiln::Status registerSound(kiln::Registrar &registrar) {
  kiln::plugins::addPluginDevice(registrar, KILN_QUOTED(PLUGIN_NAME));
  return registrar.status();
}
#define KILN_BACKEND_OF(name) KILN_BACKEND(name, "0.1.0", registerSound)
KILN_BACKEND_OF(PLUGIN_NAME)
