// ContractionToLinalg.cpp: matmul and conv as one linalg.generic each, with their accumulator filled before
// and the bias and rounding after. Pooling: PoolingToLinalg.cpp.
#include "dialects/IR/Checks.h"
#include "dialects/Transforms/LinalgBuilder.h"
#include "dialects/Transforms/PoolingToLinalg.h"
#include "kiln/Transforms/ToLinalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln {

namespace {

constexpr auto kParallel = utils::IteratorType::parallel;
constexpr auto kReduction = utils::IteratorType::reduction;

/// acc + a * b, in the accumulator's type.
Value multiplyAdd(OpBuilder &builder, Location loc, ValueRange scalars, Type typeA, Type typeB) {
  Type type = scalars[2].getType();
  Value a = widenScalar(builder, loc, scalars[0], typeA, type);
  Value b = widenScalar(builder, loc, scalars[1], typeB, type);
  if (isa<FloatType>(type))
    return builder.create<arith::AddFOp>(loc, scalars[2], builder.create<arith::MulFOp>(loc, a, b));
  return builder.create<arith::AddIOp>(loc, scalars[2], builder.create<arith::MulIOp>(loc, a, b));
}

Value addScalars(OpBuilder &builder, Location loc, Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return builder.create<arith::AddFOp>(loc, a, b);
  return builder.create<arith::AddIOp>(loc, a, b);
}

// ---- matmul ----------------------------------------------------------------------------------------------

struct MatmulToLinalg final : OpConversionPattern<MatmulOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(MatmulOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LinalgBuilder linalg(rewriter, loc);
    ReifiedRankedShapedTypeDims dims;
    if (failed(op.reifyResultShapes(rewriter, dims)))
      return rewriter.notifyMatchFailure(op, "no result extents");
    auto a = tensorType(op.getA()), b = tensorType(op.getB());
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Type accumulator = accumulatorType(op.getType().getElementType());

    // Loops: batch.., m unless a is a vector, n unless b is one, k.
    bool hasM = a.getRank() > 1, hasN = b.getRank() > 1;
    unsigned loops = type.getRank() + 1, batch = type.getRank() - hasM - hasN;
    AffineExpr k = rewriter.getAffineDimExpr(loops - 1);
    AffineExpr m = rewriter.getAffineDimExpr(batch), n = rewriter.getAffineDimExpr(batch + hasM);
    AffineMap mapA = operandMap(rewriter, a, type, hasM ? m : AffineExpr(), k, op.getTransA(), loops, batch);
    AffineMap mapB = operandMap(rewriter, b, type, k, hasN ? n : AffineExpr(), op.getTransB(), loops, batch);
    SmallVector<AffineExpr> parallel;
    for (unsigned i = 0; i < loops - 1; ++i)
      parallel.push_back(rewriter.getAffineDimExpr(i));
    AffineMap mapC = AffineMap::get(loops, 0, parallel, rewriter.getContext());
    SmallVector<utils::IteratorType> iterators(loops - 1, kParallel);
    iterators.push_back(kReduction);

    takeBatchExtents(rewriter, loc, {adaptor.getA(), adaptor.getB()}, batch, dims[0]);
    Value init = linalg.filled(dims[0], linalg.zero(accumulator));
    Value sum =
        linalg.generic({adaptor.getA(), adaptor.getB()}, init, {mapA, mapB, mapC}, iterators,
                       [&](OpBuilder &builder, Location loc, ValueRange scalars) {
                         return multiplyAdd(builder, loc, scalars, a.getElementType(), b.getElementType());
                       });
    rewriter.replaceOp(op, linalg.cast(linalg.converted(sum, type.getElementType()), type));
    return success();
  }

private:
  /// A dynamic batch extent is that of any operand where it is dynamic: those that meet are equal here.
  /// Reified extents would ask which one is 1.
  static void takeBatchExtents(OpBuilder &builder, Location loc, ArrayRef<Value> operands, unsigned batch,
                               MutableArrayRef<OpFoldResult> sizes) {
    for (auto [i, size] : llvm::enumerate(sizes.take_front(batch)))
      for (Value operand : operands) {
        auto type = cast<RankedTensorType>(operand.getType());
        int64_t axis = type.getRank() - 2 - static_cast<int64_t>(batch - i);
        if (!isa<Value>(size) || axis < 0 || !type.isDynamicDim(axis))
          continue;
        size = builder.createOrFold<tensor::DimOp>(loc, operand, axis);
        break;
      }
  }
  /// The map of an operand whose last axes are `row` and `column`, null where the axis is missing.
  static AffineMap operandMap(Builder &builder, RankedTensorType operand, RankedTensorType result,
                              AffineExpr row, AffineExpr column, bool transposed, unsigned loops,
                              unsigned batch) {
    SmallVector<AffineExpr> exprs;
    int64_t own = std::max<int64_t>(operand.getRank() - 2, 0);
    for (int64_t i = 0; i < own; ++i) {
      unsigned loop = batch - own + i;
      // An extent known to be 1 broadcasts; one not known never does.
      bool broadcasts = operand.getDimSize(i) == 1 && result.getDimSize(loop) != 1;
      exprs.push_back(broadcasts ? builder.getAffineConstantExpr(0) : builder.getAffineDimExpr(loop));
    }
    if (transposed)
      std::swap(row, column);
    for (AffineExpr expr : {row, column})
      if (expr)
        exprs.push_back(expr);
    return AffineMap::get(loops, 0, exprs, builder.getContext());
  }
};

