// Reduction.cpp: reduce, arg_reduce and cumulative, one result element after another.
#include "jit/Reference/Accumulator.h"
#include "jit/Reference/Reference.h"

#include "jit/Diagnostics.h"
#include "kiln/IR/Kiln.h"

using namespace mlir;

namespace kiln::reference {
namespace {

/// What reduce leaves of the elements of `x` at `positions`.
void reduceFloats(ReduceKind kind, const Tensor &x, ArrayRef<int64_t> positions, Tensor &result, int64_t at) {
  Type type = x.element;
  Accumulator sum;
  double product = 1, productRelative = 0, extreme = kind == ReduceKind::Max ? -INFINITY : INFINITY, most = 0;
  bool hasNan = false;
  double largest = -INFINITY;
  for (int64_t position : positions)
    largest = std::max(largest, x.values[position]);
  for (int64_t position : positions) {
    double value = x.values[position], error = x.error(position);
    hasNan |= std::isnan(value);
    most = std::max(most, error);
    switch (kind) {
    case ReduceKind::SumSquare:
    case ReduceKind::L2:
      sum.add(value * value, 2 * std::fabs(value) * error + error * error);
      break;
    case ReduceKind::L1:
      sum.add(std::fabs(value), error);
      break;
    case ReduceKind::LogSumExp: {
      double part = std::isinf(largest) ? (value == largest ? 1 : 0) : std::exp(value - largest);
      sum.add(part, part * (error + accumulatorEpsilon(type) * (8 + std::fabs(value - largest))));
      break;
    }
    case ReduceKind::Prod:
      product *= value;
      productRelative += 2 * accumulatorEpsilon(type) + (value != 0 ? error / std::fabs(value) : 0);
      break;
    case ReduceKind::Max:
      extreme = std::max(extreme, value);
      break;
    case ReduceKind::Min:
      extreme = std::min(extreme, value);
      break;
    default:
      sum.add(value, error);
    }
  }
  double value = sum.value(), error = sum.error(type);
  auto functionOf = [&](double (*function)(double)) { // the error of the sum seen through a function of it
    double centre = function(value);
    double moved =
        std::max(std::fabs(function(value + error) - centre), std::fabs(function(value - error) - centre));
    value = centre;
    error = (std::isnan(moved) ? 0 : moved) +
            4 * ulp(type.isF64() ? type : Float32Type::get(type.getContext()), centre);
  };
  switch (kind) {
  case ReduceKind::Prod:
    value = product, error = std::fabs(product) * productRelative;
    break;
  case ReduceKind::Max:
  case ReduceKind::Min:
    result.set(at, hasNan ? NAN : extreme, most);
    return;
  case ReduceKind::Mean:
    error = error / static_cast<double>(positions.size()) +
            ulp(type, roundTo(type, value / static_cast<double>(positions.size())));
    value /= static_cast<double>(positions.size());
    break;
  case ReduceKind::L2:
    functionOf(std::sqrt);
    break;
  case ReduceKind::LogSum:
    functionOf(std::log);
    break;
  case ReduceKind::LogSumExp:
    functionOf(std::log);
    value = hasNan ? NAN : std::isinf(largest) ? largest : value + largest;
    error +=
        4 * accumulatorEpsilon(type) * (std::isfinite(largest) ? std::fabs(largest) + std::fabs(value) : 0);
    break;
  default:
    break;
  }
  result.set(at, value, error + lastRounding(type, value));
}

void reduceIntegers(ReduceKind kind, const Tensor &x, ArrayRef<int64_t> positions, Tensor &result,
                    int64_t at) {
  unsigned width = x.element.getIntOrFloatBitWidth();
  uint64_t ones = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  bool isUnsigned = x.isUnsigned() || width == 1;
  auto highest = static_cast<int64_t>(isUnsigned ? ones : ones >> 1);
  int64_t lowest = isUnsigned ? 0 : -highest - 1;
  uint64_t sum = 0, product = 1;
  int64_t extreme = kind == ReduceKind::Max ? lowest : highest;
  bool any = false, all = true;
  for (int64_t position : positions) {
    int64_t value = x.integers[position];
    auto bits = static_cast<uint64_t>(value);
    bool isNegative = !isUnsigned && value < 0;
    sum += kind == ReduceKind::SumSquare          ? bits * bits
           : kind == ReduceKind::L1 && isNegative ? 0 - bits
                                                  : bits;
    product *= bits;
    if (kind == ReduceKind::Max ? lessInteger(x, extreme, value) : lessInteger(x, value, extreme))
      extreme = value;
    any |= value != 0;
    all &= value != 0;
  }
  int64_t value = static_cast<int64_t>(sum);
  if (kind == ReduceKind::Prod)
    value = static_cast<int64_t>(product);
  else if (kind == ReduceKind::Max || kind == ReduceKind::Min)
    value = extreme;
  else if (kind == ReduceKind::Any || kind == ReduceKind::All)
    value = kind == ReduceKind::Any ? any : all;
  else if (kind == ReduceKind::Mean && positions.empty())
    value = 0;
  else if (kind == ReduceKind::Mean) {
    value = wrapTo(x.element, value);
    auto count = static_cast<int64_t>(positions.size());
    value = isUnsigned ? static_cast<int64_t>(static_cast<uint64_t>(value) / static_cast<uint64_t>(count))
                       : value / count;
  }
  result.set(at, value);
}

Result<Tensor> reduce(const Call &call) {
  auto op = cast<ReduceOp>(call.op);
  const Tensor &x = call.tensor(0);
  SmallVector<bool> reduced(x.rank(), false);
  for (int64_t axis : op.getAxes())
    reduced[fromFront(axis, x.rank())] = true;
  Shape shape, kept, inner; // kept: the result's extents without axes of 1; inner: what is reduced
  SmallVector<unsigned> keptAxes, innerAxes;
  for (unsigned axis = 0; axis < x.shape.size(); ++axis) {
    (reduced[axis] ? inner : kept).push_back(x.shape[axis]);
    (reduced[axis] ? innerAxes : keptAxes).push_back(axis);
    if (!reduced[axis] || op.getKeepdims())
      shape.push_back(reduced[axis] ? 1 : x.shape[axis]);
  }
  Shape strides = stridesOf(x.shape);
  Tensor result(call.element(), shape);
  SmallVector<int64_t> positions;
  forEachIndex(kept, [&](ArrayRef<int64_t> outer, int64_t at) {
    int64_t base = 0;
    for (auto [i, axis] : llvm::zip_equal(outer, keptAxes))
      base += i * strides[axis];
    positions.clear();
    forEachIndex(inner, [&](ArrayRef<int64_t> index, int64_t) {
      int64_t position = base;
      for (auto [i, axis] : llvm::zip_equal(index, innerAxes))
        position += i * strides[axis];
      positions.push_back(position);
    });
    if (x.isFloat())
      reduceFloats(op.getKind(), x, positions, result, at);
    else
      reduceIntegers(op.getKind(), x, positions, result, at);
  });
  return result;
}

Result<Tensor> argReduce(const Call &call) {
  auto op = cast<ArgReduceOp>(call.op);
  const Tensor &x = call.tensor(0);
  int64_t axis = fromFront(op.getAxis(), x.rank());
  if (x.shape[axis] == 0)
    return jit::invalidArgument("axis " + Twine(axis) + " has extent 0");
  Lines lines(x.shape, axis);
  Shape shape = x.shape;
  shape[axis] = 1;
  if (!op.getKeepdims())
    shape.erase(shape.begin() + axis);
  bool isMax = op.getKind() == ArgReduceKind::Max;
  auto beats = [&](int64_t a, int64_t b) { // a before b
    if (!x.isFloat())
      return isMax ? lessInteger(x, x.integers[b], x.integers[a])
                   : lessInteger(x, x.integers[a], x.integers[b]);
    double va = x.values[a], vb = x.values[b];
    if (std::isnan(va) || std::isnan(vb))
      return std::isnan(va) && !std::isnan(vb);
    return isMax ? va > vb : va < vb;
  };
  Tensor result(call.element(), shape);
  for (int64_t line = 0; line < lines.count(); ++line) {
    int64_t best = 0;
    for (int64_t i = 1; i < lines.length; ++i) {
      int64_t candidate = lines.at(line, i), known = lines.at(line, best);
      if (beats(candidate, known) || (op.getSelectLast() && !beats(known, candidate)))
        best = i;
    }
    double ambiguous = 0; // operands that may be off can change the winner
    for (int64_t i = 0; i < lines.length && x.isFloat() && !x.errors.empty(); ++i)
      if (std::fabs(x.values[lines.at(line, i)] - x.values[lines.at(line, best)]) <=
          x.error(lines.at(line, i)) + x.error(lines.at(line, best)))
        ambiguous = std::max(ambiguous, std::fabs(static_cast<double>(i - best)));
    result.set(line, best, ambiguous);
  }
  return result;
}

Result<Tensor> cumulative(const Call &call) {
  auto op = cast<CumulativeOp>(call.op);
  const Tensor &x = call.tensor(0);
  Lines lines(x.shape, fromFront(op.getAxis(), x.rank()));
  bool isSum = op.getKind() == CumulativeKind::Sum;
  Tensor result(call.element(), x.shape);
  for (int64_t line = 0; line < lines.count(); ++line) {
    Accumulator sum;
    double product = 1, relative = 0;
    uint64_t integer = isSum ? 0 : 1;
    for (int64_t step = 0; step < lines.length; ++step) {
      int64_t at = lines.at(line, op.getReverse() ? lines.length - 1 - step : step);
      auto store = [&] {
        if (!x.isFloat())
          return result.set(at, static_cast<int64_t>(integer));
        double value = isSum ? sum.value() : product;
        // A chain, in order: each step rounds.
        double error = isSum ? sum.error(x.element) + static_cast<double>(step) *
                                                          accumulatorEpsilon(x.element) * sum.absolute() / 4
                             : std::fabs(product) * relative;
        result.set(at, value, error + lastRounding(x.element, value));
      };
      if (op.getExclusive())
        store();
      if (!x.isFloat()) {
        auto bits = static_cast<uint64_t>(x.integers[at]);
        integer = isSum ? integer + bits : integer * bits;
      } else {
        sum.add(x.values[at], x.error(at));
        product *= x.values[at];
        relative += 2 * accumulatorEpsilon(x.element) +
                    (x.values[at] != 0 ? x.error(at) / std::fabs(x.values[at]) : 0);
      }
      if (!op.getExclusive())
        store();
    }
  }
  return result;
}

constexpr Family::Entry kReductionEntries[] = {
    {"kiln.reduce", reduce},
    {"kiln.arg_reduce", argReduce},
    {"kiln.cumulative", cumulative},
};

} // namespace

Family reductionFamily() { return {kReductionEntries}; }

} // namespace kiln::reference
