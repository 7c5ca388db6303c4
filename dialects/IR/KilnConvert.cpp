// KilnConvert.cpp: what kiln.convert and kiln.bitcast compute, for every pair of element types.
#include "kiln/IR/Kiln.h"

#include "dialects/IR/Checks.h"
#include "dialects/IR/Fp8.h"

using namespace mlir;

namespace kiln {

namespace {

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
Scalar floatToFloat(Scalar x, FloatType to, bool isSaturating) {
  if (to.isF64())
    return x.to<arith::ExtFOp>(to);
  if (to.isF32())
    return rounded(x, to);
  Scalar single = roundedToOdd(x);
  return isFp8(to) ? encodeFp8(single, to, isSaturating) : rounded(single, to);
}

} // namespace

LogicalResult verifyBitcast(Operation *operation) {
  auto op = cast<BitcastOp>(operation);
  Type from = tensorType(op.getX()).getElementType();
  if (from.getIntOrFloatBitWidth() != op.getTo().getIntOrFloatBitWidth()) // C1
    return op.emitOpError() << "expects element types of as many bits, got " << from << " and " << op.getTo();
  return success();
}

OpFoldResult BitcastOp::fold(FoldAdaptor) { return getX().getType() == getType() ? getX() : OpFoldResult(); }

Value BitcastOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  Type to = getTo();
  if (auto integer = dyn_cast<IntegerType>(to))
    to = builder.getIntegerType(integer.getWidth());
  return Scalar(builder, loc, scalars[0]).to<arith::BitcastOp>(to).value();
}

LogicalResult verifyConvert(Operation *operation) {
  auto op = cast<ConvertOp>(operation);
  if (op.getUnsaturated() && !isFp8(op.getTo())) // C2
    return op.emitOpError() << "expects 'unsaturated' with a result of fp8, got " << op.getTo();
  return success();
}

OpFoldResult ConvertOp::fold(FoldAdaptor) { return getX().getType() == getType() ? getX() : OpFoldResult(); }

Value ConvertOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  Type from = getElementTypeOrSelf(getX()), to = getTo();
  if (from == to)
    return scalars[0];
  bool fromUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  Scalar x(builder, loc, scalars[0]);
  x = isFp8(from) ? decodeFp8(x) : widened(x);
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
  return floatToFloat(x, cast<FloatType>(to), !getUnsaturated()).value();
}

} // namespace kiln
