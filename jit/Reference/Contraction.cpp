// Contraction.cpp: matmul, conv and pooling as their sums are written.
#include "jit/Reference/Accumulator.h"
#include "jit/Reference/Reference.h"

#include "jit/Diagnostics.h"
#include "kiln/IR/Kiln.h"

#include <limits>

using namespace mlir;

namespace kiln::reference {
namespace {

/// A sum of products, in doubles or in wrapping integers.
struct ProductSum {
  Accumulator floats;
  uint64_t integers = 0;

  /// Begins with an element of a bias.
  void start(const Tensor &bias, int64_t i) {
    if (bias.isFloat())
      floats.add(bias.values[i], bias.error(i));
    else
      integers = static_cast<uint64_t>(bias.integers[i]);
  }
  void add(const Tensor &a, int64_t i, const Tensor &b, int64_t j) {
    if (a.isFloat())
      floats.addProduct(a, i, b, j);
    else
      integers += static_cast<uint64_t>(a.integers[i]) * static_cast<uint64_t>(b.integers[j]);
  }
  void store(Tensor &result, int64_t position) const {
    if (result.isFloat())
      result.set(position, floats.value(),
                 floats.error(result.element) + lastRounding(result.element, floats.value()));
    else
      result.set(position, static_cast<int64_t>(integers));
  }
};

Result<Tensor> matmul(const Call &call) {
  auto op = cast<MatmulOp>(call.op);
  const Tensor &a = call.tensor(0), &b = call.tensor(1);
  Shape sa = a.shape, sb = b.shape;
  bool rowA = sa.size() == 1, columnB = sb.size() == 1;
  if (rowA)
    sa.insert(sa.begin(), 1);
  if (columnB)
    sb.push_back(1);
  Shape strideA = stridesOf(sa), strideB = stridesOf(sb);
  size_t ra = sa.size(), rb = sb.size();
  int64_t m = sa[ra - 2], k = sa[ra - 1], kb = sb[rb - 2], n = sb[rb - 1];
  int64_t am = strideA[ra - 2], ak = 1, bk = strideB[rb - 2], bn = 1;
  if (op.getTransA())
    std::swap(m, k), std::swap(am, ak);
  if (op.getTransB())
    std::swap(kb, n), std::swap(bk, bn);
  if (k != kb)
    return jit::invalidArgument("contracted extents " + Twine(k) + " and " + Twine(kb) + " differ");
  ArrayRef<int64_t> batchA = ArrayRef(sa).drop_back(2), batchB = ArrayRef(sb).drop_back(2);
  Shape batch(std::max(batchA.size(), batchB.size()), 1);
  for (ArrayRef<int64_t> other : {batchA, batchB})
    for (size_t i = 0; i < other.size(); ++i) {
      int64_t &extent = batch[batch.size() - other.size() + i];
      extent = extent == 1 ? other[i] : extent;
    }
  Shape shape = batch;
  if (!rowA)
    shape.push_back(m);
  if (!columnB)
    shape.push_back(n);
  Tensor result(call.element(), shape);
  forEachIndex(batch, [&](ArrayRef<int64_t> index, int64_t position) {
    int64_t baseA = broadcastPosition(batchA, index) * sa[ra - 2] * sa[ra - 1];
    int64_t baseB = broadcastPosition(batchB, index) * sb[rb - 2] * sb[rb - 1];
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        ProductSum sum;
        for (int64_t l = 0; l < k; ++l)
          sum.add(a, baseA + i * am + l * ak, b, baseB + l * bk + j * bn);
        sum.store(result, (position * m + i) * n + j);
      }
  });
  return result;
}

/// The window of conv and pooling. `at` gives the position in the input's spatial part of a window's element,
/// or -1 in the padding.
struct Window {
  ArrayRef<int64_t> spatial;
  Shape kernel;
  ArrayRef<int64_t> strides, pads, dilations;
  bool ceilMode = false;

