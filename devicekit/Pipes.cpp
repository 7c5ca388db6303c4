// Pipes.cpp: the order and the registration of the passes over pipes.
#include "devicekit/PipePasses.h"

namespace kiln::devicekit {

void buildMultiBufferPass(mlir::OpPassManager &pm, int64_t copies) {
  pm.addNestedPass<mlir::func::FuncOp>(createMultiBufferPass({copies}));
}

void buildMemoryPasses(mlir::OpPassManager &pm, int64_t copies) {
  buildMultiBufferPass(pm, copies);
  pm.addNestedPass<mlir::func::FuncOp>(createPlanMemoryPass());
}

void buildSyncPasses(mlir::OpPassManager &pm) {
  pm.addNestedPass<mlir::func::FuncOp>(createInsertSyncPass());
  pm.addNestedPass<mlir::func::FuncOp>(createVerifySyncPass());
}

void registerPipePasses(jit::CompilerRegistrar &registrar) {
  registrar.addPass([] { return createMultiBufferPass(); });
  registrar.addPass([] { return createPlanMemoryPass(); });
  registrar.addPass([] { return createInsertSyncPass(); });
  registrar.addPass([] { return createVerifySyncPass(); });
}

} // namespace kiln::devicekit
