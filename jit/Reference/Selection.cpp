// Selection.cpp: nonzero, unique and nms (ONNX: NonZero, Unique, NonMaxSuppression), as one would do them by
// hand.
#include "jit/Reference/Reference.h"

#include "jit/Diagnostics.h"
#include "kiln/IR/Kiln.h"

#include <cmath>

using namespace mlir;

namespace kiln::reference {
namespace {

Result<Tensor> nonzero(const Call &call) {
  auto op = cast<NonzeroOp>(call.op);
  const Tensor &x = call.tensor(0);
  int64_t count = call.list(op.getStaticCount(), op.getCount()).front(), next = 0;
  Shape shape{x.rank(), count};
  KILN_RETURN_IF_ERROR(checkSize(shape));
  Tensor result(call.element(), shape);
  forEachIndex(x.shape, [&](ArrayRef<int64_t> index, int64_t position) {
    if ((x.isFloat() ? x.values[position] == 0 : x.integers[position] == 0) || next == count)
      return;
    for (int64_t axis = 0; axis < x.rank(); ++axis)
      result.set(axis * count + next, index[axis]);
    ++next;
  });
  return result;
}

/// The order of two slices along an axis: below, at or above 0. NaN is largest, and equals NaN.
int compareSlices(const Tensor &x, const Lines &lines, int64_t a, int64_t b) {
  for (int64_t line = 0; line < lines.count(); ++line) {
    int64_t i = lines.at(line, a), j = lines.at(line, b);
    bool isLess = false, isMore = false;
    if (x.isFloat()) {
      double va = x.values[i], vb = x.values[j];
      isLess = !std::isnan(va) && (std::isnan(vb) || va < vb);
      isMore = !std::isnan(vb) && (std::isnan(va) || vb < va);
    } else {
      isLess = lessInteger(x, x.integers[i], x.integers[j]);
      isMore = lessInteger(x, x.integers[j], x.integers[i]);
    }
    if (isLess || isMore)
      return isLess ? -1 : 1;
  }
  return 0;
}

Result<Tensors> unique(const Call &call) {
  auto op = cast<UniqueOp>(call.op);
  const Tensor &x = call.tensor(0);
  int64_t axis = fromFront(op.getAxis(), x.rank()), n = x.shape[axis];
  Lines lines(x.shape, axis);
  SmallVector<int64_t> members; // the first slice of each group, in the order of the groups
  for (int64_t i = 0; i < n; ++i) {
    bool isNew = llvm::none_of(members, [&](int64_t m) { return compareSlices(x, lines, m, i) == 0; });
    auto place = members.end();
    if (isNew && op.getSorted())
      place = llvm::find_if(members, [&](int64_t m) { return compareSlices(x, lines, i, m) < 0; });
    if (isNew)
      members.insert(place, i);
  }
  Tensor first(call.element(0), {n}), inverse(call.element(1), {n}), counts(call.element(2), {n}),
      count(call.element(3), {});
  for (auto [group, member] : llvm::enumerate(members)) {
    first.set(static_cast<int64_t>(group), member);
    for (int64_t i = 0; i < n; ++i)
      if (compareSlices(x, lines, member, i) == 0) {
        inverse.set(i, static_cast<int64_t>(group));
        ++counts.integers[group];
      }
  }
  count.set(0, static_cast<int64_t>(members.size()));
  return Tensors{std::move(first), std::move(inverse), std::move(counts), std::move(count)};
}

/// Edges of a box.
struct Box {
  double low[2], high[2];
  double area() const { return (high[0] - low[0]) * (high[1] - low[1]); }
};

Box boxAt(const Tensor &boxes, int64_t index, bool isCentered) {
  const double *b = boxes.values.data() + index * 4;
  Box box{};
  for (int axis = 0; axis < 2; ++axis) {
    double start = isCentered ? b[axis] - b[2 + axis] / 2 : b[axis];
    double end = isCentered ? b[axis] + b[2 + axis] / 2 : b[2 + axis];
    box.low[axis] = std::fmin(start, end), box.high[axis] = std::fmax(start, end);
  }
  return box;
}

double overlap(const Box &a, const Box &b) {
  double common = 1;
  for (int axis = 0; axis < 2; ++axis)
    common *= std::fmax(0, std::fmin(a.high[axis], b.high[axis]) - std::fmax(a.low[axis], b.low[axis]));
  double both = a.area() + b.area() - common;
  return both > 0 ? common / both : 0;
}

Result<Tensors> nms(const Call &call) {
  auto op = cast<NmsOp>(call.op);
  const Tensor &boxes = call.tensor(0), &scores = call.tensor(1);
  const Tensor *least = call.find(op.getScoreThreshold());
  double iou = call.find(op.getIouThreshold())->values[0];
  int64_t limit = call.list(op.getStaticLimit(), op.getLimit()).front();
  int64_t classes = scores.shape[1], n = scores.shape[2];
  Shape shape{scores.shape[0], classes, limit};
  KILN_RETURN_IF_ERROR(checkSize(shape));
  Tensor selected(call.element(0), shape), counts(call.element(1), {scores.shape[0], classes});
  for (int64_t line = 0; line < scores.shape[0] * classes; ++line) {
    const double *score = scores.values.data() + line * n;
    SmallVector<bool> isTaken(n, false);
    SmallVector<Box> kept;
    while (static_cast<int64_t>(kept.size()) < limit) {
      int64_t best = -1;
      for (int64_t i = 0; i < n; ++i)
        if (!isTaken[i] && (!least || score[i] > least->values[0]) && (best < 0 || score[i] > score[best]))
          best = i;
      if (best < 0)
        break;
      isTaken[best] = true;
      Box box = boxAt(boxes, line / classes * n + best, op.getCenterPointBox());
      if (llvm::any_of(kept, [&](const Box &other) { return overlap(box, other) > iou; }))
        continue;
      selected.set(line * limit + static_cast<int64_t>(kept.size()), best);
      kept.push_back(box);
    }
    counts.set(line, static_cast<int64_t>(kept.size()));
  }
  return Tensors{std::move(selected), std::move(counts)};
}

constexpr Family::Entry kSelectionEntries[] = {
    {"kiln.nonzero", nonzero}, {"kiln.unique", unique}, {"kiln.nms", nms}};

} // namespace

Family selectionFamily() { return {kSelectionEntries}; }

} // namespace kiln::reference
