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

/// Nearest value of a float type, halves to even; fp8 saturates as kiln.convert says.
double roundTo(mlir::Type type, double value);
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
