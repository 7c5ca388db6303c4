// Pipes.cpp: the order and the registration of the passes over pipes.
#include "devicekit/PipePasses.h"

namespace kiln::devicekit {

void buildPipePasses(mlir::OpPassManager &pm, const PipePassOptions &options) {
  pm.addNestedPass<mlir::func::FuncOp>(createMultiBufferPass({options.copies}));
  pm.addNestedPass<mlir::func::FuncOp>(createPlanMemoryPass());
  if (!options.insertSync)
    return;
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
