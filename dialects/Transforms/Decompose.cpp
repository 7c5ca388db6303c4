// Decompose.cpp: softmax, log_softmax, the normalisations and log_sum_exp in simpler kiln ops, in f32 for f16
// and bf16.
#include "dialects/Transforms/Composer.h"
#include "kiln/Transforms/Passes.h"
#include "kiln/Transforms/ToLinalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "kiln/Transforms/Passes.h.inc"

namespace {

SmallVector<int64_t> axesFrom(int64_t first, int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(first, rank));
}

// ---- softmax, log_softmax, log_sum_exp -------------------------------------------------------------------

struct DecomposeSoftmax final : OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SoftmaxOp op, PatternRewriter &rewriter) const override {
    Composer c(rewriter, op.getLoc(), op.getX());
    int64_t axis = fromFront(op.getAxis(), tensorType(op.getX()).getRank());
    Value x = c.widened(op.getX());
    Value powers = c.make<ExpOp>(c.make<SubOp>(x, c.reduce(ReduceKind::Max, x, axis)));
    // One division a slice. The largest power is 1, so the sum's reciprocal neither overflows nor vanishes.
    Value inverse = c.make<DivOp>(c.constant(1), c.reduce(ReduceKind::Sum, powers, axis));
    c.replace(op, c.make<MulOp>(powers, inverse));
    return success();
  }
};

struct DecomposeLogSoftmax final : OpRewritePattern<LogSoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LogSoftmaxOp op, PatternRewriter &rewriter) const override {
    Composer c(rewriter, op.getLoc(), op.getX());
    int64_t axis = fromFront(op.getAxis(), tensorType(op.getX()).getRank());
    Value x = c.widened(op.getX());
    Value shifted = c.make<SubOp>(x, c.reduce(ReduceKind::Max, x, axis));
    Value sum = c.reduce(ReduceKind::LogSum, c.make<ExpOp>(shifted), axis);
    c.replace(op, c.make<SubOp>(shifted, sum));
    return success();
  }
};

struct DecomposeLogSumExp final : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op, PatternRewriter &rewriter) const override {
    if (op.getKind() != ReduceKind::LogSumExp)
      return rewriter.notifyMatchFailure(op, "not log_sum_exp");
    Composer c(rewriter, op.getLoc(), op.getX());
    SmallVector<int64_t> axes = op.getSortedAxes();
    Value x = c.widened(op.getX());
    // An infinite maximum would make inf - inf: shift by 0 then, and exp and log give the right infinity.
    Value most = c.reduce(ReduceKind::Max, x, axes);
    Value isInfinite = c.make<IsInfOp>(most, /*detect_positive=*/true, /*detect_negative=*/true);
    Value shift = c.make<SelectOp>(isInfinite, c.constant(0.0), most);
    Value sum = c.reduce(ReduceKind::LogSum, c.make<ExpOp>(c.make<SubOp>(x, shift)), axes);
    Value result = c.make<AddOp>(sum, shift);
    if (!op.getKeepdims()) {
      SmallVector<OpFoldResult> sizes;
      for (auto [i, size] : llvm::enumerate(tensor::getMixedSizes(rewriter, op.getLoc(), op.getX())))
        if (!llvm::is_contained(axes, i))
          sizes.push_back(size);
      result = c.make<ReshapeOp>(result, sizes);
    }
    c.replace(op, result);
    return success();
  }
};

// ---- normalisations --------------------------------------------------------------------------------------

struct DecomposeLayerNorm final : OpRewritePattern<LayerNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LayerNormOp op, PatternRewriter &rewriter) const override {
    Composer c(rewriter, op.getLoc(), op.getX());
    int64_t rank = tensorType(op.getX()).getRank();
    Value result = c.standardized(c.widened(op.getX()), axesFrom(fromFront(op.getAxis(), rank), rank),
                                  op.getEpsilon().convertToDouble());
    Value scale = op.getScale() ? c.widened(op.getScale()) : Value();
    Value bias = op.getBias() ? c.widened(op.getBias()) : Value();
    c.replace(op, c.scaled(result, scale, bias));
    return success();
  }
};

