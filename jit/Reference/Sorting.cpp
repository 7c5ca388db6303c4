// Sorting.cpp: sort and top_k: indices by insertion, one line after another. NaN is the largest number, and
// equals NaN; the lower index goes first among equal elements.
#include "jit/Reference/Reference.h"

#include "jit/Diagnostics.h"
#include "kiln/IR/Kiln.h"

#include <cmath>

using namespace mlir;

namespace kiln::reference {
namespace {

bool isLess(const Tensor &x, int64_t a, int64_t b) {
  if (!x.isFloat())
    return lessInteger(x, x.integers[a], x.integers[b]);
  double va = x.values[a], vb = x.values[b];
  return std::isnan(va) ? false : std::isnan(vb) || va < vb;
}

/// The first `count` elements of each line in order, and where they come from.
Tensors ordered(const Call &call, int64_t axis, int64_t count, bool isDescending) {
  const Tensor &x = call.tensor(0);
  Shape shape = x.shape;
  shape[axis] = count;
  Tensor values(call.element(0), shape), indices(call.element(1), shape);
  Lines lines(x.shape, axis);
  SmallVector<int64_t> order;
  for (int64_t line = 0; line < lines.count(); ++line) {
    order.clear();
    double operandError = 0;
    for (int64_t i = 0; i < lines.length; ++i) {
      operandError = std::max(operandError, x.error(lines.at(line, i)));
      // Behind all that it is not before: equal ones keep their order.
      size_t place = order.size();
      while (place > 0) {
        int64_t other = lines.at(line, order[place - 1]), own = lines.at(line, i);
        if (isDescending ? !isLess(x, other, own) : !isLess(x, own, other))
          break;
        --place;
      }
      order.insert(order.begin() + static_cast<int64_t>(place), i);
    }
    for (int64_t j = 0; j < count; ++j) {
      int64_t to = lines.at(line, j, count), from = lines.at(line, order[j]);
      values.copy(to, x, from);
      if (operandError > 0 && x.isFloat()) // an order statistic moves by no more than its operands
        values.set(to, x.values[from], operandError);
      else if (operandError > 0)
        values.set(to, x.integers[from], operandError);
      indices.set(to, order[j], operandError > 0 ? static_cast<double>(lines.length) : 0);
    }
  }
  Tensors results;
  results.push_back(std::move(values));
  results.push_back(std::move(indices));
  return results;
}

Result<Tensors> sort(const Call &call) {
  auto op = cast<SortOp>(call.op);
  int64_t axis = fromFront(op.getAxis(), call.tensor(0).rank());
  return ordered(call, axis, call.tensor(0).shape[axis], op.getDescending());
}

Result<Tensors> topK(const Call &call) {
  auto op = cast<TopKOp>(call.op);
  const Shape &shape = call.tensor(0).shape;
  int64_t axis = fromFront(op.getAxis(), call.tensor(0).rank());
  int64_t count = call.list(op.getStaticK(), op.getK()).front();
  if (count < 0 || count > shape[axis])
    return jit::invalidArgument("k is " + Twine(count) + "; the extent is " + Twine(shape[axis]));
  return ordered(call, axis, count, !op.getSmallest());
}

constexpr Family::Entry kSortingEntries[] = {{"kiln.sort", sort}, {"kiln.top_k", topK}};

} // namespace

Family sortingFamily() { return {kSortingEntries}; }

} // namespace kiln::reference
