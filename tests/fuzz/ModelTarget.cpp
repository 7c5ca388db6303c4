// ModelTarget.cpp: the ONNX importer.
#include "tests/fuzz/MutateProto.h"
#include "tests/fuzz/Session.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  kiln::fuzz::load(data, size, "onnx");
  return 0;
}

std::string kiln::fuzz::mutate(const std::string &bytes, Random &random) {
  return mutateProto(bytes, random);
}
