// LayOutConvs.cpp: one walk through the program. A convolution reads the channels-last twin of its input, if
// some op before has one, else a transposed copy; elementwise ops compute on twins, so that they pass from
// convolution to convolution.
#include "backends/npu/Transforms/ConvLayout.h"
#include "backends/npu/Transforms/CubeBuilder.h"
#include "backends/npu/Transforms/Domain.h"
#include "backends/npu/Transforms/Passes.h"
#include "backends/npu/Transforms/WindowTiling.h"

#include "kiln/jit/Fusion.h"
#include "kiln/jit/Outline.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_LAYOUTCONVSPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

/// Taps from which on a filter over one channel is the cube's: it fills 16 lanes for one result.
constexpr int64_t kLongFilter = 64;

int64_t rankOf(Value value) { return int64_t(shapeOf(value).size()); }

SmallVector<int64_t> toChannelsLast(int64_t rank) {
  SmallVector<int64_t> perm = {0};
  for (int64_t axis = 2; axis < rank; ++axis)
    perm.push_back(axis);
  perm.push_back(1);
  return perm;
}

SmallVector<int64_t> toChannelsFirst(int64_t rank) {
  SmallVector<int64_t> perm = {0, rank - 1};
  for (int64_t axis = 1; axis + 1 < rank; ++axis)
    perm.push_back(axis);
  return perm;
}

/// A convolution over the two inner axes of a channels-last tensor of rank 4.
struct PlainConv {
  Value x;    // [n, h, w, c]
  Value w;    // [o, c / groups, kh, kw]
  Value bias; // or null
  SmallVector<int64_t> strides, pads, dilations;
  int64_t groups = 1;
};

class Layouter {
public:
  Layouter(MLIRContext *context, const Target &target) : builder(context), target(target) {}
  void run(Block &block);
  int64_t convs = 0, moved = 0;

private:
  bool visit(ConvOp op);
  void visitElementwise(Operation *op);
  Value last(Value value); // the channels-last twin
  Value permuted(Value value, ArrayRef<int64_t> perm);
  Value reshaped(Value value, ArrayRef<int64_t> sizes);
  Value reshaped(Value value, ArrayRef<OpFoldResult> sizes) {
    return builder.create<ReshapeOp>(loc, value, sizes);
  }
  template <typename Op, typename... Args> Value marked(Args &&...args) {
    auto op = builder.create<Op>(loc, std::forward<Args>(args)...);
    op->setAttr(jit::kLayoutAttr, builder.getUnitAttr());
    return op->getResult(0);
  }
  void replace(Operation *op, Value channelsLast);
  void densify(PlainConv &conv);
  Value padded(Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high);
  Value joined(ArrayRef<Value> parts, ArrayRef<int64_t> shape); // along the first axis
  Value repeated(Value bias, int64_t count);
  std::optional<FilterLayout> layoutFor(PlainConv &conv, Type element);
  int64_t packColumns(PlainConv &conv, Type element);
  Value build(ConvOp op, PlainConv conv, FilterLayout layout, Operation *last);

  OpBuilder builder;
  const Target &target;
  Location loc = builder.getUnknownLoc();
  DenseMap<Value, Value> twins;
  DenseSet<Value> origins; // whose twin came first
};

Value Layouter::reshaped(Value value, ArrayRef<int64_t> sizes) {
  if (shapeOf(value) == sizes)
    return value;
  return reshaped(value, getAsIndexOpFoldResult(builder.getContext(), sizes));
}

/// A transpose, or a reshape where only axes of extent 1 change places.
Value Layouter::permuted(Value value, ArrayRef<int64_t> perm) {
  int64_t before = -1;
  bool moves = false;
  for (int64_t axis : perm)
    if (shapeOf(value)[axis] != 1) {
      moves |= axis < before;
      before = axis;
    }
  if (moves)
    return builder.create<TransposeOp>(loc, value, perm);
  SmallVector<OpFoldResult> sizes;
  for (int64_t axis : perm)
    sizes.push_back(tensor::getMixedSize(builder, loc, value, axis));
  return reshaped(value, sizes);
}

Value Layouter::last(Value value) {
  Value &twin = twins[value];
  if (!twin)
    twin = permuted(value, toChannelsLast(rankOf(value)));
  return twin;
}

void Layouter::replace(Operation *op, Value channelsLast) {
  Value result = op->getResult(0);
  Value first = permuted(channelsLast, toChannelsFirst(rankOf(channelsLast)));
  if (first.getType() != result.getType())
    first = builder.create<tensor::CastOp>(loc, result.getType(), first);
  result.replaceAllUsesWith(first);
  twins[first] = channelsLast;
  origins.insert(first);
}

