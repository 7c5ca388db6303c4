// SplitVolumes.cpp: windows over three axes by windows over two. Of a convolution the slices that a window
// meets become channels, one behind the other; a pooling goes over two axes, then over the outermost one.
#include "backends/npu/Transforms/Domain.h"
#include "backends/npu/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_SPLITVOLUMESPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

constexpr int64_t kRank = 5; // [n, c, depth, height, width]

/// Rewrites one op after the other; used by one thread.
class VolumeSplitter {
public:
  explicit VolumeSplitter(MLIRContext *context) : builder(context) {}
  bool split(ConvOp op);
  template <typename Op> bool split(Op op);

private:
  SmallVector<OpFoldResult> sizes(ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(builder.getContext(), values);
  }
  SmallVector<OpFoldResult> sizesOf(Value x) { return tensor::getMixedSizes(builder, loc, x); }
  OpFoldResult product(OpFoldResult a, OpFoldResult b);
  Value reshaped(Value x, ArrayRef<OpFoldResult> extents);
  Value padded(Value x, int64_t axis, int64_t low, int64_t high);
  void replace(Operation *op, Value result);

  OpBuilder builder;
  Location loc = builder.getUnknownLoc();
};

OpFoldResult VolumeSplitter::product(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return builder.getIndexAttr(*x * *y);
  auto value = [&](OpFoldResult number) { return getValueOrCreateConstantIndexOp(builder, loc, number); };
  return builder.create<arith::MulIOp>(loc, value(a), value(b)).getResult();
}

Value VolumeSplitter::reshaped(Value x, ArrayRef<OpFoldResult> extents) {
  return builder.create<ReshapeOp>(loc, x, extents);
}

Value VolumeSplitter::padded(Value x, int64_t axis, int64_t low, int64_t high) {
  if (low == 0 && high == 0)
    return x;
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> before(type.getRank()), behind(type.getRank());
  before[axis] = low, behind[axis] = high;
  auto number = RankedTensorType::get({}, type.getElementType());
  Value zero = builder.create<ConstantOp>(
      loc, DenseElementsAttr::get(number, ArrayRef<Attribute>(builder.getZeroAttr(type.getElementType()))));
  return builder.create<PadOp>(loc, x, sizes(before), sizes(behind), PadMode::Constant, zero);
}