// ---- conv ------------------------------------------------------------------------------------------------

/// Splits axis `axis` of `tensor` into [groups, extent / groups].
Value splitAxis(OpBuilder &builder, Location loc, Value tensor, int64_t axis, int64_t groups) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<ReassociationIndices> reassociation;
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(tensor::getMixedSizes(builder, loc, tensor))) {
    int64_t extent = type.getDimSize(i);
    reassociation.push_back({static_cast<int64_t>(sizes.size())});
    if (static_cast<int64_t>(i) == axis) {
      reassociation.back().push_back(sizes.size() + 1);
      sizes.push_back(builder.getIndexAttr(groups));
      shape.push_back(groups);
      if (ShapedType::isDynamic(extent)) {
        Value count = builder.create<arith::ConstantIndexOp>(loc, groups);
        size = builder.createOrFold<arith::DivUIOp>(loc, cast<Value>(size), count);
      } else {
        extent /= groups;
        size = builder.getIndexAttr(extent);
      }
    }
    sizes.push_back(size);
    shape.push_back(extent);
  }
  return builder.create<tensor::ExpandShapeOp>(loc, type.clone(shape), tensor, reassociation, sizes);
}

struct ConvToLinalg final : OpConversionPattern<ConvOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ConvOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LinalgBuilder linalg(rewriter, loc);
    ReifiedRankedShapedTypeDims dims;
    if (failed(op.reifyResultShapes(rewriter, dims)))
      return rewriter.notifyMatchFailure(op, "no result extents");
    auto type = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType()));
    Type accumulator = accumulatorType(op.getType().getElementType());

    Value sum = convolve(op, rewriter, linalg, adaptor.getX(), adaptor.getW(), dims[0], accumulator);
    rewriter.replaceOp(
        op, linalg.cast(finish(op, rewriter, linalg, sum, adaptor.getBias(), dims[0], type.getElementType()),
                        type));
    return success();
  }

