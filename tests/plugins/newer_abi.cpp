// newer_abi.cpp: speaks an ABI with a higher minor than this Kiln, though its note does not say so.
#include "kiln/Registrar.h"

KilnStatus kiln_backend_query_v1(const KilnHost *, KilnBackend *out) {
  out->abi_major = KILN_ABI_MAJOR;
  out->abi_minor = KILN_ABI_MINOR + 1;
  out->name = kiln::toStr("newer_abi");
  out->version = kiln::toStr("0.1.0");
  return nullptr;
}
