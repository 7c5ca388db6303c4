// Scalar.cpp: the arith and math ops behind formulas.
#include "dialects/IR/Scalar.h"

using namespace mlir;

namespace kiln {

namespace {

template <typename FloatOp, typename IntOp> Scalar arithmetic(Scalar a, Scalar b) {
  return a.isFloat() ? a.make<FloatOp>(a.value(), b.value()) : a.make<IntOp>(a.value(), b.value());
}

Scalar compare(Scalar a, Scalar b, arith::CmpFPredicate forFloats, arith::CmpIPredicate forSigned,
               arith::CmpIPredicate forUnsigned) {
  if (a.isFloat())
    return a.make<arith::CmpFOp>(forFloats, a.value(), b.value());
  return a.make<arith::CmpIOp>(a.isUnsigned() ? forUnsigned : forSigned, a.value(), b.value());
}

} // namespace

Scalar Scalar::like(double number) const {
  if (auto floatType = dyn_cast<FloatType>(type()))
    return make<arith::ConstantOp>(builder->getFloatAttr(floatType, number));
  return make<arith::ConstantOp>(builder->getIntegerAttr(type(), static_cast<int64_t>(number)));
}

Scalar Scalar::like(const APInt &number) const {
  return make<arith::ConstantOp>(builder->getIntegerAttr(type(), number));
}

Scalar operator+(Scalar a, Scalar b) { return arithmetic<arith::AddFOp, arith::AddIOp>(a, b); }
Scalar operator-(Scalar a, Scalar b) { return arithmetic<arith::SubFOp, arith::SubIOp>(a, b); }
Scalar operator*(Scalar a, Scalar b) { return arithmetic<arith::MulFOp, arith::MulIOp>(a, b); }
Scalar operator/(Scalar a, Scalar b) { return a.make<arith::DivFOp>(a.value(), b.value()); }
Scalar operator-(Scalar a) { return a.isFloat() ? a.make<arith::NegFOp>(a.value()) : a.like(0.0) - a; }

Scalar operator&(Scalar a, Scalar b) { return a.make<arith::AndIOp>(a.value(), b.value()); }
Scalar operator|(Scalar a, Scalar b) { return a.make<arith::OrIOp>(a.value(), b.value()); }
Scalar operator^(Scalar a, Scalar b) { return a.make<arith::XOrIOp>(a.value(), b.value()); }

Scalar operator<(Scalar a, Scalar b) {
  return compare(a, b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt, arith::CmpIPredicate::ult);
}
Scalar operator<=(Scalar a, Scalar b) {
  return compare(a, b, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle, arith::CmpIPredicate::ule);
}
Scalar operator>(Scalar a, Scalar b) {
  return compare(a, b, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt, arith::CmpIPredicate::ugt);
}
Scalar operator>=(Scalar a, Scalar b) {
  return compare(a, b, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge, arith::CmpIPredicate::uge);
}
Scalar equal(Scalar a, Scalar b) {
  return compare(a, b, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq, arith::CmpIPredicate::eq);
}
Scalar notEqual(Scalar a, Scalar b) {
  return compare(a, b, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne, arith::CmpIPredicate::ne);
}

Scalar select(Scalar condition, Scalar a, Scalar b) {
  return a.make<arith::SelectOp>(condition.value(), a.value(), b.value());
}
Scalar max(Scalar a, Scalar b) {
  return a.isUnsigned() ? a.make<arith::MaxUIOp>(a.value(), b.value())
                        : arithmetic<arith::MaximumFOp, arith::MaxSIOp>(a, b);
}
Scalar min(Scalar a, Scalar b) {
  return a.isUnsigned() ? a.make<arith::MinUIOp>(a.value(), b.value())
                        : arithmetic<arith::MinimumFOp, arith::MinSIOp>(a, b);
}

Scalar abs(Scalar x) { return x.make<math::AbsFOp>(x.value()); }
Scalar exp(Scalar x) { return x.make<math::ExpOp>(x.value()); }
Scalar expm1(Scalar x) { return x.make<math::ExpM1Op>(x.value()); }
Scalar log1p(Scalar x) { return x.make<math::Log1pOp>(x.value()); }
Scalar tanh(Scalar x) { return x.make<math::TanhOp>(x.value()); }
Scalar erf(Scalar x) { return x.make<math::ErfOp>(x.value()); }

Scalar widened(Scalar x) {
  if (!isa<Float16Type, BFloat16Type>(x.type()))
    return x;
  return x.to<arith::ExtFOp>(x.getBuilder().getF32Type());
}

Scalar narrowed(Scalar x, Type type) {
  if (!isa<FloatType>(type) || !x.isFloat() || x.width() <= type.getIntOrFloatBitWidth())
    return x;
  return x.to<arith::TruncFOp>(type);
}

Scalar rounded(Scalar x, Type type) {
  Scalar result = narrowed(x, type);
  if (auto op = result.value().getDefiningOp<arith::TruncFOp>(); op && result.type() != x.type())
    op.setRoundingmode(arith::RoundingMode::to_nearest_even);
  return result;
}

} // namespace kiln
