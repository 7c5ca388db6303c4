// KilnBinary.cpp: what arithmetic and bit operations on two tensors compute; no integer input is undefined.
#include "kiln/IR/Kiln.h"

#include "dialects/IR/Scalar.h"

using namespace mlir;

namespace kiln {

namespace {

/// SignedOp or UnsignedOp, as the operands are.
template <typename SignedOp, typename UnsignedOp> Scalar bySign(Scalar a, Scalar b) {
  return a.isUnsigned() ? a.make<UnsignedOp>(a.value(), b.value()) : a.make<SignedOp>(a.value(), b.value());
}

/// `b`, or 1 where dividing by `b` is undefined: 0, and -1 for the smallest dividend.
Scalar safeDivisor(Scalar b) {
  Scalar unsafe = equal(b, 0.0);
  if (!b.isUnsigned())
    unsafe = unsafe | equal(b, -1.0);
  return select(unsafe, b.like(1.0), b);
}

Scalar divide(Scalar a, Scalar b) {
  if (a.isFloat())
    return a / b;
  Scalar quotient = bySign<arith::DivSIOp, arith::DivUIOp>(a, safeDivisor(b));
  if (!a.isUnsigned())
    quotient = select(equal(b, -1.0), -a, quotient);
  return select(equal(b, 0.0), a.like(0.0), quotient);
}

Scalar remainder(Scalar a, Scalar b) {
  if (a.isFloat())
    return a.make<arith::RemFOp>(a.value(), b.value());
  return bySign<arith::RemSIOp, arith::RemUIOp>(a,
                                                safeDivisor(b)); // by 1: 0, which is right for 0 and -1 too
}

Scalar modulo(Scalar a, Scalar b) {
  Scalar r = remainder(a, b);
  if (a.isUnsigned())
    return r;
  Scalar signsDiffer = (r < 0.0) ^ (b < 0.0);
  if (a.isFloat())
    return select(notEqual(r, 0.0) & signsDiffer, r + b, r);
  return select(notEqual(r, 0.0) & signsDiffer & notEqual(b, 0.0), r + b, r);
}

/// By repeated squaring, unrolled: straight-line code that every backend can vectorize.
Scalar integerPower(Scalar a, Scalar b) {
  unsigned bits = a.isUnsigned() ? a.width() : a.width() - 1;
  Scalar one = a.like(1.0), result = one, square = a;
  for (unsigned bit = 0; bit < bits; ++bit) {
    Scalar isSet = notEqual(b & b.like(APInt::getOneBitSet(b.width(), bit)), 0.0);
    result = select(isSet, result * square, result);
    square = square * square;
  }
  if (a.isUnsigned())
    return result;
  Scalar parity = select(equal(b & one, 0.0), one, a); // of a = -1
  Scalar inverse = select(equal(a, 1.0), one, select(equal(a, -1.0), parity, a.like(0.0)));
  return select(b < 0.0, inverse, result);
}

Scalar power(Scalar a, Scalar b) {
  return a.isFloat() ? a.make<math::PowFOp>(a.value(), b.value()) : integerPower(a, b);
}

/// `shift` of `a` by `b`, or `beyond` where `b` is not below the width.
template <typename ShiftOp> Scalar shift(Scalar a, Scalar b, Scalar beyond) {
  Scalar count(b.getBuilder(), b.value().getLoc(), b.value(), /*isUnsigned=*/true);
  Scalar inRange = count < static_cast<Scalar>(count.like(static_cast<double>(a.width())));
  Scalar safe = select(inRange, b, b.like(0.0));
  return select(inRange, a.make<ShiftOp>(a.value(), safe.value()), beyond);
}

Scalar shiftRight(Scalar a, Scalar b) {
  if (a.isUnsigned())
    return shift<arith::ShRUIOp>(a, b, a.like(0.0));
  return shift<arith::ShRSIOp>(a, b, select(a < 0.0, a.like(-1.0), a.like(0.0)));
}

} // namespace

Value AddOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return binaryScalar(builder, loc, scalars, getA(), [](Scalar a, Scalar b) { return a + b; });
}

Value SubOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return binaryScalar(builder, loc, scalars, getA(), [](Scalar a, Scalar b) { return a - b; });
}

Value MulOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return binaryScalar(builder, loc, scalars, getA(), [](Scalar a, Scalar b) { return a * b; });
}

Value DivOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return binaryScalar(builder, loc, scalars, getA(), divide);
}

Value ModOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return binaryScalar(builder, loc, scalars, getA(), modulo);
}

Value RemOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return binaryScalar(builder, loc, scalars, getA(), remainder);
}

Value PowOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return binaryScalar(builder, loc, scalars, getA(), power);
}

Value MaxOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return binaryScalar(builder, loc, scalars, getA(), [](Scalar a, Scalar b) { return max(a, b); });
}

Value MinOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return binaryScalar(builder, loc, scalars, getA(), [](Scalar a, Scalar b) { return min(a, b); });
}

Value Atan2Op::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return binaryScalar(builder, loc, scalars, getA(),
                      [](Scalar a, Scalar b) { return a.make<math::Atan2Op>(a.value(), b.value()); });
}

Value AndOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return binaryScalar(builder, loc, scalars, getA(), [](Scalar a, Scalar b) { return a & b; });
}

Value OrOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return binaryScalar(builder, loc, scalars, getA(), [](Scalar a, Scalar b) { return a | b; });
}

Value XorOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return binaryScalar(builder, loc, scalars, getA(), [](Scalar a, Scalar b) { return a ^ b; });
}

Value ShlOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return binaryScalar(builder, loc, scalars, getA(),
                      [](Scalar a, Scalar b) { return shift<arith::ShLIOp>(a, b, a.like(0.0)); });
}

Value ShrOp::buildScalar(OpBuilder &builder, Location loc, ValueRange scalars) {
  return binaryScalar(builder, loc, scalars, getA(), shiftRight);
}

} // namespace kiln