Value Layouter::padded(Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  auto zeroType = RankedTensorType::get({}, element);
  Value zero = builder.create<ConstantOp>(
      loc, DenseElementsAttr::get(zeroType, ArrayRef<Attribute>(builder.getZeroAttr(element))));
  auto sizes = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(builder.getContext(), values); };
  return builder.create<PadOp>(loc, value, sizes(low), sizes(high), PadMode::Constant, zero);
}

/// Makes one group of several that are too small for a fractal, with zeros where a filter has no channel.
void Layouter::densify(PlainConv &conv) {
  ArrayRef<int64_t> filter = shapeOf(conv.w);
  int64_t outPerGroup = filter[0] / conv.groups, channels = filter[1], joined = 1;
  for (int64_t count = 2; count <= conv.groups; ++count)
    if (conv.groups % count == 0 && count * std::max(channels, outPerGroup) <= 16)
      joined = count;
  if (joined == 1)
    return;
  int64_t groups = conv.groups / joined, taps = filter[2] * filter[3];
  Type element = cast<RankedTensorType>(conv.w.getType()).getElementType();
  // [groups, joined, outPerGroup, 1, channels * taps], of which filter j keeps those of group j.
  Value spread = reshaped(conv.w, ArrayRef<int64_t>{groups, joined, outPerGroup, 1, channels * taps});
  Attribute no = builder.getZeroAttr(element), yes = isa<FloatType>(element)
                                                         ? Attribute(builder.getFloatAttr(element, 1))
                                                         : Attribute(builder.getIntegerAttr(element, 1));
  SmallVector<Attribute> own;
  for (int64_t i = 0; i < joined * joined; ++i)
    own.push_back(i / joined == i % joined ? yes : no);
  auto maskType = RankedTensorType::get({joined, 1, joined, 1}, element);
  Value mask = builder.create<ConstantOp>(loc, DenseElementsAttr::get(maskType, own));
  Value dense = builder.create<MulOp>(loc, spread, mask); // filters are finite
  conv.w = reshaped(dense, ArrayRef<int64_t>{filter[0], joined * channels, filter[2], filter[3]});
  conv.groups = groups;
}

std::optional<FilterLayout> Layouter::layoutFor(PlainConv &conv, Type element) {
  ArrayRef<int64_t> x = shapeOf(conv.x), w = shapeOf(conv.w);
  int64_t c0 = ir::blockElements(element), blocks = llvm::divideCeil(w[1], c0);
  bool isPadded = llvm::any_of(conv.pads, [](int64_t pad) { return pad != 0; });
  bool fits = llvm::all_of(conv.strides, [](int64_t s) { return s <= kMostStride; }) &&
              llvm::all_of(conv.dilations, [](int64_t d) { return d <= kMostKernel; }) &&
              llvm::all_of(conv.pads, [](int64_t pad) { return pad <= kMostPad; }) && w[2] <= kMostKernel &&
              w[3] <= kMostKernel && blocks * w[2] * w[3] * c0 <= kMostColumns;
  bool isRow = x[1] == 1 && w[2] == 1 && conv.pads[0] == 0 && conv.pads[2] == 0 && conv.strides[0] == 1 &&
               (conv.dilations[1] == 1 || w[3] == 1) && conv.groups == 1;
  // Frames that overlap little, or would fill few lanes of a block, need no im2col.
  if (isRow && (!fits || (!isPadded && (2 * conv.strides[1] >= w[3] || w[1] < c0)))) {
    if (isPadded) {
      conv.x = padded(conv.x, {0, 0, conv.pads[1], 0}, {0, 0, conv.pads[3], 0});
      conv.pads.assign(4, 0);
    }
    return FilterLayout::Frames;
  }
  if (!fits)
    return std::nullopt;
  return FilterLayout::Blocks;
}

