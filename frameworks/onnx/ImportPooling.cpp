// ImportPooling.cpp: pools over windows and over whole images.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Formula.h"
#include "frameworks/onnx/Window.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace kiln::onnx {
namespace {

/// `x` with the window's pads as elements.
Result<Value> paddedBy(Node &node, const Window &window, Value x, double filling) {
  KilnBuilder &build = node.build;
  size_t spatial = window.kernel.size();
  Extents low = build.math().constants({0, 0}), high = low;
  llvm::append_range(low, ArrayRef(window.pads).take_front(spatial));
  llvm::append_range(high, ArrayRef(window.pads).drop_front(spatial));
  return build.pad(x, low, high, "constant", build.scalar(tensorType(x).getElementType(), filling));
}

template <typename Op>
Result<Value> pool(Node &node, const Window &window, ArrayRef<int64_t> pads, Value x,
                   ArrayRef<StringRef> flags) {
  SmallVector<NamedAttribute> attributes = window.attributes(node.build, pads);
  attributes.push_back(node.build.integers("kernel", window.kernel));
  for (StringRef flag : flags)
    attributes.push_back(node.build.flag(flag));
  return node.build.make<Op>(x, attributes);
}

/// The least number that a maximum starts from.
double lowest(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return -std::numeric_limits<double>::infinity();
  return integer.isUnsigned() ? 0 : -std::ldexp(1.0, static_cast<int>(integer.getWidth()) - 1);
}

/// Where each window's maximum stands in input 0, the first of equals, as one number: batch, channel, then
/// spatial axes with the last one running fastest, or the first one if `columnMajor`. Every window's elements
/// are gathered side by side; an arg-max tells which it is.
Status maxPoolIndices(Node &node, const Window &window, Value pooled, bool columnMajor) {
  Formula f(node);
  IndexMath &math = f.build.math();
  auto spatial = static_cast<int64_t>(window.kernel.size());
  Extents in = node.shape(0), out = f.shape(pooled), image(ArrayRef(in).drop_front(2));
  Extents grid(ArrayRef(out).drop_front(2)); // windows, then places in a window
  llvm::append_range(grid, math.constants(window.kernel));
  auto along = [&](int64_t axis) {
    Extents line(grid.size(), f.constant(1));
    line[axis] = grid[axis];
    return f.iota(f.i64(), line, axis);
  };
  auto times = [&](Value x, Extent factor) { return f.mul(x, f.scalarOf(factor)); };
  Value from = f.scalar(f.i64(), 0), place = from, isInside = f.scalar(f.build.builder().getI1Type(), 1);
  for (int64_t i = 0; i < spatial && f.ok(); ++i) {
    Value at = f.add(times(along(i), f.constant(window.strides[i])),
                     times(along(spatial + i), f.constant(window.dilations[i])));
    at = f.sub(at, f.scalarOf(window.pads[i]));
    Value zero = f.like(at, 0), extent = f.scalarOf(image[i]);
    isInside =
        f.make<AndOp>({isInside, f.make<AndOp>({f.compare("ge", at, zero), f.compare("lt", at, extent)})});
    at = f.max(f.min(at, f.sub(extent, 1)), zero);
    Extent later = math.product(ArrayRef(image).drop_front(i + 1));
    from = f.add(from, times(at, later));
    place = f.add(place, times(at, columnMajor ? math.product(ArrayRef(image).take_front(i)) : later));
  }
  Extent windows = math.product(ArrayRef(out).drop_front(2)),
         size = math.product(math.constants(window.kernel));
  Extent images = math.mul(in[0], in[1]), elements = math.product(image);
  auto line = [&](Value x) { return f.reshape(f.broadcast(x, grid), {math.mul(windows, size)}); };
  Value x = f.reshape(node.tensor(0), {images, elements});
  Value taken = f.ok() ? f.make<GatherOp>({x, line(from)}, f.build.integer("axis", 1)) : Value();
  taken = f.select(line(isInside), taken, f.like(taken, lowest(node.elementType(0))));
  taken = f.reshape(taken, {images, windows, size});
  auto kind = f.build.named("kind", ArgReduceKindAttr::get(f.build.context(), ArgReduceKind::Max));
  Value which = f.make<ArgReduceOp>(taken, {kind, f.build.integer("axis", 2)});
  Value window0 = times(f.iota(f.i64(), {f.constant(1), windows}, 1), size);
  Value index =
      f.ok() ? f.make<GatherOp>({line(place), f.add(window0, which)}, f.build.integer("axis", 0)) : Value();
  index = f.add(index, times(f.iota(f.i64(), {images, f.constant(1)}, 0), elements));
  return f.output(1, f.reshape(index, out));
}

/// The maxima of windows of `x`, which stands for input 0.
Result<Value> maxPool(Node &node, Value x, const Window &window) {
  KILN_ASSIGN_OR_RETURN(bool ceilMode, node.flagAttribute("ceil_mode", false));
  SmallVector<StringRef> flags;
  if (ceilMode)
    flags.push_back("ceil_mode");
  SmallVector<int64_t> pads(window.pads.size(), 0);
  if (std::optional<SmallVector<int64_t>> known = window.knownPads()) {
    pads = *known;
  } else { // SAME of a dynamic extent: padded apart
    KILN_ASSIGN_OR_RETURN(x, paddedBy(node, window, x, lowest(node.elementType(0))));
  }
  return pool<MaxPoolOp>(node, window, pads, x, flags);
}

Status importMaxPool(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool columnMajor, node.flagAttribute("storage_order", false));
  KILN_ASSIGN_OR_RETURN(Window window, readWindow(node, {}));
  KILN_ASSIGN_OR_RETURN(Value pooled, maxPool(node, node.tensor(0), window));
  node.setOutput(0, pooled);
  return node.wantsOutput(1) ? maxPoolIndices(node, window, pooled, columnMajor) : Status();
}

