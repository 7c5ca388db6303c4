// Conversions.cpp: convert and bitcast.
#include "jit/Reference/Elementwise.h"

#include "kiln/IR/Kiln.h"

#include <cmath>

using namespace mlir;

namespace kiln::reference {
namespace {

Outcome toFloat(ConvertOp op, const Element &x) {
  Type to = op.getTo();
  if (x.isFloat())
    return number(op.getUnsaturated() ? x.value : saturated(to, x.value));
  // To f64 at once, to f32 at once, to what is narrower through f32.
  bool isUnsigned = x.isUnsigned() || x.type.isInteger(1);
  auto bits = static_cast<uint64_t>(x.integer);
  if (to.isF64())
    return number(isUnsigned ? static_cast<double>(bits) : static_cast<double>(x.integer));
  double value = isUnsigned ? static_cast<float>(bits) : static_cast<float>(x.integer);
  return number(op.getUnsaturated() ? value : saturated(to, value));
}

Outcome toInteger(Type to, const Element &x) {
  if (to.isInteger(1))
    return integer(x.isFloat() ? x.value != 0 : x.integer != 0);
  if (!x.isFloat())
    return integer(x.integer); // wraps when it is stored
  if (std::isnan(x.value))
    return integer(0);
  unsigned width = to.getIntOrFloatBitWidth();
  bool isUnsigned = to.isUnsignedInteger();
  double low = isUnsigned ? 0 : -std::ldexp(1.0, static_cast<int>(width) - 1);
  double high = std::ldexp(1.0, static_cast<int>(isUnsigned ? width : width - 1)); // one beyond the largest
  double value = std::trunc(x.value);
  if (value <= low)
    return integer(static_cast<int64_t>(low));
  if (value >= high)
    return integer(isUnsigned ? static_cast<int64_t>(width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1)
                              : static_cast<int64_t>((uint64_t{1} << (width - 1)) - 1));
  return integer(isUnsigned ? static_cast<int64_t>(static_cast<uint64_t>(value))
                            : static_cast<int64_t>(value));
}

Outcome convert(Operation *op, const Element *x) {
  auto convert = cast<ConvertOp>(op);
  return isa<FloatType>(convert.getTo()) ? toFloat(convert, x[0]) : toInteger(convert.getTo(), x[0]);
}

Outcome bitcast(Operation *op, const Element *x) {
  Type to = cast<BitcastOp>(op).getTo();
  uint64_t bits =
      x[0].isFloat() ? bitsOf(cast<FloatType>(x[0].type), x[0].value) : static_cast<uint64_t>(x[0].integer);
  if (auto type = dyn_cast<FloatType>(to))
    return number(fromBits(type, bits));
  return integer(static_cast<int64_t>(bits));
}

} // namespace

void addConversions(ElementwiseTable &table) {
  table["kiln.convert"] = {convert, kExact};
  table["kiln.bitcast"] = {bitcast, kExact};
}

} // namespace kiln::reference
