// WindowTiling.cpp: planes go whole into a tile where they fit, several where there are more than cores.
#include "backends/npu/Transforms/WindowTiling.h"

#include "backends/npu/Transforms/VectorLoops.h"
#include "backends/npu/Transforms/VectorLowering.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// Planes of a unit: each is a transfer of its own.
constexpr int64_t kMostPlanes = 8;
/// Columns and rows of a part of a plane, at most.
constexpr int64_t kPlaneColumns = 128, kPlaneRows = 16;

} // namespace

bool isDepthwise(ConvOp conv) {
  ArrayRef<int64_t> x = shapeOf(conv.getX()), w = shapeOf(conv.getW());
  return x[1] == static_cast<int64_t>(conv.getGroups()) && w[0] == x[1] && w[1] == 1;
}

bool isWindowKernel(KernelOp kernel) {
  Operation *root = nullptr;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<ConstantOp>(op))
      continue;
    if (root && !isa<ElementwiseOpInterface>(op))
      return false;
    root = root ? root : &op;
  }
  auto conv = dyn_cast_or_null<ConvOp>(root);
  return isa_and_nonnull<MaxPoolOp, AvgPoolOp>(root) || (conv && isDepthwise(conv));
}

WindowTiling::WindowTiling(KernelOp kernel) : kernel(kernel) {
  for (Operation &op : kernel.getBody().front())
    if (!root && !isa<ConstantOp>(op))
      root = &op;
}

LogicalResult WindowTiling::describe(const Target &target) {
  Value in = root->getOperand(0);
  ArrayRef<int64_t> from = shapeOf(in), to = shapeOf(root->getResult(0));
  auto refuse = [&](const char *what) { return root->emitError("npu: ") << root->getName() << ' ' << what; };
  if (from.size() > 4)
    return refuse("of more than two axes is not lowered yet");
  ArrayRef<int64_t> window, strides, pads, dilations;
  if (auto pool = dyn_cast<MaxPoolOp>(root))
    window = pool.getKernel(), strides = pool.getStrides(), pads = pool.getPads(),
    dilations = pool.getDilations();
  if (auto pool = dyn_cast<AvgPoolOp>(root))
    window = pool.getKernel(), strides = pool.getStrides(), pads = pool.getPads(),
    dilations = pool.getDilations();
  if (auto conv = dyn_cast<ConvOp>(root)) {
    isConv = true;
    window = shapeOf(conv.getW()).drop_front(2);
    if (llvm::any_of(window, ShapedType::isDynamic))
      return refuse("with windows of unknown extents is not lowered yet");
    strides = conv.getStrides(), pads = conv.getPads(), dilations = conv.getDilations();
  }
  size_t spatial = window.size();
  auto axis = [&](size_t i) {
    return WindowAxis{from[i + 2],  to[i + 2], window[i],        strides[i],
                      dilations[i], pads[i],   pads[spatial + i]};
  };
  x = axis(spatial - 1);
  y = spatial == 2 ? axis(0) : WindowAxis{};
  channels = from[1];
  planes = ShapedType::isDynamic(from[0]) || ShapedType::isDynamic(channels) ? ShapedType::kDynamic
                                                                             : from[0] * channels;
  if (auto pool = dyn_cast<AvgPoolOp>(root)) {
    // Windows that do not lie in the input as a whole have fewer elements.
    countsPads = pool.getCountIncludePad();
    auto isInside = [&](const WindowAxis &a) {
      if (!a.isKnown())
        return !pool.getCeilMode() && (countsPads || (a.low == 0 && a.high == 0));
      int64_t end = (a.out - 1) * a.stride + a.reach() - a.low;
      return countsPads ? end <= a.extent + a.high : a.low == 0 && end <= a.extent;
    };
    countsDiffer = !isInside(x) || (spatial == 2 && !isInside(y));
  }
  Type element = elementOf(in);
  bool isKnown = element.isF16() || element.isBF16() || element.isF32() || element.isInteger(8) ||
                 (element.isSignlessInteger(32) && !isConv);
  if (!isKnown || (element.isBF16() && !target.hasBf16))
    return root->emitError("npu: ") << root->getName() << " on " << element << " is not lowered yet";
  sum = element.isSignlessInteger(32) ? Type(IntegerType::get(root->getContext(), 32))
                                      : Type(Float32Type::get(root->getContext()));
  for (Value argument : kernel.getBody().getArguments())
    if (argument != in && isa<RankedTensorType>(argument.getType()) &&
        !llvm::all_of(argument.getUsers(), [&](Operation *user) { return user == root; }))
      isChannelwise |=
          cast<RankedTensorType>(argument.getType()).getNumElements() == channels && channels > 1;
  return success();
}

/// Tiles of `count` columns, a multiple of a block, of each row; 0: whole rows.
void WindowTiling::setColumns(int64_t count, int64_t block) {
  tileColumns = count;
  int64_t columns = count ? count : x.isKnown() ? x.out : block;
  outPitch = llvm::alignTo(columns, block);
  pitch = (left - x.low) + (outPitch - 1) * x.stride + x.reach();
  if (count == 0 && x.isKnown())
    pitch = std::max(pitch, left + x.extent);
  pitch = llvm::alignTo(pitch, block);
  planeRows = y.isKnown() ? llvm::divideCeil((y.out - 1) * y.stride + y.reach(), y.stride) : 1;
}

bool WindowTiling::choose(int64_t limit, int64_t cores) {
  int64_t narrowest = 4;
  for (Type type : kernel.getArgumentTypes())
    narrowest = std::min(narrowest, bytesOf(cast<RankedTensorType>(type).getElementType()));
  for (Operation &op : kernel.getBody().front())
    for (Value result : op.getResults())
      narrowest = std::min(narrowest, bytesOf(elementOf(result)));
  int64_t block = 32 / narrowest;
  left = llvm::alignTo(x.low, block);
  int64_t behind = (y.window - 1) * y.dilation / y.stride;
  auto rowsOf = [&] { return limit / pitch / y.stride - behind; };
  tilePlanes = 1;
  setColumns(0, block);
  if (x.isKnown() && y.isKnown() && (planeRows + behind) * y.stride * pitch <= limit) {
    tileRows = y.out;
    bool areMany = ShapedType::isDynamic(planes);
    if (!areMany && planes < cores) // share the rows of a plane, too
      tileRows = llvm::divideCeil(y.out, std::max<int64_t>(1, cores / planes));
    int64_t most = tileRows == y.out && !isConv && !isChannelwise && !areMany
                       ? std::min({kMostPlanes, limit / (planeRows * y.stride * pitch), planes / cores})
                       : 1;
    for (int64_t count = 2; count <= most; ++count)
      if (planes % count == 0)
        tilePlanes = count;
  } else {
    if (!x.isKnown() || rowsOf() < 1) {
      int64_t columns = kPlaneColumns;
      for (setColumns(columns, block); rowsOf() < 1 && columns > block; setColumns(columns, block))
        columns /= 2;
      if (tileColumns * x.stride < left) // a second part would begin in the pads
        return false;
    }
    tileRows = y.isKnown() ? rowsOf() : std::min(rowsOf(), kPlaneRows);
    if (tileRows < 1)
      return false;
  }
  outRows = tilePlanes > 1 ? tilePlanes * planeRows : tileRows;
  classRows = outRows + behind;
  inputRows = classRows * y.stride;
  return true;
}

} // namespace kiln::npu
