// ExtentResolver.h: dynamic extents of values as index arithmetic over what kernels do not compute.
#ifndef KILN_JIT_EXTENTRESOLVER_H
#define KILN_JIT_EXTENTRESOLVER_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace kiln::jit {

/// Expresses the extents of kiln ops' results by extents of function arguments, launches and loops, so that
/// the ops can move into kernels. Inserts arithmetic behind the ops; each op is resolved once. Used by one
/// thread; the ops it has seen must not be erased while it lives.
class ExtentResolver {
public:
  /// Failure if an op on the way does not say what shape its result has.
  mlir::FailureOr<mlir::OpFoldResult> extent(mlir::Value tensor, int64_t axis);
  /// The dynamic extents of a tensor as values, from left to right.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> dynamicExtents(mlir::Value tensor);
  /// Replaces a tensor.dim of a kiln op's result.
  mlir::LogicalResult replace(mlir::tensor::DimOp op);

private:
  mlir::LogicalResult resolve(mlir::Operation *op);
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::OpFoldResult>> known;
};

} // namespace kiln::jit
#endif // KILN_JIT_EXTENTRESOLVER_H
