// KilnQuantization.cpp: what quantize and dequantize check and compute.
#include "dialects/IR/Checks.h"
#include "dialects/IR/Fp8.h"
#include "kiln/IR/Rounding.h"

using namespace mlir;

namespace kiln {

namespace {

LogicalResult checkZeroPoint(Operation *op, Value zeroPoint, StringRef name, Type element) {
  if (!zeroPoint || (isa<IntegerType>(element) && tensorType(zeroPoint).getElementType() == element))
    return success();
  return op->emitOpError() << "expects a 'zero_point' of the element type of " << name << ", an integer, got "
                           << zeroPoint.getType() << " and " << element;
}

/// The least and the largest number of an integer type.
std::pair<double, double> rangeOf(IntegerType type) {
  unsigned width = type.getWidth();
  if (type.isUnsigned())
    return {0.0, APInt::getMaxValue(width).roundToDouble()};
  return {APInt::getSignedMinValue(width).signedRoundToDouble(),
          APInt::getSignedMaxValue(width).signedRoundToDouble()};
}

/// A narrow integer as i32.
Scalar extended(Scalar x, bool isUnsigned) {
  Type i32 = x.getBuilder().getI32Type();
  return isUnsigned ? x.to<arith::ExtUIOp>(i32) : x.to<arith::ExtSIOp>(i32);
}

/// A float as the wider of f32 and its type.
Scalar asWideFloat(Scalar x, Type wide) { return x.type() == wide ? x : x.to<arith::ExtFOp>(wide); }

} // namespace

LogicalResult verifyQuantize(Operation *operation) {
  auto op = cast<QuantizeOp>(operation);
  if (failed(checkZeroPoint(op, op.getZeroPoint(), "the result", op.getTo()))) // C2
    return failure();
  if (op.getUnsaturated() && !isFp8(op.getTo())) // C3
    return op.emitOpError() << "expects 'unsaturated' with a result of fp8, got " << op.getTo();
  return success();
}

LogicalResult verifyDequantize(Operation *operation) {
  auto op = cast<DequantizeOp>(operation);
  if (failed(checkZeroPoint(op, op.getZeroPoint(), "'x'", tensorType(op.getX()).getElementType()))) // C2
    return failure();
  if (!isa<FloatType>(op.getTo()) || isFp8(op.getTo())) // C3
    return op.emitOpError() << "expects a result of floats of 16 bits or more, got " << op.getTo();
  return success();
}

Value QuantizeOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  Scalar x(builder, loc, scalars[0]), scale(builder, loc, scalars[1]);
  Type i32 = builder.getI32Type();
  // The quotient in f32 or f64, rounded to the wider of the operands' types.
  Type precision = scale.type();
  if (x.isFloat() && x.width() > scale.width())
    precision = x.type();
  Type wide = precision.isF64() ? precision : builder.getF32Type();
  Scalar dividend = x.isFloat() ? asWideFloat(x, wide) : x.to<arith::SIToFPOp>(wide);
  Scalar quotient = dividend / asWideFloat(scale, wide);
  if (precision.getIntOrFloatBitWidth() < 32)
    quotient = asWideFloat(rounded(quotient, precision), wide);
  if (isFp8(getTo()))
    return encodeFp8(roundedToOdd(quotient), getTo(), !getUnsaturated()).value();

  auto to = cast<IntegerType>(getTo());
  auto [lowest, highest] = rangeOf(to);
  Scalar whole = quotient.make<math::RoundEvenOp>(quotient.value());
  // The bounds less the zero point, so that what is converted fits an i32. NaN fails the first comparison.
  Scalar least = whole.like(lowest), most = whole.like(highest);
  std::optional<Scalar> zeroPoint;
  if (getZeroPoint()) {
    zeroPoint = extended(Scalar(builder, loc, scalars[2]), to.isUnsigned());
    Scalar offset = zeroPoint->to<arith::SIToFPOp>(wide);
    least = least - offset;
    most = most - offset;
  }
  Scalar bounded = select(whole > least, whole, least);
  bounded = select(bounded < most, bounded, most);
  Scalar number = bounded.to<arith::FPToSIOp>(i32);
  if (zeroPoint)
    number = number + *zeroPoint;
  return number.to<arith::TruncIOp>(builder.getIntegerType(to.getWidth())).value();
}

Value DequantizeOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  Scalar x(builder, loc, scalars[0]), scale(builder, loc, scalars[1]);
  auto to = cast<FloatType>(getTo());
  Type element = tensorType(getX()).getElementType();
  Type wide = scale.type().isF64() ? scale.type() : builder.getF32Type();
  if (isFp8(element)) {
    x = asWideFloat(decodeFp8(x), wide);
  } else {
    bool isUnsigned = element.isUnsignedInteger();
    x = extended(x, isUnsigned);
    if (getZeroPoint())
      x = x - extended(Scalar(builder, loc, scalars[2]), isUnsigned);
    x = x.to<arith::SIToFPOp>(wide);
  }
  Scalar product = x * asWideFloat(scale, wide);
  if (auto multiply = product.value().getDefiningOp<arith::MulFOp>())
    multiply->setDiscardableAttr(kRoundedAttr, builder.getUnitAttr());
  if (to.getWidth() > product.width())
    return product.to<arith::ExtFOp>(to).value();
  if (to.getWidth() < 32)
    product = roundedToOdd(product);
  return rounded(product, to).value();
}

} // namespace kiln
