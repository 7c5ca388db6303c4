// segfaults_in_constructor.cpp: writes to address 0 while it is opened: no process survives it.
#include "tests/plugins/PluginDevice.h"

static int *volatile kNowhere = nullptr;
__attribute__((constructor)) static void segfault() { *kNowhere = 1; }

static kiln::Status registerNever(kiln::Registrar &registrar) {
  kiln::plugins::addPluginDevice(registrar, "segfaults_in_constructor");
  return registrar.status();
}
KILN_BACKEND(segfaults_in_constructor, "0.1.0", registerNever)
