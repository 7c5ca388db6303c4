// ComposeReshapes.cpp: the expand that is left has the sizes of the one before, multiplied group by group; an
// extent of an expand is the size that it states.
#include "kiln/Transforms/ComposeReshapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned kAheadOfMlir = 2; // its patterns have benefit 1

/// collapse(expand(x)) -> expand(x) with fewer axes, if each group of the collapse lies in one of the expand.
struct ComposeCollapseOfExpand final : OpRewritePattern<tensor::CollapseShapeOp> {
  ComposeCollapseOfExpand(MLIRContext *context) : OpRewritePattern(context, kAheadOfMlir) {}

  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op, PatternRewriter &rewriter) const override {
    auto expand = op.getSrc().getDefiningOp<tensor::ExpandShapeOp>();
    if (!expand || op.getType().getRank() <= expand.getSrcType().getRank())
      return rewriter.notifyMatchFailure(op, "no expand_shape of fewer axes before it");
    SmallVector<ReassociationIndices> collapsed = op.getReassociationIndices(), groups;
    size_t next = 0; // group of the collapse
    for (const ReassociationIndices &from : expand.getReassociationIndices()) {
      ReassociationIndices &group = groups.emplace_back();
      for (int64_t end = from.back(); next < collapsed.size() && collapsed[next].front() <= end; ++next) {
        if (collapsed[next].back() > end)
          return rewriter.notifyMatchFailure(op, "axes of two groups become one");
        group.push_back(static_cast<int64_t>(next));
      }
    }
    SmallVector<OpFoldResult> expanded =
        getMixedValues(expand.getStaticOutputShape(), expand.getOutputShape(), rewriter);
    SmallVector<OpFoldResult> sizes;
    for (auto [axis, group] : llvm::enumerate(collapsed))
      sizes.push_back(op.getType().isDynamicDim(axis)
                          ? product(rewriter, op.getLoc(), expanded, group)
                          : OpFoldResult(rewriter.getIndexAttr(op.getType().getDimSize(axis))));
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(op, op.getType(), expand.getSrc(), groups, sizes);
    return success();
  }

private:
  static OpFoldResult product(PatternRewriter &rewriter, Location loc, ArrayRef<OpFoldResult> sizes,
                              ArrayRef<int64_t> group) {
    Value result;
    for (int64_t axis : group) {
      if (isConstantIntValue(sizes[axis], 1))
        continue;
      Value size = getValueOrCreateConstantIndexOp(rewriter, loc, sizes[axis]);
      result = result ? rewriter.create<arith::MulIOp>(loc, result, size) : size;
    }
    return result ? OpFoldResult(result) : rewriter.getIndexAttr(1);
  }
};

/// dim(expand(x), i) -> the extent that the expand states.
struct DimOfExpand final : OpRewritePattern<tensor::DimOp> {
  DimOfExpand(MLIRContext *context) : OpRewritePattern(context, kAheadOfMlir) {}

  LogicalResult matchAndRewrite(tensor::DimOp op, PatternRewriter &rewriter) const override {
    auto expand = op.getSource().getDefiningOp<tensor::ExpandShapeOp>();
    std::optional<int64_t> axis = op.getConstantIndex();
    if (!expand || !axis || *axis >= expand.getType().getRank())
      return rewriter.notifyMatchFailure(op, "no axis of an expand_shape");
    OpFoldResult size =
        getMixedValues(expand.getStaticOutputShape(), expand.getOutputShape(), rewriter)[*axis];
    rewriter.replaceOp(op, getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), size));
    return success();
  }
};

} // namespace

void populateComposeReshapes(RewritePatternSet &patterns) {
  patterns.add<ComposeCollapseOfExpand, DimOfExpand>(patterns.getContext());
}

} // namespace kiln
