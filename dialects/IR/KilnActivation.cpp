// KilnActivation.cpp: what activation functions compute.
#include "kiln/IR/Kiln.h"

#include "dialects/IR/Scalar.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln {

namespace {

Scalar sigmoid(Scalar x) { return 1.0 / (1.0 + exp(-x)); }

/// x * sigmoid(x), by a square that does not overflow where x is negative and the result still normal: with
/// h = exp(-|x| / 2), x / (1 + h * h) or x * h * h / (1 + h * h).
Scalar silu(Scalar x) {
  Scalar h = exp(abs(x) * -0.5);
  return select(x >= 0.0, x, x * h * h) / (1.0 + h * h);
}

Scalar softplus(Scalar x) { return max(x, 0.0) + log1p(exp(-abs(x))); }
Scalar clamped01(Scalar x) { return max(min(x, 1.0), 0.0); }

} // namespace

Value ReluOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  if (getElementTypeOrSelf(getX()).isUnsignedInteger())
    return scalars[0];
  return floatScalar(builder, loc, scalars, [](Scalar x) { return max(x, 0.0); });
}

Value SigmoidOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return floatScalar(builder, loc, scalars, sigmoid);
}

Value SoftplusOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return floatScalar(builder, loc, scalars, softplus);
}

Value GeluOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return floatScalar(builder, loc, scalars, [&](Scalar x) {
    bool isTanh = getApproximate() == GeluApproximation::Tanh;
    Scalar share =
        1.0 + (isTanh ? tanh(M_SQRT2 * M_2_SQRTPI / 2 * (x + 0.044715 * (x * x * x))) : erf(x * M_SQRT1_2));
    return 0.5 * x * share; // in this order: x / 2 need not be kept meanwhile
  });
}

Value SiluOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return floatScalar(builder, loc, scalars, silu);
}

Value MishOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return floatScalar(builder, loc, scalars, [](Scalar x) { return x * tanh(softplus(x)); });
}

Value HardSwishOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return floatScalar(builder, loc, scalars, [](Scalar x) { return x * clamped01(x * (1.0 / 6.0) + 0.5); });
}

Value LeakyReluOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  double alpha = getAlpha().convertToDouble();
  return floatScalar(builder, loc, scalars, [&](Scalar x) { return select(x >= 0.0, x, alpha * x); });
}

Value EluOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  double alpha = getAlpha().convertToDouble();
  return floatScalar(builder, loc, scalars, [&](Scalar x) { return select(x > 0.0, x, alpha * expm1(x)); });
}

Value SeluOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  double alpha = getAlpha().convertToDouble(), gamma = getGamma().convertToDouble();
  return floatScalar(builder, loc, scalars,
                     [&](Scalar x) { return gamma * select(x > 0.0, x, alpha * expm1(x)); });
}

LogicalResult CeluOp::verify() {
  if (getAlpha().isZero()) // C1
    return emitOpError("expects an 'alpha' other than 0");
  return success();
}

Value CeluOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  double alpha = getAlpha().convertToDouble();
  return floatScalar(builder, loc, scalars,
                     [&](Scalar x) { return max(x, 0.0) + min(alpha * expm1(x * (1.0 / alpha)), 0.0); });
}

Value HardSigmoidOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  double alpha = getAlpha().convertToDouble(), beta = getBeta().convertToDouble();
  return floatScalar(builder, loc, scalars, [&](Scalar x) { return clamped01(alpha * x + beta); });
}

Value ThresholdedReluOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  double alpha = getAlpha().convertToDouble();
  return floatScalar(builder, loc, scalars, [&](Scalar x) { return select(x > alpha, x, x.like(0.0)); });
}

Value ShrinkOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  double bias = getBias().convertToDouble(), lambd = getLambd().convertToDouble();
  return floatScalar(builder, loc, scalars, [&](Scalar x) {
    return select(x < -lambd, x + bias, select(x > lambd, x - bias, x.like(0.0)));
  });
}

} // namespace kiln
