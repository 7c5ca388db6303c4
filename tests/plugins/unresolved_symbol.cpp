// unresolved_symbol.cpp: refers to a function that nobody defines, so that dlopen fails.
#include "tests/plugins/PluginDevice.h"

extern "C" int kilnTestDefinedNowhere();

static kiln::Status registerUnresolved(kiln::Registrar &registrar) {
  kiln::plugins::addPluginDevice(registrar, "unresolved_symbol", kilnTestDefinedNowhere());
  return registrar.status();
}
KILN_BACKEND(unresolved_symbol, "0.1.0", registerUnresolved)
