// ImportRegions.cpp: RoiAlign and MaxRoiPool: parts of images in grids of bins.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Sampling.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

// ---- RoiAlign --------------------------------------------------------------------------------------------

/// Attributes of RoiAlign.
struct Bins {
  bool isMax = false, isHalfPixel = true;
  int64_t height = 1, width = 1, samples = 1; // samples 0: as many as elements lie in a bin
  double scale = 1;
};

/// One axis of the regions, [r, 1, 1] each.
struct Side {
  int64_t bins;
  Term start, size, samples; // of a bin
};

Result<Bins> readBins(Node &node) {
  Bins bins;
  KILN_ASSIGN_OR_RETURN(std::string mode, node.stringAttribute("mode", "avg"));
  KILN_ASSIGN_OR_RETURN(std::string placing,
                        node.stringAttribute("coordinate_transformation_mode",
                                             node.opset() < 16 ? "output_half_pixel" : "half_pixel"));
  KILN_ASSIGN_OR_RETURN(bins.height, node.integerAttribute("output_height", 1));
  KILN_ASSIGN_OR_RETURN(bins.width, node.integerAttribute("output_width", 1));
  KILN_ASSIGN_OR_RETURN(bins.samples, node.integerAttribute("sampling_ratio", 0));
  KILN_ASSIGN_OR_RETURN(bins.scale, node.realAttribute("spatial_scale", 1.0));
  if (mode != "avg" && mode != "max")
    return invalid("attribute 'mode' is '{0}'; expected avg or max", mode);
  if (placing != "half_pixel" && placing != "output_half_pixel")
    return invalid(
        "attribute 'coordinate_transformation_mode' is '{0}'; expected half_pixel or output_half_pixel",
        placing);
  constexpr int64_t kMost = 1 << 12;
  for (int64_t value : {bins.height, bins.width, bins.samples ? bins.samples : 1})
    if (value < 1 || value > kMost)
      return invalid("attributes 'output_height' {0}, 'output_width' {1}, 'sampling_ratio' {2}; expected 1 "
                     "to {3}, or a ratio of 0",
                     bins.height, bins.width, bins.samples, kMost);
  bins.isMax = mode == "max";
  bins.isHalfPixel = placing == "half_pixel";
  return bins;
}

/// The largest number of samples along a side of a bin, at least 1: read back.
Result<Extent> mostSamples(Formula &f, const Side &rows, const Side &columns) {
  Value one = f.broadcast(f.like(rows.samples.value, 1), {f.constant(1), f.constant(1), f.constant(1)});
  Value all = f.concat({one, rows.samples.value, columns.samples.value}, 0);
  GraphValue most;
  most.tensor = f.convert(f.reduce(ReduceKind::Max, all, {0, 1, 2}, /*keepdims=*/false), f.i64());
  KILN_RETURN_IF_ERROR(f.status());
  KILN_ASSIGN_OR_RETURN(ShapeValue read, f.node.extents(most, "the number of samples of a bin"));
  return read.elements[0];
}

