// Recurrence.cpp: lstm, gru and rnn, one step, batch element and hidden unit after another (ONNX: LSTM, GRU,
// RNN, with their equations; Hochreiter, Schmidhuber 1997; Cho et al. 2014). Integer weights quantise what
// they multiply as com.microsoft's DynamicQuantizeLSTM does.
#include "jit/Reference/Accumulator.h"
#include "jit/Reference/Reference.h"

#include "jit/Diagnostics.h"
#include "kiln/IR/Kiln.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace kiln::reference {
namespace {

/// A number of a cell and by how much it may be off; each operation rounds in the type that sums have.
struct Real {
  double value = 0, error = 0, epsilon = 0;
};
Real rounded(Real x) {
  x.error += x.epsilon * std::fabs(x.value);
  return x;
}
Real operator+(Real a, Real b) { return rounded({a.value + b.value, a.error + b.error, a.epsilon}); }
Real operator-(Real a, Real b) { return rounded({a.value - b.value, a.error + b.error, a.epsilon}); }
Real operator*(Real a, Real b) {
  return rounded({a.value * b.value,
                  std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error,
                  a.epsilon});
}

double activated(StringRef name, double alpha, double beta, double v) {
  if (name == "sigmoid")
    return 1 / (1 + std::exp(-v));
  if (name == "tanh")
    return std::tanh(v);
  if (name == "relu")
    return v > 0 ? v : 0;
  if (name == "affine")
    return alpha * v + beta;
  if (name == "leaky_relu")
    return v >= 0 ? v : alpha * v;
  if (name == "thresholded_relu")
    return v > alpha ? v : 0;
  if (name == "scaled_tanh")
    return alpha * std::tanh(beta * v);
  if (name == "hard_sigmoid")
    return std::fmin(std::fmax(alpha * v + beta, 0), 1);
  if (name == "elu")
    return v >= 0 ? v : alpha * std::expm1(v);
  if (name == "softsign")
    return v / (1 + std::fabs(v));
  return std::fmax(v, 0) + std::log1p(std::exp(-std::fabs(v))); // softplus
}

/// Rows of one direction as numbers.
using Row = std::vector<Real>;

/// What the three layers share.
class Layer {
public:
  template <typename Op>
  Layer(const Call &call, Op op, int64_t gates)
      : x(call.tensor(0)), w(call.tensor(1)), r(call.tensor(2)), bias(call.find(op.getBias())),
        lengths(call.find(op.getLengths())), initialH(call.find(op.getInitialH())), gates(gates),
        steps(x.shape[0]), batch(x.shape[1]), inputs(x.shape[2]), hidden(r.shape[2]),
        directions(op.getNumDirections()), isReverse(op.getDirection() == RecurrenceDirection::Reverse),
        names(op.getActivations()), alphas(op.getAlpha()), betas(op.getBeta()), clip(op.getClip()),
        epsilon(accumulatorEpsilon(x.element)) {}

  /// New states of one batch element, the output first, from its input and its states.
  using Cell = llvm::function_ref<std::vector<Row>(int64_t direction, const Row &input,
                                                   const std::vector<Row> &states)>;

  /// y, then the last states. `initial`: by state.
  Tensors run(const Call &call, ArrayRef<const Tensor *> initial, Cell cell) {
    Tensor y(call.element(0), {steps, directions, batch, hidden});
    Tensors last;
    for (unsigned i = 0; i < initial.size(); ++i)
      last.emplace_back(call.element(1 + i), Shape{directions, batch, hidden});
    for (direction = 0; direction < directions; ++direction) {
      std::vector<std::vector<Row>> states(static_cast<size_t>(batch)); // by batch element, then by state
      for (int64_t b = 0; b < batch; ++b)
        for (const Tensor *state : initial)
          states[b].push_back(row(state, (direction * batch + b) * hidden, hidden));
      quantiseInput();
      for (int64_t step = 0; step < steps; ++step) {
        bool isBackward = isReverse || direction == 1;
        int64_t t = isBackward ? steps - 1 - step : step;
        quantiseStates(states);
        for (int64_t b = 0; b < batch; ++b) {
          if (lengths && t >= lengths->integers[b])
            continue; // y stays 0
          states[b] = cell(direction, row(&x, (t * batch + b) * inputs, inputs), states[b]);
          store(y, ((t * directions + direction) * batch + b) * hidden, states[b][0]);
        }
      }
      for (int64_t b = 0; b < batch; ++b)
        for (size_t i = 0; i < initial.size(); ++i)
          store(last[i], (direction * batch + b) * hidden, states[b][i]);
    }
    Tensors results;
    results.push_back(std::move(y));
    llvm::move(last, std::back_inserter(results));
    return results;
  }

