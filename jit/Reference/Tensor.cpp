// Tensor.cpp: rounding goes through APFloat, which owes nothing to the code under test.
#include "jit/Reference/Tensor.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace mlir;

namespace kiln::reference {

Tensor::Tensor(Type element, llvm::ArrayRef<int64_t> shape) : element(element), shape(shape) {
  size_t count = static_cast<size_t>(elementCount(shape));
  if (isFloat())
    values.resize(count);
  else
    integers.resize(count);
}

double Tensor::number(int64_t index) const {
  if (isFloat())
    return values[index];
  return isUnsigned() ? static_cast<double>(static_cast<uint64_t>(integers[index]))
                      : static_cast<double>(integers[index]);
}

void Tensor::set(int64_t index, double value, double error) {
  values[index] = roundTo(element, value);
  if (error > 0 && errors.empty())
    errors.resize(values.size());
  if (!errors.empty())
    errors[index] = error;
}

void Tensor::set(int64_t index, int64_t value, double error) {
  integers[index] = wrapTo(element, value);
  if (error > 0 && errors.empty())
    errors.resize(integers.size());
  if (!errors.empty())
    errors[index] = error;
}

void Tensor::copy(int64_t to, const Tensor &from, int64_t index) {
  if (isFloat())
    values[to] = from.values[index];
  else
    integers[to] = from.integers[index];
  double error = from.error(index);
  if (error > 0 && errors.empty())
    errors.resize(static_cast<size_t>(size()));
  if (!errors.empty())
    errors[to] = error;
}

int64_t elementCount(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

Shape stridesOf(llvm::ArrayRef<int64_t> shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t> index, int64_t position)> visit) {
  Shape index(shape.size(), 0);
  for (int64_t position = 0, count = elementCount(shape); position < count; ++position) {
    visit(index, position);
    for (size_t axis = shape.size(); axis-- > 0 && ++index[axis] == shape[axis];)
      index[axis] = 0;
  }
}

int64_t broadcastPosition(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> index) {
  int64_t position = 0;
  for (auto [i, extent] : llvm::zip_equal(index.take_back(shape.size()), shape))
    position = position * extent + (extent == 1 ? 0 : i);
  return position;
}

int64_t dot(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> strides) {
  int64_t position = 0;
  for (auto [i, stride] : llvm::zip_equal(index, strides))
    position += i * stride;
  return position;
}

Lines::Lines(llvm::ArrayRef<int64_t> shape, int64_t axis) {
  for (auto [i, extent] : llvm::enumerate(shape))
    (static_cast<int64_t>(i) < axis ? outer : static_cast<int64_t>(i) == axis ? length : inner) *= extent;
}

bool lessInteger(const Tensor &x, int64_t a, int64_t b) {
  return x.isUnsigned() || x.element.isInteger(1) ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b)
                                                  : a < b;
}

double roundTo(Type type, double value) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  const llvm::fltSemantics &semantics = cast<FloatType>(type).getFloatSemantics();
  llvm::APFloat rounded(value);
  bool losesInfo = false;
  rounded.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  rounded.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.convertToDouble();
}

double saturated(Type type, double value) {
  if (!type.isFloat8E4M3FN() && !type.isFloat8E5M2())
    return value;
  double largest = llvm::APFloat::getLargest(cast<FloatType>(type).getFloatSemantics()).convertToDouble();
  return std::fabs(value) > largest ? std::copysign(largest, value) : value;
}

uint64_t bitsOf(FloatType type, double value) {
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

double fromBits(FloatType type, uint64_t bits) {
  llvm::APFloat value(type.getFloatSemantics(), llvm::APInt(type.getWidth(), bits));
  bool losesInfo = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

int64_t wrapTo(Type type, int64_t value) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (width >= 64)
    return value;
  if (width == 1)
    return value & 1;
  uint64_t kept = static_cast<uint64_t>(value) << (64 - width);
  return type.isUnsignedInteger() ? static_cast<int64_t>(kept >> (64 - width))
                                  : static_cast<int64_t>(kept) >> (64 - width);
}

double ulp(Type type, double value) {
  const llvm::fltSemantics &semantics = cast<FloatType>(type).getFloatSemantics();
  int precision = static_cast<int>(llvm::APFloat::semanticsPrecision(semantics));
  int least = llvm::APFloat::semanticsMinExponent(semantics);
  if (!std::isfinite(value))
    return 0;
  int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
  return std::ldexp(1.0, exponent - precision + 1);
}

double accumulatorEpsilon(Type type) { return type.isF64() ? 0x1p-53 : 0x1p-24; }

bool isNarrow(Type type) { return !type.isF64() && !type.isF32(); }

} // namespace kiln::reference
