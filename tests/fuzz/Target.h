// Target.h: what every fuzz target is: libFuzzer's entry, and mutations that know the format.
#ifndef KILN_TESTS_FUZZ_TARGET_H
#define KILN_TESTS_FUZZ_TARGET_H

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

/// Feeds one input to the code under test. Whatever comes, it must return.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace kiln::fuzz {

using Random = std::mt19937_64;

/// One mutation of `bytes`; targets whose format is a tree of fields mutate that, others the bytes.
std::string mutate(const std::string &bytes, Random &random);

/// Flips bits, overwrites, inserts, removes, repeats or cuts off bytes.
std::string mutateBytes(std::string bytes, Random &random);

} // namespace kiln::fuzz
#endif // KILN_TESTS_FUZZ_TARGET_H