  Real constant(double value) const { return {value, 0, epsilon}; }
  Real element(const Tensor *tensor, int64_t at) const {
    return tensor ? Real{tensor->values[at], tensor->error(at), epsilon} : constant(0);
  }
  Row row(const Tensor *tensor, int64_t at, int64_t count) const {
    Row numbers(static_cast<size_t>(count), constant(0));
    for (int64_t i = 0; i < count && tensor; ++i)
      numbers[i] = element(tensor, at + i);
    return numbers;
  }
  /// Half 0 (of w) or 1 (of r) of the bias of a gate's unit.
  Real biasOf(int64_t d, int64_t half, int64_t gate, int64_t unit) const {
    return element(bias, ((d * 2 + half) * gates + gate) * hidden + unit);
  }
  Real fromInput(int64_t d, const Row &input, int64_t gate, int64_t unit) const {
    return product(input, w, wScale, wZero, d, gate * hidden + unit, inputQuantised);
  }
  Real fromState(int64_t d, const Row &state, int64_t gate, int64_t unit) const {
    return product(state, r, rScale, rZero, d, gate * hidden + unit, stateQuantised);
  }
  /// Activation `index`; `isGate`: of a sum that `clip` limits first.
  Real activate(unsigned index, Real v, bool isGate = true) const {
    StringRef name = cast<StringAttr>(names[index]).getValue();
    double alpha = alphas.empty() ? 0 : alphas[index], beta = betas.empty() ? 0 : betas[index];
    auto function = [&](double at) {
      double bound = clip && isGate ? clip->convertToDouble() : INFINITY;
      return activated(name, alpha, beta, std::clamp(at, -bound, bound));
    };
    double centre = function(v.value);
    double moved = std::max(std::fabs(function(v.value - v.error) - centre),
                            std::fabs(function(v.value + v.error) - centre));
    constexpr double kRoundings = 8; // and as many at what sums inside of the function are made of
    return {centre,
            moved + kRoundings * epsilon * (std::fabs(centre) + std::fabs(alpha * v.value) + std::fabs(beta)),
            epsilon};
  }

  // Of lstm's integer weights; null without.
  const Tensor *wScale = nullptr, *wZero = nullptr, *rScale = nullptr, *rZero = nullptr;
  int64_t units() const { return hidden; }

private:
  /// How rows that integer weights multiply are quantised.
  struct Quantised {
    double scale = 1, zero = 0, uncertain = 0; // uncertain: what the numbers behind the scale may be off by
  };
  static Quantised quantised(double least, double most, double error) {
    Quantised q;
    q.scale = least == most ? 1 : static_cast<float>((static_cast<float>(most - least)) / 255.0F);
    q.zero =
        std::clamp(std::nearbyint(static_cast<double>(static_cast<float>(-least / q.scale))), 0.0, 255.0);
    q.uncertain = error;
    return q;
  }
  void quantiseInput() {
    double least = 0, most = 0, error = 0;
    for (int64_t i = 0; i < x.size(); ++i) {
      least = std::min(least, x.values[i]), most = std::max(most, x.values[i]);
      error = std::max(error, x.error(i));
    }
    inputQuantised = quantised(least, most, error);
  }
  void quantiseStates(const std::vector<std::vector<Row>> &states) {
    double least = 0, most = 0, error = 0;
    for (const std::vector<Row> &state : states)
      for (const Real &h : state[0]) {
        least = std::min(least, h.value), most = std::max(most, h.value);
        error = std::max(error, h.error);
      }
    stateQuantised = quantised(least, most, error);
  }

  /// Row `unit` of the weights of direction `d` times `numbers`.
  Real product(const Row &numbers, const Tensor &weights, const Tensor *scale, const Tensor *zero, int64_t d,
               int64_t unit, const Quantised &q) const {
    int64_t at = (d * weights.shape[1] + unit) * weights.shape[2];
    if (!scale) {
      Accumulator sum;
      for (auto [i, number] : llvm::enumerate(numbers)) {
        double weight = weights.values[at + i], weightError = weights.error(at + i);
        sum.add(weight * number.value,
                std::fabs(weight) * number.error + std::fabs(number.value) * weightError);
      }
      return {sum.value(), sum.error(x.element), epsilon};
    }
    auto parameter = [&](const Tensor &tensor) {
      return tensor.rank() == 2 ? d * weights.shape[1] + unit : d;
    };
    double offset = zero ? static_cast<double>(zero->integers[parameter(*zero)]) : 0, sum = 0, error = 0;
    for (auto [i, number] : llvm::enumerate(numbers)) {
      double weight = static_cast<double>(weights.integers[at + i]) - offset;
      double quotient = number.value / q.scale,
             level = std::clamp(std::nearbyint(quotient), -q.zero, 255 - q.zero);
      sum += level * weight;
      // A quotient near a half may go either way.
      double slack = (number.error + q.uncertain) / q.scale + 4 * epsilon * (std::fabs(quotient) + 1);
      double fraction = std::fabs(quotient - std::floor(quotient) - 0.5);
      error += fraction <= slack ? std::fabs(weight) * std::ceil(slack) : 0;
    }
    double factor = q.scale * scale->values[parameter(*scale)];
    double relative = 4 * epsilon + 2 * q.uncertain / (255 * q.scale);
    return {sum * factor, std::fabs(factor) * (error + relative * std::fabs(sum)), epsilon};
  }
  void store(Tensor &tensor, int64_t at, const Row &numbers) {
    for (auto [i, number] : llvm::enumerate(numbers))
      tensor.set(at + static_cast<int64_t>(i), number.value,
                 number.error + lastRounding(tensor.element, number.value));
  }

