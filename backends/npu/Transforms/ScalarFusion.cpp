// ScalarFusion.cpp: upstream's elementwise fusion, kept from reshapes whose extents it cannot infer.
#include "backends/npu/Transforms/Passes.h"
#include "kiln/Transforms/ComposeReshapes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_SCALARFUSIONPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

/// Whether an op is no reshape, or one whose groups have one unknown extent at most.
bool isInferable(Operation *op) {
  auto hasOneUnknown = [](auto reshape, RankedTensorType type) {
    return llvm::all_of(reshape.getReassociationIndices(), [&](ArrayRef<int64_t> group) {
      return llvm::count_if(group, [&](int64_t axis) { return type.isDynamicDim(axis); }) <= 1;
    });
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return hasOneUnknown(expand, expand.getResultType());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return hasOneUnknown(collapse, collapse.getSrcType());
  return true;
}

bool isFused(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  return producer && producer->hasOneUse() && isInferable(producer) && isInferable(operand->getOwner());
}

/// Makes what a reduction yields depend on what it starts from, until freeInits(): upstream drops initial
/// values that no body reads, as that of a product by 0, though they are the result where there is nothing to
/// reduce.
void holdInits(func::FuncOp function) {
  function.walk([](linalg::GenericOp op) {
    if (op.getNumReductionLoops() == 0)
      return;
    Operation *yield = op.getBody()->getTerminator();
    OpBuilder builder(yield);
    for (auto [operand, init] : llvm::zip(yield->getOpOperands(), op.getRegionOutputArgs()))
      operand.set(builder
                      .create<UnrealizedConversionCastOp>(op.getLoc(), operand.get().getType(),
                                                          ValueRange{operand.get(), init})
                      .getResult(0));
  });
}

void freeInits(func::FuncOp function) {
  function.walk([](UnrealizedConversionCastOp hold) {
    hold.getResult(0).replaceAllUsesWith(hold.getOperand(0));
    hold.erase();
  });
}

struct ScalarFusion final : impl::ScalarFusionPassBase<ScalarFusion> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, isFused);
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, isFused);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    populateComposeReshapes(patterns);
    holdInits(getOperation());
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    freeInits(getOperation());
  }
};

} // namespace
} // namespace kiln::npu
