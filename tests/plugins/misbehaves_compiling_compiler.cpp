// misbehaves_compiling_compiler.cpp: a compiler tier that does one thing it must not do, the one that
// KILN_TEST_FAULT names. Plain C at the border: what a stranger's compiler with other flags may bring.
#include "kiln/backend.h"

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <sys/stat.h>

namespace {

bool fault(const char *name) {
  const char *asked = std::getenv("KILN_TEST_FAULT");
  return asked && std::strcmp(name, asked) == 0;
}

KilnStatus init(void *, const KilnHost *host, void *) {
  if (fault("throws"))
    throw std::runtime_error("no licence for this compiler");
  if (fault("umask"))
    umask(0);
  if (fault("fails"))
    return host->status_make(KILN_UNAVAILABLE, {"the assembler is missing", 24});
  return nullptr;
}

} // namespace

extern "C" KILN_EXPORT KilnStatus kiln_backend_compiler_query_v1(const KilnHost *, KilnBackendCompiler *out) {
  if (fault("throws in its query"))
    throw 7;
  out->abi_major = KILN_ABI_MAJOR;
  out->abi_minor = fault("newer") ? KILN_ABI_MINOR + 1 : KILN_ABI_MINOR;
  out->name = {"misbehaves_compiling", 20};
  out->version = {"0.1.0", 5};
  out->init = fault("no init") ? nullptr : init;
  return nullptr;
}
