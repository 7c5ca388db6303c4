// HivmForm.h: what a kernel's function becomes before it is written as HIVM.
#ifndef KILN_BACKENDS_NPU_HIVM_HIVMFORM_H
#define KILN_BACKENDS_NPU_HIVM_HIVMFORM_H

#include "backends/npu/IR/Npu.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::npu {

/// The buffer that a value is or is a view of.
mlir::Value bufferOf(mlir::Value value);

/// Calls `fn` for each op other than a view that uses the buffer or a view of it.
void forEachAccess(mlir::Value buffer, llvm::function_ref<void(mlir::Operation *)> fn);

/// The one op of a kind that writes the buffer of `value`; null if there is none, or several.
template <typename OpTy> OpTy writerOf(mlir::Value value) {
  mlir::Value buffer = bufferOf(value);
  OpTy found;
  bool isOne = true;
  forEachAccess(buffer, [&](mlir::Operation *user) {
    auto op = llvm::dyn_cast<OpTy>(user);
    if (!op || bufferOf(op.getDst()) != buffer)
      return;
    isOne &= !found;
    found = op;
  });
  return isOne ? found : OpTy();
}

/// Gives buffers their copies as far as there is room beside the scratch space that the vendor's library
/// and planner take: as much as their tiles for reductions, columns and selections.
mlir::LogicalResult chooseCopies(mlir::ModuleOp module);

/// Rewrites the function towards HIVM's conventions: the block's number becomes the last argument, columns
/// become [rows, 1] and are read as they are, `npu.vreduce` folds into a destination that holds its identity,
/// `npu.scalar_load` becomes `memref.load`. What is left need not satisfy the npu dialect's verifiers. Fails
/// with a diagnostic at the op that has no form.
mlir::LogicalResult rewriteForHivm(mlir::func::FuncOp function);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_HIVM_HIVMFORM_H
