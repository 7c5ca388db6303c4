// Attention.cpp: scaled dot-product attention, one query row after another (Vaswani et al.: Attention Is All
// You Need, 2017, equation 1; masks, windows and offsets as the ONNX operator Attention has them).
#include "jit/Reference/Accumulator.h"
#include "jit/Reference/Reference.h"

#include "kiln/IR/Kiln.h"

#include <cmath>

using namespace mlir;

namespace kiln::reference {
namespace {

/// A number and by how much it may be off.
struct Bounded {
  double value = 0, error = 0;
};

/// One attention while it is computed.
class Attention {
public:
  explicit Attention(const Call &call)
      : op(cast<AttentionOp>(call.op)), q(call.tensor(0)), k(call.tensor(1)), v(call.tensor(2)),
        mask(call.find(op.getMask())), lengths(call.find(op.getLengths())), offset(call.find(op.getOffset())),
        heads(q.shape[1]), queries(q.shape[2]), size(q.shape[3]), keys(k.shape[2]), valueSize(v.shape[3]),
        epsilon(accumulatorEpsilon(q.element)),
        result(call.element(0), {q.shape[0], heads, queries, valueSize}) {
    if (call.op->getNumResults() > 1)
      shown.emplace(call.element(1), Shape{q.shape[0], heads, queries, keys});
  }

  Tensors run() {
    for (int64_t b = 0; b < q.shape[0]; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t i = 0; i < queries; ++i)
          row(b, h, i);
    Tensors results;
    results.push_back(std::move(result));
    if (shown)
      results.push_back(std::move(*shown));
    return results;
  }

private:
  int64_t keyHead(int64_t h) const { return h / (heads / k.shape[1]); }
  void show(AttentionStage stage, int64_t position, const Bounded &number) {
    if (shown && op.getShows() == stage)
      shown->set(position, number.value, number.error + lastRounding(shown->element, number.value));
  }

  /// Narrow types may round both factors, scaled, and the product.
  Bounded score(int64_t b, int64_t h, int64_t i, int64_t j) const {
    Accumulator sum;
    int64_t atQ = ((b * heads + h) * queries + i) * size,
            atK = ((b * k.shape[1] + keyHead(h)) * keys + j) * size;
    for (int64_t c = 0; c < size; ++c)
      sum.addProduct(q, atQ + c, k, atK + c);
    double scale = op.getScale().convertToDouble(), value = scale * sum.value();
    double factors = isNarrow(q.element) ? 3 * ulp(q.element, 1) : 4 * epsilon;
    return {value, std::fabs(scale) * (sum.error(q.element) + factors * sum.absolute()) +
                       lastRounding(q.element, value)};
  }

  Bounded capped(Bounded s) const {
    std::optional<APFloat> cap = op.getSoftcap();
    if (!cap)
      return s;
    double bound = cap->convertToDouble();
    return {bound * std::tanh(s.value / bound), s.error + 8 * epsilon * bound};
  }

  /// What is added to the score; -inf hides the key.
  Bounded bias(int64_t b, int64_t h, int64_t i, int64_t j) const {
    Bounded number;
    if (mask) {
      int64_t at = broadcastPosition(mask->shape, {b, h, i, j});
      if (mask->isFloat())
        number = {mask->values[at], mask->error(at)};
      else if (!mask->integers[at])
        return {-INFINITY, 0};
    }
    auto perBatch = [&](const Tensor &tensor) { return tensor.integers[tensor.size() == 1 ? 0 : b]; };
    int64_t place = i + (offset ? perBatch(*offset) : 0);
    bool isHidden = (lengths && j >= perBatch(*lengths)) || (op.getCausal() && j > place) ||
                    (op.getLeftWindow() && j < place - static_cast<int64_t>(*op.getLeftWindow())) ||
                    (op.getRightWindow() && j > place + static_cast<int64_t>(*op.getRightWindow()));
    return isHidden ? Bounded{-INFINITY, 0} : number;
  }

  void row(int64_t b, int64_t h, int64_t i) {
    int64_t line = ((b * heads + h) * queries + i) * keys;
    SmallVector<Bounded> biased(keys);
    double largest = -INFINITY, worst = 0;
    bool seesKey = false;
    for (int64_t j = 0; j < keys; ++j) {
      Bounded s = score(b, h, i, j), add = bias(b, h, i, j);
      show(AttentionStage::Scores, line + j, s);
      s = capped(s);
      show(AttentionStage::Capped, line + j, s);
      seesKey |= add.value != -INFINITY;
      biased[j] = {s.value + add.value,
                   s.error + add.error + 2 * epsilon * (std::fabs(s.value) + std::fabs(add.value))};
      if (std::isinf(biased[j].value) || std::isnan(biased[j].value))
        biased[j].error = 0;
      show(AttentionStage::Biased, line + j, biased[j]);
      largest = std::isnan(biased[j].value) || std::isnan(largest) ? NAN : std::max(largest, biased[j].value);
      worst = std::max(worst, biased[j].error);
    }
    double sum = 0;
    for (const Bounded &number : biased)
      sum += std::exp(number.value - largest);
    double common = std::expm1(2 * worst) + epsilon * (16 + 2 * std::sqrt(static_cast<double>(keys)));
    SmallVector<Bounded> weights(keys);
    for (int64_t j = 0; j < keys; ++j) {
      double difference = biased[j].value - largest;
      if (seesKey) {
        weights[j].value = std::exp(difference) / sum;
        double own = std::isfinite(difference) ? epsilon * std::fabs(difference) : 0;
        weights[j].error = weights[j].value * (common + own) + (q.element.isF64() ? 0x1p-1022 : 0x1p-126);
      }
      show(AttentionStage::Weights, line + j, weights[j]);
      weights[j].error += lastRounding(q.element, weights[j].value);
    }
    for (int64_t c = 0; c < valueSize; ++c) {
      Accumulator total;
      for (int64_t j = 0; j < keys; ++j) {
        int64_t at = ((b * k.shape[1] + keyHead(h)) * keys + j) * valueSize + c;
        total.add(weights[j].value * v.values[at],
                  weights[j].error * (std::fabs(v.values[at]) + v.error(at)) +
                      weights[j].value * v.error(at));
      }
      result.set(((b * heads + h) * queries + i) * valueSize + c, total.value(),
                 total.error(q.element) + lastRounding(q.element, total.value()));
    }
  }

  mutable AttentionOp op; // a handle whose accessors are not const
  const Tensor &q, &k, &v, *mask, *lengths, *offset;
  int64_t heads, queries, size, keys, valueSize;
  double epsilon;
  Tensor result;
  std::optional<Tensor> shown;
};

Result<Tensors> attention(const Call &call) { return Attention(call).run(); }

constexpr Family::Entry kAttentionEntries[] = {{"kiln.attention", attention}};

} // namespace

Family attentionFamily() { return {kAttentionEntries}; }

} // namespace kiln::reference
