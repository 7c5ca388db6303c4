// ScalarFusion.cpp: upstream's elementwise fusion, kept from reshapes whose extents it cannot infer.
#include "backends/npu/Transforms/Passes.h"
#include "kiln/Transforms/ComposeReshapes.h"
#include "kiln/Transforms/HoldInits.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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
    if (failed(applyPatternsHoldingInits(getOperation(), std::move(patterns))))
      return signalPassFailure();
  }
};

} // namespace
} // namespace kiln::npu