void VolumeSplitter::replace(Operation *op, Value result) {
  Type type = op->getResult(0).getType();
  if (result.getType() != type)
    result = builder.create<tensor::CastOp>(loc, type, result);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

bool VolumeSplitter::split(ConvOp op) {
  ArrayRef<int64_t> x = shapeOf(op.getX()), w = shapeOf(op.getW()), y = shapeOf(op.getResult());
  auto isUnknown = [](ArrayRef<int64_t> shape) { return llvm::any_of(shape, ShapedType::isDynamic); };
  if (x.size() != kRank || isUnknown(w) || isUnknown(x.slice(1, 2)) || isUnknown(y[2]))
    return false;
  loc = op.getLoc();
  builder.setInsertionPoint(op);
  int64_t groups = op.getGroups(), channels = x[1] / groups, taps = w[2], depth = y[2];
  ArrayRef<int64_t> pads = op.getPads();
  // [n, depth, c, h, w], of which slices of the depth are whole.
  Value planes = builder.create<TransposeOp>(loc, op.getX(), ArrayRef<int64_t>{0, 2, 1, 3, 4});
  planes = padded(planes, 1, pads[0], pads[3]);
  SmallVector<OpFoldResult> extents = sizesOf(planes);
  SmallVector<Value> slices;
  SmallVector<OpFoldResult> grouped = {extents[0],
                                       builder.getIndexAttr(depth),
                                       builder.getIndexAttr(groups),
                                       builder.getIndexAttr(channels),
                                       extents[3],
                                       extents[4]};
  for (int64_t tap = 0; tap < taps; ++tap) {
    SmallVector<OpFoldResult> offsets = sizes({0, tap * op.getDilations()[0], 0, 0, 0}),
                              steps = sizes({1, op.getStrides()[0], 1, 1, 1}), counts = extents;
    counts[1] = builder.getIndexAttr(depth);
    slices.push_back(reshaped(builder.create<SliceOp>(loc, planes, offsets, counts, steps), grouped));
  }
  Value all = slices.front();
  if (taps > 1) { // the taps of a group side by side
    SmallVector<int64_t> joined(cast<RankedTensorType>(all.getType()).getShape());
    joined[3] *= taps;
    all = builder.create<ConcatOp>(loc, cast<RankedTensorType>(all.getType()).clone(joined), slices,
                                   /*axis=*/3);
  }
  OpFoldResult images = product(extents[0], builder.getIndexAttr(depth));
  all = reshaped(all, {images, builder.getIndexAttr(groups * channels * taps), extents[3], extents[4]});
  Value filter = builder.create<TransposeOp>(loc, op.getW(), ArrayRef<int64_t>{0, 2, 1, 3, 4});
  filter = reshaped(filter, sizes({w[0], taps * channels, w[3], w[4]}));
  Value flat = builder.create<ConvOp>(loc, all, filter, op.getBias(), op.getStrides().drop_front(),
                                      ArrayRef<int64_t>{pads[1], pads[2], pads[4], pads[5]},
                                      op.getDilations().drop_front(), op.getGroups());
  SmallVector<OpFoldResult> out = sizesOf(flat);
  Value result = reshaped(flat, {extents[0], builder.getIndexAttr(depth), out[1], out[2], out[3]});
  replace(op, builder.create<TransposeOp>(loc, result, ArrayRef<int64_t>{0, 2, 1, 3, 4}));
  return true;
}

/// Means of means are means, since windows of a plane have one count for all planes; in f32 on the way.
template <typename Op> bool VolumeSplitter::split(Op op) {
  auto type = cast<RankedTensorType>(op.getX().getType());
  if (type.getRank() != kRank)
    return false;
  loc = op.getLoc();
  builder.setInsertionPoint(op);
  ArrayRef<int64_t> window = op.getKernel(), strides = op.getStrides(), pads = op.getPads(),
                    dilations = op.getDilations();
  Type element = type.getElementType();
  bool widens = isa<AvgPoolOp>(op) && !element.isF32() && !element.isF64();
  Value value = op.getX();
  if (widens)
    value = builder.create<ConvertOp>(loc, value, builder.getF32Type());
  auto pool = [&](ArrayRef<OpFoldResult> from, ArrayRef<int64_t> to, ArrayRef<int64_t> kernel,
                  ArrayRef<int64_t> by, ArrayRef<int64_t> around, ArrayRef<int64_t> apart) {
    value = reshaped(value, from);
    auto shape = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> extents{shape.getShape()[0], shape.getShape()[1], to[0], to[1]};
    auto inner = cast<Op>(builder.clone(*op));
    inner->setOperand(0, value);
    inner.setKernel(kernel), inner.setStrides(by), inner.setPads(around), inner.setDilations(apart);
    inner->getResult(0).setType(shape.clone(extents));
    value = inner->getResult(0);
  };
  auto merged = [](int64_t a, int64_t b) {
    return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) ? ShapedType::kDynamic : a * b;
  };
  ArrayRef<int64_t> y = shapeOf(op.getResult());
  SmallVector<OpFoldResult> x = sizesOf(op.getX());
  pool({x[0], product(x[1], x[2]), x[3], x[4]}, y.take_back(2), window.drop_front(), strides.drop_front(),
       {pads[1], pads[2], pads[4], pads[5]}, dilations.drop_front());
  SmallVector<OpFoldResult> flat = sizesOf(value);
  pool({x[0], x[1], x[2], product(flat[2], flat[3])}, {y[2], merged(y[3], y[4])}, {window[0], 1},
       {strides[0], 1}, {pads[0], 0, pads[3], 0}, {dilations[0], 1});
  value = reshaped(value, {x[0], x[1], sizesOf(value)[2], flat[2], flat[3]});
  if (widens)
    value = builder.create<ConvertOp>(loc, value, element);
  replace(op, value);
  return true;
}

struct SplitVolumes final : impl::SplitVolumesPassBase<SplitVolumes> {
  void runOnOperation() override {
    SmallVector<Operation *> windows;
    getOperation().walk([&](Operation *op) {
      if (isa<ConvOp, MaxPoolOp, AvgPoolOp>(op))
        windows.push_back(op);
    });
    VolumeSplitter splitter(&getContext());
    for (Operation *op : windows) {
      bool isSplit = isa<ConvOp>(op)      ? splitter.split(cast<ConvOp>(op))
                     : isa<MaxPoolOp>(op) ? splitter.split(cast<MaxPoolOp>(op))
                                          : splitter.split(cast<AvgPoolOp>(op));
      if (isSplit)
        getContext().getOrLoadDialect<KilnDialect>()->count("split-volumes.split");
    }
  }
};

} // namespace
} // namespace kiln::npu
