// ReferenceStages.cpp: which passes the reference lowering runs in each stage, and its registration.
#include "devicekit/Passes.h"
#include "kiln/devicekit/ReferenceCodegen.h"

#include "kiln/Transforms/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/AllInterfaces.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::devicekit;

namespace {

void buildBufferStage(OpPassManager &pm) {
  pm.addPass(createProtectInputsPass());
  bufferization::OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.setFunctionBoundaryTypeConversion(bufferization::LayoutMapOption::IdentityLayoutMap);
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  pm.addPass(bufferization::createBufferResultsToOutParamsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCopiesToLoopsPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
}

void buildLowerStage(OpPassManager &pm) {
  pm.addPass(createEntryPointPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertSCFToCFPass());
  pm.addPass(createExpandMathPass());
  pm.addNestedPass<func::FuncOp>(createExpandFloatsPass({/*f16c=*/true})); // LLVM has f16's conversions
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(arith::createArithExpandOpsPass({/*includeBf16=*/true}));
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

} // namespace

void devicekit::buildReferenceStage(jit::Stage stage, OpPassManager &pm, const jit::Target &) {
  switch (stage) {
  case jit::Stage::Tensor:
    pm.addPass(createRecordSignaturePass());
    pm.addPass(createToLinalgPass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    return;
  case jit::Stage::Buffer:
    return buildBufferStage(pm);
  case jit::Stage::Lower:
    return buildLowerStage(pm);
  case jit::Stage::Graph:
  case jit::Stage::Form:
  case jit::Stage::Tile:
  case jit::Stage::Emit:
    return;
  }
}

void devicekit::registerReference(jit::CompilerRegistrar &registrar, llvm::StringRef target,
                                  llvm::StringRef format, llvm::ArrayRef<jit::Stage> ownStages) {
  registrar.addDialect<affine::AffineDialect, arith::ArithDialect, bufferization::BufferizationDialect,
                       cf::ControlFlowDialect, func::FuncDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                       math::MathDialect, memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                       vector::VectorDialect>();
  DialectRegistry &dialects = registrar.dialects();
  arith::registerBufferizableOpInterfaceExternalModels(dialects);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(dialects);
  linalg::registerAllDialectInterfaceImplementations(dialects);
  scf::registerBufferizableOpInterfaceExternalModels(dialects);
  tensor::registerBufferizableOpInterfaceExternalModels(dialects);
  tensor::registerInferTypeOpInterfaceExternalModels(dialects); // pads of unknown extents are allocated by it
  registerBuiltinDialectTranslation(dialects);
  registerLLVMDialectTranslation(dialects);
  for (jit::Stage stage :
       {jit::Stage::Tensor, jit::Stage::Tile, jit::Stage::Buffer, jit::Stage::Lower, jit::Stage::Emit})
    if (!llvm::is_contained(ownStages, stage))
      registrar.addStage(target, stage, [stage](OpPassManager &pm, const jit::Target &target) {
        buildReferenceStage(stage, pm, target);
      });
  for (auto make : {createRecordSignaturePass, createProtectInputsPass, createCopiesToLoopsPass,
                    createExpandMathPass, createEntryPointPass})
    registrar.addPass([make] { return make(); });
  registrar.setObjectEmitter(target, [format = format.str()](ModuleOp module, const jit::Target &target,
                                                             jit::KernelObjectBuilder &object) {
    return emitFlatObject(module, target, format, object);
  });
}
