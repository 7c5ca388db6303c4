// RegisterCompiler.cpp: what the null backend registers in the compiler tier: stages without passes, an
// emitter of metadata without code.
#include "kiln/jit/CompilerRegistrar.h"
#include "kiln/jit/KernelSignature.h"

#include "kiln/IR/Kiln.h"

using namespace kiln;

namespace {

constexpr llvm::StringLiteral kTarget = "null";

// The kernel is still as stage form made it; its signature is all that a launch needs: as many bindings, of
// the same sizes, and constants as a real kernel would take.
mlir::LogicalResult emitMetadata(mlir::ModuleOp module, const jit::Target &,
                                 jit::KernelObjectBuilder &object) {
  auto kernels = module.getOps<KernelOp>();
  if (!llvm::hasSingleElement(kernels))
    return module.emitError("expected one kernel in the module");
  KernelOp kernel = *kernels.begin();
  object.format = "null";
  object.symbol = kernel.getName().str();
  object.codeTemplate = "null";
  return jit::describeSignature(kernel.getLoc(), kernel.getFunctionType(), object);
}

Status registerNullCompiler(jit::CompilerRegistrar &registrar) {
  for (jit::Stage stage :
       {jit::Stage::Tensor, jit::Stage::Tile, jit::Stage::Buffer, jit::Stage::Lower, jit::Stage::Emit})
    registrar.addStage(kTarget, stage, [](mlir::OpPassManager &, const jit::Target &) {});
  registrar.setObjectEmitter(kTarget, emitMetadata);
  return registrar.status();
}

} // namespace

KILN_BACKEND_COMPILER(null, "0.1.0", registerNullCompiler)
