// Elementwise.h: what an elementwise op does to one element of each operand, and how exactly it must.
#ifndef KILN_REFERENCE_ELEMENTWISE_H
#define KILN_REFERENCE_ELEMENTWISE_H

#include "jit/Reference/Tensor.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"

namespace kiln::reference {

/// One element of an operand: a float, or an integer of `type`.
struct Element {
  mlir::Type type;
  double value = 0;
  int64_t integer = 0;
  double error = 0;

  bool isFloat() const { return llvm::isa<mlir::FloatType>(type); }
  bool isUnsigned() const { return type.isUnsignedInteger(); }
};

/// What a formula gives: `value` if the result is a float, else `integer`.
struct Outcome {
  double value = 0;
  int64_t integer = 0;
};
inline Outcome number(double value) { return {value, 0}; }
inline Outcome integer(int64_t value) { return {0, value}; }

/// `x`: an element of each operand.
using Formula = Outcome (*)(mlir::Operation *op, const Element *x);

// How far an implementation in the element's type may be from the exact result, in ULP.
inline constexpr double kExact = 0;     // no rounding: selections, sign changes
inline constexpr double kRounded = 0.5; // one correctly rounded operation
inline constexpr double kFunction = 4;  // a polynomial or a table in the type itself

/// How a formula's own error is bounded.
struct ElementwiseEntry {
  Formula formula = nullptr;
  double ulps = kRounded;
  double cancellation = 0; // roundings of |x| besides, below 0: where a formula adds 1 to nearly -1
  double absolute = 0;     // besides, in roundings at 1: where a formula cancels near a zero of its own
};

using ElementwiseTable = llvm::StringMap<ElementwiseEntry>;
// One a file of formulas.
void addArithmetic(ElementwiseTable &table);
void addConversions(ElementwiseTable &table);
void addQuantization(ElementwiseTable &table);
void addRandom(ElementwiseTable &table);

} // namespace kiln::reference
#endif // KILN_REFERENCE_ELEMENTWISE_H
