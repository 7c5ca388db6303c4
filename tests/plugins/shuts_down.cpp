// shuts_down.cpp: says on stderr when it is shut down; built twice, as PLUGIN_NAME.
#include "tests/plugins/PluginDevice.h"

#include <cstdio>

static kiln::Status registerShutDown(kiln::Registrar &registrar) {
  kiln::plugins::addPluginDevice(registrar, PLUGIN_NAME);
  return registrar.status();
}

KilnStatus kiln_backend_query_v1(const KilnHost *, KilnBackend *out) {
  out->abi_major = KILN_ABI_MAJOR;
  out->abi_minor = KILN_ABI_MINOR;
  out->name = kiln::toStr(PLUGIN_NAME);
  out->version = kiln::toStr("0.1.0");
  out->init = [](void *, const KilnHost *host, const KilnRegistrar *table) -> KilnStatus {
    kiln::Registrar registrar(*host, *table);
    return registerShutDown(registrar).toC(*host);
  };
  out->shutdown = [](void *) { std::fprintf(stderr, "shut down %s\n", PLUGIN_NAME); };
  return nullptr;
}
