// MathBuilder.h: formulas on scalars or vectors of floats, which the expansions of math functions are written
// in.
#ifndef KILN_BACKENDS_HOST_TRANSFORMS_MATHBUILDER_H
#define KILN_BACKENDS_HOST_TRANSFORMS_MATHBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

namespace kiln::host {

class MathBuilder;

/// A value of one shape while a formula is built: floats, integers of the same width, or booleans. A small
/// value type that refers to its builder. Operators add arith ops without fast-math flags: what is written is
/// what is computed.
class Num {
public:
  Num(MathBuilder &math, mlir::Value value) : math(&math), theValue(value) {}
  mlir::Value value() const { return theValue; }
  mlir::Type type() const { return theValue.getType(); }
  MathBuilder &builder() const { return *math; }

private:
  MathBuilder *math;
  mlir::Value theValue;
};

/// Builds formulas at one place, on values shaped as `like`, which are f32 or f64.
class MathBuilder : public mlir::ImplicitLocOpBuilder {
public:
  /// `hasScalef`: the CPU has AVX-512's vscalefps and vscalefpd for every width of vector.
  MathBuilder(mlir::Location loc, mlir::OpBuilder &builder, mlir::Type like, bool hasScalef)
      : ImplicitLocOpBuilder(loc, builder), theFloat(like), theHasScalef(hasScalef) {}

  mlir::Type floatType() const { return theFloat; }
  bool hasScalef() const { return theHasScalef; }
  bool isDouble() const { return mlir::getElementTypeOrSelf(theFloat).isF64(); }
  mlir::Type shaped(mlir::Type element) const {
    auto type = mlir::dyn_cast<mlir::ShapedType>(theFloat);
    return type ? mlir::Type(type.clone(element)) : element;
  }
  mlir::Type intType() { return shaped(getIntegerType(isDouble() ? 64 : 32)); }

  Num num(mlir::Value value) { return Num(*this, value); }
  Num constant(double value) {
    mlir::Type element = mlir::getElementTypeOrSelf(theFloat);
    return num(splat(theFloat, getFloatAttr(element, value)));
  }
  Num integer(int64_t value) {
    mlir::Type element = mlir::getElementTypeOrSelf(intType());
    return num(splat(intType(), getIntegerAttr(element, llvm::APInt(element.getIntOrFloatBitWidth(), value,
                                                                    /*isSigned=*/true))));
  }
  Num infinity() { return constant(std::numeric_limits<double>::infinity()); }
  Num nan() { return constant(std::numeric_limits<double>::quiet_NaN()); }

private:
  mlir::Value splat(mlir::Type type, mlir::TypedAttr value) {
    if (auto shape = mlir::dyn_cast<mlir::ShapedType>(type))
      value = mlir::DenseElementsAttr::get(shape, mlir::ArrayRef<mlir::Attribute>{value});
    return create<mlir::arith::ConstantOp>(value);
  }
  mlir::Type theFloat;
  bool theHasScalef;
};

template <typename Op, typename... Args> Num make(Num first, Args... rest) {
  return first.builder().num(first.builder().template create<Op>(first.value(), rest.value()...));
}
inline Num operator+(Num a, Num b) { return make<mlir::arith::AddFOp>(a, b); }
inline Num operator-(Num a, Num b) { return make<mlir::arith::SubFOp>(a, b); }
inline Num operator*(Num a, Num b) { return make<mlir::arith::MulFOp>(a, b); }
inline Num operator/(Num a, Num b) { return make<mlir::arith::DivFOp>(a, b); }
inline Num operator-(Num a) { return make<mlir::arith::NegFOp>(a); }
inline Num operator+(Num a, double b) { return a + a.builder().constant(b); }
inline Num operator-(Num a, double b) { return a - a.builder().constant(b); }
inline Num operator*(Num a, double b) { return a * a.builder().constant(b); }
inline Num operator-(double a, Num b) { return b.builder().constant(a) - b; }
inline Num operator+(double a, Num b) { return b.builder().constant(a) + b; }
inline Num operator*(double a, Num b) { return b.builder().constant(a) * b; }
inline Num operator/(double a, Num b) { return b.builder().constant(a) / b; }

/// a * b + c, rounded once.
inline Num fma(Num a, Num b, Num c) { return make<mlir::math::FmaOp>(a, b, c); }
inline Num fma(Num a, double b, Num c) { return fma(a, a.builder().constant(b), c); }
inline Num fma(Num a, Num b, double c) { return fma(a, b, a.builder().constant(c)); }
/// coefficients[0] + x * (coefficients[1] + x * ...).
inline Num polynomial(Num x, std::initializer_list<double> coefficients) {
  auto it = std::rbegin(coefficients);
  Num sum = x.builder().constant(*it);
  for (++it; it != std::rend(coefficients); ++it)
    sum = fma(sum, x, *it);
  return sum;
}

/// ln 2 in two parts; the high one times an exponent is exact. f64: fdlibm; f32: Cephes.
constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
constexpr double kLn2HighF32 = 0.693359375, kLn2LowF32 = -2.12194440e-4;

/// An unevaluated sum; |low| is at most half of high's last place where a comment does not say otherwise.
struct DoubleDouble {
  Num high, low;
};
/// a + b exactly, by Knuth.
inline DoubleDouble twoSum(Num a, Num b) {
  Num sum = a + b, back = sum - a;
  return {sum, (a - (sum - back)) + (b - back)};
}

inline Num abs(Num a) { return make<mlir::math::AbsFOp>(a); }
inline Num sqrt(Num a) { return make<mlir::math::SqrtOp>(a); }
inline Num roundEven(Num a) { return make<mlir::math::RoundEvenOp>(a); }
inline Num truncate(Num a) { return make<mlir::math::TruncOp>(a); }
inline Num copySign(Num magnitude, Num sign) { return make<mlir::math::CopySignOp>(magnitude, sign); }
/// The hardware's minimum and maximum: the second operand if one is NaN.
inline Num clampLow(Num a, double low) {
  Num bound = a.builder().constant(low);
  return make<mlir::arith::MaxNumFOp>(a, bound);
}
inline Num clampHigh(Num a, double high) {
  Num bound = a.builder().constant(high);
  return make<mlir::arith::MinNumFOp>(a, bound);
}

inline Num compare(mlir::arith::CmpFPredicate predicate, Num a, Num b) {
  return a.builder().num(a.builder().create<mlir::arith::CmpFOp>(predicate, a.value(), b.value()));
}
inline Num operator<(Num a, Num b) { return compare(mlir::arith::CmpFPredicate::OLT, a, b); }
inline Num operator>(Num a, Num b) { return compare(mlir::arith::CmpFPredicate::OGT, a, b); }
inline Num operator<(Num a, double b) { return a < a.builder().constant(b); }
inline Num operator>(Num a, double b) { return a > a.builder().constant(b); }
inline Num operator==(Num a, double b) {
  return compare(mlir::arith::CmpFPredicate::OEQ, a, a.builder().constant(b));
}
inline Num isNan(Num a) { return compare(mlir::arith::CmpFPredicate::UNO, a, a); }
inline Num select(Num condition, Num a, Num b) { return make<mlir::arith::SelectOp>(condition, a, b); }
/// Within [low, high], or NaN.
inline Num bounded(Num a, double low, double high) {
  Num capped = select(a > high, a.builder().constant(high), a);
  return select(capped < low, a.builder().constant(low), capped);
}
inline Num select(Num condition, double a, Num b) { return select(condition, b.builder().constant(a), b); }
inline Num select(Num condition, Num a, double b) { return select(condition, a, a.builder().constant(b)); }
inline Num either(Num a, Num b) { return make<mlir::arith::OrIOp>(a, b); }
inline Num both(Num a, Num b) { return make<mlir::arith::AndIOp>(a, b); }

// Integers of the floats' width.
inline Num bitsOf(Num a) {
  return a.builder().num(a.builder().create<mlir::arith::BitcastOp>(a.builder().intType(), a.value()));
}
inline Num floatOf(Num bits) {
  return bits.builder().num(
      bits.builder().create<mlir::arith::BitcastOp>(bits.builder().floatType(), bits.value()));
}
inline Num toInt(Num a) { // of a float in the integer's range
  return a.builder().num(a.builder().create<mlir::arith::FPToSIOp>(a.builder().intType(), a.value()));
}
inline Num toFloat(Num a) {
  return a.builder().num(a.builder().create<mlir::arith::SIToFPOp>(a.builder().floatType(), a.value()));
}
inline Num addInt(Num a, Num b) { return make<mlir::arith::AddIOp>(a, b); }
inline Num addInt(Num a, int64_t b) { return addInt(a, a.builder().integer(b)); }
inline Num subInt(Num a, Num b) { return make<mlir::arith::SubIOp>(a, b); }
inline Num andInt(Num a, int64_t b) { return make<mlir::arith::AndIOp>(a, a.builder().integer(b)); }
inline Num orInt(Num a, Num b) { return make<mlir::arith::OrIOp>(a, b); }
inline Num shiftLeft(Num a, int64_t by) { return make<mlir::arith::ShLIOp>(a, a.builder().integer(by)); }
inline Num shiftRight(Num a, int64_t by) { return make<mlir::arith::ShRUIOp>(a, a.builder().integer(by)); }
inline Num isZeroInt(Num a) {
  return a.builder().num(a.builder().create<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::eq, a.value(),
                                                                 a.builder().integer(0).value()));
}

