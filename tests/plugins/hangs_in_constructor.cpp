// hangs_in_constructor.cpp: waits for ever while it is opened.
#include "tests/plugins/PluginDevice.h"

#include <unistd.h>

__attribute__((constructor)) static void hang() {
  for (;;)
    pause();
}

static kiln::Status registerNever(kiln::Registrar &registrar) {
  kiln::plugins::addPluginDevice(registrar, "hangs_in_constructor");
  return registrar.status();
}
KILN_BACKEND(hangs_in_constructor, "0.1.0", registerNever)
