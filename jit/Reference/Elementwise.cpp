// Elementwise.cpp: formulas applied to every element, and how errors go through them: what an operand may be
// off by is tried on the formula itself, so that no derivative need be written.
#include "jit/Reference/Elementwise.h"
#include "jit/Reference/Reference.h"

#include "jit/Diagnostics.h"

#include <cmath>

using namespace mlir;

namespace kiln::reference {
namespace {

const ElementwiseTable &table() {
  static const auto *entries = [] {
    auto *all = new ElementwiseTable;
    addArithmetic(*all);
    addConversions(*all);
    addQuantization(*all);
    addRandom(*all);
    return all;
  }();
  return *entries;
}

/// By how much the outcome moves; a change between finite and not counts as unbounded.
double distance(const Outcome &a, const Outcome &b) {
  if (a.integer != b.integer)
    return std::fabs(static_cast<double>(a.integer) - static_cast<double>(b.integer));
  if (a.value == b.value || (std::isnan(a.value) && std::isnan(b.value)))
    return 0;
  double d = std::fabs(a.value - b.value);
  return std::isnan(d) ? INFINITY : d;
}

double propagated(const ElementwiseEntry &entry, Operation *op, SmallVectorImpl<Element> &x,
                  const Outcome &outcome) {
  double error = 0;
  for (Element &element : x) {
    if (element.error == 0)
      continue;
    if (std::isinf(element.error)) // it may be anything
      return INFINITY;
    Element kept = element;
    double most = 0;
    for (double sign : {-1.0, 1.0}) {
      if (kept.isFloat())
        element.value = kept.value + sign * kept.error;
      else
        element.integer =
            kept.type.isInteger(1) ? !kept.integer : kept.integer + static_cast<int64_t>(sign * kept.error);
      most = std::max(most, distance(entry.formula(op, x.data()), outcome));
    }
    element = kept;
    error += most;
  }
  return error;
}

/// Rounding of the operation itself; operands that are off by an `error` may be rounded to a neighbour.
/// Narrow types are computed in f32 and rounded once more, which may go the other way at a tie; f64 functions
/// are compared with ones of the same precision.
double ownError(const ElementwiseEntry &entry, const Element &x, Type type, double value, double error) {
  if (entry.cancellation > 0 && x.value < 0)
    return ulp(type, value) * entry.ulps + entry.cancellation * accumulatorEpsilon(type) * std::fabs(x.value);
  double absolute = entry.absolute * accumulatorEpsilon(type);
  if (entry.ulps == kExact)
    return error > 0 && isa<FloatType>(x.type) && x.type != type ? ulp(type, value) : 0;
  if (entry.ulps == kRounded)
    return isNarrow(type) || error > 0 ? ulp(type, value) : 0;
  return (isNarrow(type) ? 1 : entry.ulps) * ulp(type, value) + absolute;
}

Result<Tensor> evaluateElementwise(const Call &call) {
  const ElementwiseEntry &entry = table().lookup(call.op->getName().getStringRef());
  Shape shape;
  for (unsigned i = 0; i < call.operands.size(); ++i) { // numpy's broadcasting, extents checked
    const Shape &other = call.tensor(i).shape;
    if (other.size() > shape.size())
      shape.insert(shape.begin(), other.size() - shape.size(), 1);
    for (size_t axis = shape.size() - other.size(), from = 0; from < other.size(); ++axis, ++from) {
      if (shape[axis] != 1 && other[from] != 1 && shape[axis] != other[from])
        return jit::invalidArgument("extents " + Twine(shape[axis]) + " and " + Twine(other[from]) +
                                    " do not broadcast");
      shape[axis] = shape[axis] == 1 ? other[from] : shape[axis];
    }
  }
  Tensor result(call.element(), shape);
  SmallVector<Element> x(call.operands.size());
  forEachIndex(shape, [&](ArrayRef<int64_t> index, int64_t position) {
    bool hasError = false;
    for (unsigned i = 0; i < x.size(); ++i) {
      const Tensor &operand = call.tensor(i);
      int64_t from = broadcastPosition(operand.shape, index);
      x[i].type = operand.element;
      x[i].error = operand.error(from);
      hasError |= x[i].error > 0;
      if (operand.isFloat())
        x[i].value = operand.values[from];
      else
        x[i].integer = operand.integers[from];
    }
    Outcome outcome = entry.formula(call.op, x.data());
    double error = hasError ? propagated(entry, call.op, x, outcome) : 0;
    // f16 and bf16 may stay in f32 from op to op of a kernel, where they do not overflow.
    if (result.isFloat() && isNarrow(result.element) && std::isfinite(outcome.value) &&
        std::isinf(roundTo(result.element, outcome.value)))
      error = INFINITY;
    if (result.isFloat())
      result.set(position, outcome.value,
                 error +
                     ownError(entry, x[0], result.element, roundTo(result.element, outcome.value), error));
    else
      result.set(position, outcome.integer, error);
  });
  return result;
}

} // namespace

Evaluator elementwiseEvaluator(llvm::StringRef op) {
  return table().contains(op) ? evaluateElementwise : nullptr;
}

} // namespace kiln::reference
