// Pipelines.cpp: which passes each stage runs.
#include "backends/host/Pipelines.h"

#include "backends/host/Target.h"
#include "backends/host/Transforms/Passes.h"

#include "kiln/Transforms/Passes.h"
#include "kiln/jit/CompilerRegistrar.h"

#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace kiln::host {

void buildFormStage(OpPassManager &pm, const jit::Target &target) {
  HostTarget host = HostTarget::from(target);
  jit::buildDefaultStage(jit::Stage::Form, pm, target);
  pm.addPass(createPackWeightsPass({host.vectorBits, host.vectorRegisters}));
}

void buildTensorStage(OpPassManager &pm, const jit::Target &) {
  pm.addPass(createDescribePass());
  pm.addPass(createToLinalgPass());
  pm.addNestedPass<func::FuncOp>(createStoragePass());
}

void buildTileStage(OpPassManager &pm, const jit::Target &target) {
  HostTarget host = HostTarget::from(target);
  pm.addNestedPass<func::FuncOp>(createUnpackWeightsPass());
  pm.addNestedPass<func::FuncOp>(createFusePass());
  pm.addNestedPass<func::FuncOp>(createCollapsePass());
  pm.addPass(createDestinationsPass());
  pm.addNestedPass<func::FuncOp>(createLoopDestinationsPass());
  pm.addNestedPass<func::FuncOp>(createTilePass({host.vectorBits}));
  pm.addNestedPass<func::FuncOp>(createSinkPadsPass());
}

void buildBufferStage(OpPassManager &pm, const jit::Target &target) {
  HostTarget host = HostTarget::from(target);
  pm.addPass(createBufferizePass());
  pm.addNestedPass<func::FuncOp>(createBlockContractionsPass({host.vectorBits, host.vectorRegisters}));
  pm.addNestedPass<func::FuncOp>(createTemporariesPass());
  pm.addNestedPass<func::FuncOp>(createContractPass());
  pm.addNestedPass<func::FuncOp>(
      createVectorizePass({host.vectorBits, host.vectorRegisters, host.maskWords, host.maskBytes}));
  pm.addPass(createLoopInvariantCodeMotionPass());
}

void buildLowerStage(OpPassManager &pm, const jit::Target &target) {
  pm.addPass(createExpandMathPass({HostTarget::from(target).scalef}));
  pm.addNestedPass<func::FuncOp>(createExpandFloatsPass({HostTarget::from(target).f16c}));
  pm.addPass(createEntryPass());
  pm.addPass(createToLlvmPass({HostTarget::from(target).f16c}));
  pm.addPass(createOpLinesPass());
}

void buildEmitStage(OpPassManager &, const jit::Target &) {}

} // namespace kiln::host
