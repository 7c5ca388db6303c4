// KilnSelect.cpp: what comparisons, choices and tests of floats compute.
#include "kiln/IR/Kiln.h"

#include "dialects/IR/Scalar.h"

#include <limits>

using namespace mlir;

namespace kiln {

// ---- compare, select -------------------------------------------------------------------------------------

Value CompareOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  Type element = getElementTypeOrSelf(getA());
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  Scalar a = widened(Scalar(builder, loc, scalars[0], isUnsigned));
  Scalar b = widened(Scalar(builder, loc, scalars[1], isUnsigned));
  switch (getDirection()) {
  case CompareDirection::Eq:
    return equal(a, b).value();
  case CompareDirection::Ne:
    return notEqual(a, b).value();
  case CompareDirection::Lt:
    return (a < b).value();
  case CompareDirection::Le:
    return (a <= b).value();
  case CompareDirection::Gt:
    return (a > b).value();
  case CompareDirection::Ge:
    return (a >= b).value();
  }
  llvm_unreachable("a direction is one of six");
}

Value SelectOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return builder.create<arith::SelectOp>(loc, scalars[0], scalars[1], scalars[2]);
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  // A choice between equals, or one that a constant makes; broadcasting would change the type.
  if (getA() == getB() && getA().getType() == getType())
    return getA();
  auto condition = dyn_cast_or_null<SplatElementsAttr>(adaptor.getCondition());
  if (!condition)
    return {};
  Value chosen = condition.getSplatValue<bool>() ? getA() : getB();
  return chosen.getType() == getType() ? chosen : OpFoldResult();
}

// ---- clamp -----------------------------------------------------------------------------------------------

namespace {

/// Whether `bound` is a value of `type`; the bound is a signed 64-bit number.
bool holds(IntegerType type, const APInt &bound) {
  if (type.isUnsigned())
    return bound.isNonNegative() && bound.isIntN(type.getWidth());
  return bound.isSignedIntN(type.getWidth());
}

/// `bound` as a constant beside `x`.
Scalar boundOf(Scalar x, Attribute bound) {
  if (auto number = dyn_cast<FloatAttr>(bound))
    return x.like(number.getValueAsDouble());
  return x.like(cast<IntegerAttr>(bound).getValue().trunc(x.width()));
}

} // namespace

LogicalResult ClampOp::verify() {
  Type element = getElementTypeOrSelf(getX());
  for (Attribute bound : {getMinAttr(), getMaxAttr()}) {
    if (!bound)
      continue;
    auto number = dyn_cast<FloatAttr>(bound);
    if (isa<FloatType>(element) != !!number) // C1
      return emitOpError("expects bounds like the element type ") << element << ", got " << bound;
    if (number && !number.getValue().isFinite()) // C2
      return emitOpError("expects finite bounds, got ") << bound;
    if (!number && !holds(cast<IntegerType>(element), cast<IntegerAttr>(bound).getValue())) // C3
      return emitOpError("expects bounds that ") << element << " can hold, got " << bound;
  }
  return success();
}

OpFoldResult ClampOp::fold(FoldAdaptor) { return getMinAttr() || getMaxAttr() ? OpFoldResult() : getX(); }

Value ClampOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  Scalar in(builder, loc, scalars[0], getElementTypeOrSelf(getX()).isUnsignedInteger());
  Scalar x = widened(in);
  if (getMinAttr())
    x = max(x, boundOf(x, getMinAttr()));
  if (getMaxAttr())
    x = min(x, boundOf(x, getMaxAttr()));
  return narrowed(x, in.type()).value();
}

// ---- is_nan, is_inf --------------------------------------------------------------------------------------

Value IsNanOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  Scalar x = widened(Scalar(builder, loc, scalars[0]));
  return notEqual(x, x).value();
}

Value IsInfOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  Scalar x = widened(Scalar(builder, loc, scalars[0]));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (getDetectPositive() && getDetectNegative())
    return equal(abs(x), kInfinity).value();
  if (getDetectPositive())
    return equal(x, kInfinity).value();
  if (getDetectNegative())
    return equal(x, -kInfinity).value();
  return builder.create<arith::ConstantOp>(loc, builder.getBoolAttr(false));
}

} // namespace kiln
