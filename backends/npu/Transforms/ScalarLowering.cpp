// ScalarLowering.cpp: the kernels that neither the vector nor the cube lowering takes, by way of linalg on
// tensors and loops on buffers. A pipeline inside of one pass, so that other kernels do not pay for it.
#include "backends/npu/Transforms/Passes.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "kiln/Transforms/InPlace.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_LOWERSCALARPASS
#define GEN_PASS_DEF_SCALARRESULTSPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

void clean(OpPassManager &pm) {
  SmallVector<std::string> disabled(std::begin(kDisabledPatterns), std::end(kDisabledPatterns));
  pm.addPass(createCanonicalizerPass({}, disabled));
  pm.addPass(createCSEPass());
}

void buildPasses(OpPassManager &pm) {
  pm.addPass(createToLinalgPass());
  clean(pm);
  pm.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  pm.addNestedPass<func::FuncOp>(createScalarFusionPass());
  pm.addPass(createScalarResultsPass());
  pm.addPass(createBufferizePass());
  clean(pm);
  pm.addNestedPass<func::FuncOp>(createScalarLoopsPass());
  pm.addPass(createLowerAffinePass());
  clean(pm);
  pm.addNestedPass<func::FuncOp>(createShareBlocksPass());
  pm.addNestedPass<func::FuncOp>(createScalarAddressesPass());
  pm.addNestedPass<func::FuncOp>(createExpandFloatsPass());
  pm.addNestedPass<func::FuncOp>(createScalarMathPass());
  clean(pm);
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createCSEPass());
}

bool isForeign(Type type) { return getElementTypeOrSelf(type).isF64(); }

/// The first op of a kernel that computes what the chip has no arithmetic for; the kernel if it only passes
/// such values on.
Operation *findForeign(KernelOp kernel) {
  Operation *found = nullptr;
  kernel.walk([&](Operation *op) {
    bool computes = op != kernel.getOperation() && !op->hasTrait<OpTrait::IsTerminator>();
    if (computes &&
        (llvm::any_of(op->getOperandTypes(), isForeign) || llvm::any_of(op->getResultTypes(), isForeign)))
      found = op;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found || !llvm::any_of(kernel.getArgumentTypes(), isForeign) ? found : kernel.getOperation();
}

struct LowerScalar final : impl::LowerScalarPassBase<LowerScalar> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect, bufferization::BufferizationDialect,
                    func::FuncDialect, ir::NpuDialect, linalg::LinalgDialect, memref::MemRefDialect,
                    scf::SCFDialect, tensor::TensorDialect>();
    OpPassManager pm(ModuleOp::getOperationName());
    buildPasses(pm);
    pm.getDependentDialects(registry);
  }

  void runOnOperation() override {
    bool hasKernels = false;
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      hasKernels = true;
      if (Operation *foreign = findForeign(kernel)) {
        foreign->emitError("npu: '") << foreign->getName()
                                     << "' on elements of type 'f64': no unit of the chip computes them";
        return signalPassFailure();
      }
      kernel->setAttr(kSignatureAttr, TypeAttr::get(kernel.getFunctionType()));
      kernel->setAttr(kCoreAttr, StringAttr::get(&getContext(), "aiv"));
      kernel->setAttr(kTemplateAttr, StringAttr::get(&getContext(), "scalar"));
    }
    if (!hasKernels)
      return;
    OpPassManager pm(ModuleOp::getOperationName());
    buildPasses(pm);
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};

MemRefType bufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

void makeBuffers(func::FuncOp function) {
  IRRewriter builder(function.getContext());
  builder.setInsertionPointToStart(&function.getBody().front());
  Block &body = function.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    if (!tensor)
      continue;
    argument.setType(bufferType(tensor));
    auto value = builder.create<bufferization::ToTensorOp>(argument.getLoc(), tensor, argument,
                                                           /*restrict=*/true);
    argument.replaceAllUsesExcept(value, value);
  }
  auto returned = cast<func::ReturnOp>(body.getTerminator());
  builder.setInsertionPoint(returned);
  SmallVector<bufferization::MaterializeInDestinationOp> writes;
  for (Value value : returned.getOperands()) {
    Value buffer = body.addArgument(bufferType(value.getType()), function.getLoc());
    writes.push_back(builder.create<bufferization::MaterializeInDestinationOp>(
        returned.getLoc(), TypeRange(), value, buffer,
        /*restrict=*/true, /*writable=*/true));
  }
  returned.getOperandsMutable().clear();
  function.setFunctionType(builder.getFunctionType(body.getArgumentTypes(), {}));
  function.removeResAttrsAttr();
  for (bufferization::MaterializeInDestinationOp write : writes)
    writeInPlace(builder, write);
}

struct ScalarResults final : impl::ScalarResultsPassBase<ScalarResults> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr("kiln.kernel"))
        makeBuffers(function);
  }
};

} // namespace
} // namespace kiln::npu
