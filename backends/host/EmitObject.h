// EmitObject.h: from the LLVM dialect to the host's kernel object, assembly and LLVM IR.
#ifndef KILN_BACKENDS_HOST_EMITOBJECT_H
#define KILN_BACKENDS_HOST_EMITOBJECT_H

#include "kiln/jit/StageRegistry.h"

namespace kiln::host {

/// The object emitter of target "host": format "host-elf". Fails with diagnostics on the module.
/// Threads: safe for modules of different contexts.
mlir::LogicalResult emitObject(mlir::ModuleOp module, const jit::Target &target,
                               jit::KernelObjectBuilder &builder);

/// Emitters for people: the assembly, and the LLVM IR after optimisation.
mlir::LogicalResult printAssembly(mlir::ModuleOp module, const jit::Target &target, llvm::raw_ostream &os);
mlir::LogicalResult printLlvm(mlir::ModuleOp module, const jit::Target &target, llvm::raw_ostream &os);

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_EMITOBJECT_H
