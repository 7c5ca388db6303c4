// KilnMath.cpp: what mathematical functions of one tensor compute.
#include "kiln/IR/Kiln.h"

#include "dialects/IR/Scalar.h"

using namespace mlir;

namespace kiln {

namespace {

/// A function that the math dialect has.
template <typename MathOp> Value mathScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return floatScalar(builder, loc, scalars, [](Scalar x) { return x.make<MathOp>(x.value()); });
}

} // namespace

Value ExpOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::ExpOp>(builder, loc, scalars);
}
Value Expm1Op::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::ExpM1Op>(builder, loc, scalars);
}
Value LogOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::LogOp>(builder, loc, scalars);
}
Value Log1pOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::Log1pOp>(builder, loc, scalars);
}
Value SqrtOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::SqrtOp>(builder, loc, scalars);
}
Value RsqrtOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::RsqrtOp>(builder, loc, scalars);
}
Value SinOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::SinOp>(builder, loc, scalars);
}
Value CosOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::CosOp>(builder, loc, scalars);
}
Value TanOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::TanOp>(builder, loc, scalars);
}
Value AsinOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::AsinOp>(builder, loc, scalars);
}
Value AcosOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::AcosOp>(builder, loc, scalars);
}
Value AtanOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::AtanOp>(builder, loc, scalars);
}
Value SinhOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::SinhOp>(builder, loc, scalars);
}
Value CoshOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::CoshOp>(builder, loc, scalars);
}
Value TanhOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::TanhOp>(builder, loc, scalars);
}
Value AsinhOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::AsinhOp>(builder, loc, scalars);
}
Value AcoshOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::AcoshOp>(builder, loc, scalars);
}
Value AtanhOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::AtanhOp>(builder, loc, scalars);
}
Value ErfOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::ErfOp>(builder, loc, scalars);
}
Value CeilOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::CeilOp>(builder, loc, scalars);
}
Value FloorOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::FloorOp>(builder, loc, scalars);
}
Value RoundOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return mathScalar<math::RoundEvenOp>(builder, loc, scalars);
}

Value ReciprocalOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return floatScalar(builder, loc, scalars, [](Scalar x) { return 1.0 / x; });
}

Value NegOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return floatScalar(builder, loc, scalars, [](Scalar x) { return -x; });
}

Value AbsOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  if (isa<FloatType>(scalars[0].getType()))
    return floatScalar(builder, loc, scalars, [](Scalar x) { return abs(x); });
  Scalar x(builder, loc, scalars[0]);
  return getElementTypeOrSelf(getX()).isUnsignedInteger() ? x.value() : select(x < 0.0, -x, x).value();
}

Value SignOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  if (getElementTypeOrSelf(getX()).isUnsignedInteger()) {
    Scalar x(builder, loc, scalars[0], /*isUnsigned=*/true);
    return min(x, 1.0).value();
  }
  return floatScalar(builder, loc, scalars,
                     [](Scalar x) { return select(x > 0.0, x.like(1.0), select(x < 0.0, x.like(-1.0), x)); });
}

Value NotOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  Scalar x(builder, loc, scalars[0]);
  return (x ^ x.like(APInt::getAllOnes(x.width()))).value();
}

} // namespace kiln
