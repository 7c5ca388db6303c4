// Term.h: a formula's tensors with operators.
#ifndef KILN_ONNX_TERM_H
#define KILN_ONNX_TERM_H

#include "frameworks/onnx/Formula.h"

namespace kiln::onnx {

/// A tensor of a formula with operators. A small value type that refers to its formula.
struct Term {
  Formula *f;
  mlir::Value value;

  Term of(mlir::Value result) const { return {f, result}; }
  Term like(double number) const { return of(f->like(value, number)); }
  template <typename Op> Term make() const { return of(f->make<Op>(value)); }
  Term is(llvm::StringRef direction, Term other) const {
    return of(f->compare(direction, value, other.value));
  }
  Term is(llvm::StringRef direction, double number) const { return is(direction, like(number)); }
  Term convert(mlir::Type element) const { return of(f->convert(value, element)); }
  Term reshape(llvm::ArrayRef<Extent> shape) const { return of(f->reshape(value, shape)); }
  Term broadcast(llvm::ArrayRef<Extent> shape) const { return of(f->broadcast(value, shape)); }
};

inline Term operator+(Term a, Term b) { return a.of(a.f->add(a.value, b.value)); }
inline Term operator-(Term a, Term b) { return a.of(a.f->sub(a.value, b.value)); }
inline Term operator*(Term a, Term b) { return a.of(a.f->mul(a.value, b.value)); }
inline Term operator/(Term a, Term b) { return a.of(a.f->div(a.value, b.value)); }
inline Term operator+(Term a, double b) { return a + a.like(b); }
inline Term operator-(Term a, double b) { return a - a.like(b); }
inline Term operator-(double a, Term b) { return b.like(a) - b; }
inline Term operator*(Term a, double b) { return a * a.like(b); }
inline Term operator/(Term a, double b) { return a / a.like(b); }
inline Term operator&(Term a, Term b) { return a.of(a.f->make<AndOp>({a.value, b.value})); }
inline Term min(Term a, Term b) { return a.of(a.f->min(a.value, b.value)); }
inline Term max(Term a, double b) { return a.of(a.f->max(a.value, a.like(b).value)); }
inline Term rem(Term a, Term b) { return a.of(a.f->make<RemOp>({a.value, b.value})); }
inline Term where(Term condition, Term a, Term b) {
  return a.of(a.f->select(condition.value, a.value, b.value));
}

/// An extent as a number.
inline Term number(Formula &f, Extent extent, mlir::Type element) {
  if (auto known = IndexMath::known(extent))
    return {&f, f.scalar(element, static_cast<double>(*known))};
  return {&f, f.convert(f.scalarOf(extent), element)};
}

} // namespace kiln::onnx
#endif // KILN_ONNX_TERM_H
