// KilnConvTranspose.cpp: checks and inference of conv_transpose.
#include "dialects/IR/MixedList.h"
#include "dialects/IR/Products.h"
#include "dialects/IR/Window.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

namespace kiln {

namespace {

/// What a spatial extent of the result is beyond `extent * stride`.
template <typename Op> int64_t surplus(Op op, int64_t axis) {
  int64_t spatial = op.getStrides().size();
  int64_t reach = (tensorType(op.getW()).getDimSize(2 + axis) - 1) * op.getDilations()[axis] + 1;
  return reach + op.getOutputPadding()[axis] - op.getStrides()[axis] - op.getPads()[axis] -
         op.getPads()[spatial + axis];
}

template <typename Op> LogicalResult checkChannels(Op op, Emit emit) { // C4
  auto x = tensorType(op.getX()), w = tensorType(op.getW());
  int64_t groups = op.getGroups();
  if (groups < 1)
    return emit() << "expects 'groups' >= 1, got " << groups;
  if (!agree(x.getDimSize(1), w.getDimSize(0)))
    return emit() << "expects the first extent of 'w' to be that of the channels, " << x.getDimSize(1)
                  << ", got " << w.getDimSize(0);
  for (int64_t channels : {x.getDimSize(1), w.getDimSize(0)})
    if (!ShapedType::isDynamic(channels) && channels % groups)
      return emit() << "expects 'groups' to divide the channels, got " << groups << " groups, " << channels
                    << " channels";
  if (!op.getBias())
    return success();
  auto bias = tensorType(op.getBias());
  int64_t filters = w.isDynamicDim(1) ? static_cast<int64_t>(ShapedType::kDynamic) : w.getDimSize(1) * groups;
  if (bias.getRank() != 1 || !agree(bias.getDimSize(0), filters))
    return emit() << "expects 'bias' of shape [" << filters << "], got " << bias;
  return success();
}

template <typename Op> LogicalResult checkConvTranspose(Op op, Emit emit) {
  auto x = tensorType(op.getX()), w = tensorType(op.getW());
  if (x.getRank() < 3 || w.getRank() != x.getRank()) // C1
    return emit() << "expects 'x' of rank 3 or more and 'w' of the same rank, got " << x << " and " << w;
  ArrayRef<int64_t> kernel = w.getShape().drop_front(2);
  if (llvm::any_of(kernel, ShapedType::isDynamic)) // C1
    return emit() << "expects a window of known extents, got " << w;
  if (failed(checkFactors(emit, "x", x.getElementType(), "w", w.getElementType()))) // C2
    return failure();
  Type element = productType(x.getElementType());
  if (op.getBias() && tensorType(op.getBias()).getElementType() != element)
    return emit() << "expects 'bias' of element type " << element << ", got " << op.getBias().getType();
  Window window{kernel, op.getStrides(), op.getPads(), op.getDilations()};
  int64_t spatial = kernel.size();
  if (failed(window.checkLists(emit, spatial)) || // C3
      failed(checkMixedList(emit, "output_padding", op.getOutputPadding(), 0, spatial)) ||
      failed(checkChannels(op, emit)))
    return failure();
  for (int64_t axis = 0; axis < spatial; ++axis) { // C5
    int64_t extent = x.getDimSize(2 + axis);
    if (!ShapedType::isDynamic(extent) && extent * op.getStrides()[axis] + surplus(op, axis) < 1)
      return emit() << "expects pads that leave something of the result, got "
                    << extent * op.getStrides()[axis] + surplus(op, axis) << " elements along spatial axis "
                    << axis;
  }
  return success();
}

} // namespace

LogicalResult ConvTransposeOp::verify() {
  return checkConvTranspose(*this, [&] { return emitOpError(); });
}

LogicalResult ConvTransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                                SmallVectorImpl<Type> &types) {
  if (failed(checkConvTranspose(op, inferenceError<ConvTransposeOp>(location))))
    return failure();
  auto x = tensorType(op.getX());
  int64_t filters = tensorType(op.getW()).getDimSize(1);
  SmallVector<int64_t> shape{x.getDimSize(0), ShapedType::isDynamic(filters)
                                                  ? static_cast<int64_t>(ShapedType::kDynamic)
                                                  : filters * static_cast<int64_t>(op.getGroups())};
  for (auto [axis, extent] : llvm::enumerate(x.getShape().drop_front(2)))
    shape.push_back(ShapedType::isDynamic(extent) ? static_cast<int64_t>(ShapedType::kDynamic)
                                                  : extent * op.getStrides()[axis] + surplus(op, axis));
  types.push_back(RankedTensorType::get(shape, productType(x.getElementType())));
  return success();
}

LogicalResult ConvTransposeOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &dims) {
  Location loc = getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, getX());
  auto scaled = [&](OpFoldResult extent, int64_t factor) -> OpFoldResult {
    if (auto known = getConstantIntValue(extent))
      return builder.getIndexAttr(*known * factor);
    Value count = builder.create<arith::ConstantIndexOp>(loc, factor);
    return builder.createOrFold<arith::MulIOp>(loc, cast<Value>(extent), count);
  };
  sizes[1] = scaled(tensor::getMixedSize(builder, loc, getW(), 1), getGroups());
  for (int64_t axis = 0, spatial = getStrides().size(); axis < spatial; ++axis) {
    int64_t more = surplus(*this, axis);
    sizes[2 + axis] = scaled(sizes[2 + axis], getStrides()[axis]);
    if (more != 0)
      sizes[2 + axis] = addExtents(builder, loc, sizes[2 + axis], builder.getIndexAttr(more));
  }
  return reifyExtents(builder, loc, getType(), sizes, dims);
}

} // namespace kiln
