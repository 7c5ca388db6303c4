// Half.cpp: conversions by bits; arrays use F16C if the host has it.
#include "backends/npu/Sim/Half.h"

#include <cstring>
#include <immintrin.h>

namespace kiln::npu {
namespace {

uint16_t roundMagnitude(double magnitude, bool negative, Round round, int mantissaBits, int leastExponent,
                        uint16_t infinity) {
  if (magnitude == 0)
    return 0;
  int exponent = std::max(std::ilogb(magnitude), leastExponent);
  double step = std::ldexp(1.0, exponent - mantissaBits);
  double scaled = magnitude / step, whole = std::floor(scaled), rest = scaled - whole;
  bool up = false;
  switch (round) {
  case Round::None:
  case Round::Rint:
    up = rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) == 1);
    break;
  case Round::Round:
    up = rest >= 0.5;
    break;
  case Round::Floor:
    up = negative && rest > 0;
    break;
  case Round::Ceil:
    up = !negative && rest > 0;
    break;
  case Round::Trunc:
    break;
  case Round::Odd:
    up = rest > 0 && std::fmod(whole, 2) == 0;
    break;
  }
  // As bits, a step up from the greatest mantissa is the next exponent.
  uint64_t mantissa = static_cast<uint64_t>(whole) + up;
  uint64_t bits = (static_cast<uint64_t>(exponent - leastExponent) << mantissaBits) + mantissa;
  return static_cast<uint16_t>(std::min<uint64_t>(bits, infinity));
}

__attribute__((target("avx,f16c"))) void toFloatsF16c(const uint16_t *from, float *to, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(from + i))));
  for (; i < count; ++i)
    to[i] = _cvtsh_ss(from[i]);
}

__attribute__((target("avx,f16c"))) void toHalvesF16c(const float *from, uint16_t *to, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  for (; i < count; ++i)
    to[i] = _cvtss_sh(from[i], _MM_FROUND_TO_NEAREST_INT);
}

bool hasF16c() {
  static const bool has = __builtin_cpu_supports("f16c") && __builtin_cpu_supports("avx");
  return has;
}

} // namespace

float halfToFloat(uint16_t bits) {
  uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
  if (exponent == 31) // a signalling NaN becomes quiet, as the host's instructions make it
    return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13 | (mantissa ? 0x400000u : 0));
  if (exponent == 0)
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(static_cast<float>(mantissa) * 0x1p-24f));
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

uint16_t roundToHalf(double value, Round round) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | 0x7e00;
  if (std::isinf(value))
    return sign | 0x7c00;
  return sign | roundMagnitude(std::fabs(value), sign != 0, round, 10, -14, 0x7c00);
}

uint16_t floatToHalf(float value) {
  if (std::isnan(value)) { // keeps the mantissa's upper bits
    uint32_t bits = std::bit_cast<uint32_t>(value);
    return static_cast<uint16_t>((bits >> 16 & 0x8000) | 0x7e00 | (bits >> 13 & 0x1ff));
  }
  return roundToHalf(value, Round::Rint);
}

uint16_t roundToBfloat(float value, Round round) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | 0x7fc0;
  if (std::isinf(value))
    return sign | 0x7f80;
  return sign | roundMagnitude(std::fabs(double(value)), sign != 0, round, 7, -126, 0x7f80);
}

double roundToInteger(double value, Round round) {
  switch (round) {
  case Round::Rint:
    return std::nearbyint(value);
  case Round::Round:
    return std::round(value);
  case Round::Floor:
    return std::floor(value);
  case Round::Ceil:
    return std::ceil(value);
  case Round::None:
  case Round::Trunc:
  case Round::Odd:
    return std::trunc(value);
  }
  return value;
}

void halvesToFloats(const void *from, float *to, size_t count) {
  const auto *bits = static_cast<const uint16_t *>(from);
  if (hasF16c())
    return toFloatsF16c(bits, to, count);
  for (size_t i = 0; i < count; ++i)
    to[i] = halfToFloat(bits[i]);
}

void floatsToHalves(const float *from, void *to, size_t count) {
  auto *bits = static_cast<uint16_t *>(to);
  if (hasF16c())
    return toHalvesF16c(from, bits, count);
  for (size_t i = 0; i < count; ++i)
    bits[i] = floatToHalf(from[i]);
}

} // namespace kiln::npu
