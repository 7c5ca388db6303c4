// DefaultStages.cpp: the passes of stages graph and form where a backend brings none of its own.
#include "jit/Passes.h"
#include "kiln/Transforms/Passes.h"
#include "kiln/jit/CompilerRegistrar.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

using namespace kiln::jit;

namespace {
std::unique_ptr<mlir::Pass> canonicalizer() {
  llvm::SmallVector<std::string> disabled(std::begin(kiln::kDisabledPatterns),
                                          std::end(kiln::kDisabledPatterns));
  return mlir::createCanonicalizerPass({}, disabled);
}
} // namespace

void kiln::jit::buildDefaultStage(Stage stage, mlir::OpPassManager &pm, const Target &) {
  if (stage == Stage::Graph) {
    pm.addNestedPass<mlir::func::FuncOp>(createRefineShapesPass());
    pm.addPass(createFoldBatchNormPass());
    pm.addPass(createFoldTransposePass());
    pm.addPass(createExpandCompositesPass());
    pm.addNestedPass<mlir::func::FuncOp>(canonicalizer());
    pm.addNestedPass<mlir::func::FuncOp>(mlir::createCSEPass());
  }
  if (stage == Stage::Form) {
    pm.addNestedPass<mlir::func::FuncOp>(createCheckExtentsPass());
    pm.addPass(createFormKernelsPass());
    // What was left of the shapes' arithmetic.
    pm.addNestedPass<mlir::func::FuncOp>(canonicalizer());
    pm.addNestedPass<mlir::func::FuncOp>(mlir::createCSEPass());
  }
}

std::vector<PassFactory> kiln::jit::ownPasses() {
  // Lambdas, since some of these functions have overloads with options.
  return {[] { return createRefineShapesPass(); },
          [] { return createFormKernelsPass(); },
          [] { return createFoldBatchNormPass(); },
          [] { return createFoldTransposePass(); },
          [] { return createCheckExtentsPass(); },
          [] { return createDecomposePass(); },
          [] { return createExpandCompositesPass(); },
          [] { return createToLinalgPass(); },
          [] { return createBufferizePass(); },
          [] { return createExpandFloatsPass(); },
          [] { return mlir::createCanonicalizerPass(); },
          [] { return mlir::createCSEPass(); },
          [] { return mlir::createLoopInvariantCodeMotionPass(); }};
}
