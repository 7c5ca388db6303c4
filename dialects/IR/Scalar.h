// Scalar.h: formulas on MLIR values, which the buildScalar functions of elementwise ops are written in.
#ifndef KILN_IR_SCALAR_H
#define KILN_IR_SCALAR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace kiln {

/// One element while a formula is built: a value and where ops go. A small value type that refers to its
/// builder; for one thread. Operators and functions add arith and math ops; integers are signless,
/// `isUnsigned` says how they divide and compare. Numbers beside a Scalar become constants of its type.
class Scalar {
public:
  Scalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, bool isUnsigned = false)
      : builder(&builder), loc(loc), theValue(value), theUnsigned(isUnsigned) {}

  mlir::Value value() const { return theValue; }
  mlir::Type type() const { return theValue.getType(); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(type()); }
  bool isUnsigned() const { return theUnsigned; }
  unsigned width() const { return type().getIntOrFloatBitWidth(); }
  /// `value` with this one's builder and signedness.
  Scalar with(mlir::Value value) const { return Scalar(*builder, loc, value, theUnsigned); }
  /// A constant of this one's type.
  Scalar like(double number) const;
  Scalar like(const llvm::APInt &number) const;
  /// This value as another type, by one op: the single-operand casts of arith.
  template <typename Op> Scalar to(mlir::Type type) const {
    return type == theValue.getType() ? *this : with(builder->create<Op>(loc, type, theValue));
  }
  /// The result of one op on values of this one's type.
  template <typename Op, typename... Args> Scalar make(Args &&...args) const {
    return with(builder->create<Op>(loc, std::forward<Args>(args)...));
  }
  mlir::OpBuilder &getBuilder() const { return *builder; }

private:
  mlir::OpBuilder *builder;
  mlir::Location loc;
  mlir::Value theValue;
  bool theUnsigned;
};

// Arithmetic; integers wrap.
Scalar operator+(Scalar a, Scalar b);
Scalar operator-(Scalar a, Scalar b);
Scalar operator*(Scalar a, Scalar b);
Scalar operator/(Scalar a, Scalar b); // floats only: kiln.div has integers
Scalar operator-(Scalar a);
inline Scalar operator+(Scalar a, double b) { return a + a.like(b); }
inline Scalar operator-(Scalar a, double b) { return a - a.like(b); }
inline Scalar operator*(Scalar a, double b) { return a * a.like(b); }
inline Scalar operator/(Scalar a, double b) { return a / a.like(b); }
inline Scalar operator+(double a, Scalar b) { return b.like(a) + b; }
inline Scalar operator-(double a, Scalar b) { return b.like(a) - b; }
inline Scalar operator*(double a, Scalar b) { return b.like(a) * b; }
inline Scalar operator/(double a, Scalar b) { return b.like(a) / b; }

// Bits.
Scalar operator&(Scalar a, Scalar b);
Scalar operator|(Scalar a, Scalar b);
Scalar operator^(Scalar a, Scalar b);

// Comparisons, to i1. With NaN all but notEqual are false.
Scalar operator<(Scalar a, Scalar b);
Scalar operator<=(Scalar a, Scalar b);
Scalar operator>(Scalar a, Scalar b);
Scalar operator>=(Scalar a, Scalar b);
Scalar equal(Scalar a, Scalar b);
Scalar notEqual(Scalar a, Scalar b);
inline Scalar operator<(Scalar a, double b) { return a < a.like(b); }
inline Scalar operator>(Scalar a, double b) { return a > a.like(b); }
inline Scalar operator>=(Scalar a, double b) { return a >= a.like(b); }
inline Scalar equal(Scalar a, double b) { return equal(a, a.like(b)); }
inline Scalar notEqual(Scalar a, double b) { return notEqual(a, a.like(b)); }

// Choices. NaN wins in max and min.
Scalar select(Scalar condition, Scalar a, Scalar b);
Scalar max(Scalar a, Scalar b);
Scalar min(Scalar a, Scalar b);
inline Scalar max(Scalar a, double b) { return max(a, a.like(b)); }
inline Scalar min(Scalar a, double b) { return min(a, a.like(b)); }

// Functions of floats.
Scalar abs(Scalar x);
Scalar exp(Scalar x);
Scalar expm1(Scalar x);
Scalar log1p(Scalar x);
Scalar tanh(Scalar x);
Scalar erf(Scalar x);

/// f16 and bf16 as f32, all else as it is.
Scalar widened(Scalar x);
/// `x` rounded to `type`, if that is a narrower float. A target may leave the rounding out where the value is
/// used in the same kernel.
Scalar narrowed(Scalar x, mlir::Type type);
/// The same, for a rounding that is what was asked for: it stays.
Scalar rounded(Scalar x, mlir::Type type);

/// Builds `formula` of one element in f32 or f64 and rounds the result to the element's type.
template <typename Formula>
mlir::Value floatScalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange scalars,
                        Formula formula) {
  Scalar x(builder, loc, scalars[0]);
  return narrowed(formula(widened(x)), x.type()).value();
}

/// Builds `formula` of two elements in f32, f64 or their integer type, whose signedness is that of `tensor`.
template <typename Formula>
mlir::Value binaryScalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange scalars,
                         mlir::Value tensor, Formula formula) {
  bool isUnsigned = mlir::getElementTypeOrSelf(tensor).isUnsignedInteger();
  Scalar a(builder, loc, scalars[0], isUnsigned), b(builder, loc, scalars[1], isUnsigned);
  return narrowed(formula(widened(a), widened(b)), a.type()).value();
}

} // namespace kiln
#endif // KILN_IR_SCALAR_H