/// 2^k for an integral float k in the exponents of normal numbers; without conversion to integers of 64 bits,
/// which AVX2 lacks: a magic number brings k into the low bits.
Num powerOfTwo(Num k);

// The functions, each for f32 and f64 unless it says otherwise. Errors: docs/host-codegen.md.
Num exp(Num x);
Num expm1(Num x);
Num tanh(Num x);
Num sinh(Num x);
Num cosh(Num x);
Num log(Num x);
Num log1p(Num x);
Num pow(Num x, Num y);
Num asinh(Num x);
Num acosh(Num x);
Num atanh(Num x);
Num sin(Num x);
Num cos(Num x);
Num tan(Num x);
Num asin(Num x);
Num acos(Num x);
Num atan(Num x);
Num atan2(Num y, Num x);
Num erf(Num x);
Num cbrt(Num x);
/// The remainder of truncating division, exact.
Num remainder(Num x, Num y);

/// f(x...) of f32 computed in f64 and rounded: for functions that are rare, or hard in f32.
template <typename Function, typename... Args> Num viaDouble(Function function, Num first, Args... rest) {
  MathBuilder &narrow = first.builder();
  MathBuilder wide(narrow.getLoc(), narrow, narrow.shaped(narrow.getF64Type()), narrow.hasScalef());
  auto widen = [&](Num x) { return wide.num(wide.create<mlir::arith::ExtFOp>(wide.floatType(), x.value())); };
  Num result = function(widen(first), widen(rest)...);
  return narrow.num(narrow.create<mlir::arith::TruncFOp>(narrow.floatType(), result.value()));
}

/// The same, but f64 stays where it is.
template <typename Function, typename... Args>
Num viaDoubleOrSame(Function function, Num first, Args... rest) {
  return first.builder().isDouble() ? function(first, rest...) : viaDouble(function, first, rest...);
}

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_TRANSFORMS_MATHBUILDER_H
