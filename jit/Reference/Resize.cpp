// Resize.cpp: each element of the result by itself: the elements of x that it samples along each axis,
// weighed (ONNX: Resize, with the coordinate rules, kernels and `exclude_outside` of its specification; Keys:
// Cubic Convolution Interpolation for Digital Image Processing, 1981).
//
// Coordinates are computed twice: as an implementation does, in f32 (f64 for f64), and in extended precision.
// Where the two differ and a decision hangs on it, either outcome is right.
#include "jit/Reference/Accumulator.h"
#include "jit/Reference/Reference.h"

#include "jit/Diagnostics.h"
#include "kiln/IR/Kiln.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace kiln::reference {
namespace {

/// An element along an axis and its weight.
struct Tap {
  int64_t index;
  double weight;
};

/// What element `i` of the result takes along one axis.
struct Sample {
  std::vector<Tap> taps, below, above; // the last two: if the coordinate is off
  bool isOutside = false, isUncertain = false;
};

/// One axis of a resize.
struct Axis {
  mutable ResizeOp op;              // a handle whose accessors are not const
  int64_t extent = 0, size = 0;     // of x and of the result
  std::optional<double> scaleGiven; // f32
  double start = 0, end = 1;        // of the region

  /// Where element `i` samples, computed in T.
  template <typename T> T coordinate(int64_t i) const {
    T n = static_cast<T>(extent), m = static_cast<T>(size), at = static_cast<T>(i), half = T(0.5), one = 1;
    T s = scaleGiven ? static_cast<T>(*scaleGiven) : m / n;
    T w = scaleGiven ? s * n : m;
    T from = static_cast<T>(start), to = static_cast<T>(end);
    switch (op.getCoordinates()) {
    case ResizeCoordinates::HalfPixel:
      return (at + half) / s - half;
    case ResizeCoordinates::PytorchHalfPixel:
      return w == one ? -half : (at + half) / s - half;
    case ResizeCoordinates::HalfPixelSymmetric:
      return (at + half) / s - half + n / 2 * (one - m / w);
    case ResizeCoordinates::TfHalfPixelForNn:
      return (at + half) / s;
    case ResizeCoordinates::Asymmetric:
      return at / s;
    case ResizeCoordinates::AlignCorners:
      return w == one ? 0 : at * (n - one) / (w - one);
    case ResizeCoordinates::TfCropAndResize:
      return w == one ? (from + to) / 2 * (n - one)
                      : from * (n - one) + at * (to - from) * (n - one) / (w - one);
    }
    return 0;
  }
  double scale() const {
    return scaleGiven ? *scaleGiven : static_cast<double>(size) / static_cast<double>(extent);
  }

  int64_t inside(double index) const {
    return static_cast<int64_t>(std::clamp(index, 0.0, static_cast<double>(extent - 1)));
  }
  double nearest(double at) const {
    switch (op.getRounding()) {
    case ResizeRounding::RoundPreferFloor:
      return std::ceil(at - 0.5);
    case ResizeRounding::RoundPreferCeil:
      return std::floor(at + 0.5);
    case ResizeRounding::Floor:
      return std::floor(at);
    case ResizeRounding::Ceil:
      return std::ceil(at);
    }
    return at;
  }
  double kernel(double distance) const {
    double d = std::fabs(distance), a = op.getCubicCoefficient().convertToDouble();
    if (op.getMode() == ResizeMode::Linear)
      return std::fmax(0, 1 - d);
    if (d <= 1)
      return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
  }
  std::vector<Tap> taps(double at) const {
    if (op.getMode() == ResizeMode::Nearest)
      return {{inside(nearest(at)), 1}};
    double squeeze = op.getAntialias() ? std::fmin(scale(), 1) : 1;
    double reach = (op.getMode() == ResizeMode::Linear ? 1 : 2) / squeeze, sum = 0;
    std::vector<Tap> result;
    for (double index = std::floor(at - reach); index <= std::ceil(at + reach); ++index) {
      double weight = kernel((index - at) * squeeze);
      // The kernel's polynomials may leave a trace where it is zero.
      if ((weight == 0 && op.getMode() == ResizeMode::Linear) ||
          (op.getExcludeOutside() && (index < 0 || index >= static_cast<double>(extent))))
        continue;
      sum += weight;
      result.push_back({inside(index), weight});
    }
    if ((op.getAntialias() || op.getExcludeOutside()) && sum != 0)
      for (Tap &tap : result)
        tap.weight /= sum;
    return result;
  }