  const Tensor &x, &w, &r, *bias, *lengths, *initialH;
  int64_t gates, steps, batch, inputs, hidden, directions, direction = 0;
  bool isReverse;
  ArrayAttr names;
  ArrayRef<double> alphas, betas;
  std::optional<APFloat> clip;
  double epsilon;
  Quantised inputQuantised, stateQuantised;
};

Result<Tensors> lstm(const Call &call) {
  auto op = cast<LstmOp>(call.op);
  Layer layer(call, op, 4);
  layer.wScale = call.find(op.getWScale()), layer.wZero = call.find(op.getWZero());
  layer.rScale = call.find(op.getRScale()), layer.rZero = call.find(op.getRZero());
  const Tensor *peephole = call.find(op.getPeephole());
  int64_t hidden = layer.units();
  auto cell = [&](int64_t d, const Row &input, const std::vector<Row> &states) {
    const Row &h = states[0], &c = states[1];
    std::vector<Row> next(2, Row(static_cast<size_t>(hidden)));
    for (int64_t u = 0; u < hidden; ++u) {
      auto sum = [&](int64_t gate) {
        return layer.fromInput(d, input, gate, u) + layer.fromState(d, h, gate, u) +
               layer.biasOf(d, 0, gate, u) + layer.biasOf(d, 1, gate, u);
      };
      auto peep = [&](int64_t gate, Real state) { // of i, o, f
        return layer.element(peephole, (d * 3 + gate) * hidden + u) * state;
      };
      Real i = layer.activate(0, sum(0) + peep(0, c[u]));
      Real f = op.getInputForget() ? layer.constant(1) - i : layer.activate(0, sum(2) + peep(2, c[u]));
      Real state = f * c[u] + i * layer.activate(1, sum(3));
      Real o = layer.activate(0, sum(1) + peep(1, state));
      next[0][u] = o * layer.activate(2, state, /*isGate=*/false);
      next[1][u] = state;
    }
    return next;
  };
  return layer.run(call, {call.find(op.getInitialH()), call.find(op.getInitialC())}, cell);
}

Result<Tensors> gru(const Call &call) {
  auto op = cast<GruOp>(call.op);
  Layer layer(call, op, 3);
  int64_t hidden = layer.units();
  auto cell = [&](int64_t d, const Row &input, const std::vector<Row> &states) {
    const Row &h = states[0];
    auto a = [&](int64_t gate, int64_t u) {
      return layer.fromInput(d, input, gate, u) + layer.biasOf(d, 0, gate, u);
    };
    auto uOf = [&](const Row &state, int64_t gate, int64_t u) {
      return layer.fromState(d, state, gate, u) + layer.biasOf(d, 1, gate, u);
    };
    Row z(static_cast<size_t>(hidden)), reset(z), resetH(z);
    for (int64_t u = 0; u < hidden; ++u) {
      z[u] = layer.activate(0, a(0, u) + uOf(h, 0, u));
      reset[u] = layer.activate(0, a(1, u) + uOf(h, 1, u));
      resetH[u] = reset[u] * h[u];
    }
    std::vector<Row> next(1, Row(static_cast<size_t>(hidden)));
    for (int64_t u = 0; u < hidden; ++u) {
      Real inner = op.getLinearBeforeReset() ? reset[u] * uOf(h, 2, u) : uOf(resetH, 2, u);
      next[0][u] = (layer.constant(1) - z[u]) * layer.activate(1, a(2, u) + inner) + z[u] * h[u];
    }
    return next;
  };
  return layer.run(call, {call.find(op.getInitialH())}, cell);
}

Result<Tensors> rnn(const Call &call) {
  auto op = cast<RnnOp>(call.op);
  Layer layer(call, op, 1);
  int64_t hidden = layer.units();
  auto cell = [&](int64_t d, const Row &input, const std::vector<Row> &states) {
    std::vector<Row> next(1, Row(static_cast<size_t>(hidden)));
    for (int64_t u = 0; u < hidden; ++u)
      next[0][u] = layer.activate(0, layer.fromInput(d, input, 0, u) + layer.fromState(d, states[0], 0, u) +
                                         layer.biasOf(d, 0, 0, u) + layer.biasOf(d, 1, 0, u));
    return next;
  };
  return layer.run(call, {call.find(op.getInitialH())}, cell);
}

constexpr Family::Entry kRecurrenceEntries[] = {{"kiln.lstm", lstm}, {"kiln.gru", gru}, {"kiln.rnn", rnn}};

} // namespace

Family recurrenceFamily() { return {kRecurrenceEntries}; }

} // namespace kiln::reference
