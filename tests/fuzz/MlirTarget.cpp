// MlirTarget.cpp: the importer of .mlir text.
#include "tests/fuzz/Session.h"
#include "tests/fuzz/Target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Bytecode is what MLIR itself wrote: its reader trusts it.
  if (size >= 4 && data[0] == 'M' && data[1] == 'L' && data[2] == 0xEF && data[3] == 'R')
    return 0;
  kiln::fuzz::load(data, size, "mlir");
  return 0;
}

std::string kiln::fuzz::mutate(const std::string &bytes, Random &random) {
  return mutateBytes(bytes, random);
}
