// undeclared_device.cpp: registers a device that its manifest does not declare, and hides the error.
#include "tests/plugins/PluginDevice.h"

static kiln::Status registerUndeclared(kiln::Registrar &registrar) {
  kiln::plugins::addPluginDevice(registrar, "undeclared_device");
  kiln::plugins::addPluginDevice(registrar, "surprise");
  return {};
}
KILN_BACKEND(undeclared_device, "0.1.0", registerUndeclared)
