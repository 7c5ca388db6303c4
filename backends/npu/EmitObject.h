// EmitObject.h: a lowered kernel's object and its text.
#ifndef KILN_BACKENDS_NPU_EMITOBJECT_H
#define KILN_BACKENDS_NPU_EMITOBJECT_H

#include "kiln/jit/StageRegistry.h"

namespace kiln::npu {

/// The object of the one kernel function in a module whose flags were placed.
mlir::LogicalResult emitObject(mlir::ModuleOp module, const jit::Target &target,
                               jit::KernelObjectBuilder &builder);
/// The object's disassembly.
mlir::LogicalResult printAssembly(mlir::ModuleOp module, const jit::Target &target, llvm::raw_ostream &os);
/// The npu dialect as it is encoded.
mlir::LogicalResult printDialect(mlir::ModuleOp module, const jit::Target &target, llvm::raw_ostream &os);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_EMITOBJECT_H
