// Tensor.h: a tensor of the reference: doubles or 64-bit integers, with the error that an implementation may
// make.
#ifndef KILN_REFERENCE_TENSOR_H
#define KILN_REFERENCE_TENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace kiln::reference {

using Shape = llvm::SmallVector<int64_t, 6>;

/// Dense and row-major. Floats are held as doubles that their type can represent, integers as 64 bits,
/// extended by their sign (u64: the same bits). A value; not thread-safe while it changes.
struct Tensor {
  mlir::Type element;
  Shape shape;
  std::vector<double> values;    // of floats
  std::vector<int64_t> integers; // of everything else
  std::vector<double> errors;    // |got - want| that an element may have; empty: 0 for all

  Tensor() = default;
  Tensor(mlir::Type element, llvm::ArrayRef<int64_t> shape);

  bool isFloat() const { return llvm::isa<mlir::FloatType>(element); }
  bool isUnsigned() const { return element.isUnsignedInteger(); }
  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t size() const { return static_cast<int64_t>(isFloat() ? values.size() : integers.size()); }
  double error(int64_t index) const { return errors.empty() ? 0 : errors[index]; }
  /// An element as a double, whatever its type.
  double number(int64_t index) const;
  /// Rounds a float to the type; `error` comes on top of what is there.
  void set(int64_t index, double value, double error);
  void set(int64_t index, int64_t value, double error = 0); // wraps
  /// Copies an element with its error.
  void copy(int64_t to, const Tensor &from, int64_t index);
};

int64_t elementCount(llvm::ArrayRef<int64_t> shape);
/// Elements between neighbours of each axis.
Shape stridesOf(llvm::ArrayRef<int64_t> shape);
/// Calls `visit` with every index of `shape`, row-major, and its position.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t> index, int64_t position)> visit);
/// Where numpy's broadcasting takes an element of a tensor of `shape` from, for an index of the result.
int64_t broadcastPosition(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> index);

/// Counts an axis from the front.
inline int64_t fromFront(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }
/// Position of an index of as many axes as `strides`.
int64_t dot(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> strides);

/// A tensor as lines along one axis.
struct Lines {
  int64_t outer = 1, length = 1, inner = 1;
  Lines(llvm::ArrayRef<int64_t> shape, int64_t axis);
  int64_t count() const { return outer * inner; }
  /// Position of element `i` of a line, in a tensor whose lines have `length` elements.
  int64_t at(int64_t line, int64_t i, int64_t length) const {
    return (line / inner * length + i) * inner + line % inner;
  }
  int64_t at(int64_t line, int64_t i) const { return at(line, i, length); }
};

/// Whether integer `a` of the tensor's type is less than `b`; i1 counts as unsigned.
bool lessInteger(const Tensor &x, int64_t a, int64_t b);

/// Nearest value of a float type, halves to even; infinity (NaN, if the type has none) beyond the largest.
double roundTo(mlir::Type type, double value);
/// `value`, for fp8 no larger than its largest finite number, as kiln.convert and kiln.quantize say.
double saturated(mlir::Type type, double value);
/// The bits of a number that `type` can represent, and back.
uint64_t bitsOf(mlir::FloatType type, double value);
double fromBits(mlir::FloatType type, uint64_t bits);
/// An integer of the type's width, extended to 64 bits.
int64_t wrapTo(mlir::Type type, int64_t value);
/// The distance of neighbours of `value` in a float type: 2^-23 at 1 for f32.
double ulp(mlir::Type type, double value);
/// Half the relative distance that sums of this type are computed with: f32 for the narrower ones.
double accumulatorEpsilon(mlir::Type type);
/// f16, bf16 and fp8: computed in f32, then rounded once more.
bool isNarrow(mlir::Type type);

} // namespace kiln::reference
#endif // KILN_REFERENCE_TENSOR_H