/// The mean or the largest of samples on a grid in each bin of a region, of an image that the region names.
Status importRoiAlign(Node &node) {
  KILN_ASSIGN_OR_RETURN(Bins bins, readBins(node));
  if (node.rank(0) != 4 || node.rank(1) != 2 || node.type(1).getDimSize(1) != 4 || node.rank(2) != 1)
    return invalid("inputs of rank {0}, {1}, {2}; expected images, regions of 4 numbers, a list of images",
                   node.rank(0), node.rank(1), node.rank(2));
  Formula f(node);
  IndexMath &math = f.build.math();
  Type element = node.elementType(0), compute = computeType(f, element);
  Extent regions = node.dim(1, 0), one = f.constant(1);
  auto bound = [&](int64_t column) {
    Term x{&f, f.slice(node.tensor(1), 1, f.constant(column), one)};
    return x.reshape({regions, one, one}).convert(compute) * bins.scale - (bins.isHalfPixel ? 0.5 : 0.0);
  };
  auto side = [&](int64_t column, int64_t count) -> Side {
    Term start = bound(column), length = bound(column + 2) - start;
    Term size = (bins.isHalfPixel ? length : max(length, 1)) / static_cast<double>(count);
    Term samples = bins.samples ? size.like(static_cast<double>(bins.samples)) : max(size.make<CeilOp>(), 0);
    return {count, start, size, samples};
  };
  Side rows = side(1, bins.height), columns = side(0, bins.width);
  Extent samples = f.constant(bins.samples);
  if (!bins.samples) {
    KILN_ASSIGN_OR_RETURN(samples, mostSamples(f, rows, columns));
  }
  Extents all{regions, f.constant(bins.height), f.constant(bins.width), samples, samples};
  Extent points = math.product(all);
  auto spread = [&](Term x, bool isRow) { // [r, bins, samples] along both axes, [1, p]
    Extents sizes = all;
    sizes[isRow ? 2 : 1] = sizes[isRow ? 4 : 3] = one;
    return x.reshape(sizes).broadcast(all).reshape({one, points});
  };
  // Positions along an axis; samples more than one element outside do not count, nor do those beyond a
  // region's own number: they repeat its last one.
  Term counts{&f, {}};
  auto positions = [&](const Side &side, int64_t axis) {
    Term extent = number(f, node.dim(0, axis), compute);
    Term bin{&f, f.iota(compute, {f.constant(side.bins), one}, 0)};
    Term step{&f, f.iota(compute, samples, 0)};
    Term own = bins.samples ? step : min(step, side.samples - 1.0);
    Term at = side.start + bin * side.size + (own + 0.5) * side.size / max(side.samples, 1);
    Term isInside = at.is("ge", -1) & at.is("le", extent);
    if (!bins.samples)
      isInside = isInside & (bins.isMax ? side.samples.is("gt", 0) : step.is("lt", side.samples));
    Term counted = spread(isInside.convert(compute), axis == 2);
    counts = counts.value ? counts * counted : counted;
    return spread(max(min(at, extent - 1.0), 0), axis == 2);
  };
  SmallVector<Term> at{positions(rows, 2), positions(columns, 3)};
  Extents shape = node.shape(0);
  ArrayRef<Extent> spatial = ArrayRef(shape).drop_front(2);
  Taps taps = tapsAround(f, spatial, at, {Interpolation::Linear, Outside::Border, true}, compute);
  Term image = Term{&f, node.tensor(2)}.reshape({regions, one, one, one, one}).convert(f.i64());
  Term base = image * number(f, math.product(spatial), f.i64());
  Extents perBin{regions, f.constant(bins.height * bins.width),
                 math.product({samples, samples, f.constant(4)})};
  taps.index = taps.index + base.broadcast(all).reshape({one, points, one});
  taps = {taps.index.reshape(perBin), (taps.weight * counts.reshape({one, points, one})).reshape(perBin)};
  Term products = weighedRows(f, rowsOfChannels(f, node.tensor(0)), taps, /*skipsZeros=*/false);
  ReduceKind kind = bins.isMax ? ReduceKind::Max : ReduceKind::Sum;
  Term y = products.of(f.reduce(kind, products.value, 2, /*keepdims=*/false)); // [r, bins, c]
  if (!bins.isMax)
    y = y /
        max((rows.samples * columns.samples).reshape(bins.samples ? Extents{} : Extents{regions, one, one}),
            1);
  y = y.of(f.transpose(y.convert(element).value, {0, 2, 1}));
  return f.output(0, y.reshape({regions, shape[1], all[1], all[2]}).value);
}

// ---- MaxRoiPool -----------------------------------------------------------------------------------------

