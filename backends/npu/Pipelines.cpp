// Pipelines.cpp: which passes each stage runs.
#include "backends/npu/Pipelines.h"

#include "backends/npu/Transforms/Passes.h"
#include "kiln/Transforms/Passes.h"
#include "kiln/devicekit/Pipes.h"
#include "kiln/jit/CompilerRegistrar.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace kiln::npu {

void buildGraphStage(OpPassManager &pm, const jit::Target &target) {
  KeepAttentionPassOptions options;
  options.chip = target.arch;
  pm.addNestedPass<func::FuncOp>(createKeepAttentionPass(options));
  jit::buildDefaultStage(jit::Stage::Graph, pm, target);
}

void buildFormStage(OpPassManager &pm, const jit::Target &target) {
  pm.addNestedPass<func::FuncOp>(createExactProductsPass());
  pm.addNestedPass<func::FuncOp>(createSplitVolumesPass());
  pm.addNestedPass<func::FuncOp>(createSplitNormsPass());
  pm.addNestedPass<func::FuncOp>(createArrangeSortsPass());
  LayOutConvsPassOptions options;
  options.chip = target.arch;
  pm.addNestedPass<func::FuncOp>(createLayOutConvsPass(options));
  pm.addNestedPass<func::FuncOp>(createBoundEpiloguesPass());
  jit::buildDefaultStage(jit::Stage::Form, pm, target);
}

void buildTensorStage(OpPassManager &pm, const jit::Target &) { pm.addPass(createDecomposePass()); }

void buildTileStage(OpPassManager &pm, const jit::Target &target) {
  LowerKernelsPassOptions options;
  options.chip = target.arch;
  pm.addPass(createLowerKernelsPass(options));
  pm.addPass(createLowerScalarPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void buildBufferStage(OpPassManager &pm, const jit::Target &) {
  pm.addNestedPass<func::FuncOp>(createSplitL0Pass());
  devicekit::buildMemoryPasses(pm);
}

void buildLowerStage(OpPassManager &pm, const jit::Target &) {
  devicekit::buildSyncPasses(pm);
  pm.addNestedPass<func::FuncOp>(createSinkScalarsPass());
}

void buildEmitStage(OpPassManager &, const jit::Target &) {}

} // namespace kiln::npu
