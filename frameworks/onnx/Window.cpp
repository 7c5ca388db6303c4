// Window.cpp: auto_pad becomes pads here; nothing later knows of it.
#include "frameworks/onnx/Window.h"

#include "frameworks/onnx/Errors.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// SAME: as many windows as strides fit, ceil(extent / stride); the odd pad goes to the named end.
void padSame(IndexMath &math, Window &window, size_t axis, Extent extent, bool upper) {
  int64_t stride = window.strides[axis], reach = (window.kernel[axis] - 1) * window.dilations[axis] + 1;
  Extent total;
  if (stride == 1) {
    total = math.constant(reach - 1);
  } else {
    Extent last = math.mul(math.sub(math.ceilDiv(extent, stride), math.constant(1)), math.constant(stride));
    total = math.max(math.constant(0), math.sub(math.add(last, math.constant(reach)), extent));
  }
  Extent less = math.div(total, math.constant(2)), more = math.sub(total, less);
  window.pads[axis] = upper ? less : more;
  window.pads[axis + window.kernel.size()] = upper ? more : less;
}

} // namespace

std::optional<SmallVector<int64_t>> Window::knownPads() const {
  SmallVector<int64_t> result;
  for (Extent pad : pads) {
    std::optional<int64_t> known = IndexMath::known(pad);
    if (!known)
      return std::nullopt;
    result.push_back(*known);
  }
  return result;
}

SmallVector<NamedAttribute> Window::attributes(KilnBuilder &build, ArrayRef<int64_t> pads) const {
  return {build.integers("strides", strides), build.integers("pads", pads),
          build.integers("dilations", dilations)};
}

Result<SmallVector<int64_t>> readWindowList(Node &node, StringRef name, size_t count, int64_t lowest,
                                            std::optional<int64_t> byDefault) {
  KILN_ASSIGN_OR_RETURN(auto list, node.integersAttribute(name));
  if (!list) {
    if (!byDefault)
      return invalid("attribute '{0}' is missing", name);
    return SmallVector<int64_t>(count, *byDefault);
  }
  if (list->size() != count)
    return invalid("attribute '{0}' has {1} entries; expected {2}", name, list->size(), count);
  for (int64_t value : *list)
    if (value < lowest || value > INT32_MAX)
      return invalid("attribute '{0}' holds {1}; expected {2} to {3}", name, value, lowest, INT32_MAX);
  return *list;
}

Result<Value> channelsFirst(KilnBuilder &build, Value x) {
  int64_t rank = tensorType(x).getRank();
  SmallVector<int64_t> order{0, rank - 1};
  llvm::append_range(order, llvm::seq<int64_t>(1, rank - 1));
  return build.transpose(x, order);
}

Result<Value> channelsLast(KilnBuilder &build, Value x) {
  SmallVector<int64_t> order{0};
  llvm::append_range(order, llvm::seq<int64_t>(2, tensorType(x).getRank()));
  order.push_back(1);
  return build.transpose(x, order);
}

Result<Window> readWindow(Node &node, ArrayRef<int64_t> kernel, Value x) {
  Extents shape = x ? node.build.shape(x) : node.shape(0);
  if (node.rank(0) < 3)
    return invalid("input 0 has rank {0}; expected a batch, a channel and one or more spatial axes",
                   node.rank(0));
  auto spatial = static_cast<size_t>(node.rank(0) - 2);
  Window window;
  if (kernel.empty() || node.hasAttribute("kernel_shape")) {
    KILN_ASSIGN_OR_RETURN(window.kernel, readWindowList(node, "kernel_shape", spatial, 1, {}));
    if (!kernel.empty() && ArrayRef(window.kernel) != kernel)
      return invalid("attribute 'kernel_shape' differs from the extents of the weights");
  } else {
    window.kernel.assign(kernel.begin(), kernel.end());
  }
  KILN_ASSIGN_OR_RETURN(window.strides, readWindowList(node, "strides", spatial, 1, 1));
  KILN_ASSIGN_OR_RETURN(window.dilations, readWindowList(node, "dilations", spatial, 1, 1));
  KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> pads, readWindowList(node, "pads", 2 * spatial, 0, 0));
  KILN_ASSIGN_OR_RETURN(std::string automatic, node.stringAttribute("auto_pad", "NOTSET"));
  IndexMath &math = node.build.math();
  window.pads = math.constants(pads);
  if (automatic == "NOTSET")
    return window;
  if (automatic == "VALID") {
    window.pads.assign(2 * spatial, math.constant(0));
    return window;
  }
  if (automatic != "SAME_UPPER" && automatic != "SAME_LOWER")
    return invalid("attribute 'auto_pad' is '{0}'; expected NOTSET, VALID, SAME_UPPER or SAME_LOWER",
                   automatic);
  for (size_t axis = 0; axis < spatial; ++axis)
    padSame(math, window, axis, shape[axis + 2], automatic == "SAME_UPPER");
  return window;
}

} // namespace kiln::onnx
