// IndexingToLinalg.cpp: gather_* and one_hot as loops that read at computed indices.
#include "dialects/IR/Checks.h"
#include "dialects/Transforms/AxisGroups.h"
#include "dialects/Transforms/LinalgBuilder.h"
#include "dialects/Transforms/LoopBuilder.h"
#include "kiln/Transforms/ToLinalg.h"

using namespace mlir;

namespace kiln {

namespace {

/// The place in `extent` that the integer `index` means.
Value place(LoopBuilder &loops, Value index, OpFoldResult extent) {
  Value n = getValueOrCreateConstantIndexOp(loops, loops.getLoc(), extent);
  return loops.clamped(loops.fromFront(loops.asIndex(index), n), n);
}

// ---- gather: batch axes, axes before, indices, axes behind ------------------------------------------------

struct GatherToLinalg final : OpConversionPattern<GatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LinalgBuilder linalg(rewriter, loc);
    int64_t rank = tensorType(op.getX()).getRank(), axis = fromFront(op.getAxis(), rank);
    int64_t batch = op.getBatchDims(), indexRank = tensorType(op.getIndices()).getRank();
    AxisGroups x(rewriter, loc, adaptor.getX(), {batch, axis - batch, 1, rank - axis - 1});
    AxisGroups indices(rewriter, loc, adaptor.getIndices(), {batch, indexRank - batch});

    // The loops: batch, before, indices, behind; those without axes are left out.
    GroupLoops loops({x.has(0), x.has(1), indices.has(1), x.has(3)});
    SmallVector<OpFoldResult> sizes = loops.sizes({x.extent(0), x.extent(1), indices.extent(1), x.extent(3)});
    Value gathered = linalg.elementwise(
        indices.tensor(), loops.map(rewriter, {0, 2}), sizes, x.type().getElementType(),
        [&](OpBuilder &builder, Location loc, ValueRange scalars) {
          LoopBuilder body(loc, builder);
          Value at = place(body, scalars[0], x.extent(2));
          Value i[] = {loops.index(body, loc, 0), loops.index(body, loc, 1), at, loops.index(body, loc, 3)};
          return body.load(x.tensor(), x.of<Value>(i));
        });
    SmallVector<OpFoldResult> result = x.sizes(0);
    for (auto part : {x.sizes(1), indices.sizes(1), x.sizes(3)})
      llvm::append_range(result, part);
    Value expanded = AxisGroups::expand(rewriter, loc, gathered,
                                        {batch, axis - batch, indexRank - batch, rank - axis - 1}, result);
    rewriter.replaceOp(op, linalg.cast(expanded, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

// ---- gather_elements -------------------------------------------------------------------------------------

struct GatherElementsToLinalg final : OpConversionPattern<GatherElementsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GatherElementsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LinalgBuilder linalg(rewriter, loc);
    Value x = adaptor.getX();
    auto type = cast<RankedTensorType>(x.getType());
    int64_t rank = type.getRank(), axis = fromFront(op.getAxis(), rank);
    OpFoldResult extent = tensor::getMixedSize(rewriter, loc, x, axis);
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, adaptor.getIndices());
    Value gathered =
        linalg.elementwise(adaptor.getIndices(), rewriter.getMultiDimIdentityMap(rank), sizes,
                           type.getElementType(), [&](OpBuilder &builder, Location loc, ValueRange scalars) {
                             LoopBuilder body(loc, builder);
                             SmallVector<Value> at;
                             for (int64_t i = 0; i < rank; ++i)
                               at.push_back(i == axis ? place(body, scalars[0], extent)
                                                      : Value(body.create<linalg::IndexOp>(i)));
                             return body.load(x, at);
                           });
    rewriter.replaceOp(op, linalg.cast(gathered, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

// ---- gather_nd: batch axes, index tuples, axes behind
// ------------------------------------------------------

struct GatherNdToLinalg final : OpConversionPattern<GatherNdOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(GatherNdOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LinalgBuilder linalg(rewriter, loc);
    int64_t rank = tensorType(op.getX()).getRank(), batch = op.getBatchDims();
    ArrayRef<int64_t> indexShape = tensorType(op.getIndices()).getShape();
    int64_t tuple = indexShape.back(), places = static_cast<int64_t>(indexShape.size()) - 1 - batch;
    SmallVector<int64_t> groups(tuple + 2, 1);
    groups.front() = batch;
    groups.back() = rank - batch - tuple;
    AxisGroups x(rewriter, loc, adaptor.getX(), groups);
    AxisGroups indices(rewriter, loc, adaptor.getIndices(), {batch, places, 1});

    GroupLoops loops({x.has(0), indices.has(1), x.has(tuple + 1)});
    SmallVector<OpFoldResult> sizes = loops.sizes({x.extent(0), indices.extent(1), x.extent(tuple + 1)});
    Value gathered = linalg.elementwise(
        {}, {}, sizes, x.type().getElementType(), [&](OpBuilder &builder, Location loc, ValueRange) {
          LoopBuilder body(loc, builder);
          Value b = loops.index(body, loc, 0), j = loops.index(body, loc, 1);
          SmallVector<Value> at{b};
          for (int64_t k = 0; k < tuple; ++k) {
            Value from[] = {b, j, body.index(k)};
            at.push_back(place(body, body.load(indices.tensor(), indices.of<Value>(from)), x.extent(k + 1)));
          }
          at.push_back(loops.index(body, loc, 2));
          return body.load(x.tensor(), x.of<Value>(at));
        });
    SmallVector<OpFoldResult> result = x.sizes(0);
    for (auto part : {indices.sizes(1), x.sizes(tuple + 1)})
      llvm::append_range(result, part);
    Value expanded =
        AxisGroups::expand(rewriter, loc, gathered, {batch, places, rank - batch - tuple}, result);
    rewriter.replaceOp(op, linalg.cast(expanded, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

// ---- one_hot ---------------------------------------------------------------------------------------------

struct OneHotToLinalg final : OpConversionPattern<OneHotOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(OneHotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LinalgBuilder linalg(rewriter, loc);
    auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
    int64_t rank = indices.getRank() + 1, axis = fromFront(op.getAxis(), rank);
    OpFoldResult depth = op.getMixedDepth();
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, adaptor.getIndices());
    sizes.insert(sizes.begin() + axis, depth);
    AffineMap once = AffineMap::get(rank, 0, {}, rewriter.getContext());
    AffineMap dropped = rewriter.getMultiDimIdentityMap(rank).dropResult(axis);
    Type element = cast<RankedTensorType>(adaptor.getOn().getType()).getElementType();
    Value result = linalg.elementwise(
        {adaptor.getIndices(), adaptor.getOn(), adaptor.getOff()}, {dropped, once, once}, sizes, element,
        [&](OpBuilder &builder, Location loc, ValueRange scalars) {
          LoopBuilder body(loc, builder);
          Value n = getValueOrCreateConstantIndexOp(body, loc, depth);
          Value marked = body.fromFront(body.asIndex(scalars[0]), n);
          return body.select(body.equal(body.create<linalg::IndexOp>(axis), marked), scalars[1], scalars[2]);
        });
    rewriter.replaceOp(op, linalg.cast(result, getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

} // namespace

void populateIndexingToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<GatherToLinalg, GatherElementsToLinalg, GatherNdToLinalg, OneHotToLinalg>(
      converter, patterns.getContext());
}

} // namespace kiln
