// aborts_in_init.cpp: an assertion of its own fails while it registers.
#include "tests/plugins/PluginDevice.h"

#include <cstdio>

static kiln::Status registerAborting(kiln::Registrar &) {
  std::fprintf(stderr, "driver: assertion 'firmware >= 7' failed\n");
  std::abort();
}
KILN_BACKEND(aborts_in_init, "0.1.0", registerAborting)
