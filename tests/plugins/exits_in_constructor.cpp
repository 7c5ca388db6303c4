// exits_in_constructor.cpp: ends the process, and calls that a success, while it is opened.
#include "tests/plugins/PluginDevice.h"

#include <unistd.h>

__attribute__((constructor)) static void leave() { _exit(0); }

static kiln::Status registerNever(kiln::Registrar &registrar) {
  kiln::plugins::addPluginDevice(registrar, "exits_in_constructor");
  return registrar.status();
}
KILN_BACKEND(exits_in_constructor, "0.1.0", registerNever)
