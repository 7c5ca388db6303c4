// TestData.cpp: elements from SplitMix64; what is special stands at every seventh place, so that rows differ.
#include "tools/lib/KernelTest.h"
#include "tools/lib/TensorText.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kiln::tools {
namespace {

/// Width of the exponent and of the mantissa of a float type; {0, 0} for integers.
struct FloatLayout {
  int exponentBits, mantissaBits;
};
FloatLayout layoutOf(KilnDType dtype) {
  switch (dtype) {
  case KILN_F16:
    return {5, 10};
  case KILN_BF16:
    return {8, 7};
  case KILN_F32:
    return {8, 23};
  case KILN_F64:
    return {11, 52};
  case KILN_F8E4M3FN:
    return {4, 3};
  case KILN_F8E5M2:
    return {5, 2};
  default:
    return {0, 0};
  }
}

bool isSigned(KilnDType dtype) {
  return dtype == KILN_I8 || dtype == KILN_I16 || dtype == KILN_I32 || dtype == KILN_I64 || dtype == KILN_I4;
}

/// Least and largest integer of a type, as doubles: setElement saturates.
std::pair<double, double> integerRange(KilnDType dtype) {
  auto bits = static_cast<int>(dtype == KILN_I1 ? 1 : dtypeBits(dtype));
  return isSigned(dtype) ? std::pair(-std::ldexp(1, bits - 1), std::ldexp(1, bits - 1) - 1)
                         : std::pair(0.0, std::ldexp(1, bits) - 1);
}

std::vector<double> specialValues(KilnDType dtype) {
  FloatLayout layout = layoutOf(dtype);
  if (layout.exponentBits == 0) {
    auto [low, high] = integerRange(dtype);
    return {low, high, 0, 1, isSigned(dtype) ? -1.0 : high - 1};
  }
  int bias = (1 << (layout.exponentBits - 1)) - 1;
  double least = std::ldexp(1, 1 - bias), smallest = std::ldexp(1, 1 - bias - layout.mantissaBits);
  double largest = std::ldexp(2 - std::ldexp(1, -layout.mantissaBits), bias);
  return {NAN, INFINITY, -INFINITY, 0.0, -0.0, smallest, -smallest, least, largest, -largest, 1, -1};
}

/// A value of the type's own grid of exponents, finite.
double anyFinite(KilnDType dtype, uint64_t bits) {
  FloatLayout layout = layoutOf(dtype);
  int bias = (1 << (layout.exponentBits - 1)) - 1;
  int exponent = static_cast<int>(bits >> 1 & 0xFFFF) % (2 * bias) - bias; // the largest stays out
  double mantissa = 1 + static_cast<double>(bits >> 20 & 0xFFFFFFFF) * 0x1p-32;
  return (bits & 1 ? -1 : 1) * std::ldexp(mantissa, exponent);
}

double element(KilnDType dtype, const TestData &data, uint64_t bits, int64_t index) {
  double unit = static_cast<double>(bits >> 11) * 0x1p-53; // [0, 1)
  bool isFloat = layoutOf(dtype).exponentBits > 0;
  if (data.kind == TestData::Kind::Iota)
    return static_cast<double>(index);
  auto [low, high] = integerRange(dtype);
  if (data.kind == TestData::Kind::Bits)
    return isFloat ? anyFinite(dtype, bits) : low + std::floor(unit * (high - low + 1));
  constexpr double kFloatRange = 2, kIntegerRange = 100;
  double from = data.low.value_or(isFloat ? -kFloatRange : std::max(low, -kIntegerRange));
  double to = data.high.value_or(isFloat ? kFloatRange : std::min(high, kIntegerRange));
  return isFloat ? from + unit * (to - from) : from + std::floor(unit * (to - from + 1));
}

} // namespace

void fillTestData(HostTensor &tensor, const TestData &data, bool specials, uint64_t seed) {
  uint64_t state = seed;
  for (char c : tensor.name)
    state = (state ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  int64_t count = tensor.elementCount();
  std::vector<int64_t> order(data.kind == TestData::Kind::Distinct ? count : 0);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[nextRandom(state) % i]);
  for (int64_t i = 0; i < count; ++i)
    tensor.setElement(i, order.empty() ? element(tensor.dtype, data, nextRandom(state), i)
                                       : static_cast<double>(order[i] - count / 2));
  if (!specials)
    return;
  constexpr int64_t kStep = 7, kFirst = 2;
  std::vector<double> special = specialValues(tensor.dtype);
  for (int64_t i = kFirst, next = static_cast<int64_t>(nextRandom(state) % special.size()); i < count;
       i += kStep, ++next)
    tensor.setElement(i, special[next % static_cast<int64_t>(special.size())]);
}

} // namespace kiln::tools
