// KilnConvert.cpp: what kiln.convert computes, for every pair of element types, fp8 included.
#include "kiln/IR/Kiln.h"

#include "dialects/IR/Scalar.h"

#include <cmath>

using namespace mlir;

namespace kiln {

namespace {

/// One of the two fp8 formats.
struct Fp8Format {
  int mantissaBits, bias;
  double largest;
  uint64_t nan;
};
constexpr Fp8Format kE4M3FN{3, 7, 448.0, 0x7f};
constexpr Fp8Format kE5M2{2, 15, 57344.0, 0x7e};

bool isFp8(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }
Fp8Format formatOf(Type type) { return isa<Float8E5M2Type>(type) ? kE5M2 : kE4M3FN; }

/// fp8 as f32, exactly. E5M2 is the upper half of an f16; E4M3FN shifted into an f16 is too small by 2^8.
Scalar decoded(Scalar x) {
  OpBuilder &builder = x.getBuilder();
  Type i8 = builder.getI8Type(), i16 = builder.getI16Type();
  bool isE5M2 = isa<Float8E5M2Type>(x.type());
  Scalar byte = x.to<arith::BitcastOp>(i8);
  Scalar bits = byte.to<arith::ExtUIOp>(i16);
  auto asFloat = [&](Scalar half) {
    return half.to<arith::BitcastOp>(builder.getF16Type()).to<arith::ExtFOp>(builder.getF32Type());
  };
  if (isE5M2)
    return asFloat(bits.make<arith::ShLIOp>(bits.value(), bits.like(8.0).value()));
  Scalar sign = bits & bits.like(0x80), magnitude = bits & bits.like(0x7f);
  Scalar half = sign.make<arith::ShLIOp>(sign.value(), sign.like(8.0).value()) |
                magnitude.make<arith::ShLIOp>(magnitude.value(), magnitude.like(7.0).value());
  Scalar value = asFloat(half) * 256.0;
  return select(equal(magnitude, 0x7f), value.like(NAN), value);
}

/// f32 as fp8: to nearest, halves to even, saturating.
Scalar encoded(Scalar x, Type to) {
  OpBuilder &builder = x.getBuilder();
  Type i32 = builder.getI32Type();
  Fp8Format format = formatOf(to);
  int dropped = 23 - format.mantissaBits;
  Scalar magnitude = abs(x);
  Scalar limited = select(magnitude < format.largest, magnitude, magnitude.like(format.largest));
  // Normal: round the bits at the last mantissa bit that stays, then move the bias.
  Scalar bits = limited.to<arith::BitcastOp>(i32);
  auto shifted = [](Scalar value, int by) {
    return value.make<arith::ShRUIOp>(value.value(), value.like(double(by)).value());
  };
  Scalar odd = shifted(bits, dropped) & bits.like(1.0);
  Scalar normal = shifted(bits + double((1 << (dropped - 1)) - 1) + odd, dropped) -
                  double((127 - format.bias) << format.mantissaBits);
  // Subnormal: adding a power of two whose unit in the last place is the smallest fp8 lets the addition
  // round.
  Scalar magic = limited.like(std::ldexp(1.0, 23 + 1 - format.bias - format.mantissaBits));
  Scalar subnormal = (limited + magic).to<arith::BitcastOp>(i32) - magic.to<arith::BitcastOp>(i32);
  Scalar code = select(limited < std::ldexp(1.0, 1 - format.bias), subnormal, normal);
  code = select(notEqual(x, x), code.like(APInt(32, format.nan)), code);
  Scalar sign = shifted(x.to<arith::BitcastOp>(i32), 24) & code.like(0x80);
  return (code | sign).to<arith::TruncIOp>(builder.getI8Type()).to<arith::BitcastOp>(to);
}

/// f32 or f64 to an integer: towards zero, saturating, NaN to 0.
Scalar saturated(Scalar x, IntegerType to, bool isUnsigned) {
  unsigned width = to.getWidth();
  double upper = std::ldexp(1.0, isUnsigned ? width : width - 1), lower = isUnsigned ? 0.0 : -upper;
  Scalar inRange = (x >= lower) & (x < upper);
  Scalar safe = select(inRange, x, x.like(0.0));
  Type carrier = IntegerType::get(to.getContext(), std::max(width, 32u));
  Scalar whole =
      isUnsigned && width >= 32 ? safe.to<arith::FPToUIOp>(carrier) : safe.to<arith::FPToSIOp>(carrier);
  Scalar number = whole.to<arith::TruncIOp>(to);
  number =
      select(x >= upper,
             number.like(isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width)), number);
  return isUnsigned ? number : select(x < lower, number.like(APInt::getSignedMinValue(width)), number);
}

Scalar integerToFloat(Scalar x, bool isUnsigned, FloatType to) {
  return isUnsigned ? x.to<arith::UIToFPOp>(to) : x.to<arith::SIToFPOp>(to);
}

Scalar integerToInteger(Scalar x, bool isUnsigned, IntegerType to) {
  if (to.getWidth() < x.width())
    return x.to<arith::TruncIOp>(to);
  return isUnsigned ? x.to<arith::ExtUIOp>(to) : x.to<arith::ExtSIOp>(to);
}

/// f32 or f64 to any float.
Scalar floatToFloat(Scalar x, FloatType to) {
  if (to.isF64())
    return x.to<arith::ExtFOp>(to);
  Scalar single = x.to<arith::TruncFOp>(x.getBuilder().getF32Type());
  return isFp8(to) ? encoded(single, to) : single.to<arith::TruncFOp>(to);
}

} // namespace

OpFoldResult ConvertOp::fold(FoldAdaptor) { return getX().getType() == getType() ? getX() : OpFoldResult(); }

Value ConvertOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  Type from = getElementTypeOrSelf(getX()), to = getTo();
  if (from == to)
    return scalars[0];
  bool fromUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  Scalar x(builder, loc, scalars[0]);
  x = isFp8(from) ? decoded(x) : widened(x);
  if (to.isInteger(1))
    return notEqual(x, 0.0).value();
  if (auto integer = dyn_cast<IntegerType>(to)) {
    auto signless = builder.getIntegerType(integer.getWidth());
    return (x.isFloat() ? saturated(x, signless, integer.isUnsigned())
                        : integerToInteger(x, fromUnsigned, signless))
        .value();
  }
  if (!x.isFloat())
    x = integerToFloat(x, fromUnsigned, to.isF64() ? builder.getF64Type() : builder.getF32Type());
  return floatToFloat(x, cast<FloatType>(to)).value();
}

} // namespace kiln
