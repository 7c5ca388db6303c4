// KilnContraction.cpp: checks and inference of matmul, conv, max_pool and avg_pool.
#include "dialects/IR/Products.h"
#include "dialects/IR/Window.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace kiln {

namespace {

/// One operand of a matmul seen as [batch.., rows, columns], after its transpose.
struct Factor {
  ArrayRef<int64_t> batch;
  int64_t rows = 1, columns = 1;
};

Factor leftFactor(ArrayRef<int64_t> shape, bool transposed) {
  if (shape.size() == 1)
    return {{}, 1, shape[0]};
  Factor factor{shape.drop_back(2), shape[shape.size() - 2], shape.back()};
  if (transposed)
    std::swap(factor.rows, factor.columns);
  return factor;
}

Factor rightFactor(ArrayRef<int64_t> shape, bool transposed) {
  if (shape.size() == 1)
    return {{}, shape[0], 1};
  return leftFactor(shape, transposed);
}

template <typename Matmul> LogicalResult checkMatmul(Matmul op, Emit emit) {
  auto a = tensorType(op.getA()), b = tensorType(op.getB());
  if (failed(checkFactors(emit, "a", a.getElementType(), "b", b.getElementType()))) // C1
    return failure();
  auto checkRank = [&](StringRef name, int64_t rank, bool transposed) -> LogicalResult { // C2
    int64_t least = transposed ? 2 : 1;
    if (rank >= least)
      return success();
    return emit() << "expects '" << name << "' of rank " << least << " or more, got rank " << rank;
  };
  if (failed(checkRank("a", a.getRank(), op.getTransA())) ||
      failed(checkRank("b", b.getRank(), op.getTransB())))
    return failure();
  Factor left = leftFactor(a.getShape(), op.getTransA()), right = rightFactor(b.getShape(), op.getTransB());
  if (!agree(left.columns, right.rows)) // C3
    return emit() << "expects equal contracted extents, got " << left.columns << " and " << right.rows;
  if (failed(broadcastShapes({left.batch, right.batch}))) // C4
    return emit() << "expects batch extents that broadcast, got " << a << " and " << b;
  return success();
}

template <typename Conv> Window convWindow(Conv op) {
  return {tensorType(op.getW()).getShape().drop_front(2), op.getStrides(), op.getPads(), op.getDilations()};
}

template <typename Pool> Window poolWindow(Pool op) {
  return {op.getKernel(), op.getStrides(), op.getPads(), op.getDilations(), op.getCeilMode()};
}

template <typename Conv> LogicalResult checkConvChannels(Conv op, Emit emit) { // C4
  auto x = tensorType(op.getX()), w = tensorType(op.getW());
  int64_t groups = op.getGroups(), channels = x.getDimSize(1), filters = w.getDimSize(0);
  if (groups < 1)
    return emit() << "expects 'groups' >= 1, got " << groups;
  for (int64_t extent : {channels, filters})
    if (!ShapedType::isDynamic(extent) && extent % groups)
      return emit() << "expects 'groups' to divide the channels, got " << groups << " groups, " << channels
                    << " input and " << filters << " output channels";
  if (!ShapedType::isDynamic(channels) && !agree(w.getDimSize(1), channels / groups))
    return emit() << "expects the second extent of 'w' to be " << channels / groups << ", got "
                  << w.getDimSize(1);
  if (!op.getBias())
    return success();
  auto bias = tensorType(op.getBias());
  if (bias.getRank() != 1 || !agree(bias.getDimSize(0), filters))
    return emit() << "expects 'bias' of shape [" << filters << "], got " << bias;
  return success();
}

template <typename Conv> LogicalResult checkConv(Conv op, Emit emit) {
  auto x = tensorType(op.getX()), w = tensorType(op.getW());
  if (x.getRank() < 3 || w.getRank() != x.getRank()) // C1
    return emit() << "expects 'x' of rank 3 or more and 'w' of the same rank, got " << x << " and " << w;
  if (failed(checkFactors(emit, "x", x.getElementType(), "w", w.getElementType()))) // C2
    return failure();
  Type element = productType(x.getElementType());
  if (op.getBias() && tensorType(op.getBias()).getElementType() != element)
    return emit() << "expects 'bias' of element type " << element << ", got " << op.getBias().getType();
  Window window = convWindow(op);
  if (failed(window.checkLists(emit, x.getRank() - 2)) || failed(checkConvChannels(op, emit))) // C3, C4
    return failure();
  return window.checkFits(emit, x.getShape().drop_front(2)); // C5
}

template <typename Pool> LogicalResult checkPool(Pool op, Emit emit) {
  auto x = tensorType(op.getX());
  if (x.getRank() < 3) // C1
    return emit() << "expects 'x' of rank 3 or more, got " << x;
  Window window = poolWindow(op);
  if (failed(window.checkLists(emit, x.getRank() - 2))) // C2
    return failure();
  return window.checkFits(emit, x.getShape().drop_front(2)); // C3
}

RankedTensorType windowedType(RankedTensorType x, int64_t channels, const Window &window, Type element) {
  SmallVector<int64_t> shape{x.getDimSize(0), channels};
  for (auto [i, extent] : llvm::enumerate(x.getShape().drop_front(2)))
    shape.push_back(window.outputExtent(i, extent));
  return RankedTensorType::get(shape, element);
}

template <typename Pool>
LogicalResult reifyPool(Pool op, OpBuilder &builder, ReifiedRankedShapedTypeDims &dims) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, op.getLoc(), op.getX());
  Window window = poolWindow(op);
  for (unsigned i = 0; i < window.kernel.size(); ++i)
    sizes[2 + i] = window.reifyOutputExtent(builder, op.getLoc(), i, sizes[2 + i],
                                            builder.getIndexAttr(window.kernel[i]));
  dims.push_back(std::move(sizes));
  return success();
}

