// ProgramTarget.cpp: program files: header, checksums, verifier.
#include "tests/fuzz/Session.h"
#include "tests/fuzz/Target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  kiln::fuzz::load(data, size, "program");
  return 0;
}

std::string kiln::fuzz::mutate(const std::string &bytes, Random &random) {
  return mutateBytes(bytes, random);
}
