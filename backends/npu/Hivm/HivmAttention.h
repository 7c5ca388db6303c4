// HivmAttention.h: attention as HIVM on tensors.
#ifndef KILN_BACKENDS_NPU_HIVM_HIVMATTENTION_H
#define KILN_BACKENDS_NPU_HIVM_HIVMATTENTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::npu {

/// Writes what a kernel of cube and vector cores computes, from its cube core's function, as one function on
/// tensors: which core does what, the workspace and the flags between the cores are then the vendor's
/// business. Fails with a diagnostic for kernels other than attention.
mlir::LogicalResult writeAttention(mlir::func::FuncOp cube, llvm::raw_ostream &os);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_HIVM_HIVMATTENTION_H
