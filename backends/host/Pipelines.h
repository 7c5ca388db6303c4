// Pipelines.h: the stages of target "host", a builder each.
#ifndef KILN_BACKENDS_HOST_PIPELINES_H
#define KILN_BACKENDS_HOST_PIPELINES_H

#include "kiln/jit/StageRegistry.h"

namespace kiln::host {

/// kiln.kernel -> func.func of linalg, tensor, arith and math on signless types.
void buildFormStage(mlir::OpPassManager &pm, const jit::Target &target);
void buildTensorStage(mlir::OpPassManager &pm, const jit::Target &target);
/// Chooses a template; tiles of the result in scf.forall, producers fused into them.
void buildTileStage(mlir::OpPassManager &pm, const jit::Target &target);
/// Tensors -> buffers given by the caller; temporaries placed; structured ops -> vector loops.
void buildBufferStage(mlir::OpPassManager &pm, const jit::Target &target);
/// Math and small floats expanded, the kernel ABI, LLVM dialect.
void buildLowerStage(mlir::OpPassManager &pm, const jit::Target &target);
/// Emission needs no passes: the object emitter does it.
void buildEmitStage(mlir::OpPassManager &pm, const jit::Target &target);

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_PIPELINES_H
