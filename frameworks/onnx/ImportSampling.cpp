// ImportSampling.cpp: GridSample, DeformConv and AffineGrid: elements around positions that are data.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Sampling.h"
#include "frameworks/onnx/Window.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

// ---- GridSample ------------------------------------------------------------------------------------------

Result<Sampling> readSampling(Node &node) {
  Sampling sampling;
  KILN_ASSIGN_OR_RETURN(sampling.alignCorners, node.flagAttribute("align_corners", false));
  KILN_ASSIGN_OR_RETURN(std::string mode,
                        node.stringAttribute("mode", node.opset() < 20 ? "bilinear" : "linear"));
  if (mode == "nearest")
    sampling.interpolation = Interpolation::Nearest;
  else if (mode == "linear" || mode == "bilinear")
    sampling.interpolation = Interpolation::Linear;
  else if (mode == "cubic" || mode == "bicubic")
    sampling.interpolation = Interpolation::Cubic;
  else
    return invalid("attribute 'mode' is '{0}'; expected nearest, linear or cubic", mode);
  KILN_ASSIGN_OR_RETURN(std::string padding, node.stringAttribute("padding_mode", "zeros"));
  if (padding == "zeros")
    sampling.outside = Outside::Zeros;
  else if (padding == "border")
    sampling.outside = Outside::Border;
  else if (padding == "reflection")
    sampling.outside = Outside::Reflection;
  else
    return invalid("attribute 'padding_mode' is '{0}'; expected zeros, border or reflection", padding);
  return sampling;
}

/// Positions in [-1, 1], [n, p.., k], of which the last is that of the first spatial axis.
Status importGridSample(Node &node) {
  KILN_ASSIGN_OR_RETURN(Sampling sampling, readSampling(node));
  int64_t spatial = node.rank(0) - 2;
  if (spatial < 1 || node.rank(1) != node.rank(0) || node.type(1).getDimSize(node.rank(1) - 1) != spatial)
    return invalid(
        "an input of rank {0} and a grid of rank {1}; expected the same, 3 or more, and {2} coordinates",
        node.rank(0), node.rank(1), spatial);
  KILN_RETURN_IF_ERROR(node.requireFloat(1));
  Formula f(node);
  Type element = node.elementType(0), compute = computeType(f, element);
  Extents grid = node.shape(1), result = node.shape(0);
  Extent points = f.build.math().product(ArrayRef(grid).drop_front().drop_back());
  SmallVector<Term> positions;
  for (int64_t i = 0; i < spatial; ++i) {
    Term at{&f, f.slice(node.tensor(1), spatial + 1, f.constant(spatial - 1 - i), f.constant(1))};
    at = at.reshape({grid[0], points}).convert(compute);
    Term extent = number(f, node.dim(0, 2 + i), compute);
    positions.push_back(sampling.alignCorners ? (at + 1.0) / 2.0 * (extent - 1.0)
                                              : ((at + 1.0) * extent - 1.0) / 2.0);
    result[2 + i] = grid[1 + i];
  }
  return f.output(0, sample(f, node.tensor(0), positions, sampling).convert(element).reshape(result).value);
}

// ---- DeformConv ------------------------------------------------------------------------------------------

