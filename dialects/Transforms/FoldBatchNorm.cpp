// FoldBatchNorm.cpp: batch_norm(conv(x, w) + b) -> conv(x, w * factor) + (b * factor + shift)
#include "dialects/IR/Checks.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_FOLDBATCHNORMPASS
#include "kiln/Transforms/Passes.h.inc"

namespace {

/// Whether `value` is known when the program is loaded: a weight, a constant, or kiln ops on such.
bool isKnownAtLoad(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<WeightOp, ConstantOp>(op))
    return true;
  return isa<KilnDialect>(op->getDialect()) && op->getNumOperands() > 0 &&
         llvm::all_of(op->getOperands(), isKnownAtLoad);
}

struct FoldIntoConv final : OpRewritePattern<BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchNormOp op, PatternRewriter &rewriter) const override {
    auto conv = op.getX().getDefiningOp<ConvOp>();
    if (!conv || !conv->hasOneUse())
      return rewriter.notifyMatchFailure(op, "'x' is not a convolution that only this op uses");
    if (!isFoldable(op, conv))
      return rewriter.notifyMatchFailure(op, "a parameter is not known at load, or is not f32 or f64");

    Location loc = op.getLoc();
    Type element = tensorType(op.getX()).getElementType();
    auto scalar = DenseElementsAttr::get(RankedTensorType::get({}, element),
                                         rewriter.getFloatAttr(element, op.getEpsilon().convertToDouble()));
    Value epsilon = rewriter.create<ConstantOp>(loc, scalar);
    Value root = rewriter.create<RsqrtOp>(loc, rewriter.create<AddOp>(loc, op.getVar(), epsilon));
    Value factor = rewriter.create<MulOp>(loc, op.getScale(), root);
    // bias + (conv's bias - mean) * factor
    Value shift = op.getMean();
    shift = conv.getBias() ? rewriter.create<SubOp>(loc, conv.getBias(), shift).getResult()
                           : rewriter.create<NegOp>(loc, shift).getResult();
    shift = rewriter.create<AddOp>(loc, rewriter.create<MulOp>(loc, shift, factor), op.getBias());

    int64_t rank = tensorType(conv.getW()).getRank();
    SmallVector<OpFoldResult> sizes(rank, rewriter.getIndexAttr(1));
    sizes[0] = rewriter.getIndexAttr(tensorType(conv.getW()).getDimSize(0));
    Value filters = rewriter.create<MulOp>(loc, conv.getW(), rewriter.create<ReshapeOp>(loc, factor, sizes));
    cast<KilnDialect>(op->getDialect())->count("fold-batch-norm.folded");
    rewriter.replaceOpWithNewOp<ConvOp>(op, op.getType(), conv.getX(), filters, shift, conv.getStridesAttr(),
                                        conv.getPadsAttr(), conv.getDilationsAttr(), conv.getGroupsAttr());
    return success();
  }

private:
  static bool isFoldable(BatchNormOp op, ConvOp conv) {
    SmallVector<Value> parameters{conv.getW(), op.getScale(), op.getBias(), op.getMean(), op.getVar()};
    if (conv.getBias())
      parameters.push_back(conv.getBias());
    return llvm::all_of(parameters,
                        [](Value parameter) {
                          Type element = tensorType(parameter).getElementType();
                          return (element.isF32() || element.isF64()) && isKnownAtLoad(parameter) &&
                                 tensorType(parameter).hasStaticShape();
                        }) &&
           llvm::all_equal(
               llvm::map_range(parameters, [](Value v) { return tensorType(v).getElementType(); }));
  }
};

struct FoldBatchNormPass : impl::FoldBatchNormPassBase<FoldBatchNormPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldIntoConv>(&getContext());
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kiln
