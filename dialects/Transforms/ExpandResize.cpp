// ExpandResize.cpp: resize, axis by axis, as elements gathered at a table of indices and summed by a table of
// weights. The tables are kiln ops too: constants where the extents are known. Whole repetitions are
// broadcasts.
#include "dialects/IR/Checks.h"
#include "dialects/Transforms/ExtentMath.h"
#include "kiln/Transforms/ToLinalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace kiln {

namespace {

using Extents = SmallVector<OpFoldResult>;

/// A float tensor while a table is computed, and what is built from it: constants fold at once. A small value
/// type that refers to its builder; numbers beside it are scalars of its element type.
class Table {
public:
  Table(OpBuilder &builder, Location loc, Value value) : builder(&builder), loc(loc), theValue(value) {}

  Value value() const { return theValue; }
  Type element() const { return tensorType(theValue).getElementType(); }
  template <typename Op, typename... Args> Table make(Args &&...args) const {
    return {*builder, loc, builder->createOrFold<Op>(loc, std::forward<Args>(args)...)};
  }
  Table like(double number) const {
    auto type = RankedTensorType::get({}, element());
    return make<ConstantOp>(DenseElementsAttr::get(type, builder->getFloatAttr(element(), number)));
  }
  Table convert(Type to) const { return element() == to ? *this : make<ConvertOp>(theValue, to); }
  Table reshape(ArrayRef<OpFoldResult> sizes) const { return make<ReshapeOp>(theValue, sizes); }
  Table select(Table a, Table b) const { return make<SelectOp>(theValue, a.value(), b.value()); }
  Table compare(CompareDirection direction, Table b) const {
    return make<CompareOp>(direction, theValue, b.theValue);
  }

private:
  OpBuilder *builder;
  Location loc;
  Value theValue;
};

Table operator+(Table a, Table b) { return a.make<AddOp>(a.value(), b.value()); }
Table operator-(Table a, Table b) { return a.make<SubOp>(a.value(), b.value()); }
Table operator*(Table a, Table b) { return a.make<MulOp>(a.value(), b.value()); }
Table operator/(Table a, Table b) { return a.make<DivOp>(a.value(), b.value()); }
Table operator+(Table a, double b) { return a + a.like(b); }
Table operator-(Table a, double b) { return a - a.like(b); }
Table operator-(double a, Table b) { return b.like(a) - b; }
Table operator*(Table a, double b) { return a * a.like(b); }
Table operator<(Table a, double b) { return a.compare(CompareDirection::Lt, a.like(b)); }
Table operator<=(Table a, double b) { return a.compare(CompareDirection::Le, a.like(b)); }
Table equal(Table a, double b) { return a.compare(CompareDirection::Eq, a.like(b)); }
Table min(Table a, Table b) { return a.make<MinOp>(a.value(), b.value()); }
Table max(Table a, double b) { return a.make<MaxOp>(a.value(), a.like(b).value()); }
Table floor(Table a) { return a.make<FloorOp>(a.value()); }
Table ceil(Table a) { return a.make<CeilOp>(a.value()); }
Table abs(Table a) { return a.make<AbsOp>(a.value()); }
Table either(Table a, Table b) { return a.make<OrOp>(a.value(), b.value()); }

/// Whether `size` is `factor` times the extent of `x` along `axis`.
bool isMultipleOf(OpFoldResult size, Value x, int64_t axis, int64_t factor) {
  int64_t extent = tensorType(x).getDimSize(axis);
  if (auto known = getConstantIntValue(size))
    return !ShapedType::isDynamic(extent) && *known == extent * factor;
  Value value = cast<Value>(size);
  if (factor != 1) {
    auto product = value.getDefiningOp<arith::MulIOp>();
    if (!product || !isConstantIntValue(product.getRhs(), factor))
      return false;
    value = product.getLhs();
  }
  auto dim = value.getDefiningOp<tensor::DimOp>();
  return dim && dim.getSource() == x && dim.getConstantIndex() == axis;
}

/// Interpolates one op.
class Sampler {
public:
  Sampler(PatternRewriter &rewriter, ResizeOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()), math(rewriter, loc),
        rank(tensorType(op.getX()).getRank()), element(tensorType(op.getX()).getElementType()),
        compute(element.isF64() ? element : Type(rewriter.getF32Type())), sizes(op.getMixedSizes()) {}

  Value run();

private:
  // ---- Numbers
  Table table(Value value) { return {rewriter, loc, value}; }
  /// An extent as a number.
  Table number(OpFoldResult extent);
  /// Element `index` of a list of parameters, as a number.
  Table parameter(Value list, int64_t index);
  std::optional<double> knownScale(int64_t axis);
  Table scale(int64_t axis);