/// A convolution of what lies at the window's places moved by offsets, weighed by a mask.
Status importDeformConv(Node &node) {
  if (node.rank(0) != 4 || node.rank(1) != 4 || node.rank(2) != 4)
    return unsupported("an input of rank {0} is not supported; images, of rank 4, are", node.rank(0));
  ArrayRef<int64_t> kernel = node.type(1).getShape().drop_front(2);
  if (llvm::any_of(kernel, ShapedType::isDynamic))
    return unsupported("weights with a kernel of dynamic extent are not supported");
  KILN_ASSIGN_OR_RETURN(Window window, readWindow(node, kernel));
  KILN_ASSIGN_OR_RETURN(int64_t groups, node.integerAttribute("group", 1));
  KILN_ASSIGN_OR_RETURN(int64_t offsetGroups, node.integerAttribute("offset_group", 1));
  std::optional<int64_t> channels = IndexMath::known(node.dim(0, 1)),
                         filters = IndexMath::known(node.dim(1, 0));
  if (!channels || !filters)
    return unsupported("dynamic numbers of channels are not supported");
  if (groups < 1 || offsetGroups < 1 || *channels % groups || *filters % groups || *channels % offsetGroups)
    return invalid("{0} groups and {1} offset groups of {2} channels; expected divisors", groups,
                   offsetGroups, *channels);
  Formula f(node);
  IndexMath &math = f.build.math();
  Type element = node.elementType(0), compute = computeType(f, element);
  int64_t taps = kernel[0] * kernel[1];
  Extent batch = node.dim(0, 0), height = node.dim(2, 2), width = node.dim(2, 3), one = f.constant(1);
  Extent images = math.mul(batch, f.constant(offsetGroups));
  Extent places = math.product({f.constant(taps), height, width});
  // Offsets: [n * offset groups, taps, 2, oh, ow]; positions: [n * offset groups, taps * oh * ow].
  Value offsets = f.reshape(node.tensor(2), {images, f.constant(taps), f.constant(2), height, width});
  SmallVector<Term> positions;
  for (int64_t i = 0; i < 2; ++i) {
    Term at{&f, f.slice(offsets, 2, f.constant(i), one)};
    at = at.reshape({images, f.constant(kernel[0]), f.constant(kernel[1]), height, width}).convert(compute);
    Extents line(5, one), output = line;
    line[1 + i] = f.constant(kernel[i]);
    output[3 + i] = i == 0 ? height : width;
    Term tap{&f, f.iota(compute, line, 1 + i)}, step{&f, f.iota(compute, output, 3 + i)};
    at = at + tap * static_cast<double>(window.dilations[i]) + step * static_cast<double>(window.strides[i]) -
         number(f, window.pads[i], compute);
    positions.push_back(at.reshape({images, places}));
  }
  Extent depth = f.constant(*channels / offsetGroups), area = math.mul(height, width);
  Value x = f.reshape(node.tensor(0), {images, depth, node.dim(0, 2), node.dim(0, 3)});
  Term mask{&f, {}};
  if (node.hasInput(4))
    mask = Term{&f, node.tensor(4)}.reshape({images, one, places}).convert(compute);
  Extents result{batch, f.constant(*filters), height, width};
  Term y{&f, {}};
  if (groups == 1 && prefersRows(depth)) {
    // Taps by place, [n, oh * ow, offset groups, taps, 4]: the channels of a place's window are one row.
    Extents spatial{node.dim(0, 2), node.dim(0, 3)};
    Taps around = inWholeBatch(f, tapsAround(f, spatial, positions, {}, compute), math.product(spatial));
    if (mask.value)
      around.weight = around.weight * mask.reshape({images, places, one});
    auto byPlace = [&](Term term) {
      Extents apart{batch, f.constant(offsetGroups), f.constant(taps), area, f.constant(4)};
      Term moved = term.of(f.transpose(term.reshape(apart).value, {0, 3, 1, 2, 4}));
      return moved.reshape({batch, math.product({area, f.constant(offsetGroups * taps)}), f.constant(4)});
    };
    around = {byPlace(around.index), byPlace(around.weight)};
    Term products = weighedRows(f, rowsOfChannels(f, x), around, /*skipsZeros=*/true);
    Term columns = products.of(f.reduce(ReduceKind::Sum, products.value, 2, /*keepdims=*/false));
    Extent sums = f.constant(*channels * taps);
    columns = columns.convert(element).reshape({batch, area, sums});
    Value weights =
        f.reshape(node.tensor(1), {f.constant(*filters), f.constant(offsetGroups), depth, f.constant(taps)});
    weights = f.reshape(f.transpose(weights, {0, 1, 3, 2}), {f.constant(*filters), sums});
    y = columns.of(f.matmul(weights, columns.value, /*transA=*/false, /*transB=*/true)).reshape(result);
  } else {
    Term columns = sample(f, x, positions, {});
    if (mask.value)
      columns = columns * mask;
    // [n, groups, c / groups * taps, oh * ow]: each group times its filters.
    Extent sums = f.constant(*channels / groups * taps);
    columns = columns.convert(element).reshape({batch, f.constant(groups), sums, area});
    Value weights = f.reshape(node.tensor(1), {f.constant(groups), f.constant(*filters / groups), sums});
    y = columns.of(f.matmul(weights, columns.value)).reshape(result);
  }
  if (node.hasInput(3))
    y = y + Term{&f, node.tensor(3)}.reshape({f.constant(*filters), one, one});
  return f.output(0, y.value);
}

// ---- AffineGrid ------------------------------------------------------------------------------------------

/// The places of `size` in [-1, 1], moved by a matrix for each image.
Status importAffineGrid(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool alignCorners, node.flagAttribute("align_corners", false));
  KILN_ASSIGN_OR_RETURN(ShapeValue size, node.extents(1, "'size'"));
  if (size.elements.size() != 4 && size.elements.size() != 5)
    return invalid("'size' has {0} elements; expected 4 or 5", size.elements.size());
  Formula f(node);
  Type element = node.elementType(0), compute = computeType(f, element);
  Extents spatial(ArrayRef(size.elements).drop_front(2)), whole = spatial, result = spatial;
  auto dims = static_cast<int64_t>(spatial.size());
  whole.push_back(f.constant(1));
  SmallVector<Value> coordinates;
  for (int64_t i = dims; i-- > 0;) { // the last axis comes first
    Extents line(spatial.size() + 1, f.constant(1));
    line[i] = spatial[i];
    Term index{&f, f.iota(compute, line, i)}, count = number(f, spatial[i], compute);
    Term at = alignCorners ? index * 2.0 / (count - 1.0) - 1.0 : (index * 2.0 + 1.0) / count - 1.0;
    coordinates.push_back(at.broadcast(whole).value);
  }
  coordinates.push_back(f.broadcast(f.scalar(compute, 1), whole));
  Term places{&f, f.concat(coordinates, dims)};
  places = places.reshape({f.build.math().product(spatial), f.constant(dims + 1)});
  Value grid =
      f.matmul(places.value, f.convert(node.tensor(0), compute), false, /*transB=*/true); // [n, p, dims]
  result.insert(result.begin(), size.elements[0]);
  result.push_back(f.constant(dims));
  return f.output(0, f.convert(f.reshape(grid, result), element));
}

constexpr OpEntry kSamplingOps[] = {
    {"AffineGrid", 20, 2, 2, importAffineGrid},
    {"DeformConv", 19, 3, 5, importDeformConv, "inputs that are no images; dynamic numbers of channels"},
    {"GridSample", 16, 2, 2, importGridSample},
};

} // namespace

llvm::ArrayRef<OpEntry> samplingOps() { return kSamplingOps; }

} // namespace kiln::onnx
