// LibFuzzerMutator.cpp: hands the targets' own mutations to libFuzzer.
#include "tests/fuzz/Target.h"

#include <algorithm>
#include <cstring>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  kiln::fuzz::Random random(seed);
  if (random() % 2)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string mutated = kiln::fuzz::mutate({reinterpret_cast<const char *>(data), size}, random);
  size_t kept = std::min(mutated.size(), maxSize);
  std::memcpy(data, mutated.data(), kept);
  return kept;
}