/// The largest element of each bin of a region; bins begin and end at elements, and 0 is that of an empty
/// one.
Status importMaxRoiPool(Node &node) {
  KILN_ASSIGN_OR_RETURN(std::optional<SmallVector<int64_t>> bins, node.integersAttribute("pooled_shape"));
  KILN_ASSIGN_OR_RETURN(double scale, node.realAttribute("spatial_scale", 1.0));
  if (!bins || bins->size() != 2 || llvm::any_of(*bins, [](int64_t count) { return count < 1; }))
    return invalid("attribute 'pooled_shape' is missing or not two positive numbers");
  if (node.rank(0) != 4 || node.rank(1) != 2 || node.type(1).getDimSize(1) != 5)
    return invalid("inputs of rank {0} and {1}; expected images, and regions of an image and 4 numbers",
                   node.rank(0), node.rank(1));
  Formula f(node);
  Extent regions = node.dim(1, 0), one = f.constant(1);
  Type compute = computeType(f, node.elementType(0));
  auto column = [&](int64_t i) {
    return Term{&f, f.slice(node.tensor(1), 1, f.constant(i), one)}.convert(compute); // [r, 1]
  };
  auto corner = [&](int64_t i) { // halves away from 0
    Term x = column(i) * scale, rounded = (x.make<AbsOp>() + 0.5).make<FloorOp>();
    return where(x.is("lt", 0), 0.0 - rounded, rounded);
  };
  // Along an axis of the images: whether an element is in a bin, [r, bins, extent].
  auto inside = [&](size_t side) {
    int64_t axis = 2 + side, start = side == 0 ? 2 : 1, count = (*bins)[side];
    Term first = corner(start), size = max(corner(start + 2) - first + 1.0, 1) / static_cast<double>(count);
    Term bin{&f, f.iota(compute, f.constant(count), 0)};
    Term begin = (bin * size).make<FloorOp>() + first, end = ((bin + 1.0) * size).make<CeilOp>() + first;
    Term place{&f, f.iota(compute, node.dim(0, axis), 0)};
    auto behind = [&](Term x) { return x.reshape({regions, f.constant(count), one}); };
    return place.is("ge", behind(begin)) & place.is("lt", behind(end));
  };
  Term rows = inside(0), columns = inside(1); // [r, bins, h], [r, bins, w]
  Extent channels = node.dim(0, 1), height = node.dim(0, 2), width = node.dim(0, 3);
  Extent binRows = f.constant((*bins)[0]), binColumns = f.constant((*bins)[1]);
  Term image = column(0).convert(f.i64()).reshape({regions});
  Term x{&f, f.make<GatherOp>({node.tensor(0), image.value}, {f.build.integer("axis", 0)})};
  auto largest = [&](Term x, Term isInside, int64_t axis) {
    Term kept = where(isInside, x, x.like(-std::numeric_limits<double>::infinity()));
    return x.of(f.reduce(ReduceKind::Max, kept.value, axis, /*keepdims=*/false));
  };
  Term byRows = largest(x.reshape({regions, channels, one, height, width}),
                        rows.reshape({regions, one, binRows, height, one}), 3);
  Term y = largest(byRows.reshape({regions, channels, binRows, one, width}),
                   columns.reshape({regions, one, one, binColumns, width}), 4);
  auto some = [&](Term isInside) { return isInside.of(f.reduce(ReduceKind::Any, isInside.value, 2, false)); };
  Term full = some(rows).reshape({regions, one, binRows, one}) &
              some(columns).reshape({regions, one, one, binColumns});
  return f.output(0, where(full, y, y.like(0)).value);
}

constexpr OpEntry kRegionOps[] = {
    {"MaxRoiPool", 1, 2, 2, importMaxRoiPool},
    {"RoiAlign", 10, 3, 3, importRoiAlign},
};

} // namespace

llvm::ArrayRef<OpEntry> regionOps() { return kRegionOps; }

} // namespace kiln::onnx
