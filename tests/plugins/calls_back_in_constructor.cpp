// calls_back_in_constructor.cpp: calls a function of the test while it is opened, whose address the variable
// KILN_TEST_CONSTRUCTOR_HOOK holds.
#include "tests/plugins/PluginDevice.h"

#include <cstdlib>

__attribute__((constructor)) static void callBack() {
  if (const char *address = std::getenv("KILN_TEST_CONSTRUCTOR_HOOK"))
    reinterpret_cast<void (*)()>(std::strtoull(address, nullptr, 10))();
}

static kiln::Status registerAfterwards(kiln::Registrar &registrar) {
  kiln::plugins::addPluginDevice(registrar, "calls_back_in_constructor");
  return registrar.status();
}
KILN_BACKEND(calls_back_in_constructor, "0.1.0", registerAfterwards)
