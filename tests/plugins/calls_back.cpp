// calls_back.cpp: calls a function of the test from init, whose address the option "hook" holds: it can ask
// for this very backend again, wait, or count.
#include "tests/plugins/PluginDevice.h"

#include <charconv>

static kiln::Status registerCallsBack(kiln::Registrar &registrar) {
  const KilnHost &host = registrar.host();
  KilnStr text = {};
  KILN_RETURN_IF_ERROR(kiln::Status::fromC(
      host, host.option(host.self, kiln::toStr("calls_back"), kiln::toStr("hook"), &text)));
  uintptr_t address = 0;
  std::from_chars(text.data, text.data + text.size, address);
  if (address)
    reinterpret_cast<void (*)()>(address)();
  kiln::plugins::addPluginDevice(registrar, "calls_back");
  return registrar.status();
}
KILN_BACKEND(calls_back, "0.1.0", registerCallsBack)