/// The maxima of bytes with their channels last.
Status importNhwcMaxPool(Node &node) {
  if (node.rank(0) < 3)
    return invalid("input 0 has rank {0}; expected 3 or more", node.rank(0));
  KILN_ASSIGN_OR_RETURN(Value x, channelsFirst(node.build, node.tensor(0)));
  KILN_ASSIGN_OR_RETURN(Window window, readWindow(node, {}, x));
  KILN_ASSIGN_OR_RETURN(x, maxPool(node, x, window));
  return node.output(channelsLast(node.build, x));
}

Status importAveragePool(Node &node) { return node.output(averagePool(node, node.tensor(0))); }

/// (sum over the window of |x|^p)^(1 / p)
Status importLpPool(Node &node) {
  KILN_RETURN_IF_ERROR(node.requireFloat(0));
  KILN_ASSIGN_OR_RETURN(Window window, readWindow(node, {}));
  KILN_ASSIGN_OR_RETURN(bool ceilMode, node.flagAttribute("ceil_mode", false));
  KILN_ASSIGN_OR_RETURN(int64_t p, node.integerAttribute("p", 2));
  if (p < 1)
    return invalid("attribute 'p' is {0}; expected >= 1", p);
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  size_t spatial = window.kernel.size();
  for (size_t i = 0; ceilMode && i < spatial; ++i) { // room for a last window that is not whole
    int64_t stride = window.strides[i], reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    Extent extent = node.dim(0, static_cast<int64_t>(i) + 2), &high = window.pads[spatial + i];
    Extent before = math.add(extent, window.pads[i]), total = math.add(before, high);
    Extent steps = math.ceilDiv(math.sub(total, math.constant(reach)), stride);
    steps = math.min(steps, math.div(math.sub(before, math.constant(1)), math.constant(stride)));
    Extent needed = math.add(math.mul(steps, math.constant(stride)), math.constant(reach));
    high = math.add(high, math.max(math.sub(needed, total), math.constant(0)));
  }
  Type element = node.elementType(0);
  double count = 1;
  for (int64_t extent : window.kernel)
    count *= static_cast<double>(extent);
  Value exponent = build.scalar(element, static_cast<double>(p));
  KILN_ASSIGN_OR_RETURN(Value powers, build.make<AbsOp>(node.tensor(0)));
  KILN_ASSIGN_OR_RETURN(powers, p == 1 ? Result<Value>(powers) : build.make<PowOp>({powers, exponent}));
  KILN_ASSIGN_OR_RETURN(powers, paddedBy(node, window, powers, 0));
  KILN_ASSIGN_OR_RETURN(
      Value sum, pool<AvgPoolOp>(node, window, SmallVector<int64_t>(window.pads.size(), 0), powers, {}));
  KILN_ASSIGN_OR_RETURN(sum, build.make<MulOp>({sum, build.scalar(element, count)}));
  if (p == 1)
    return node.output(sum);
  return node.output(build.make<PowOp>({sum, build.scalar(element, 1.0 / static_cast<double>(p))}));
}

template <ReduceKind kind> Status importGlobalPool(Node &node) {
  if (node.rank(0) < 3)
    return invalid("input 0 has rank {0}; expected 3 or more", node.rank(0));
  SmallVector<int64_t> spatial = llvm::to_vector(llvm::seq<int64_t>(2, node.rank(0)));
  return node.output(node.build.make<ReduceOp>(
      node.tensor(0), {node.build.named("kind", ReduceKindAttr::get(node.build.context(), kind)),
                       node.build.integers("axes", spatial), node.build.flag("keepdims")}));
}