  // ---- One axis
  bool isIdentity(int64_t axis);
  std::optional<int64_t> repeats(int64_t axis);
  Table coordinates(int64_t axis);
  Table nearest(Table at);
  std::pair<OpFoldResult, OpFoldResult> window(int64_t axis);
  Table weights(Table distance);
  Value indices(Table position, int64_t axis);
  Value interpolated(Value x, int64_t axis, Table at);

  Value repeated(Value x, ArrayRef<int64_t> counts);
  OpFoldResult extent(int64_t axis) { return tensor::getMixedSize(rewriter, loc, op.getX(), axis); }
  /// [m] as [m, 1..], lined up with `axis`.
  Table column(Table line, int64_t trailing) {
    Extents shape(trailing + 1, math.constant(1));
    shape.front() = tensor::getMixedSize(rewriter, loc, line.value(), 0);
    return line.reshape(shape);
  }

  PatternRewriter &rewriter;
  ResizeOp op;
  Location loc;
  ExtentMath math;
  int64_t rank;
  Type element, compute;
  Extents sizes;
};

Table Sampler::number(OpFoldResult extent) {
  if (auto known = getConstantIntValue(extent))
    return table(rewriter.create<ConstantOp>(
        loc, DenseElementsAttr::get(RankedTensorType::get({}, compute),
                                    rewriter.getFloatAttr(compute, static_cast<double>(*known)))));
  Type i64 = rewriter.getI64Type();
  return table(rewriter.create<FromElementsOp>(loc, RankedTensorType::get({}, i64), cast<Value>(extent),
                                               /*scalar=*/true, i64))
      .convert(compute);
}

Table Sampler::parameter(Value list, int64_t index) {
  OpFoldResult one = math.constant(1);
  Value part = rewriter.createOrFold<SliceOp>(loc, list, math.constant(index), one, one);
  return table(part).reshape({}).convert(compute);
}

std::optional<double> Sampler::knownScale(int64_t axis) {
  DenseElementsAttr scales;
  if (op.getScales()) {
    if (!matchPattern(op.getScales(), m_Constant(&scales)))
      return std::nullopt;
    return scales.getValues<APFloat>()[axis].convertToDouble();
  }
  auto in = getConstantIntValue(extent(axis)), out = getConstantIntValue(sizes[axis]);
  return in && out && *in > 0 ? std::optional(static_cast<double>(*out) / static_cast<double>(*in))
                              : std::nullopt;
}

Table Sampler::scale(int64_t axis) {
  if (op.getScales())
    return parameter(op.getScales(), axis);
  return number(sizes[axis]) / number(extent(axis));
}

/// Whether the samples along the axis are its elements.
bool Sampler::isIdentity(int64_t axis) {
  if (!isMultipleOf(sizes[axis], op.getX(), axis, 1))
    return false;
  switch (op.getCoordinates()) {
  case ResizeCoordinates::TfHalfPixelForNn:
    return false;
  case ResizeCoordinates::TfCropAndResize: {
    DenseElementsAttr roi;
    if (!matchPattern(op.getRoi(), m_Constant(&roi)))
      return false;
    auto values = roi.getValues<APFloat>();
    return values[axis].isZero() && values[rank + axis].isExactlyValue(1.0);
  }
  default:
    return !op.getScales() || knownScale(axis) == 1.0;
  }
}

/// How often each element follows itself, if all do so equally often.
std::optional<int64_t> Sampler::repeats(int64_t axis) {
  std::optional<double> known = knownScale(axis);
  constexpr double kMost = 1024;
  if (op.getMode() != ResizeMode::Nearest || !known || *known != std::floor(*known) || *known < 1 ||
      *known > kMost)
    return std::nullopt;
  auto count = static_cast<int64_t>(*known);
  if (!isMultipleOf(sizes[axis], op.getX(), axis, count))
    return std::nullopt;
  // Coordinates of the next `count` elements are these and 1: it is enough that these are all at element 0.
  for (int64_t i = 0; i < count; ++i) {
    auto index = static_cast<float>(i), by = static_cast<float>(count);
    float at = 0;
    switch (op.getCoordinates()) {
    case ResizeCoordinates::HalfPixel:
    case ResizeCoordinates::HalfPixelSymmetric:
    case ResizeCoordinates::PytorchHalfPixel:
      at = (index + 0.5f) / by - 0.5f;
      break;
    case ResizeCoordinates::Asymmetric:
      at = index / by;
      break;
    case ResizeCoordinates::TfHalfPixelForNn:
      at = (index + 0.5f) / by;
      break;
    case ResizeCoordinates::AlignCorners:
    case ResizeCoordinates::TfCropAndResize:
      return std::nullopt;
    }
    float rounded = 0;
    switch (op.getRounding()) {
    case ResizeRounding::RoundPreferFloor:
      rounded = std::ceil(at - 0.5f);
      break;
    case ResizeRounding::RoundPreferCeil:
      rounded = std::floor(at + 0.5f);
      break;
    case ResizeRounding::Floor:
      rounded = std::floor(at);
      break;
    case ResizeRounding::Ceil:
      rounded = std::ceil(at);
      break;
    }
    if (rounded != 0)
      return std::nullopt;
  }
  return count;
}

/// Where the elements of the result lie along the axis of x: [m].
Table Sampler::coordinates(int64_t axis) {
  Table i = table(rewriter.createOrFold<IotaOp>(loc, 0, sizes[axis], compute));
  Table s = scale(axis), n = number(extent(axis)), m = number(sizes[axis]);
  Table w = op.getScales() ? s * n : m;
  switch (op.getCoordinates()) {
  case ResizeCoordinates::HalfPixel:
    return (i + 0.5) / s - 0.5;
  case ResizeCoordinates::HalfPixelSymmetric:
    return (i + 0.5) / s - 0.5 + n * 0.5 * (1.0 - m / w);
  case ResizeCoordinates::PytorchHalfPixel:
    return equal(w, 1.0).select(i.like(-0.5), (i + 0.5) / s - 0.5);
  case ResizeCoordinates::AlignCorners:
    return equal(w, 1.0).select(i.like(0.0), i * (n - 1.0) / (w - 1.0));
  case ResizeCoordinates::Asymmetric:
    return i / s;
  case ResizeCoordinates::TfHalfPixelForNn:
    return (i + 0.5) / s;
  case ResizeCoordinates::TfCropAndResize: {
    Table start = parameter(op.getRoi(), axis), end = parameter(op.getRoi(), rank + axis);
    Table at = start * (n - 1.0) + i * (end - start) * (n - 1.0) / (w - 1.0);
    return equal(w, 1.0).select((start + end) * 0.5 * (n - 1.0), at);
  }
  }
  llvm_unreachable("every way to place samples has a case");
}

Table Sampler::nearest(Table at) {
  switch (op.getRounding()) {
  case ResizeRounding::RoundPreferFloor:
    return ceil(at - 0.5);
  case ResizeRounding::RoundPreferCeil:
    return floor(at + 0.5);
  case ResizeRounding::Floor:
    return floor(at);
  case ResizeRounding::Ceil:
    return ceil(at);
  }
  llvm_unreachable("every rounding has a case");
}

/// The first element that is weighed, counted from the last before the sample, and how many are.
std::pair<OpFoldResult, OpFoldResult> Sampler::window(int64_t axis) {
  int64_t half = op.getMode() == ResizeMode::Linear ? 1 : 2;
  OpFoldResult reach = math.constant(half);
  if (op.getAntialias()) {
    if (std::optional<double> known = knownScale(axis)) {
      reach =
          math.constant(static_cast<int64_t>(std::ceil(static_cast<double>(half) / std::min(*known, 1.0))));
    } else {
      // ceil(half / s); scales from data are at least m / (2 n), since m is n * s rounded. More does no harm.
      OpFoldResult span = math.mul(extent(axis), math.constant(op.getScales() ? 2 * half : half));
      reach = math.max(reach, math.ceilDiv(span, math.max(sizes[axis], math.constant(1))));
    }
  }
  return {math.sub(math.constant(1), reach), math.mul(reach, math.constant(2))};
}

/// The weight of an element at `distance` from the sample.
Table Sampler::weights(Table distance) {
  Table d = abs(distance);
  if (op.getMode() == ResizeMode::Linear)
    return max(1.0 - d, 0.0);
  double a = op.getCubicCoefficient().convertToDouble();
  Table square = d * d, cube = square * d;
  Table near = cube * (a + 2) - square * (a + 3) + 1.0,
        far = cube * a - square * (5 * a) + d * (8 * a) - 4 * a;
  return (d <= 1.0).select(near, (d < 2.0).select(far, d.like(0.0)));
}

Value Sampler::indices(Table position, int64_t axis) {
  return max(min(position, number(extent(axis)) - 1.0), 0.0).convert(rewriter.getI64Type()).value();
}

Value Sampler::interpolated(Value x, int64_t axis, Table at) {
  auto [first, count] = window(axis);
  Table before =
      ceil(at) - 1.0; // the last element in front: a sample at an element has all its weight behind
  Table offset = table(rewriter.createOrFold<IotaOp>(loc, 0, count, compute)) + number(first);
  Table position = column(before, 1) + offset, distance = offset - column(at - before, 1);
  if (op.getAntialias())
    distance = distance * min(scale(axis), distance.like(1.0));
  Table weight = weights(distance);
  if (op.getExcludeOutside()) {
    Table last = number(extent(axis)) - 1.0;
    Table isOutside = either(position < 0.0, last.compare(CompareDirection::Lt, position));
    weight = isOutside.select(weight.like(0.0), weight);
  }
  if (op.getAntialias() || op.getExcludeOutside()) {
    Table sum =
        weight.make<ReduceOp>(ReduceKind::Sum, weight.value(), ArrayRef<int64_t>{1}, /*keepdims=*/true);
    weight = weight / equal(sum, 0.0).select(sum.like(1.0), sum);
  }
  Extents shape = tensor::getMixedSizes(rewriter, loc, weight.value());
  shape.append(rank - axis - 1, math.constant(1));
  Value elements = rewriter.create<GatherOp>(loc, x, indices(position, axis), axis);
  Value products = rewriter.create<MulOp>(loc, elements, weight.reshape(shape).value());
  return rewriter.create<ReduceOp>(loc, ReduceKind::Sum, products, ArrayRef<int64_t>{axis + 1},
                                   /*keepdims=*/false);
}

/// Each element of axis `i` `counts[i]` times.
Value Sampler::repeated(Value x, ArrayRef<int64_t> counts) {
  Extents split, wide, whole = tensor::getMixedSizes(rewriter, loc, x);
  for (auto [extent, count] : llvm::zip_equal(whole, counts)) {
    split.push_back(extent);
    wide.push_back(extent);
    if (count == 1)
      continue;
    split.push_back(math.constant(1));
    wide.push_back(math.constant(count));
    extent = math.mul(extent, math.constant(count));
  }
  Value apart = rewriter.create<ReshapeOp>(loc, x, split);
  return rewriter.create<ReshapeOp>(loc, rewriter.create<BroadcastOp>(loc, apart, wide), whole);
}

Value Sampler::run() {
  bool isNearest = op.getMode() == ResizeMode::Nearest;
  Value x = op.getX();
  SmallVector<int64_t> axes, counts(rank, 1);
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (isIdentity(axis))
      continue;
    if (std::optional<int64_t> count = repeats(axis))
      counts[axis] = *count;
    else
      axes.push_back(axis);
  }
  // What makes the tensor smaller comes first.
  auto ratio = [&](int64_t axis) { return std::pair(knownScale(axis).value_or(1), axis); };
  llvm::sort(axes, [&](int64_t a, int64_t b) { return ratio(a) < ratio(b); });
  if (!isNearest && !axes.empty() && element != compute)
    x = rewriter.create<ConvertOp>(loc, x, compute);
  SmallVector<std::pair<int64_t, Table>> outside;
  for (int64_t axis : axes) {
    Table at = coordinates(axis);
    if (op.getRoi()) {
      Table last = number(extent(axis)) - 1.0;
      outside.emplace_back(axis, either(at < 0.0, last.compare(CompareDirection::Lt, at)));
    }
    x = isNearest ? rewriter.create<GatherOp>(loc, x, indices(nearest(at), axis), axis).getResult()
                  : interpolated(x, axis, at);
  }
  if (llvm::any_of(counts, [](int64_t count) { return count != 1; }))
    x = repeated(x, counts);
  Type now = tensorType(x).getElementType();
  if (!isNearest && isa<IntegerType>(element) && now != element)
    x = rewriter.create<RoundOp>(loc, x);
  if (now != element)
    x = rewriter.create<ConvertOp>(loc, x, element);
  for (auto &[axis, isOutside] : outside) {
    Table filling = number(math.constant(0)).like(op.getExtrapolation().convertToDouble()).convert(element);
    x = rewriter.create<SelectOp>(loc, column(isOutside, rank - axis - 1).value(), filling.value(), x);
  }
  return x;
}

struct ExpandResize final : OpRewritePattern<ResizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ResizeOp op, PatternRewriter &rewriter) const override {
    Value result = Sampler(rewriter, op).run();
    if (result.getType() != op.getType())
      result = rewriter.create<tensor::CastOp>(op.getLoc(), op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void populateExpandResize(RewritePatternSet &patterns) { patterns.add<ExpandResize>(patterns.getContext()); }

} // namespace kiln
