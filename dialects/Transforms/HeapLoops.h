// HeapLoops.h: binary heaps in tensors, for lowerings that order elements.
#ifndef KILN_DIALECTS_TRANSFORMS_HEAPLOOPS_H
#define KILN_DIALECTS_TRANSFORMS_HEAPLOOPS_H

#include "dialects/Transforms/LoopBuilder.h"

namespace kiln {

/// Builds loops over heaps in place. An element is one entry of each of several tensors of rank 1, at one
/// position; the root of a heap is the element that stands behind all others. Refers to its builder.
class HeapLoops {
public:
  using Values = LoopBuilder::Values;
  /// Whether element `a` stands before `b`: a strict total order.
  using Before = llvm::function_ref<mlir::Value(mlir::ValueRange a, mlir::ValueRange b)>;

  HeapLoops(LoopBuilder &loops, Before before) : loops(loops), before(before) {}

  Values load(mlir::ValueRange arrays, mlir::Value position);
  Values store(mlir::ValueRange element, mlir::ValueRange arrays, mlir::Value position);
  /// Makes a heap of the first `count` elements.
  Values build(mlir::ValueRange arrays, mlir::Value count);
  /// Replaces the root of a heap of `count` elements, at least one.
  Values replaceRoot(mlir::ValueRange arrays, mlir::Value count, mlir::ValueRange element);
  /// Orders a heap of `count` elements.
  Values sort(mlir::ValueRange arrays, mlir::Value count);

private:
  /// Puts `element` at `position`, or below it in place of elements that stand behind it.
  Values siftDown(mlir::ValueRange arrays, mlir::Value position, mlir::Value count, mlir::ValueRange element);

  LoopBuilder &loops;
  Before before;
};

/// Whether `a` stands before `b` in ascending order, or in descending order; NaN is the largest number. Both
/// are elements of `tensor`, whose type is not converted.
mlir::Value standsBefore(LoopBuilder &loops, mlir::Value a, mlir::Value b, mlir::Value tensor,
                         bool descending);

} // namespace kiln

#endif // KILN_DIALECTS_TRANSFORMS_HEAPLOOPS_H
