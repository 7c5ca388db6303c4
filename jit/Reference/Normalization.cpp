// Normalization.cpp: softmax and the norms. Their errors: of the sums behind them, of the differences that
// they take, and of what the operands may be off by.
#include "jit/Reference/Accumulator.h"
#include "jit/Reference/Reference.h"

#include "kiln/IR/Kiln.h"

using namespace mlir;

namespace kiln::reference {
namespace {

/// `log` of the result too, if it is log_softmax.
template <bool isLog> Result<Tensor> softmax(const Call &call) {
  const Tensor &x = call.tensor(0);
  int64_t axis = fromFront(call.op->getAttrOfType<IntegerAttr>("axis").getInt(), x.rank());
  int64_t length = x.shape[axis], inner = stridesOf(x.shape)[axis];
  double epsilon = accumulatorEpsilon(x.element);
  Tensor result(call.element(), x.shape);
  for (int64_t line = 0; length > 0 && line < x.size() / length; ++line) {
    int64_t base = line / inner * length * inner + line % inner;
    double largest = -INFINITY, operandError = 0;
    bool hasNan = false;
    for (int64_t i = 0; i < length; ++i) {
      largest = std::max(largest, x.values[base + i * inner]);
      operandError = std::max(operandError, x.error(base + i * inner));
      hasNan |= std::isnan(x.values[base + i * inner]);
    }
    hasNan |= std::isinf(largest);
    Accumulator sum;
    double worst = 0; // relative error of any exponential that counts
    for (int64_t i = 0; i < length && !hasNan; ++i) {
      double difference = x.values[base + i * inner] - largest, part = std::exp(difference);
      sum.add(part);
      if (part > epsilon)
        worst = std::max(worst, epsilon * std::fabs(difference));
    }
    double relative = 16 * epsilon + worst + sum.error(x.element) / sum.absolute() + 2 * operandError;
    for (int64_t i = 0; i < length; ++i) {
      double difference = x.values[base + i * inner] - largest;
      double own = std::isinf(difference) ? 0 : epsilon * std::fabs(difference);
      double value, error;
      if constexpr (isLog) {
        value = hasNan ? NAN : difference - std::log(sum.value());
        error = std::isinf(value)
                    ? 0
                    : relative + 8 * epsilon * (std::fabs(difference) + std::fabs(std::log(sum.value())));
      } else {
        value = hasNan ? NAN : std::exp(difference) / sum.value();
        // What is tiny may be flushed to zero.
        error = value * (relative + own) + (x.element.isF64() ? 0x1p-1022 : 0x1p-126);
      }
      error = std::isinf(operandError) ? INFINITY : error + lastRounding(x.element, value);
      result.set(base + i * inner, value, error);
    }
  }
  return result;
}

/// Mean and variance of a set of elements, and how well they can be known.
struct Moments {
  double mean = 0, variance = 0, meanAbsolute = 0, relative = 0, operandError = 0;
};
Moments momentsOf(const Tensor &x, ArrayRef<int64_t> positions, bool aroundZero) {
  Accumulator sum, squares;
  Moments moments;
  for (int64_t position : positions) {
    sum.add(x.values[position]);
    moments.operandError = std::max(moments.operandError, x.error(position));
  }
  auto count = static_cast<double>(positions.size());
  moments.mean = aroundZero ? 0 : sum.value() / count;
  moments.meanAbsolute = sum.absolute() / count;
  for (int64_t position : positions) {
    double difference = x.values[position] - moments.mean;
    squares.add(difference * difference);
  }
  moments.variance = squares.value() / count;
  moments.relative = accumulatorEpsilon(x.element) * (16 + 2 * std::sqrt(count));
  return moments;
}

/// (x - mean) / sqrt(variance + epsilon) * scale + bias.
void storeNormalized(Tensor &result, const Tensor &x, int64_t position, const Moments &moments,
                     double epsilon, double scale, double bias, double scaleError = 0, double biasError = 0) {
  double deviation = std::sqrt(moments.variance + epsilon);
  double normalized = (x.values[position] - moments.mean) / deviation;
  double value = normalized * scale + bias;
  // The difference cancels; what mean and variance are off by is seen through the deviation.
  double difference =
      moments.relative * (std::fabs(x.values[position]) + moments.meanAbsolute) + 4 * moments.operandError;
  // 1 / sqrt(v) moves by v's relative error; around a variance that is all cancellation by more.
  double spread = moments.variance + epsilon > 0
                      ? moments.relative * (1 + moments.meanAbsolute * moments.meanAbsolute *
                                                    moments.relative / (moments.variance + epsilon))
                      : 0;
  double error = std::fabs(scale) * (difference / deviation + std::fabs(normalized) * spread) +
                 moments.relative * (std::fabs(value) + std::fabs(bias)) +
                 std::fabs(normalized) * scaleError + biasError;
  result.set(position, value, (std::isfinite(error) ? error : 0) + lastRounding(x.element, value));
}

double valueOr(const Tensor *tensor, int64_t position, double otherwise) {
  return tensor ? tensor->values[position] : otherwise;
}
double errorOf(const Tensor *tensor, int64_t position) { return tensor ? tensor->error(position) : 0; }

/// layer_norm and rms_norm: over the trailing axes; scale and bias broadcast to them.
template <typename Op> Result<Tensor> trailingNorm(const Call &call) {
  auto op = cast<Op>(call.op);
  constexpr bool isRms = std::is_same_v<Op, RmsNormOp>;
  const Tensor &x = call.tensor(0), *scale = call.find(op.getScale()), *bias = nullptr;
  if constexpr (!isRms)
    bias = call.find(op.getBias());
  int64_t axis = fromFront(op.getAxis(), x.rank());
  ArrayRef<int64_t> trailing = ArrayRef(x.shape).drop_front(axis);
  int64_t length = elementCount(trailing);
  Tensor result(call.element(), x.shape);
  for (int64_t base = 0; length > 0 && base < x.size(); base += length) {
    SmallVector<int64_t> positions;
    for (int64_t i = 0; i < length; ++i)
      positions.push_back(base + i);
    Moments moments = momentsOf(x, positions, isRms);
    forEachIndex(trailing, [&](ArrayRef<int64_t> index, int64_t i) {
      int64_t s = scale ? broadcastPosition(scale->shape, index) : 0,
              b = bias ? broadcastPosition(bias->shape, index) : 0;
      storeNormalized(result, x, base + i, moments, op.getEpsilon().convertToDouble(), valueOr(scale, s, 1),
                      valueOr(bias, b, 0), errorOf(scale, s), errorOf(bias, b));
    });
  }
  return result;
}

/// group_norm and instance_norm: over groups of channels and the spatial axes; scale and bias by channel.
template <typename Op> Result<Tensor> groupNorm(const Call &call) {
  auto op = cast<Op>(call.op);
  const Tensor &x = call.tensor(0), *scale = call.find(op.getScale()), *bias = call.find(op.getBias());
  int64_t channels = x.shape[1], groups = channels;
  if constexpr (std::is_same_v<Op, GroupNormOp>)
    groups = op.getGroups();
  int64_t pixels = elementCount(ArrayRef(x.shape).drop_front(2));
  int64_t length = groups ? channels / groups * pixels : 0;
  Tensor result(call.element(), x.shape);
  for (int64_t base = 0; length > 0 && base < x.size(); base += length) {
    SmallVector<int64_t> positions;
    for (int64_t i = 0; i < length; ++i)
      positions.push_back(base + i);
    Moments moments = momentsOf(x, positions, /*aroundZero=*/false);
    for (int64_t position : positions) {
      int64_t channel = position / pixels % channels;
      storeNormalized(result, x, position, moments, op.getEpsilon().convertToDouble(),
                      valueOr(scale, channel, 1), valueOr(bias, channel, 0), errorOf(scale, channel),
                      errorOf(bias, channel));
    }
  }
  return result;
}

Result<Tensor> batchNorm(const Call &call) {
  auto op = cast<BatchNormOp>(call.op);
  const Tensor &x = call.tensor(0), &scale = call.tensor(1), &bias = call.tensor(2), &mean = call.tensor(3),
               &variance = call.tensor(4);
  int64_t channels = x.shape[1], pixels = elementCount(ArrayRef(x.shape).drop_front(2));
  Tensor result(call.element(), x.shape);
  for (int64_t position = 0; position < x.size(); ++position) {
    int64_t c = position / pixels % channels;
    Moments moments{mean.values[c], variance.values[c], std::fabs(mean.values[c]),
                    8 * accumulatorEpsilon(x.element), x.error(position) + mean.error(c)};
    storeNormalized(result, x, position, moments, op.getEpsilon().convertToDouble(), scale.values[c],
                    bias.values[c], scale.error(c), bias.error(c));
  }
  return result;
}

constexpr Family::Entry kNormalizationEntries[] = {
    {"kiln.softmax", softmax<false>},
    {"kiln.log_softmax", softmax<true>},
    {"kiln.layer_norm", trailingNorm<LayerNormOp>},
    {"kiln.rms_norm", trailingNorm<RmsNormOp>},
    {"kiln.group_norm", groupNorm<GroupNormOp>},
    {"kiln.instance_norm", groupNorm<InstanceNormOp>},
    {"kiln.batch_norm", batchNorm},
};

} // namespace

Family normalizationFamily() { return {kNormalizationEntries}; }

} // namespace kiln::reference
