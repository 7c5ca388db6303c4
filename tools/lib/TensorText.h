// TensorText.h: tensors written on a command line: --input NAME=@file.npy or NAME=2x2xf32=1 2 3 4.
#ifndef KILN_TOOLS_LIB_TENSORTEXT_H
#define KILN_TOOLS_LIB_TENSORTEXT_H

#include "tools/lib/HostTensor.h"

namespace kiln::tools {

/// Parses `NAME=@FILE.npy`, `NAME=@FILE.pb` or `NAME=SHAPExTYPE=VALUES`, where VALUES is `random`, one number
/// for all elements, or as many numbers as there are elements, separated by spaces or commas. NAME may be
/// empty: by position. InvalidArgument quotes the part that is wrong.
Result<HostTensor> parseTensorText(const std::string &text, uint64_t seed);
/// The same errors without reading a file or taking memory.
Status checkTensorText(const std::string &text);

/// SplitMix64: the same sequence from the same state on every machine.
uint64_t nextRandom(uint64_t &state);

/// Fills a tensor from a fixed generator: floats uniform in [-1, 1), integers in [0, 10), booleans 0 or 1.
/// The same seed and name give the same values everywhere.
void fillRandom(HostTensor &tensor, uint64_t seed);

/// A short rendering for people: shape, then the first elements, then min, max and mean.
std::string describeTensor(const HostTensor &tensor, size_t maxElements = 8);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_TENSORTEXT_H
