// Half.h: f16 and bf16 as bits, one by one and by the array.
#ifndef KILN_BACKENDS_NPU_SIM_HALF_H
#define KILN_BACKENDS_NPU_SIM_HALF_H

#include "backends/npu/Isa/Isa.h"

#include <bit>
#include <cmath>

namespace kiln::npu {

float halfToFloat(uint16_t bits);
/// Nearest, ties to even.
uint16_t floatToHalf(float value);
/// With the rounding of an instruction; from double, so that nothing is rounded twice.
uint16_t roundToHalf(double value, Round round);
uint16_t roundToBfloat(float value, Round round);
inline float bfloatToFloat(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
/// To an integer in a double. Round::None is truncation.
double roundToInteger(double value, Round round);

/// Arrays; with the host's conversion instructions where it has them, bit for bit the same without.
void halvesToFloats(const void *from, float *to, size_t count);
void floatsToHalves(const float *from, void *to, size_t count);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_SIM_HALF_H