struct DecomposeRmsNorm final : OpRewritePattern<RmsNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RmsNormOp op, PatternRewriter &rewriter) const override {
    Composer c(rewriter, op.getLoc(), op.getX());
    int64_t rank = tensorType(op.getX()).getRank();
    Value x = c.widened(op.getX());
    Value square =
        c.reduce(ReduceKind::Mean, c.make<MulOp>(x, x), axesFrom(fromFront(op.getAxis(), rank), rank));
    Value result = c.make<MulOp>(x, c.inverseRoot(square, op.getEpsilon().convertToDouble()));
    c.replace(op, c.scaled(result, op.getScale() ? c.widened(op.getScale()) : Value(), Value()));
    return success();
  }
};

struct DecomposeGroupNorm final : OpRewritePattern<GroupNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GroupNormOp op, PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Composer c(rewriter, loc, op.getX());
    int64_t rank = tensorType(op.getX()).getRank(), groups = op.getGroups();
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, op.getX()), split(sizes);
    // [n, c, ..] as [n, groups, c / groups, ..]
    if (auto channels = getConstantIntValue(sizes[1])) {
      split[1] = rewriter.getIndexAttr(*channels / groups);
    } else {
      Value count = rewriter.create<arith::ConstantIndexOp>(loc, groups);
      split[1] = rewriter.create<arith::DivUIOp>(loc, cast<Value>(sizes[1]), count).getResult();
    }
    split.insert(split.begin() + 1, rewriter.getIndexAttr(groups));
    Value result = c.standardized(c.make<ReshapeOp>(c.widened(op.getX()), split), axesFrom(2, rank + 1),
                                  op.getEpsilon().convertToDouble());
    result = c.make<ReshapeOp>(result, sizes);
    Value scale = op.getScale() ? c.channelwise(op.getScale(), rank - 2) : Value();
    Value bias = op.getBias() ? c.channelwise(op.getBias(), rank - 2) : Value();
    c.replace(op, c.scaled(result, scale, bias));
    return success();
  }
};

struct DecomposeInstanceNorm final : OpRewritePattern<InstanceNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(InstanceNormOp op, PatternRewriter &rewriter) const override {
    Composer c(rewriter, op.getLoc(), op.getX());
    int64_t rank = tensorType(op.getX()).getRank();
    Value result = c.standardized(c.widened(op.getX()), axesFrom(2, rank), op.getEpsilon().convertToDouble());
    Value scale = op.getScale() ? c.channelwise(op.getScale(), rank - 2) : Value();
    Value bias = op.getBias() ? c.channelwise(op.getBias(), rank - 2) : Value();
    c.replace(op, c.scaled(result, scale, bias));
    return success();
  }
};

struct DecomposeBatchNorm final : OpRewritePattern<BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchNormOp op, PatternRewriter &rewriter) const override {
    Composer c(rewriter, op.getLoc(), op.getX());
    int64_t trailing = tensorType(op.getX()).getRank() - 2;
    // x * factor + shift: what depends on parameters only is one [c] each, and leaves the kernel if those are
    // weights.
    Value root = c.inverseRoot(c.widened(op.getVar()), op.getEpsilon().convertToDouble());
    Value factor = c.make<MulOp>(root, c.widened(op.getScale()));
    Value shift = c.make<SubOp>(c.widened(op.getBias()), c.make<MulOp>(c.widened(op.getMean()), factor));
    Value result =
        c.scaled(c.widened(op.getX()), c.channelwise(factor, trailing), c.channelwise(shift, trailing));
    c.replace(op, result);
    return success();
  }
};

struct DecomposePass : impl::DecomposePassBase<DecomposePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateDecompose(patterns);
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

void populateDecompose(RewritePatternSet &patterns) {
  patterns.add<DecomposeSoftmax, DecomposeLogSoftmax, DecomposeLogSumExp, DecomposeLayerNorm,
               DecomposeRmsNorm, DecomposeGroupNorm, DecomposeInstanceNorm, DecomposeBatchNorm>(
      patterns.getContext());
}

} // namespace kiln