Status importGlobalLpPool(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t p, node.integerAttribute("p", 2));
  if (p != 1 && p != 2)
    return unsupported("'p' {0} is not supported; 1 and 2 are", p);
  return p == 1 ? importGlobalPool<ReduceKind::L1>(node) : importGlobalPool<ReduceKind::L2>(node);
}

/// Zeros with the elements at the flat places that the pool had them from; room behind them if `output_shape`
/// asks for more.
Status importMaxUnpool(Node &node) {
  KILN_ASSIGN_OR_RETURN(Window window, readWindow(node, {}));
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  Extents shape = node.shape(0);
  for (auto [i, kernel] : llvm::enumerate(window.kernel)) {
    Extent pads = math.add(window.pads[i], window.pads[i + window.kernel.size()]);
    Extent moved = math.mul(math.sub(shape[i + 2], math.constant(1)), math.constant(window.strides[i]));
    shape[i + 2] = math.add(math.sub(moved, pads), math.constant(kernel));
  }
  Type element = node.elementType(0);
  Value zero = build.scalar(element, 0);
  KILN_ASSIGN_OR_RETURN(Value line, build.broadcast(zero, {math.product(shape)}));
  KILN_ASSIGN_OR_RETURN(Value places, build.reshape(node.tensor(1), {math.product(node.shape(1))}));
  KILN_ASSIGN_OR_RETURN(Value values, build.reshape(node.tensor(0), {math.product(node.shape(0))}));
  auto replace = ScatterKindAttr::get(build.context(), ScatterKind::Replace);
  KILN_ASSIGN_OR_RETURN(
      line, build.make<ScatterElementsOp>({line, places, values},
                                          {build.named("kind", replace), build.integer("axis", 0)}));
  KILN_ASSIGN_OR_RETURN(Value result, build.reshape(line, shape));
  if (node.hasInput(2)) {
    KILN_ASSIGN_OR_RETURN(ShapeValue wanted, node.extents(2, "'output_shape'"));
    if (wanted.elements.size() != shape.size())
      return invalid("'output_shape' has {0} elements; expected {1}", wanted.elements.size(), shape.size());
    Extents low(shape.size(), math.constant(0)), high;
    for (auto [extent, there] : llvm::zip_equal(wanted.elements, shape))
      high.push_back(math.sub(extent, there));
    KILN_ASSIGN_OR_RETURN(result, build.pad(result, low, high, "constant", zero));
  }
  node.setOutput(0, result);
  return {};
}

constexpr OpEntry kPoolingOps[] = {
    {"AveragePool", 7, 1, 1, importAveragePool},
    {"GlobalAveragePool", 1, 1, 1, importGlobalPool<ReduceKind::Mean>},
    {"GlobalLpPool", 2, 1, 1, importGlobalLpPool, "`p` other than 1 and 2"},
    {"GlobalMaxPool", 1, 1, 1, importGlobalPool<ReduceKind::Max>},
    {"LpPool", 2, 1, 1, importLpPool},
    {"MaxPool", 1, 1, 1, importMaxPool},
    {"MaxUnpool", 9, 2, 3, importMaxUnpool},
    {"NhwcMaxPool", 1, 1, 1, importNhwcMaxPool, "", kMicrosoftDomain},
};

} // namespace

Result<Value> averagePool(Node &node, Value x) {
  KILN_ASSIGN_OR_RETURN(Window window, readWindow(node, {}, x));
  KILN_ASSIGN_OR_RETURN(bool countPad, node.flagAttribute("count_include_pad", false));
  KILN_ASSIGN_OR_RETURN(bool ceilMode, node.flagAttribute("ceil_mode", false));
  SmallVector<StringRef> flags;
  if (ceilMode)
    flags.push_back("ceil_mode");
  if (std::optional<SmallVector<int64_t>> pads = window.knownPads()) {
    if (countPad)
      flags.push_back("count_include_pad");
    return pool<AvgPoolOp>(node, window, *pads, x, flags);
  }
  // SAME of a dynamic extent: padded apart, and the pads taken out of the means if they do not count.
  SmallVector<int64_t> none(window.pads.size(), 0);
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(Value padded, paddedBy(node, window, x, 0));
  KILN_ASSIGN_OR_RETURN(Value mean, pool<AvgPoolOp>(node, window, none, padded, flags));
  if (countPad)
    return mean;
  KILN_ASSIGN_OR_RETURN(Value ones,
                        build.broadcast(build.scalar(tensorType(x).getElementType(), 1), build.shape(x)));
  KILN_ASSIGN_OR_RETURN(ones, paddedBy(node, window, ones, 0));
  KILN_ASSIGN_OR_RETURN(Value share, pool<AvgPoolOp>(node, window, none, ones, flags));
  return build.make<DivOp>({mean, share});
}

llvm::ArrayRef<OpEntry> poolingOps() { return kPoolingOps; }

} // namespace kiln::onnx
