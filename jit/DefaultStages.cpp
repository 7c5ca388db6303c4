// DefaultStages.cpp: the passes of stages graph and form where a backend brings none of its own.
#include "kiln/jit/CompilerRegistrar.h"

#include "mlir/Transforms/Passes.h"

using namespace kiln::jit;

void kiln::jit::buildDefaultStage(Stage stage, mlir::OpPassManager &pm, const Target &target) {
  if (stage == Stage::Graph) {
    pm.addPass(mlir::createCanonicalizerPass());
    pm.addPass(mlir::createCSEPass());
  }
}
