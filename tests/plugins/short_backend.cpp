// short_backend.cpp: claims a KilnBackend that ends before init.
#include "kiln/Registrar.h"

KilnStatus kiln_backend_query_v1(const KilnHost *, KilnBackend *out) {
  out->struct_size = offsetof(KilnBackend, self);
  out->abi_major = KILN_ABI_MAJOR;
  out->name = kiln::toStr("short_backend");
  out->version = kiln::toStr("0.1.0");
  out->init = [](void *, const KilnHost *, const KilnRegistrar *) -> KilnStatus { return nullptr; };
  return nullptr;
}
