// WindowTiling.cpp: planes go whole into a tile where they fit, several where there are more than cores.
#include "backends/npu/Transforms/WindowTiling.h"

#include "backends/npu/Transforms/VectorLoops.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// Planes of a unit: each is a transfer of its own.
constexpr int64_t kMostPlanes = 8;

} // namespace

bool isDepthwise(ConvOp conv) {
  ArrayRef<int64_t> x = shapeOf(conv.getX()), w = shapeOf(conv.getW());
  return x[1] == static_cast<int64_t>(conv.getGroups()) && w[0] == x[1] && w[1] == 1;
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
  if (llvm::any_of(from, ShapedType::isDynamic) || llvm::any_of(to, ShapedType::isDynamic) || from.size() > 4)
    return refuse("of more than two axes, or of extents that are not known, is not lowered yet");
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
    strides = conv.getStrides(), pads = conv.getPads(), dilations = conv.getDilations();
  }
  size_t spatial = window.size();
  auto axis = [&](size_t i) {
    return WindowAxis{from[i + 2], to[i + 2], window[i], strides[i], dilations[i], pads[i]};
  };
  x = axis(spatial - 1);
  y = spatial == 2 ? axis(0) : WindowAxis{};
  planes = from[0] * from[1];
  channels = from[1];
  if (isa<AvgPoolOp>(root)) {
    // Windows that do not lie in the input as a whole have fewer elements.
    bool withPads = cast<AvgPoolOp>(root).getCountIncludePad();
    auto isInside = [&](const WindowAxis &a, int64_t high) {
      int64_t end = (a.out - 1) * a.stride + (a.window - 1) * a.dilation + 1 - a.low;
      return withPads ? end <= a.extent + high : a.low == 0 && end <= a.extent;
    };
    countsDiffer = !isInside(x, pads.back()) || (spatial == 2 && !isInside(y, pads[2]));
    if (countsDiffer && withPads)
      return refuse("with windows that end behind the pads is not lowered yet");
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

bool WindowTiling::choose(int64_t limit, int64_t cores) {
  int64_t narrowest = 4;
  for (Type type : kernel.getArgumentTypes())
    narrowest = std::min(narrowest, bytesOf(cast<RankedTensorType>(type).getElementType()));
  for (Operation &op : kernel.getBody().front())
    for (Value result : op.getResults())
      narrowest = std::min(narrowest, bytesOf(elementOf(result)));
  int64_t block = 32 / narrowest;
  left = llvm::alignTo(x.low, block);
  outPitch = llvm::alignTo(x.out, block);
  pitch = llvm::alignTo(
      std::max((left - x.low) + (outPitch - 1) * x.stride + (x.window - 1) * x.dilation + 1, left + x.extent),
      block);
  int64_t overhang = (y.window - 1) * y.dilation, behind = overhang / y.stride;
  planeRows = llvm::divideCeil((y.out - 1) * y.stride + overhang + 1, y.stride);
  tilePlanes = 1;
  if ((planeRows + behind) * y.stride * pitch <= limit) {
    tileRows = y.out;
    if (planes < cores) // share the rows of a plane, too
      tileRows = llvm::divideCeil(y.out, std::max<int64_t>(1, cores / planes));
    int64_t most = tileRows == y.out && !isConv && !isChannelwise
                       ? std::min({kMostPlanes, limit / (planeRows * y.stride * pitch), planes / cores})
                       : 1;
    for (int64_t count = 2; count <= most; ++count)
      if (planes % count == 0)
        tilePlanes = count;
  } else {
    tileRows = limit / pitch / y.stride - behind;
    if (tileRows < 1)
      return false;
  }
  outRows = tilePlanes > 1 ? tilePlanes * planeRows : tileRows;
  classRows = outRows + behind;
  inputRows = classRows * y.stride;
  return true;
}

} // namespace kiln::npu
