// ImportConvTranspose.cpp: ConvTranspose: what output_shape and auto_pad ask for becomes pads and a part of
// the result.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Node.h"
#include "frameworks/onnx/Window.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// The window of a transposed convolution along the spatial axes.
struct Spread {
  SmallVector<int64_t> kernel, strides, dilations, pads, outputPadding;

  int64_t reach(size_t axis) const { return (kernel[axis] - 1) * dilations[axis] + 1 + outputPadding[axis]; }
  /// Takes `total` elements off both ends together, the odd one off the named end. What is less than nothing
  /// is added behind: no element of the input reaches it.
  void trim(size_t axis, int64_t total, bool oddBehind) {
    outputPadding[axis] += std::max<int64_t>(0, -total);
    total = std::max<int64_t>(0, total);
    int64_t low = oddBehind ? total / 2 : total - total / 2;
    pads[axis] = low;
    pads[axis + kernel.size()] = total - low;
  }
};

Result<Spread> readSpread(Node &node) {
  RankedTensorType weights = node.type(1);
  if (weights.getRank() != node.rank(0) || weights.getRank() < 3)
    return invalid("input of rank {0}, weights of rank {1}; expected the same, 3 or more", node.rank(0),
                   weights.getRank());
  ArrayRef<int64_t> kernel = weights.getShape().drop_front(2);
  if (llvm::any_of(kernel, ShapedType::isDynamic))
    return unsupported("weights with a kernel of dynamic extent are not supported");
  size_t spatial = kernel.size();
  Spread spread;
  spread.kernel.assign(kernel.begin(), kernel.end());
  if (node.hasAttribute("kernel_shape")) {
    KILN_ASSIGN_OR_RETURN(spread.kernel, readWindowList(node, "kernel_shape", spatial, 1, {}));
    if (ArrayRef(spread.kernel) != kernel)
      return invalid("attribute 'kernel_shape' differs from the extents of the weights");
  }
  KILN_ASSIGN_OR_RETURN(spread.strides, readWindowList(node, "strides", spatial, 1, 1));
  KILN_ASSIGN_OR_RETURN(spread.dilations, readWindowList(node, "dilations", spatial, 1, 1));
  KILN_ASSIGN_OR_RETURN(spread.pads, readWindowList(node, "pads", 2 * spatial, 0, 0));
  KILN_ASSIGN_OR_RETURN(spread.outputPadding, readWindowList(node, "output_padding", spatial, 0, 0));
  return spread;
}

/// Replaces the pads by those that give the extents of `output_shape`, or extent * stride for SAME.
Status applyAutomaticPads(Node &node, Spread &spread) {
  KILN_ASSIGN_OR_RETURN(std::string automatic, node.stringAttribute("auto_pad", "NOTSET"));
  if (automatic != "NOTSET" && automatic != "VALID" && automatic != "SAME_UPPER" && automatic != "SAME_LOWER")
    return invalid("attribute 'auto_pad' is '{0}'; expected NOTSET, VALID, SAME_UPPER or SAME_LOWER",
                   automatic);
  size_t spatial = spread.kernel.size();
  bool oddBehind = automatic == "SAME_UPPER";
  if (node.hasAttribute("output_shape")) {
    KILN_ASSIGN_OR_RETURN(auto shape, readWindowList(node, "output_shape", spatial, 1, {}));
    for (size_t axis = 0; axis < spatial; ++axis) {
      std::optional<int64_t> extent = IndexMath::known(node.dim(0, static_cast<int64_t>(axis) + 2));
      if (!extent)
        return unsupported("attribute 'output_shape' over a dynamic extent is not supported");
      int64_t whole = (*extent - 1) * spread.strides[axis] + spread.reach(axis);
      spread.trim(axis, whole - shape[axis], oddBehind);
    }
  } else if (automatic == "VALID") {
    spread.pads.assign(2 * spatial, 0);
  } else if (automatic != "NOTSET") {
    for (size_t axis = 0; axis < spatial; ++axis)
      spread.trim(axis, spread.reach(axis) - spread.strides[axis], oddBehind);
  }
  return {};
}

Status importConvTranspose(Node &node) {
  KILN_ASSIGN_OR_RETURN(Spread spread, readSpread(node));
  KILN_RETURN_IF_ERROR(applyAutomaticPads(node, spread));
  KILN_ASSIGN_OR_RETURN(int64_t groups, node.integerAttribute("group", 1));
  SmallVector<Value> operands{node.tensor(0), node.tensor(1)};
  if (node.hasInput(2))
    operands.push_back(node.tensor(2));
  KilnBuilder &build = node.build;
  return node.output(build.make<ConvTransposeOp>(
      operands, {build.integers("strides", spread.strides), build.integers("pads", spread.pads),
                 build.integers("dilations", spread.dilations),
                 build.integers("output_padding", spread.outputPadding), build.integer("groups", groups)}));
}

constexpr OpEntry kConvTransposeOps[] = {
    {"ConvTranspose", 1, 2, 3, importConvTranspose,
     "weights whose kernel extents are dynamic; `output_shape` over a dynamic extent"},
};

} // namespace

llvm::ArrayRef<OpEntry> convTransposeOps() { return kConvTransposeOps; }

} // namespace kiln::onnx
