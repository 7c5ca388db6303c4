// RegisterCompiler.cpp: everything that the npu's compiler tier registers.
#include "backends/npu/EmitObject.h"
#include "backends/npu/Hivm/HivmWriter.h"
#include "backends/npu/Pipelines.h"
#include "backends/npu/Transforms/Passes.h"

#include "kiln/devicekit/Pipes.h"
#include "kiln/jit/CompilerRegistrar.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/AllInterfaces.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::npu;
using namespace mlir;

namespace {

Status registerNpuCompiler(jit::CompilerRegistrar &registrar) {
  constexpr llvm::StringLiteral target = "npu";
  registrar.addDialect<ir::NpuDialect, affine::AffineDialect, arith::ArithDialect,
                       bufferization::BufferizationDialect, func::FuncDialect, linalg::LinalgDialect,
                       math::MathDialect, memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                       vector::VectorDialect>();
  DialectRegistry &dialects = registrar.dialects();
  arith::registerBufferizableOpInterfaceExternalModels(dialects);
  linalg::registerAllDialectInterfaceImplementations(dialects);
  scf::registerBufferizableOpInterfaceExternalModels(dialects);
  tensor::registerBufferizableOpInterfaceExternalModels(dialects);
  tensor::registerInferTypeOpInterfaceExternalModels(dialects); // pads of unknown extents are allocated by it
  registrar.addStage(target, jit::Stage::Graph, buildGraphStage);
  registrar.addStage(target, jit::Stage::Form, buildFormStage);
  registrar.addStage(target, jit::Stage::Tensor, buildTensorStage);
  registrar.addStage(target, jit::Stage::Tile, buildTileStage);
  registrar.addStage(target, jit::Stage::Buffer, buildBufferStage);
  registrar.addStage(target, jit::Stage::Lower, buildLowerStage);
  registrar.addStage(target, jit::Stage::Emit, buildEmitStage);
  registrar.setObjectEmitter(target, emitObject);
  registrar.addEmitter(target,
                       {"npu", "the npu dialect with addresses and flags", jit::Stage::Lower, printDialect});
  registrar.addEmitter(target, {"asm", "the kernel's instructions", jit::Stage::Lower, printAssembly});
  registrar.addEmitter(target, {"hivm", "HIVM text as AscendNPU-IR 1.2.0 reads it, before its planning",
                                jit::Stage::Tile, printHivm});
  devicekit::registerPipePasses(registrar);
  registrar.addPass([] { return createExactProductsPass(); });
  registrar.addPass([] { return createSplitVolumesPass(); });
  registrar.addPass([] { return createSplitNormsPass(); });
  registrar.addPass([] { return createArrangeSortsPass(); });
  registrar.addPass([] { return createKeepAttentionPass(); });
  registrar.addPass([] { return createLayOutConvsPass(); });
  registrar.addPass([] { return createBoundEpiloguesPass(); });
  registrar.addPass([] { return createLowerKernelsPass(); });
  registrar.addPass([] { return createPrintHivmPass(); });
  registrar.addPass([] { return createSplitL0Pass(); });
  registrar.addPass([] { return createSinkScalarsPass(); });
  registrar.addPass([] { return createLowerScalarPass(); });
  registrar.addPass([] { return createScalarFusionPass(); });
  registrar.addPass([] { return createScalarResultsPass(); });
  registrar.addPass([] { return createScalarLoopsPass(); });
  registrar.addPass([] { return createScalarMathPass(); });
  registrar.addPass([] { return createShareBlocksPass(); });
  registrar.addPass([] { return createScalarAddressesPass(); });
  return registrar.status();
}

} // namespace

KILN_BACKEND_COMPILER(npu, "0.1.0", registerNpuCompiler)