  int64_t paddedExtent(size_t axis) const { return spatial[axis] + pads[axis] + pads[spatial.size() + axis]; }
  Shape outputExtents() const {
    Shape extents;
    for (size_t axis = 0; axis < spatial.size(); ++axis) {
      int64_t room = paddedExtent(axis) - ((kernel[axis] - 1) * dilations[axis] + 1);
      int64_t count = room < 0 ? 0 : (room + (ceilMode ? strides[axis] - 1 : 0)) / strides[axis] + 1;
      if (ceilMode && room >= 0 && (count - 1) * strides[axis] >= spatial[axis] + pads[axis])
        --count;
      extents.push_back(count);
    }
    return extents;
  }
  int64_t coordinate(size_t axis, int64_t output, int64_t tap) const {
    return output * strides[axis] + tap * dilations[axis] - pads[axis];
  }
  int64_t at(ArrayRef<int64_t> output, ArrayRef<int64_t> tap) const {
    int64_t position = 0;
    for (size_t axis = 0; axis < spatial.size(); ++axis) {
      int64_t x = coordinate(axis, output[axis], tap[axis]);
      if (x < 0 || x >= spatial[axis])
        return -1;
      position = position * spatial[axis] + x;
    }
    return position;
  }
};

/// Lets the rows of results be anything whose windows meet an infinite or NaN element of their image: sums
/// may have products of it by zeros, which make NaN, where filters are joined, or brought into phases.
/// `meets(axis, p, j)`: whether the window of place p holds place j of the input.
void freeOfSpecials(Tensor &result, const Tensor &x,
                    llvm::function_ref<bool(size_t axis, int64_t p, int64_t j)> meets) {
  if (!x.isFloat())
    return;
  Shape from{x.shape[0]}, to{x.shape[0]}; // rows
  from.append(x.shape.begin() + 2, x.shape.end() - 1);
  to.append(result.shape.begin() + 2, result.shape.end() - 1);
  int64_t rows = elementCount(from) / std::max<int64_t>(1, x.shape[0]), width = x.shape.back();
  std::vector<bool> isSpecial(static_cast<size_t>(elementCount(from)));
  for (int64_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x.values[i]))
      isSpecial[i / (width * rows * x.shape[1]) * rows + i / width % rows] = true;
  int64_t outWidth = result.shape.back();
  int64_t outRows = elementCount(to) / std::max<int64_t>(1, x.shape[0]);
  forEachIndex(from, [&](ArrayRef<int64_t> j, int64_t row) {
    if (!isSpecial[row])
      return;
    forEachIndex(to, [&](ArrayRef<int64_t> p, int64_t outRow) {
      bool isMet = p[0] == j[0];
      for (size_t axis = 1; axis < p.size() && isMet; ++axis)
        isMet = meets(axis - 1, p[axis], j[axis]);
      for (int64_t o = 0; o < result.shape[1] && isMet; ++o)
        for (int64_t i = 0; i < outWidth; ++i) {
          int64_t at = ((p[0] * result.shape[1] + o) * outRows + outRow % outRows) * outWidth + i;
          result.set(at, result.values[at], INFINITY);
        }
    });
  });
}

/// Lets a channel of results be anything: its filter holds infinities or NaN, which pads may make NaN.
void freeChannel(Tensor &result, int64_t channel) {
  int64_t channels = result.shape[1], pixels = elementCount(ArrayRef(result.shape).drop_front(2));
  for (int64_t i = 0; i < result.size(); ++i)
    if (i / pixels % channels == channel)
      result.set(i, result.values[i], INFINITY);
}