private:
  static Value padSpatial(OpBuilder &builder, Location loc, Value x, ArrayRef<int64_t> pads) {
    Type element = cast<RankedTensorType>(x.getType()).getElementType();
    SmallVector<OpFoldResult> low, high;
    for (int64_t pad : pads.take_front(pads.size() / 2))
      low.push_back(builder.getIndexAttr(pad));
    for (int64_t pad : pads.drop_front(pads.size() / 2))
      high.push_back(builder.getIndexAttr(pad));
    return padWindowed(builder, loc, x, low, high, builder.getZeroAttr(element));
  }

  /// The sums of products, [n, oc, p..]. Loops: n, then g, oc within the group, or one channel loop for
  /// depthwise and one for ungrouped; then p.., then the group's input channels (none for depthwise) and q...
  static Value convolve(ConvOp op, OpBuilder &builder, LinalgBuilder &linalg, Value x, Value w,
                        ArrayRef<OpFoldResult> sizes, Type accumulator) {
    Location loc = op.getLoc();
    int64_t spatial = tensorType(op.getX()).getRank() - 2, groups = op.getGroups();
    auto wType = tensorType(op.getW());
    bool depthwise = groups > 1 && wType.getDimSize(0) == groups && wType.getDimSize(1) == 1;
    bool grouped = groups > 1 && !depthwise;
    SmallVector<OpFoldResult> outSizes(sizes);
    if (grouped) {
      x = splitAxis(builder, loc, x, 1, groups);
      w = splitAxis(builder, loc, w, 0, groups);
      outSizes[1] = tensor::getMixedSize(builder, loc, w, 1);
      outSizes.insert(outSizes.begin() + 1, builder.getIndexAttr(groups));
    }
    x = padSpatial(builder, loc, x, op.getPads()); // next to its use: a target may pad tile by tile
    SmallVector<int64_t> reaches;
    for (auto [kernel, dilation] : llvm::zip(wType.getShape().take_back(spatial), op.getDilations()))
      reaches.push_back(ShapedType::isDynamic(kernel) ? INT64_MAX : (kernel - 1) * dilation + 1);
    x = trimWindowed(builder, loc, x, sizes, reaches);

    unsigned outer = grouped ? 3 : 2, reductions = spatial + !depthwise, loops = outer + spatial + reductions;
    auto dim = [&](unsigned i) { return builder.getAffineDimExpr(i); };
    AffineExpr zero = builder.getAffineConstantExpr(0);
    unsigned q = loops - spatial; // the first window loop; the input channel's is the one before
    SmallVector<AffineExpr> inExprs{dim(0)}, wExprs, outExprs;
    if (grouped)
      inExprs.push_back(dim(1));
    inExprs.push_back(depthwise ? dim(1) : dim(q - 1));
    for (unsigned i = 1; i < outer; ++i)
      wExprs.push_back(dim(i));
    wExprs.push_back(depthwise ? zero : dim(q - 1));
    for (unsigned i = 0; i < outer + spatial; ++i)
      outExprs.push_back(dim(i));
    for (int64_t i = 0; i < spatial; ++i) {
      inExprs.push_back(dim(outer + i) * op.getStrides()[i] + dim(q + i) * op.getDilations()[i]);
      wExprs.push_back(dim(q + i));
    }
    SmallVector<utils::IteratorType> iterators(outer + spatial, kParallel);
    iterators.append(reductions, kReduction);
    auto map = [&](ArrayRef<AffineExpr> exprs) {
      return AffineMap::get(loops, 0, exprs, builder.getContext());
    };

    Type typeX = tensorType(op.getX()).getElementType(), typeW = wType.getElementType();
    Value init = linalg.filled(outSizes, linalg.zero(accumulator));
    Value sum = linalg.generic({x, w}, init, {map(inExprs), map(wExprs), map(outExprs)}, iterators,
                               [&](OpBuilder &nested, Location loc, ValueRange scalars) {
                                 return multiplyAdd(nested, loc, scalars, typeX, typeW);
                               });
    if (!grouped)
      return sum;
    SmallVector<ReassociationIndices> reassociation{{0}, {1, 2}};
    for (int64_t i = 0; i < spatial; ++i)
      reassociation.push_back({3 + i});
    return builder.create<tensor::CollapseShapeOp>(loc, sum, reassociation);
  }

  /// Adds the bias and rounds to the result's element type.
  static Value finish(ConvOp op, OpBuilder &builder, LinalgBuilder &linalg, Value sum, Value bias,
                      ArrayRef<OpFoldResult> sizes, Type element) {
    if (!bias)
      return linalg.converted(sum, element);
    unsigned rank = sizes.size();
    AffineMap channel = AffineMap::get(rank, 0, builder.getAffineDimExpr(1));
    Type biasType = tensorType(op.getBias()).getElementType();
    return linalg.elementwise({sum, bias}, {builder.getMultiDimIdentityMap(rank), channel}, sizes, element,
                              [&](OpBuilder &nested, Location loc, ValueRange scalars) -> Value {
                                Type accumulator = scalars[0].getType();
                                Value total =
                                    addScalars(nested, loc, scalars[0],
                                               widenScalar(nested, loc, scalars[1], biasType, accumulator));
                                return accumulator == element
                                           ? total
                                           : nested.create<arith::TruncFOp>(loc, element, total).getResult();
                              });
  }
};

} // namespace

void populateContractionToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<MatmulToLinalg, ConvToLinalg>(converter, patterns.getContext());
  populatePoolingToLinalg(converter, patterns);
}

} // namespace kiln
