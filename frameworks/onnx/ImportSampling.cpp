// ImportSampling.cpp: GridSample, RoiAlign, DeformConv and AffineGrid: elements gathered around positions
// that are data, and weighed.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Formula.h"
#include "frameworks/onnx/Window.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

enum class Interpolation { Nearest, Linear, Cubic };
enum class Outside { Zeros, Border, Reflection };

/// How positions become elements.
struct Sampling {
  Interpolation interpolation = Interpolation::Linear;
  Outside outside = Outside::Zeros;
  bool alignCorners = true;
};

/// A tensor of a formula with operators. A small value type that refers to its formula.
struct Term {
  Formula *f;
  Value value;

  Term of(Value result) const { return {f, result}; }
  Term like(double number) const { return of(f->like(value, number)); }
  template <typename Op> Term make() const { return of(f->make<Op>(value)); }
  Term is(StringRef direction, Term other) const { return of(f->compare(direction, value, other.value)); }
  Term is(StringRef direction, double number) const { return is(direction, like(number)); }
  Term convert(Type element) const { return of(f->convert(value, element)); }
  Term reshape(ArrayRef<Extent> shape) const { return of(f->reshape(value, shape)); }
  Term broadcast(ArrayRef<Extent> shape) const { return of(f->broadcast(value, shape)); }
};

Term operator+(Term a, Term b) { return a.of(a.f->add(a.value, b.value)); }
Term operator-(Term a, Term b) { return a.of(a.f->sub(a.value, b.value)); }
Term operator*(Term a, Term b) { return a.of(a.f->mul(a.value, b.value)); }
Term operator/(Term a, Term b) { return a.of(a.f->div(a.value, b.value)); }
Term operator+(Term a, double b) { return a + a.like(b); }
Term operator-(Term a, double b) { return a - a.like(b); }
Term operator-(double a, Term b) { return b.like(a) - b; }
Term operator*(Term a, double b) { return a * a.like(b); }
Term operator/(Term a, double b) { return a / a.like(b); }
Term operator&(Term a, Term b) { return a.of(a.f->make<AndOp>({a.value, b.value})); }
Term min(Term a, Term b) { return a.of(a.f->min(a.value, b.value)); }
Term max(Term a, double b) { return a.of(a.f->max(a.value, a.like(b).value)); }
Term rem(Term a, Term b) { return a.of(a.f->make<RemOp>({a.value, b.value})); }
Term select(Term condition, Term a, Term b) { return a.of(a.f->select(condition.value, a.value, b.value)); }

/// An extent as a number.
Term number(Formula &f, Extent extent, Type element) {
  if (auto known = IndexMath::known(extent))
    return {&f, f.scalar(element, static_cast<double>(*known))};
  return {&f, f.convert(f.scalarOf(extent), element)};
}

/// The type that positions and weights are computed in.
Type computeType(Formula &f, Type element) { return element.isF64() ? element : f.f32(); }

// ---- Along one axis --------------------------------------------------------------------------------------

/// Positions along one axis and what is taken there. Refers to the formula.
class Line {
public:
  Line(Formula &f, Extent extent, const Sampling &sampling, Type element)
      : f(f), sampling(sampling), extent(number(f, extent, element)),
        least(this->extent.like(sampling.alignCorners ? 0 : -0.5)),
        most(this->extent - (sampling.alignCorners ? 1.0 : 0.5)) {}

  struct Taps {
    Term index, weight;
  };
  /// The elements around `position`, [b, p], as [b, p, t]; weights are 0 where there is none.
  Taps around(Term position);

private:
  int64_t count() const { return sampling.interpolation == Interpolation::Linear ? 2 : 4; }
  Term clamped(Term x) const { return max(min(x, extent - 1.0), 0); }
  /// Mirrored at the borders until it lies between them.
  Term reflected(Term x) const {
    Term range = most - least, beyond = rem((x - least).make<AbsOp>(), range * 2.0);
    return least + select(beyond.is("gt", range), range * 2.0 - beyond, beyond);
  }
  Term weights(Term distance) const;

  Formula &f;
  Sampling sampling;
  Term extent, least, most;
};

/// The weight of an element at `distance`: linear, or cubic convolution with coefficient -0.75.
Term Line::weights(Term distance) const {
  Term d = distance.make<AbsOp>();
  if (sampling.interpolation == Interpolation::Linear)
    return max(1.0 - d, 0);
  constexpr double a = -0.75;
  Term square = d * d, cube = square * d;
  Term near = cube * (a + 2) - square * (a + 3) + 1.0;
  Term far = cube * a - square * (5 * a) + d * (8 * a) - 4 * a;
  return select(d.is("le", 1), near, select(d.is("lt", 2), far, d.like(0)));
}

Line::Taps Line::around(Term position) {
  if (sampling.interpolation == Interpolation::Nearest)
    position = position.make<RoundOp>();
  if (sampling.outside != Outside::Zeros) {
    Term moved = sampling.outside == Outside::Border ? clamped(position) : reflected(position);
    position = select(position.is("ge", least) & position.is("le", most), position, moved);
  }
  position = position.of(f.unsqueeze(position.value, 2));
  Term index = position.make<FloorOp>(), weight = position.like(1).broadcast(f.shape(position.value));
  if (sampling.interpolation != Interpolation::Nearest) {
    Term offset{&f, f.iota(f.elementType(position.value), f.constant(count()), 0)};
    if (count() == 4)
      offset = offset - 1.0;
    weight = weights(offset - (position - index));
    index = index + offset;
  }
  if (sampling.outside == Outside::Reflection)
    index = reflected(index);
  if (sampling.outside == Outside::Zeros)
    weight = select(index.is("ge", 0) & index.is("lt", extent), weight, index.like(0));
  return {clamped(index), weight};
}