Result<Tensor> conv(const Call &call) {
  auto op = cast<ConvOp>(call.op);
  const Tensor &x = call.tensor(0), &w = call.tensor(1);
  const Tensor *bias = call.find(op.getBias());
  Window window{ArrayRef(x.shape).drop_front(2), Shape(ArrayRef(w.shape).drop_front(2)), op.getStrides(),
                op.getPads(), op.getDilations()};
  Shape output = window.outputExtents();
  int64_t groups = op.getGroups(), channels = w.shape[1], perGroup = w.shape[0] / groups;
  Shape shape{x.shape[0], w.shape[0]};
  shape.append(output);
  Tensor result(call.element(), shape);
  int64_t inputPixels = elementCount(window.spatial), taps = elementCount(window.kernel),
          pixels = elementCount(output);
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t o = 0; o < shape[1]; ++o)
      forEachIndex(output, [&](ArrayRef<int64_t> p, int64_t pixel) {
        ProductSum sum;
        if (bias)
          sum.start(*bias, o);
        forEachIndex(window.kernel, [&](ArrayRef<int64_t> q, int64_t tap) {
          int64_t at = window.at(p, q);
          for (int64_t i = 0; i < channels && at >= 0; ++i)
            sum.add(x, (n * x.shape[1] + o / perGroup * channels + i) * inputPixels + at, w,
                    (o * channels + i) * taps + tap);
        });
        sum.store(result, (n * shape[1] + o) * pixels + pixel);
      });
  freeOfSpecials(result, x, [&](size_t axis, int64_t p, int64_t j) {
    int64_t behind = j + op.getPads()[axis] - p * op.getStrides()[axis];
    return behind >= 0 && behind <= (window.kernel[axis] - 1) * op.getDilations()[axis];
  });
  for (int64_t i = 0; i < w.size(); ++i)
    if (w.isFloat() && !std::isfinite(w.values[i]))
      freeChannel(result, i / (channels * taps));
  return result;
}

/// As it is defined: every element of x is spread over a window of the result (ONNX: ConvTranspose).
Result<Tensor> convTranspose(const Call &call) {
  auto op = cast<ConvTransposeOp>(call.op);
  const Tensor &x = call.tensor(0), &w = call.tensor(1);
  const Tensor *bias = call.find(op.getBias());
  ArrayRef<int64_t> spatial = ArrayRef(x.shape).drop_front(2), kernel = ArrayRef(w.shape).drop_front(2);
  size_t axes = spatial.size();
  int64_t perGroup = w.shape[1], groups = op.getGroups(), channels = x.shape[1];
  Shape output;
  for (size_t axis = 0; axis < axes; ++axis)
    output.push_back((spatial[axis] - 1) * op.getStrides()[axis] +
                     (kernel[axis] - 1) * op.getDilations()[axis] + 1 - op.getPads()[axis] -
                     op.getPads()[axes + axis] + op.getOutputPadding()[axis]);
  Shape shape{x.shape[0], perGroup * groups};
  shape.append(output);
  KILN_RETURN_IF_ERROR(checkSize(shape));
  Tensor result(call.element(), shape);
  std::vector<ProductSum> sums(static_cast<size_t>(result.size()));
  int64_t pixels = elementCount(output), inputPixels = elementCount(spatial), taps = elementCount(kernel);
  for (int64_t plane = 0; plane < shape[0] * shape[1]; ++plane)
    for (int64_t p = 0; p < pixels && bias; ++p)
      sums[plane * pixels + p].start(*bias, plane % shape[1]);
  Shape strides = stridesOf(output);
  for (int64_t n = 0; n < x.shape[0]; ++n)
    for (int64_t c = 0; c < channels; ++c)
      forEachIndex(spatial, [&](ArrayRef<int64_t> j, int64_t from) {
        forEachIndex(kernel, [&](ArrayRef<int64_t> q, int64_t tap) {
          int64_t to = 0;
          for (size_t axis = 0; axis < axes; ++axis) {
            int64_t place =
                j[axis] * op.getStrides()[axis] + q[axis] * op.getDilations()[axis] - op.getPads()[axis];
            if (place < 0 || place >= output[axis])
              return;
            to += place * strides[axis];
          }
          for (int64_t o = 0; o < perGroup; ++o)
            sums[(n * shape[1] + c / (channels / groups) * perGroup + o) * pixels + to].add(
                x, (n * channels + c) * inputPixels + from, w, (c * perGroup + o) * taps + tap);
        });
      });
  for (int64_t position = 0; position < result.size(); ++position)
    sums[position].store(result, position);
  freeOfSpecials(result, x, [&](size_t axis, int64_t p, int64_t j) {
    int64_t behind = p + op.getPads()[axis] - j * op.getStrides()[axis];
    return behind >= 0 && behind < (kernel[axis] - 1) * op.getDilations()[axis] + op.getStrides()[axis];
  });
  for (int64_t i = 0; i < w.size(); ++i)
    if (w.isFloat() && !std::isfinite(w.values[i]))
      freeChannel(result, i / taps / perGroup / (channels / groups) * perGroup + i / taps % perGroup);
  return result;
}

