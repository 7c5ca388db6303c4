// SinkPads.cpp: slice(pad(x)) -> pad(slice(x)): every tile pads the part of the input that it reads.
#include "backends/host/Transforms/Passes.h"
#include "backends/host/Transforms/SizeBounds.h"
#include "kiln/Transforms/ComposeReshapes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_SINKPADSPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

void sink(IRRewriter &rewriter, tensor::ExtractSliceOp slice, tensor::PadOp pad) {
  Location loc = slice.getLoc();
  rewriter.setInsertionPoint(slice);
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes(), bounds = upperBounds(rewriter, sizes);
  // A slice that lies in the padding alone becomes a pad of no elements, which needs no guard.
  FailureOr<TilingResult> tiled = tensor::bubbleUpPadSlice(rewriter, pad, slice.getMixedOffsets(), sizes,
                                                           /*generateZeroSliceGuard=*/false);
  if (failed(tiled))
    return;
  auto small = dyn_cast<tensor::PadOp>(tiled->tiledOps.front());
  if (!small) // all of it is padding
    return rewriter.replaceOp(slice, tiled->tiledValues.front());

  // The same pad, up to the extents of a whole tile.
  rewriter.setInsertionPoint(slice);
  SmallVector<OpFoldResult> source = tensor::getMixedSizes(rewriter, loc, small.getSource());
  SmallVector<OpFoldResult> low = small.getMixedLowPad(), high = small.getMixedHighPad();
  SmallVector<int64_t> shape;
  AffineExpr a = rewriter.getAffineSymbolExpr(0), b = rewriter.getAffineSymbolExpr(1),
             c = rewriter.getAffineSymbolExpr(2);
  for (auto [i, bound] : llvm::enumerate(bounds)) {
    shape.push_back(getConstantIntValue(bound).value_or(ShapedType::kDynamic));
    if (!getConstantIntValue(source[i]) || !getConstantIntValue(low[i]) || !getConstantIntValue(high[i]))
      high[i] = affine::makeComposedFoldedAffineApply(rewriter, loc, a - b - c, {bound, source[i], low[i]});
  }
  auto whole =
      rewriter.create<tensor::PadOp>(loc, pad.getResultType().clone(shape), small.getSource(), low, high);
  rewriter.inlineRegionBefore(small.getRegion(), whole.getRegion(), whole.getRegion().end());
  Value result = whole;
  if (!llvm::equal(bounds, sizes)) {
    SmallVector<OpFoldResult> zeros(sizes.size(), rewriter.getIndexAttr(0)),
        ones(sizes.size(), rewriter.getIndexAttr(1));
    result = rewriter.create<tensor::ExtractSliceOp>(loc, slice.getType(), result, zeros, sizes, ones);
  } else if (result.getType() != slice.getType()) {
    result = rewriter.create<tensor::CastOp>(loc, slice.getType(), result);
  }
  rewriter.replaceOp(slice, result);
  for (Value unused : tiled->tiledValues)
    if (Operation *op = unused.getDefiningOp(); op && op->use_empty() && op != small)
      rewriter.eraseOp(op);
  rewriter.eraseOp(small);
}

struct SinkPadsPass : impl::SinkPadsPassBase<SinkPadsPass> {
  void runOnOperation() override {
    SmallVector<std::pair<tensor::ExtractSliceOp, tensor::PadOp>> slices;
    getOperation()->walk([&](tensor::ExtractSliceOp slice) {
      auto pad = slice.getSource().getDefiningOp<tensor::PadOp>();
      bool inTile = slice->getParentOfType<scf::ForallOp>() && pad && !pad->getParentOfType<scf::ForallOp>();
      if (inTile && slice.hasUnitStride() && slice.getType().getRank() == pad.getResultType().getRank())
        slices.push_back({slice, pad});
    });
    if (slices.empty())
      return;
    IRRewriter rewriter(&getContext());
    for (auto [slice, pad] : slices)
      sink(rewriter, slice, pad);
    // The whole pad, and what is made from it, is dead but for its extents; those follow from the input's.
    RewritePatternSet patterns(&getContext());
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    tensor::DimOp::getCanonicalizationPatterns(patterns, &getContext());
    populateComposeReshapes(patterns);
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kiln::host