/// Where pixels have few channels, takes some that lie side by side for one with the channels of all, which
/// costs nothing: a block has more of them. A window is then fewer columns wide, and as many outputs side by
/// side as steps fit into those pixels are the channels of one. Returns their count, 1 if nothing is gained.
int64_t Layouter::packColumns(PlainConv &conv, Type element) {
  ArrayRef<int64_t> x = shapeOf(conv.x);
  SmallVector<int64_t> w(shapeOf(conv.w));
  int64_t o = w[0], c = w[1], kh = w[2], kw = w[3], width = x[2], stride = conv.strides[1],
          low = conv.pads[1];
  if (conv.groups != 1 || conv.dilations[1] != 1 || ShapedType::isDynamic(width) || kh == 1)
    return 1;
  int64_t outWidth = (width + low + conv.pads[3] - kw) / stride + 1;
  auto windowOf = [&](int64_t pixels) { // its columns, and those of them before the first pixel's
    int64_t before = llvm::divideCeil(low, pixels);
    return std::pair((pixels - stride + kw - 1 - low + before * pixels) / pixels + 1, before);
  };
  int64_t best = 1;
  for (int64_t pixels = stride; pixels * c <= ir::blockElements(element); pixels += stride) {
    auto [columns, before] = windowOf(pixels);
    int64_t after = outWidth / (pixels / stride) - 1 - before + columns - width / pixels; // pads behind
    bool isWhole = pixels > 1 && width % pixels == 0 && outWidth % (pixels / stride) == 0;
    if (isWhole && after >= 0 && 4 * columns <= 3 * kw && (best == 1 || columns < windowOf(best).first))
      best = pixels;
  }
  if (best == 1)
    return 1;
  auto [columns, before] = windowOf(best);
  int64_t outputs = best / stride;
  SmallVector<Value> filters;
  for (int64_t i = 0; i < outputs; ++i) { // of the i-th output
    int64_t first = before * best - low + i * stride;
    Value wide = padded(conv.w, {0, 0, 0, first}, {0, 0, 0, columns * best - kw - first});
    wide = permuted(reshaped(wide, ArrayRef<int64_t>{o, c, kh, columns, best}), {0, 4, 1, 2, 3});
    filters.push_back(reshaped(wide, ArrayRef<int64_t>{o, best * c, kh, columns}));
  }
  conv.w = joined(filters, {outputs * o, best * c, kh, columns});
  if (conv.bias)
    conv.bias = repeated(conv.bias, outputs);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, conv.x);
  sizes[2] = builder.getIndexAttr(width / best), sizes[3] = builder.getIndexAttr(best * c);
  conv.x = reshaped(conv.x, sizes);
  conv.pads[1] = before;
  conv.pads[3] = outWidth / outputs - 1 - before + columns - width / best;
  conv.strides[1] = 1;
  return outputs;
}

/// A bias of `count` times as many channels: the same again and again.
Value Layouter::repeated(Value bias, int64_t count) {
  int64_t channels = shapeOf(bias)[0];
  auto constant = bias.getDefiningOp<ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  if (!splat)
    return joined(SmallVector<Value>(count, bias), {count * channels});
  auto type = RankedTensorType::get({count * channels}, splat.getElementType());
  return builder.create<ConstantOp>(loc, DenseElementsAttr::get(type, splat.getSplatValue<Attribute>()));
}

Value Layouter::joined(ArrayRef<Value> parts, ArrayRef<int64_t> shape) {
  if (parts.size() == 1)
    return parts.front();
  Type element = cast<RankedTensorType>(parts.front().getType()).getElementType();
  return builder.create<ConcatOp>(loc, RankedTensorType::get(shape, element), parts, /*axis=*/0);
}

