// ImportCrop.cpp: CenterCropPad and Col2Im: parts of images put in their place.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Node.h"
#include "frameworks/onnx/Window.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// The middle of each axis, or zeros around it; the odd element is behind.
Status importCenterCropPad(Node &node) {
  KILN_ASSIGN_OR_RETURN(auto given, node.integersAttribute("axes"));
  SmallVector<int64_t> axes = given.value_or(llvm::to_vector(llvm::seq<int64_t>(0, node.rank(0))));
  KILN_ASSIGN_OR_RETURN(ShapeValue shape, node.extents(1, "'shape'"));
  if (shape.elements.size() != axes.size())
    return invalid("'shape' has {0} elements; expected {1}", shape.elements.size(), axes.size());
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  Extent zero = math.constant(0), two = math.constant(2);
  Extents sizes = node.shape(0), offsets(sizes.size(), zero), low = offsets, high = offsets;
  for (auto [axis, wanted] : llvm::zip_equal(axes, shape.elements)) {
    KILN_ASSIGN_OR_RETURN(axis, Node::normalizeAxis(axis, node.rank(0)));
    Extent extent = node.dim(0, axis), missing = math.max(math.sub(wanted, extent), zero);
    offsets[axis] = math.div(math.max(math.sub(extent, wanted), zero), two);
    sizes[axis] = math.min(extent, wanted);
    low[axis] = math.div(missing, two);
    high[axis] = math.sub(missing, low[axis]);
  }
  Extents strides(sizes.size(), math.constant(1));
  KILN_ASSIGN_OR_RETURN(Value part, build.slice(node.tensor(0), offsets, sizes, strides));
  return node.output(build.pad(part, low, high, "constant", build.scalar(node.elementType(0), 0)));
}

/// Columns of blocks, [n, c * block, blocks], added up where the blocks lie: a transposed convolution of
/// which filter `i` of a channel is 1 at place `i` of the block.
Status importCol2Im(Node &node) {
  KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> image, node.knownIntegers(1, "'image_shape'"));
  KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> block, node.knownIntegers(2, "'block_shape'"));
  size_t spatial = image.size();
  if (node.rank(0) != 3 || spatial == 0 || block.size() != spatial)
    return invalid(
        "an input of rank {0}, images of {1} and blocks of {2} axes; expected rank 3 and as many axes",
        node.rank(0), spatial, block.size());
  KILN_ASSIGN_OR_RETURN(auto strides, readWindowList(node, "strides", spatial, 1, 1));
  KILN_ASSIGN_OR_RETURN(auto dilations, readWindowList(node, "dilations", spatial, 1, 1));
  KILN_ASSIGN_OR_RETURN(auto pads, readWindowList(node, "pads", 2 * spatial, 0, 0));
  std::optional<int64_t> columns = IndexMath::known(node.dim(0, 1));
  int64_t places = 1;
  constexpr int64_t kMost = 1 << 16;
  for (int64_t extent : block)
    if (extent < 1 || (places *= extent) > kMost)
      return invalid("'block_shape' has an extent of {0}, or more than {1} elements", extent, kMost);
  if (!columns || *columns % places)
    return invalid("{0} rows; expected a multiple of the {1} elements of a block", columns.value_or(-1),
                   places);
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  Extents shape{node.dim(0, 0), math.constant(*columns)}, filter{math.constant(*columns), math.constant(1)};
  SmallVector<int64_t> rest;
  for (size_t i = 0; i < spatial; ++i) {
    int64_t room = image[i] + pads[i] + pads[spatial + i] - (block[i] - 1) * dilations[i] - 1;
    if (image[i] < 1 || image[i] > INT32_MAX || room < 0)
      return invalid("'image_shape' holds {0}; expected one that a block fits into", image[i]);
    shape.push_back(math.constant(room / strides[i] + 1));
    rest.push_back(room % strides[i]);
    filter.push_back(math.constant(block[i]));
  }
  std::vector<int64_t> ones(static_cast<size_t>(places * places), 0);
  for (int64_t i = 0; i < places; ++i)
    ones[static_cast<size_t>(i * (places + 1))] = 1;
  auto unit =
      TensorData::fromIntegers(RankedTensorType::get({places, places}, build.builder().getI64Type()), ones);
  int64_t channels = *columns / places;
  KILN_ASSIGN_OR_RETURN(Value filters, build.convert(build.constant(unit, ""), node.elementType(0)));
  KILN_ASSIGN_OR_RETURN(filters, build.broadcast(filters, math.constants({channels, places, places})));
  KILN_ASSIGN_OR_RETURN(filters, build.reshape(filters, filter));
  KILN_ASSIGN_OR_RETURN(Value blocks, build.reshape(node.tensor(0), shape));
  return node.output(build.make<ConvTransposeOp>(
      {blocks, filters}, {build.integers("strides", strides), build.integers("pads", pads),
                          build.integers("dilations", dilations), build.integers("output_padding", rest),
                          build.integer("groups", channels)}));
}

constexpr OpEntry kCropOps[] = {
    {"CenterCropPad", 18, 2, 2, importCenterCropPad},
    {"Col2Im", 18, 3, 3, importCol2Im, "shapes computed from data"},
};

} // namespace

llvm::ArrayRef<OpEntry> cropOps() { return kCropOps; }

} // namespace kiln::onnx
