// kiln/jit/ExtentResolver.h: dynamic extents of values as index arithmetic over what kernels do not compute.
#ifndef KILN_JIT_EXTENTRESOLVER_H
#define KILN_JIT_EXTENTRESOLVER_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace kiln::jit {

/// Expresses the extents of kiln ops' results, in elements, by extents of function arguments, launches and
/// loops, so that the ops can move into kernels. Inserts the arithmetic behind the ops; each op is resolved
/// once. Used by one thread. Once ops that it has seen are erased, ask it only for values that were there
/// before.
class ExtentResolver {
public:
  /// The extent of one axis, from 0: a number where the type says it, else an index value.
  /// Fails, with a diagnostic on it, if an op on the way does not say what shape its result has.
  mlir::FailureOr<mlir::OpFoldResult> extent(mlir::Value tensor, int64_t axis);
  /// The dynamic extents of a tensor as index values, from left to right. Fails as extent() does.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> dynamicExtents(mlir::Value tensor);
  /// Replaces and erases a tensor.dim of a kiln or tensor op's result; leaves any other. Fails as extent()
  /// does, and for an axis that is not constant.
  mlir::LogicalResult replace(mlir::tensor::DimOp op);

private:
  mlir::LogicalResult resolve(mlir::Operation *op);
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::OpFoldResult>> known;
};

} // namespace kiln::jit
#endif // KILN_JIT_EXTENTRESOLVER_H
