// Pipelines.h: the stages of npu kernels.
#ifndef KILN_BACKENDS_NPU_PIPELINES_H
#define KILN_BACKENDS_NPU_PIPELINES_H

#include "kiln/jit/StageRegistry.h"

namespace kiln::npu {

void buildGraphStage(mlir::OpPassManager &pm, const jit::Target &target);
void buildFormStage(mlir::OpPassManager &pm, const jit::Target &target);
void buildTensorStage(mlir::OpPassManager &pm, const jit::Target &target);
void buildTileStage(mlir::OpPassManager &pm, const jit::Target &target);
void buildBufferStage(mlir::OpPassManager &pm, const jit::Target &target);
void buildLowerStage(mlir::OpPassManager &pm, const jit::Target &target);
void buildEmitStage(mlir::OpPassManager &pm, const jit::Target &target);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_PIPELINES_H