  Sample sample(int64_t i, bool isDouble) const {
    auto exact = coordinate<long double>(i);
    double rounded = isDouble ? coordinate<double>(i) : coordinate<float>(i);
    auto at = static_cast<double>(exact);
    // Another order of operations may be off as much.
    double slack = rounded == at
                       ? 0
                       : 4 * std::fabs(rounded - at) + (isDouble ? 0x1p-51 : 0x1p-22) *
                                                           (std::fabs(at) + static_cast<double>(extent > 1));
    Sample result;
    result.taps = taps(rounded);
    result.below = taps(rounded - slack), result.above = taps(rounded + slack);
    if (op.getMode() == ResizeMode::Nearest)
      result.isUncertain = result.below[0].index != result.above[0].index;
    if (op.getCoordinates() == ResizeCoordinates::TfCropAndResize) {
      auto last = static_cast<double>(extent - 1);
      result.isOutside = rounded < 0 || rounded > last;
      auto isNear = [&](double bound) { return slack > 0 && std::fabs(rounded - bound) <= slack; };
      result.isUncertain |= isNear(0) || isNear(last);
    }
    return result;
  }
};

/// The sum over all taps of all axes; `moved`: the axis that takes its taps from `of` instead; `largest`: is
/// set to the largest element that counts.
Accumulator total(const Tensor &x, ArrayRef<Sample> samples, size_t moved = ~size_t{0},
                  std::vector<Tap> Sample::*of = nullptr, double *largest = nullptr) {
  Accumulator sum;
  Shape counts, strides = stridesOf(x.shape);
  auto tapsOf = [&](size_t axis) -> const std::vector<Tap> & {
    return axis == moved ? samples[axis].*of : samples[axis].taps;
  };
  for (size_t axis = 0; axis < samples.size(); ++axis)
    counts.push_back(static_cast<int64_t>(tapsOf(axis).size()));
  forEachIndex(counts, [&](ArrayRef<int64_t> index, int64_t) {
    double weight = 1;
    int64_t from = 0;
    for (size_t axis = 0; axis < samples.size(); ++axis) {
      const Tap &tap = tapsOf(axis)[index[axis]];
      weight *= tap.weight;
      from += tap.index * strides[axis];
    }
    sum.add(weight * x.number(from), std::fabs(weight) * x.error(from));
    if (largest && std::isfinite(x.number(from)))
      *largest = std::max(*largest, std::fabs(x.number(from)));
  });
  return sum;
}

void store(ResizeOp op, const Tensor &x, ArrayRef<Sample> samples, Tensor &result, int64_t position) {
  bool isUncertain = llvm::any_of(samples, [](const Sample &sample) { return sample.isUncertain; });
  double value = 0, error = isUncertain ? INFINITY : 0;
  if (llvm::any_of(samples, [](const Sample &sample) { return sample.isOutside; })) {
    value = op.getExtrapolation().convertToDouble();
  } else if (op.getMode() == ResizeMode::Nearest) {
    int64_t from = 0;
    for (auto [sample, stride] : llvm::zip_equal(samples, stridesOf(x.shape)))
      from += sample.taps[0].index * stride;
    result.copy(position, x, from);
    if (isUncertain && result.isFloat())
      result.set(position, x.values[from], INFINITY);
    else if (isUncertain)
      result.set(position, x.integers[from], INFINITY);
    return;
  } else {
    double largest = 0;
    Accumulator sum = total(x, samples, ~size_t{0}, nullptr, &largest);
    value = sum.value();
    constexpr double kRoundingsAnAxis = 16; // of distances, weights and their sums
    error += sum.error(x.element) + kRoundingsAnAxis * static_cast<double>(samples.size()) *
                                        accumulatorEpsilon(x.element) * sum.absolute();
    // A weight of the cubic kernel is a sum of terms up to 6, whatever is left of them.
    constexpr double kCubicRoundings = 24;
    if (op.getMode() == ResizeMode::Cubic)
      error +=
          kCubicRoundings * static_cast<double>(samples.size()) * accumulatorEpsilon(x.element) * largest;
    for (size_t axis = 0; axis < samples.size(); ++axis) {
      double most = 0;
      for (auto of : {&Sample::below, &Sample::above})
        most = std::max(most, std::fabs(total(x, samples, axis, of).value() - value));
      error += std::isnan(most) ? 0 : most;
    }
  }
  if (result.isFloat())
    return result.set(position, value, error + lastRounding(result.element, value));
  // Rounded, halves to even, and saturated; what is near a half may go either way.
  unsigned width = result.element.getIntOrFloatBitWidth();
  bool isUnsigned = result.isUnsigned();
  double highest = std::ldexp(1, static_cast<int>(isUnsigned ? width : width - 1));
  double lowest = isUnsigned ? 0 : -highest, whole = std::nearbyint(value);
  double off =
      std::fabs(std::fabs(value - std::floor(value)) - 0.5) <= error ? std::ceil(error) : std::floor(error);
  if (whole >= highest) {
    auto bits = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    return result.set(position, static_cast<int64_t>(isUnsigned ? bits : bits >> 1), off);
  }
  if (whole <= lowest)
    return result.set(position, static_cast<int64_t>(lowest), off);
  result.set(position,
             isUnsigned ? static_cast<int64_t>(static_cast<uint64_t>(whole)) : static_cast<int64_t>(whole),
             off);
}

Result<Tensor> resize(const Call &call) {
  auto op = cast<ResizeOp>(call.op);
  const Tensor &x = call.tensor(0), *scales = call.find(op.getScales()), *roi = call.find(op.getRoi());
  Shape shape = call.list(op.getStaticSizes(), op.getSizes());
  KILN_RETURN_IF_ERROR(checkSize(shape));
  std::vector<std::vector<Sample>> samples; // by axis, then by element
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    Axis one{op, x.shape[axis], shape[axis], std::nullopt, 0, 1};
    if (scales)
      one.scaleGiven = scales->values[axis];
    if (roi)
      one.start = roi->values[axis], one.end = roi->values[x.rank() + axis];
    samples.emplace_back();
    for (int64_t i = 0; i < shape[axis] && one.extent > 0; ++i)
      samples.back().push_back(one.sample(i, x.element.isF64()));
  }
  Tensor result(call.element(), shape);
  std::vector<Sample> own(static_cast<size_t>(x.rank()));
  forEachIndex(shape, [&](ArrayRef<int64_t> index, int64_t position) {
    for (size_t axis = 0; axis < own.size(); ++axis)
      own[axis] = samples[axis][index[axis]];
    store(op, x, own, result, position);
  });
  return result;
}

constexpr Family::Entry kResizeEntries[] = {{"kiln.resize", resize}};

} // namespace

Family resizeFamily() { return {kResizeEntries}; }

} // namespace kiln::reference
