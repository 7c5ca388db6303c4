// main.cpp: jit-opt runs passes on IR text: mlir-opt with the kiln dialect and its passes.
#include "jit/Passes.h"
#include "kiln/IR/Kiln.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<kiln::KilnDialect>();
  mlir::registerAllPasses();
  kiln::registerKilnPasses();
  for (const kiln::jit::PassFactory &factory : kiln::jit::ownPasses())
    (void)kiln::jit::registerPassOnce("", factory);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Kiln's IR optimizer\n", registry));
}
