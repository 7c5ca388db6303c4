// CubeProduct.h: a product of two matrices as loops over tiles on the cube.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_CUBEPRODUCT_H
#define KILN_BACKENDS_NPU_TRANSFORMS_CUBEPRODUCT_H

#include "backends/npu/Transforms/CubeBuilder.h"

namespace kiln::npu {

struct CubeProduct {
  CubeOperand a, b;
  CubeOutput c; // batches lie one behind the other
  mlir::OpFoldResult m, n, k;
  llvm::SmallVector<mlir::OpFoldResult> batches; // their extents, outermost first
  mlir::Type element;                            // of the operands
};

/// Writes the product into a function's body at the builder's place. The operands' types are the cube's
/// (isCubeType, isCubeResult).
void emitProduct(mlir::OpBuilder &builder, mlir::Location loc, mlir::func::FuncOp function,
                 const CubeProduct &product, const Target &target);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_CUBEPRODUCT_H