double lowest(Type type) { return type.isFloat8E4M3FN() ? -448 : -INFINITY; }
int64_t lowestInteger(Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  return type.isUnsignedInteger() ? 0 : width == 64 ? INT64_MIN : -(int64_t{1} << (width - 1));
}

template <typename Op> Result<Tensor> pool(const Call &call) {
  auto op = cast<Op>(call.op);
  const Tensor &x = call.tensor(0);
  Window window{ArrayRef(x.shape).drop_front(2),
                Shape(op.getKernel()),
                op.getStrides(),
                op.getPads(),
                op.getDilations(),
                op.getCeilMode()};
  Shape output = window.outputExtents(), shape{x.shape[0], x.shape[1]};
  shape.append(output);
  Tensor result(call.element(), shape);
  int64_t inputPixels = elementCount(window.spatial), pixels = elementCount(output);
  for (int64_t plane = 0; plane < shape[0] * shape[1]; ++plane)
    forEachIndex(output, [&](ArrayRef<int64_t> p, int64_t pixel) {
      Accumulator sum;
      double largest = lowest(x.element), largestError = 0;
      int64_t largestInteger = lowestInteger(x.element), padded = 0;
      forEachIndex(window.kernel, [&](ArrayRef<int64_t> q, int64_t) {
        int64_t at = window.at(p, q);
        bool inPadded = true;
        for (size_t axis = 0; axis < output.size(); ++axis)
          inPadded &=
              window.coordinate(axis, p[axis], q[axis]) < window.paddedExtent(axis) - window.pads[axis];
        padded += inPadded;
        if (at < 0)
          return;
        int64_t position = plane * inputPixels + at;
        if (!x.isFloat()) {
          bool isLarger = x.isUnsigned() ? static_cast<uint64_t>(x.integers[position]) >
                                               static_cast<uint64_t>(largestInteger)
                                         : x.integers[position] > largestInteger;
          largestInteger = isLarger ? x.integers[position] : largestInteger;
          return;
        }
        double value = x.values[position];
        sum.add(value, x.error(position));
        largestError = std::max(largestError, x.error(position));
        largest = std::isnan(value) || std::isnan(largest) ? NAN : std::max(largest, value);
      });
      int64_t position = plane * pixels + pixel;
      if constexpr (std::is_same_v<Op, AvgPoolOp>) {
        auto count = static_cast<double>(op.getCountIncludePad() ? padded : sum.terms());
        double mean = sum.value() / count;
        result.set(position, mean, sum.error(x.element) / count + ulp(x.element, roundTo(x.element, mean)));
      } else if (x.isFloat()) {
        result.set(position, largest, largestError);
      } else {
        result.set(position, largestInteger);
      }
    });
  return result;
}

constexpr Family::Entry kContractionEntries[] = {
    {"kiln.matmul", matmul},
    {"kiln.conv", conv},
    {"kiln.conv_transpose", convTranspose},
    {"kiln.max_pool", pool<MaxPoolOp>},
    {"kiln.avg_pool", pool<AvgPoolOp>},
};

} // namespace

Family contractionFamily() { return {kContractionEntries}; }

} // namespace kiln::reference
