// Bufferize.cpp: one-shot bufferization of kernels whose arguments are buffers, and the cleaning behind it.
#include "kiln/Transforms/Passes.h"
#include "kiln/Transforms/Views.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_BUFFERIZEPASS
#include "kiln/Transforms/Passes.h.inc"

namespace {

/// Whether both are the same buffer, or the same part of one, taken twice.
bool isSameBuffer(Value a, Value b) {
  if (a == b)
    return true;
  auto viewA = a.getDefiningOp<memref::SubViewOp>(), viewB = b.getDefiningOp<memref::SubViewOp>();
  return viewA && viewB &&
         OperationEquivalence::isEquivalentTo(viewA, viewB, OperationEquivalence::IgnoreLocations);
}

struct DropSelfCopy final : OpRewritePattern<memref::CopyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(memref::CopyOp copy, PatternRewriter &rewriter) const override {
    if (!isSameBuffer(copy.getSource(), copy.getTarget()))
      return rewriter.notifyMatchFailure(copy, "copies between buffers");
    rewriter.eraseOp(copy);
    return success();
  }
};

LogicalResult cleanUp(ModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  patterns.add<DropSelfCopy>(context);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  memref::populateResolveShapedTypeResultDimsPatterns(patterns);
  for (StringRef name : {"memref", "bufferization", "affine"})
    context->getOrLoadDialect(name)->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (llvm::is_contained({"memref", "bufferization", "affine"}, op.getDialectNamespace()))
      op.getCanonicalizationPatterns(patterns, context);
  // Buffers that loops and branches hand through unchanged.
  scf::ForOp::getCanonicalizationPatterns(patterns, context);
  scf::IfOp::getCanonicalizationPatterns(patterns, context);
  scf::WhileOp::getCanonicalizationPatterns(patterns, context);
  return applyPatternsAndFoldGreedily(module, std::move(patterns));
}

/// What upstream's bufferization of reshapes cannot do is done on buffers here: it infers the unknown extent
/// of a group that is expanded, of which there may be several, and the product of a group that is collapsed.
void reshapeBuffers(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<Operation *> reshapes;
  auto isUnknown = [](RankedTensorType type) {
    return [type](int64_t axis) { return type.isDynamicDim(axis); };
  };
  module.walk([&](tensor::ExpandShapeOp op) {
    auto unknown = isUnknown(cast<RankedTensorType>(op.getType()));
    if (llvm::any_of(op.getReassociationIndices(),
                     [&](ArrayRef<int64_t> group) { return llvm::count_if(group, unknown) > 1; }))
      reshapes.push_back(op);
  });
  module.walk([&](tensor::CollapseShapeOp op) {
    if (llvm::is_contained(op.getSrcType().getShape(), 0) && !op.getSrcType().hasStaticShape())
      reshapes.push_back(op);
  });
  for (Operation *op : reshapes) {
    rewriter.setInsertionPoint(op);
    auto from = cast<RankedTensorType>(op->getOperand(0).getType());
    auto buffer = rewriter.create<bufferization::ToMemrefOp>(
        op->getLoc(), MemRefType::get(from.getShape(), from.getElementType()), op->getOperand(0));
    buffer.setReadOnly(true);
    Value view;
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      view = expandView(rewriter, op->getLoc(), buffer, expand.getReassociationIndices(),
                        getMixedValues(expand.getStaticOutputShape(), expand.getOutputShape(), rewriter));
    else
      view = collapseView(rewriter, op->getLoc(), buffer,
                          cast<tensor::CollapseShapeOp>(op).getReassociationIndices());
    rewriter.replaceOpWithNewOp<bufferization::ToTensorOp>(op, view, /*restrict=*/true);
  }
}

struct BufferizePass : impl::BufferizePassBase<BufferizePass> {
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = false;
    reshapeBuffers(getOperation());
    if (failed(bufferization::runOneShotBufferize(getOperation(), options)))
      return signalPassFailure();
    // Equal views become one, so that copies between them are seen to do nothing.
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    if (failed(cleanUp(getOperation())))
      signalPassFailure();
  }
};

} // namespace
} // namespace kiln
