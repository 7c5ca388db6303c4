// RegisterCompiler.cpp: everything that the host's compiler tier registers.
#include "backends/host/EmitObject.h"
#include "backends/host/OrcLoader.h"
#include "backends/host/Pipelines.h"
#include "backends/host/Transforms/Passes.h"

#include "kiln/jit/CompilerRegistrar.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/AllInterfaces.h"
#include "mlir/Dialect/MemRef/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

using namespace kiln;
using namespace kiln::host;

namespace {

void registerInterfaces(mlir::DialectRegistry &registry) {
  mlir::affine::registerValueBoundsOpInterfaceExternalModels(registry);
  mlir::arith::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::arith::registerValueBoundsOpInterfaceExternalModels(registry);
  mlir::linalg::registerAllDialectInterfaceImplementations(registry);
  mlir::memref::registerValueBoundsOpInterfaceExternalModels(registry);
  mlir::scf::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::scf::registerValueBoundsOpInterfaceExternalModels(registry);
  mlir::tensor::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::tensor::registerInferTypeOpInterfaceExternalModels(registry);
  mlir::tensor::registerTilingInterfaceExternalModels(registry);
  mlir::tensor::registerValueBoundsOpInterfaceExternalModels(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
}

Status registerHostCompiler(jit::CompilerRegistrar &registrar) {
  constexpr llvm::StringLiteral target = "host";
  registrar.addDialect<mlir::affine::AffineDialect, mlir::bufferization::BufferizationDialect,
                       mlir::func::FuncDialect, mlir::linalg::LinalgDialect, mlir::LLVM::LLVMDialect,
                       mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                       mlir::tensor::TensorDialect, mlir::vector::VectorDialect>();
  registerInterfaces(registrar.dialects());
  registrar.addStage(target, jit::Stage::Form, buildFormStage);
  registrar.addStage(target, jit::Stage::Tensor, buildTensorStage);
  registrar.addStage(target, jit::Stage::Tile, buildTileStage);
  registrar.addStage(target, jit::Stage::Buffer, buildBufferStage);
  registrar.addStage(target, jit::Stage::Lower, buildLowerStage);
  registrar.addStage(target, jit::Stage::Emit, buildEmitStage);
  registrar.setObjectEmitter(target, emitObject);
  registrar.addEmitter(target, {"asm", "the kernel's assembly", jit::Stage::Lower, printAssembly});
  registrar.addEmitter(target,
                       {"llvm", "the kernel's LLVM IR after optimisation", jit::Stage::Lower, printLlvm});
  static OrcLoader *orc = new OrcLoader(registrar.host()); // lives as long as the process, as its kernels may
  registrar.addKernelLoader("host-elf", "orc", OrcLoader::ops(), orc);
  registrar.addPass([] { return createPackWeightsPass(); });
  registrar.addPass([] { return createDescribePass(); });
  registrar.addPass([] { return createStoragePass(); });
  registrar.addPass([] { return createUnpackWeightsPass(); });
  registrar.addPass([] { return createFusePass(); });
  registrar.addPass([] { return createCollapsePass(); });
  registrar.addPass([] { return createDestinationsPass(); });
  registrar.addPass([] { return createLoopDestinationsPass(); });
  registrar.addPass([] { return createTilePass(); });
  registrar.addPass([] { return createSinkPadsPass(); });
  registrar.addPass([] { return createBlockContractionsPass(); });
  registrar.addPass([] { return createTemporariesPass(); });
  registrar.addPass([] { return createContractPass(); });
  registrar.addPass([] { return createVectorizePass(); });
  registrar.addPass([] { return createExpandMathPass(); });
  registrar.addPass([] { return createEntryPass(); });
  registrar.addPass([] { return createToLlvmPass(); });
  registrar.addPass([] { return createOpLinesPass(); });
  return registrar.status();
}

} // namespace

KILN_BACKEND_COMPILER(host, "0.1.0", registerHostCompiler)