// ---- Along all axes --------------------------------------------------------------------------------------

/// Images `x`, [b, c, d..] with `d..` one axis, around positions along each of `spatial`, [b, p]: elements
/// times weights, [b, c, p, t]. `base`, [b, p], is where the image of each position starts; 0 if null.
Term tapsAt(Formula &f, Value x, ArrayRef<Extent> spatial, ArrayRef<Term> positions, const Sampling &sampling,
            Value base = {}) {
  IndexMath &math = f.build.math();
  Type compute = computeType(f, f.elementType(x));
  Term index{&f, {}}, weight{&f, {}};
  for (auto [i, extent] : llvm::enumerate(spatial)) {
    Line::Taps taps = Line(f, extent, sampling, compute).around(positions[i]);
    if (!f.ok())
      return {&f, {}};
    // [b, p, t] as [b, p, 1.., t, ..1]
    auto aligned = [&, i = i](Term term) {
      Extents own = f.shape(term.value), sizes(2 + spatial.size(), f.constant(1));
      for (size_t k : {size_t(0), size_t(1)})
        sizes[k] = own[k];
      sizes[2 + i] = own[2];
      return term.reshape(sizes);
    };
    Term step = number(f, math.product(ArrayRef(spatial).drop_front(i + 1)), f.i64());
    Term offset = aligned(taps.index.convert(f.i64())) * step, by = aligned(taps.weight);
    index = index.value ? index + offset : offset;
    weight = weight.value ? weight * by : by;
  }
  if (base && f.ok()) {
    Extents sizes = f.shape(base);
    sizes.append(spatial.size(), f.constant(1));
    index = index + Term{&f, base}.reshape(sizes);
  }
  if (!f.ok())
    return {&f, {}};
  Extents own = f.shape(index.value);
  Extent count = math.product(ArrayRef(own).drop_front(2)), one = f.constant(1);
  Term places = index.reshape({own[0], math.mul(own[1], count)});
  weight = weight.broadcast(own).reshape({own[0], one, own[1], count});
  Term elements{&f, f.make<GatherOp>({x, places.value},
                                     {f.build.integer("axis", 2), f.build.integer("batch_dims", 1)})};
  elements = elements.convert(compute).reshape({own[0], f.dim(x, 1), own[1], count});
  Term products = elements * weight;
  if (sampling.outside == Outside::Zeros) // what lies outside counts as 0 even beside an infinity
    products = select(weight.is("eq", 0), products.like(0), products);
  return products;
}

/// Images `x`, [b, c, d..], at positions along each of `d..`, [b, p]: [b, c, p].
Term sample(Formula &f, Value x, ArrayRef<Term> positions, const Sampling &sampling) {
  Extents shape = f.shape(x);
  if (!f.ok())
    return {&f, {}};
  ArrayRef<Extent> spatial = ArrayRef(shape).drop_front(2);
  Value flat = f.reshape(x, {shape[0], shape[1], f.build.math().product(spatial)});
  Term products = tapsAt(f, flat, spatial, positions, sampling);
  return products.of(f.reduce(ReduceKind::Sum, products.value, 3, /*keepdims=*/false));
}

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
  Extent depth = f.constant(*channels / offsetGroups);
  Value x = f.reshape(node.tensor(0), {images, depth, node.dim(0, 2), node.dim(0, 3)});
  Term columns = sample(f, x, positions, {});
  if (node.hasInput(4))
    columns = columns * Term{&f, node.tensor(4)}.reshape({images, one, places}).convert(compute);
  // [n, groups, c / groups * taps, oh * ow]: each group times its filters.
  Extent sums = f.constant(*channels / groups * taps);
  columns = columns.convert(element).reshape({batch, f.constant(groups), sums, math.mul(height, width)});
  Value weights = f.reshape(node.tensor(1), {f.constant(groups), f.constant(*filters / groups), sums});
  Term y = columns.of(f.matmul(weights, columns.value)).reshape({batch, f.constant(*filters), height, width});
  if (node.hasInput(3))
    y = y + Term{&f, node.tensor(3)}.reshape({f.constant(*filters), one, one});
  return f.output(0, y.value);
}

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
  // All images of a channel side by side, so that a sample's place is one index.
  Extents shape = node.shape(0);
  ArrayRef<Extent> spatial = ArrayRef(shape).drop_front(2);
  Extent size = math.product(spatial);
  Value images =
      f.reshape(f.transpose(node.tensor(0), {1, 0, 2, 3}), {one, shape[1], math.mul(shape[0], size)});
  Term image = Term{&f, node.tensor(2)}.reshape({regions, one, one, one, one}).convert(f.i64());
  Term base = image.broadcast(all).reshape({one, points}) * number(f, size, f.i64());
  Term taps = tapsAt(f, images, spatial, at, {Interpolation::Linear, Outside::Border, true}, base.value);
  taps = taps * counts.reshape({one, one, points, one});
  taps = taps.reshape({shape[1], regions, f.constant(bins.height * bins.width),
                       math.product({samples, samples, f.constant(4)})});
  Term y =
      taps.of(f.reduce(bins.isMax ? ReduceKind::Max : ReduceKind::Sum, taps.value, 3, /*keepdims=*/false));
  if (!bins.isMax)
    y = y /
        max((rows.samples * columns.samples).reshape(bins.samples ? Extents{} : Extents{regions, one}), 1);
  y = y.of(f.transpose(y.convert(element).value, {1, 0, 2}));
  return f.output(0, y.reshape({regions, shape[1], all[1], all[2]}).value);
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
    {"RoiAlign", 10, 3, 3, importRoiAlign},
};

} // namespace

llvm::ArrayRef<OpEntry> samplingOps() { return kSamplingOps; }

} // namespace kiln::onnx
