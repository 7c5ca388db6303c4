// hooked_compiler.cpp: stands in for libkiln_compiler and calls a function of the test from its constructor
// and from its entry; the variables KILN_TEST_CONSTRUCTOR_HOOK and KILN_TEST_OPEN_HOOK hold their addresses.
#include "kiln/compiler.h"

#include <cstdlib>

static void call(const char *variable) {
  if (const char *address = std::getenv(variable))
    reinterpret_cast<void (*)()>(std::strtoull(address, nullptr, 10))();
}

__attribute__((constructor)) static void callFromConstructor() { call("KILN_TEST_CONSTRUCTOR_HOOK"); }

extern "C" KilnStatus kiln_compiler_open_v1(const KilnCompilerHost *, KilnCompiler *) {
  call("KILN_TEST_OPEN_HOOK");
  return nullptr;
}
