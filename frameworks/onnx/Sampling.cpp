// Sampling.cpp: elements gathered around positions that are data, axis by axis, and weighed.
#include "frameworks/onnx/Sampling.h"

using namespace mlir;

namespace kiln::onnx {

/// The type that positions and weights are computed in.
Type computeType(Formula &f, Type element) { return element.isF64() ? element : f.f32(); }

namespace {

// ---- Along one axis --------------------------------------------------------------------------------------

/// Positions along one axis and what is taken there. Refers to the formula.
class Line {
public:
  Line(Formula &f, Extent extent, const Sampling &sampling, Type element)
      : f(f), sampling(sampling), extent(number(f, extent, element)),
        least(this->extent.like(sampling.alignCorners ? 0 : -0.5)),
        most(this->extent - (sampling.alignCorners ? 1.0 : 0.5)) {}

  /// The elements around `position`, [b, p], as [b, p, t]; weights are 0 where there is none.
  Taps around(Term position);

private:
  int64_t count() const { return sampling.interpolation == Interpolation::Linear ? 2 : 4; }
  Term clamped(Term x) const { return max(min(x, extent - 1.0), 0); }
  /// Mirrored at the borders until it lies between them.
  Term reflected(Term x) const {
    Term range = most - least, beyond = rem((x - least).make<AbsOp>(), range * 2.0);
    return least + where(beyond.is("gt", range), range * 2.0 - beyond, beyond);
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
  return where(d.is("le", 1), near, where(d.is("lt", 2), far, d.like(0)));
}

Taps Line::around(Term position) {
  if (sampling.interpolation == Interpolation::Nearest)
    position = position.make<RoundOp>();
  if (sampling.outside != Outside::Zeros) {
    Term moved = sampling.outside == Outside::Border ? clamped(position) : reflected(position);
    position = where(position.is("ge", least) & position.is("le", most), position, moved);
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
    weight = where(index.is("ge", 0) & index.is("lt", extent), weight, index.like(0));
  return {clamped(index), weight};
}

} // namespace

// ---- Along all axes --------------------------------------------------------------------------------------

Taps tapsAround(Formula &f, ArrayRef<Extent> spatial, ArrayRef<Term> positions, const Sampling &sampling,
                Type compute) {
  IndexMath &math = f.build.math();
  Taps all{{&f, {}}, {&f, {}}};
  for (auto [i, extent] : llvm::enumerate(spatial)) {
    Taps taps = Line(f, extent, sampling, compute).around(positions[i]);
    if (!f.ok())
      return all;
    // [b, p, t] as [b, p, 1.., t, ..1]
    auto aligned = [&, i = i](Term term) {
      Extents own = f.shape(term.value), sizes(2 + spatial.size(), f.constant(1));
      for (size_t k : {size_t(0), size_t(1)})
        sizes[k] = own[k];
      sizes[2 + i] = own[2];
      return term.reshape(sizes);
    };
    Term step = number(f, math.product(spatial.drop_front(i + 1)), f.i64());
    Term offset = aligned(taps.index.convert(f.i64())) * step, by = aligned(taps.weight);
    all.index = all.index.value ? all.index + offset : offset;
    all.weight = all.weight.value ? all.weight * by : by;
  }
  Extents own = f.shape(all.index.value);
  if (!f.ok())
    return all;
  Extents flat{own[0], own[1], math.product(ArrayRef(own).drop_front(2))};
  return {all.index.reshape(flat), all.weight.broadcast(own).reshape(flat)};
}

Taps inWholeBatch(Formula &f, Taps taps, Extent places) {
  if (!f.ok())
    return taps;
  Term image{&f, f.iota(f.i64(), {f.dim(taps.index.value, 0), f.constant(1), f.constant(1)}, 0)};
  return {taps.index + image * number(f, places, f.i64()), taps.weight};
}

Value rowsOfChannels(Formula &f, Value images) {
  Extents shape = f.shape(images);
  if (!f.ok())
    return {};
  SmallVector<int64_t> order{0};
  for (int64_t i = 2, rank = shape.size(); i < rank; ++i)
    order.push_back(i);
  order.push_back(1);
  Extent channels = shape[1];
  shape.erase(shape.begin() + 1);
  return f.reshape(f.transpose(images, order), {f.build.math().product(shape), channels});
}

/// `elements` times `weight`, which is 0 where nothing is.
static Term weighed(Term elements, Term weight, bool skipsZeros) {
  Term products = elements * weight;
  return skipsZeros ? where(weight.is("eq", 0), products.like(0), products) : products;
}

Term weighedRows(Formula &f, Value rows, Taps taps, bool skipsZeros) {
  Type compute = f.elementType(taps.weight.value);
  Term elements{&f, f.make<GatherOp>({rows, taps.index.value}, {f.build.integer("axis", 0)})};
  Term weight{&f, f.unsqueeze(taps.weight.value, 3)};
  return weighed(elements.convert(compute), weight, skipsZeros);
}

bool prefersRows(Extent channels) {
  constexpr int64_t kLeastRow = 8; // a vector of f32
  return IndexMath::known(channels).value_or(0) >= kLeastRow;
}

Term sample(Formula &f, Value images, ArrayRef<Term> positions, const Sampling &sampling) {
  Extents shape = f.shape(images);
  if (!f.ok())
    return {&f, {}};
  ArrayRef<Extent> spatial = ArrayRef(shape).drop_front(2);
  Extent places = f.build.math().product(spatial), one = f.constant(1);
  Type compute = computeType(f, f.elementType(images));
  Taps taps = tapsAround(f, spatial, positions, sampling, compute);
  bool skipsZeros = sampling.outside == Outside::Zeros;
  if (prefersRows(shape[1])) {
    Term products = weighedRows(f, rowsOfChannels(f, images), inWholeBatch(f, taps, places), skipsZeros);
    Term sums = products.of(f.reduce(ReduceKind::Sum, products.value, 2, /*keepdims=*/false));
    return sums.of(f.transpose(sums.value, {0, 2, 1}));
  }
  Extents own = f.shape(taps.index.value);
  if (!f.ok())
    return {&f, {}};
  Value flat = f.reshape(images, {shape[0], shape[1], places});
  Term at = taps.index.reshape({own[0], f.build.math().mul(own[1], own[2])});
  Term elements{
      &f, f.make<GatherOp>({flat, at.value}, {f.build.integer("axis", 2), f.build.integer("batch_dims", 1)})};
  elements = elements.convert(compute).reshape({own[0], shape[1], own[1], own[2]});
  Term products = weighed(elements, taps.weight.reshape({own[0], one, own[1], own[2]}), skipsZeros);
  return products.of(f.reduce(ReduceKind::Sum, products.value, 3, /*keepdims=*/false));
}

} // namespace kiln::onnx