/// The convolution, and relu if that is the `last` op, between ops that say how operands and result lie in
/// memory; returns [n, h, w, o].
Value Layouter::build(ConvOp op, PlainConv conv, FilterLayout layout, Operation *last) {
  Type element = cast<RankedTensorType>(conv.x.getType()).getElementType();
  SmallVector<int64_t> filter(shapeOf(conv.w));
  int64_t o = filter[0], c = filter[1], kh = filter[2], kw = filter[3];
  Value x = marked<TransposeOp>(conv.x, ArrayRef<int64_t>{0, 3, 1, 2}), w;
  auto sizes = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(builder.getContext(), values); };
  if (layout == FilterLayout::Frames) {
    Value matrix = reshaped(permuted(conv.w, {0, 2, 3, 1}), ArrayRef<int64_t>{o, kw * c});
    Value spread = marked<ReshapeOp>(matrix, sizes({o, 1, kw, c}));
    w = marked<TransposeOp>(spread, ArrayRef<int64_t>{0, 3, 1, 2});
  } else {
    int64_t c0 = ir::blockElements(element), blocks = llvm::divideCeil(c, c0), all = blocks * c0;
    Value filled = all == c ? conv.w : padded(conv.w, {0, 0, 0, 0}, {0, all - c, 0, 0});
    Value turned = permuted(reshaped(filled, ArrayRef<int64_t>{o, blocks, c0, kh, kw}), {0, 1, 3, 4, 2});
    Value matrix = reshaped(turned, ArrayRef<int64_t>{o, blocks * kh * kw * c0});
    Value spread = marked<ReshapeOp>(matrix, sizes({o, blocks, kh, kw, c0}));
    w = marked<TransposeOp>(spread, ArrayRef<int64_t>{0, 1, 4, 2, 3});
    w = marked<ReshapeOp>(w, sizes({o, all, kh, kw}));
    if (all != c)
      w = marked<SliceOp>(w, sizes({0, 0, 0, 0}), sizes({o, c, kh, kw}), sizes({1, 1, 1, 1}));
  }
  Value bias = conv.bias;
  Type biasType = bias ? cast<RankedTensorType>(bias.getType()).getElementType() : Type();
  if (bias && isa<FloatType>(biasType) && !biasType.isF32()) { // as the bias table holds it
    bias = builder.create<ConvertOp>(loc, bias, builder.getF32Type());
    bias = marked<ConvertOp>(bias, biasType);
  }
  Value y = builder.create<ConvOp>(loc, x, w, bias, conv.strides, conv.pads, conv.dilations, conv.groups);
  if (last != op) // relu, which is free behind a product
    y = builder.create<ReluOp>(loc, y);
  return marked<TransposeOp>(y, ArrayRef<int64_t>{0, 2, 3, 1});
}

bool Layouter::visit(ConvOp op) {
  auto type = cast<RankedTensorType>(op.getX().getType());
  auto filter = cast<RankedTensorType>(op.getW().getType());
  int64_t rank = type.getRank();
  Type element = type.getElementType();
  if (rank < 3 || rank > 4 || !filter.hasStaticShape() || filter.getElementType() != element ||
      !isCubeType(target, element) || filter.getNumElements() == 0)
    return false;
  // The vector cores' own, unless one long filter makes it a product: more taps than a gather each is worth.
  bool isLong = op.getGroups() == 1 && filter.getNumElements() >= kLongFilter;
  if (isDepthwise(op) && isa<FloatType>(element) && !isLong)
    return false;
  loc = op.getLoc();
  builder.setInsertionPoint(op);
  PlainConv conv;
  conv.strides.assign(op.getStrides().begin(), op.getStrides().end());
  conv.dilations.assign(op.getDilations().begin(), op.getDilations().end());
  conv.pads.assign(op.getPads().begin(), op.getPads().end());
  conv.groups = op.getGroups();
  conv.bias = op.getBias();
  conv.w = op.getW();
  Value x = last(op.getX());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, x);
  bool isLine = rank == 3, isColumn = !isLine && type.getShape()[3] == 1 && filter.getShape()[3] == 1 &&
                                      conv.pads[1] == 0 && conv.pads[3] == 0;
  if (isLine) { // [n, l, c] as one row
    sizes.insert(sizes.begin() + 1, builder.getIndexAttr(1));
    conv.w = reshaped(conv.w,
                      ArrayRef<int64_t>{filter.getShape()[0], filter.getShape()[1], 1, filter.getShape()[2]});
    conv.strides.insert(conv.strides.begin(), 1);
    conv.dilations.insert(conv.dilations.begin(), 1);
    conv.pads = {0, conv.pads[0], 0, conv.pads[1]};
  } else if (isColumn) { // one column is one row
    std::swap(sizes[1], sizes[2]);
    conv.w = reshaped(conv.w,
                      ArrayRef<int64_t>{filter.getShape()[0], filter.getShape()[1], 1, filter.getShape()[2]});
    conv.strides = {1, conv.strides[0]};
    conv.dilations = {1, conv.dilations[0]};
    conv.pads = {0, conv.pads[0], 0, conv.pads[2]};
  }
  bool isFlat = type.hasStaticShape() && conv.groups == 1 &&
                llvm::all_of(conv.strides, [](int64_t s) { return s == 1; }) &&
                llvm::all_of(conv.pads, [](int64_t pad) { return pad == 0; }) && shapeOf(conv.w)[2] == 1 &&
                shapeOf(conv.w)[3] == 1;
  if (isFlat) { // one row of all pixels
    int64_t pixels = 1;
    for (OpFoldResult size : ArrayRef(sizes).drop_back())
      pixels *= *getConstantIntValue(size);
    sizes = {builder.getIndexAttr(1), builder.getIndexAttr(1), builder.getIndexAttr(pixels), sizes[3]};
  }
  conv.x = isLine || isColumn || isFlat ? reshaped(x, sizes) : x;
  densify(conv);
  std::optional<FilterLayout> layout = layoutFor(conv, element);
  if (!layout)
    return false;
  int64_t outputs = *layout == FilterLayout::Blocks ? packColumns(conv, element) : 1;
  auto next = op->hasOneUse() ? dyn_cast<ReluOp>(*op->user_begin()) : ReluOp();
  if (next && isa<FloatType>(element))
    builder.setInsertionPoint(next);
  else
    next = ReluOp();
  Operation *end = next ? next.getOperation() : op.getOperation();
  Value y = build(op, conv, *layout, end);
  // Back to the axes of the op: [n, spatial.., o].
  SmallVector<OpFoldResult> extents = tensor::getMixedSizes(builder, loc, y);
  if (isFlat) {
    ArrayRef<int64_t> shape = op.getResult().getType().getShape();
    extents.clear();
    for (int64_t axis : toChannelsLast(rank))
      extents.push_back(builder.getIndexAttr(shape[axis]));
  } else if (isLine) {
    extents.erase(extents.begin() + 1);
  } else if (isColumn) {
    std::swap(extents[1], extents[2]);
  } else if (outputs > 1) {
    extents[2] = builder.getIndexAttr(shapeOf(y)[2] * outputs);
    extents[3] = builder.getIndexAttr(filter.getShape()[0]);
  }
  if (isLine || isColumn || isFlat || outputs > 1)
    y = reshaped(y, extents);
  replace(end, y);
  ++convs;
  return true;
}

