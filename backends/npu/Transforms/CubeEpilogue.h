// CubeEpilogue.h: what behind a product costs nothing on its way out of L0C.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_CUBEEPILOGUE_H
#define KILN_BACKENDS_NPU_TRANSFORMS_CUBEEPILOGUE_H

#include "kiln/IR/Kiln.h"

namespace kiln::npu {

/// The ops behind a product (kiln.matmul, kiln.conv) that bias table and fixpipe compute.
struct CubeEpilogue {
  mlir::Value bias; // one number a column, or a splat constant; null: none
  bool isRelu = false;
  mlir::Value result;                              // of the last of them
  llvm::SmallVector<mlir::Operation *, 2> members; // in order
};

/// Follows the product's only user as long as that is free.
CubeEpilogue followEpilogue(mlir::Operation *product);
/// Whether `value` adds one number a column to a result of type `product`: its other axes have extent 1.
bool isColumnBias(mlir::Value value, mlir::Type product);
/// Whether an op is computed by the cube: not what has one product an element, unless it was laid out for it.
bool isProduct(mlir::Operation *op);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_CUBEEPILOGUE_H
