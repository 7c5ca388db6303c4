// HivmProduct.h: products and what brings their operands to L1, in HIVM's form.
#ifndef KILN_BACKENDS_NPU_HIVM_HIVMPRODUCT_H
#define KILN_BACKENDS_NPU_HIVM_HIVMPRODUCT_H

#include "backends/npu/IR/Npu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::npu {

/// Attributes of a rewritten `npu.mmad`: how its operands lie in L1.
inline constexpr llvm::StringLiteral kLeftTransposedAttr = "a_transpose",
                                     kRightTransposedAttr = "b_transpose";

/// Makes each `npu.mmad` of the function read L1, as HIVM's mmadL1 does: operands where `npu.load2d` takes
/// them from, of convolutions an im2col matrix that bursts from global memory build; biases where
/// `npu.load_bias` takes them from. Fills of L1 become such as HIVM's library has. Fails with a diagnostic at
/// the op that has no form.
mlir::LogicalResult rewriteProducts(mlir::func::FuncOp function);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_HIVM_HIVMPRODUCT_H
