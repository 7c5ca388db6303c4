// Bufferize.cpp: one-shot bufferization with the host's options, and the cleaning behind it.
#include "backends/host/Transforms/Passes.h"

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

namespace kiln::host {
#define GEN_PASS_DEF_BUFFERIZEPASS
#include "backends/host/Transforms/Passes.h.inc"

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

/// Several unknown extents of one group cannot be told from the buffer: upstream's bufferization would infer
/// them. Such an expansion is done on the buffer here, with the extents that the op names.
void expandBuffers(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<tensor::ExpandShapeOp> expansions;
  module.walk([&](tensor::ExpandShapeOp op) {
    for (const ReassociationIndices &group : op.getReassociationIndices())
      if (llvm::count_if(group, [&](int64_t axis) { return op.getType().isDynamicDim(axis); }) > 1) {
        expansions.push_back(op);
        return;
      }
  });
  for (tensor::ExpandShapeOp op : expansions) {
    rewriter.setInsertionPoint(op);
    auto from = cast<RankedTensorType>(op.getSrcType()), to = cast<RankedTensorType>(op.getType());
    auto buffer = rewriter.create<bufferization::ToMemrefOp>(
        op.getLoc(), MemRefType::get(from.getShape(), from.getElementType()), op.getSrc());
    buffer.setReadOnly(true);
    auto expanded = rewriter.create<memref::ExpandShapeOp>(
        op.getLoc(), MemRefType::get(to.getShape(), to.getElementType()), buffer,
        op.getReassociationIndices(),
        getMixedValues(op.getStaticOutputShape(), op.getOutputShape(), rewriter));
    rewriter.replaceOpWithNewOp<bufferization::ToTensorOp>(op, expanded, /*restrict=*/true);
  }
}

struct BufferizePass : impl::BufferizePassBase<BufferizePass> {
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = false;
    expandBuffers(getOperation());
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
} // namespace kiln::host