/// The extent that broadcasting gives for two extents of which neither need be known.
OpFoldResult reifyBroadcast(OpBuilder &builder, Location loc, OpFoldResult a, OpFoldResult b) {
  auto staticA = getConstantIntValue(a), staticB = getConstantIntValue(b);
  if (staticA && (*staticA != 1 || (staticB && *staticB == 1)))
    return a;
  if (staticA || (staticB && *staticB != 1))
    return b;
  if (staticB)
    return a;
  Value left = getValueOrCreateConstantIndexOp(builder, loc, a);
  Value right = getValueOrCreateConstantIndexOp(builder, loc, b);
  Value one = builder.create<arith::ConstantIndexOp>(loc, 1);
  Value isOne = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, left, one);
  return builder.createOrFold<arith::SelectOp>(loc, isOne, right, left);
}

} // namespace

// ---- matmul ----------------------------------------------------------------------------------------------

LogicalResult MatmulOp::verify() {
  return checkMatmul(*this, [&] { return emitOpError(); });
}

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                         SmallVectorImpl<Type> &types) {
  if (failed(checkMatmul(op, inferenceError<MatmulOp>(location))))
    return failure();
  auto a = tensorType(op.getA()), b = tensorType(op.getB());
  Factor left = leftFactor(a.getShape(), op.getTransA()), right = rightFactor(b.getShape(), op.getTransB());
  SmallVector<int64_t> shape = *broadcastShapes({left.batch, right.batch});
  if (a.getRank() > 1)
    shape.push_back(left.rows);
  if (b.getRank() > 1)
    shape.push_back(right.columns);
  types.push_back(RankedTensorType::get(shape, productType(a.getElementType())));
  return success();
}

LogicalResult MatmulOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &dims) {
  SmallVector<OpFoldResult> a = tensor::getMixedSizes(builder, getLoc(), getA());
  SmallVector<OpFoldResult> b = tensor::getMixedSizes(builder, getLoc(), getB());
  size_t batchA = a.size() < 2 ? 0 : a.size() - 2, batchB = b.size() < 2 ? 0 : b.size() - 2;
  size_t rank = std::max(batchA, batchB);
  SmallVector<OpFoldResult> sizes;
  for (size_t i = 0; i < rank; ++i) {
    if (i + batchA < rank)
      sizes.push_back(b[i + batchB - rank]);
    else if (i + batchB < rank)
      sizes.push_back(a[i + batchA - rank]);
    else
      sizes.push_back(reifyBroadcast(builder, getLoc(), a[i + batchA - rank], b[i + batchB - rank]));
  }
  if (a.size() > 1)
    sizes.push_back(a[a.size() - (getTransA() ? 1 : 2)]);
  if (b.size() > 1)
    sizes.push_back(b[b.size() - (getTransB() ? 2 : 1)]);
  dims.push_back(std::move(sizes));
  return success();
}

// ---- conv ------------------------------------------------------------------------------------------------

LogicalResult ConvOp::verify() {
  return checkConv(*this, [&] { return emitOpError(); });
}

LogicalResult ConvOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                       SmallVectorImpl<Type> &types) {
  if (failed(checkConv(op, inferenceError<ConvOp>(location))))
    return failure();
  auto x = tensorType(op.getX());
  types.push_back(
      windowedType(x, tensorType(op.getW()).getDimSize(0), convWindow(op), productType(x.getElementType())));
  return success();
}

LogicalResult ConvOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &dims) {
  SmallVector<OpFoldResult> x = tensor::getMixedSizes(builder, getLoc(), getX());
  SmallVector<OpFoldResult> w = tensor::getMixedSizes(builder, getLoc(), getW());
  Window window = convWindow(*this);
  SmallVector<OpFoldResult> sizes{x[0], w[0]};
  for (unsigned i = 0; i < window.kernel.size(); ++i)
    sizes.push_back(window.reifyOutputExtent(builder, getLoc(), i, x[2 + i], w[2 + i]));
  dims.push_back(std::move(sizes));
  return success();
}

// ---- pooling ---------------------------------------------------------------------------------------------

LogicalResult MaxPoolOp::verify() {
  return checkPool(*this, [&] { return emitOpError(); });
}

LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                          SmallVectorImpl<Type> &types) {
  if (failed(checkPool(op, inferenceError<MaxPoolOp>(location))))
    return failure();
  auto x = tensorType(op.getX());
  types.push_back(windowedType(x, x.getDimSize(1), poolWindow(op), x.getElementType()));
  return success();
}

LogicalResult MaxPoolOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &dims) {
  return reifyPool(*this, builder, dims);
}

LogicalResult AvgPoolOp::verify() {
  return checkPool(*this, [&] { return emitOpError(); });
}

LogicalResult AvgPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                          SmallVectorImpl<Type> &types) {
  if (failed(checkPool(op, inferenceError<AvgPoolOp>(location))))
    return failure();
  auto x = tensorType(op.getX());
  types.push_back(windowedType(x, x.getDimSize(1), poolWindow(op), x.getElementType()));
  return success();
}

LogicalResult AvgPoolOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &dims) {
  return reifyPool(*this, builder, dims);
}

} // namespace kiln
