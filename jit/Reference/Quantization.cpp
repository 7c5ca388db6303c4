// Quantization.cpp: quantize and dequantize to the bit (ONNX: QuantizeLinear, DequantizeLinear). Quotients
// and products are single operations in f32 or f64, each rounded once, so that double precision gives them
// exactly.
#include "jit/Reference/Elementwise.h"

#include "kiln/IR/Kiln.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace kiln::reference {
namespace {

/// f64 for f64, f32 for all others.
Type wideOf(Type type) { return type.isF64() ? type : Float32Type::get(type.getContext()); }

Outcome quantize(Operation *op, const Element *x) {
  auto quantize = cast<QuantizeOp>(op);
  const Element &dividend = x[0], &scale = x[1];
  Type precision = scale.type;
  if (dividend.isFloat() && dividend.type.getIntOrFloatBitWidth() > precision.getIntOrFloatBitWidth())
    precision = dividend.type;
  Type wide = wideOf(precision);
  double numerator =
      dividend.isFloat() ? dividend.value : roundTo(wide, static_cast<double>(dividend.integer));
  double quotient = roundTo(precision, roundTo(wide, numerator / scale.value));
  Type to = quantize.getTo();
  if (isa<FloatType>(to))
    return number(quantize.getUnsaturated() ? quotient : saturated(to, quotient));
  unsigned width = to.getIntOrFloatBitWidth();
  bool isUnsigned = to.isUnsignedInteger();
  double lowest = isUnsigned ? 0 : -std::ldexp(1, static_cast<int>(width) - 1);
  double highest = std::ldexp(1, static_cast<int>(isUnsigned ? width : width - 1)) - 1;
  double zero = quantize.getZeroPoint() ? static_cast<double>(x[2].integer) : 0;
  if (std::isnan(quotient))
    return integer(static_cast<int64_t>(lowest));
  // nearbyint: halves to even, as the rounding mode of the process is never changed.
  return integer(static_cast<int64_t>(std::clamp(std::nearbyint(quotient) + zero, lowest, highest)));
}

Outcome dequantize(Operation *op, const Element *x) {
  auto dequantize = cast<DequantizeOp>(op);
  const Element &scale = x[1];
  Type wide = wideOf(scale.type);
  double factor = x[0].value;
  if (!x[0].isFloat()) {
    int64_t zero = dequantize.getZeroPoint() ? x[2].integer : 0;
    factor = roundTo(wide, static_cast<double>(static_cast<int32_t>(x[0].integer - zero)));
  }
  double product = factor * scale.value; // exact in double unless the scale is f64
  return number(wide.isF64() ? product : roundTo(wide, product));
}

} // namespace

void addQuantization(ElementwiseTable &table) {
  table["kiln.quantize"] = {quantize, kExact};
  table["kiln.dequantize"] = {dequantize, kExact};
}

} // namespace kiln::reference