/// Elementwise ops on twins give a twin; what is broadcast turns along.
void Layouter::visitElementwise(Operation *op) {
  if (op->getNumResults() != 1)
    return;
  Value result = op->getResult(0);
  int64_t rank = rankOf(result);
  bool hasTwin = false;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      return;
    bool isOne = type.hasStaticShape() && type.getNumElements() == 1;
    bool isTwin = twins.contains(operand) && type.getRank() == rank && type.getShape() == shapeOf(result);
    hasTwin |= isTwin && origins.contains(operand);
    int64_t wide = llvm::count_if(type.getShape(), [](int64_t extent) { return extent != 1; });
    if (!isOne && !isTwin && !twins.contains(operand) && wide > 1 && !jit::isWeightOnly(operand))
      return; // it would have to be transposed
  }
  if (!hasTwin || rank < 3)
    return;
  loc = op->getLoc();
  builder.setInsertionPoint(op);
  SmallVector<int64_t> perm = toChannelsLast(rank);
  IRMapping map;
  for (Value operand : op->getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.hasStaticShape() && type.getNumElements() == 1)
      continue;
    Value value = operand;
    if (type.getRank() < rank) {
      SmallVector<OpFoldResult> sizes(rank - type.getRank(), builder.getIndexAttr(1));
      llvm::append_range(sizes, tensor::getMixedSizes(builder, loc, operand));
      value = reshaped(operand, sizes);
    }
    map.map(operand, last(value));
  }
  Operation *turned = builder.clone(*op, map);
  SmallVector<int64_t> shape;
  for (int64_t axis : perm)
    shape.push_back(shapeOf(result)[axis]);
  turned->getResult(0).setType(
      RankedTensorType::get(shape, cast<RankedTensorType>(result.getType()).getElementType()));
  replace(op, turned->getResult(0));
  ++moved;
}

void Layouter::run(Block &block) {
  twins.clear(); // they stand in their block
  origins.clear();
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  for (Operation *op : ops) {
    if (op->use_empty() && isa<ReluOp>(op)) // went along with its convolution
      continue;
    if (auto conv = dyn_cast<ConvOp>(op))
      visit(conv);
    else if (isa<ElementwiseOpInterface>(op))
      visitElementwise(op);
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

struct LayOutConvs final : impl::LayOutConvsPassBase<LayOutConvs> {
  using LayOutConvsPassBase::LayOutConvsPassBase;
  void runOnOperation() override {
    const Target *target = ir::findTarget(chip, getOperation());
    if (!target)
      return signalPassFailure();
    Layouter layouter(&getContext(), *target);
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      layouter.run(*block);
    auto &dialect = *getContext().getOrLoadDialect<KilnDialect>();
    for (int64_t i = 0; i < layouter.convs; ++i)
      dialect.count("lay-out-convs.convs");
    for (int64_t i = 0; i < layouter.moved; ++i)
      dialect.count("lay-out-convs.moved");
  }
};

} // namespace
} // namespace kiln::npu
