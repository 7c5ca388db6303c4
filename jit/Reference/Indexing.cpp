// Indexing.cpp: gather, scatter and one_hot, an index at a time (ONNX: Gather, GatherElements, GatherND,
// ScatterElements, ScatterND, OneHot; numpy: take, take_along_axis, put_along_axis).
#include "jit/Reference/Reference.h"

#include "jit/Diagnostics.h"
#include "kiln/IR/Kiln.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace mlir;

namespace kiln::reference {
namespace {

/// An index from the end if negative; the nearest element if there is none at it.
int64_t kept(int64_t index, int64_t extent) {
  return std::clamp<int64_t>(index < 0 ? index + extent : index, 0, extent - 1);
}
/// As `kept`, but nothing if there is none.
std::optional<int64_t> found(int64_t index, int64_t extent) {
  int64_t place = index < 0 ? index + extent : index;
  return place >= 0 && place < extent ? std::optional(place) : std::nullopt;
}

/// Lets an element be anything: the index that chose it may be off.
void freeOf(Tensor &result, int64_t position) {
  if (result.isFloat())
    result.set(position, result.values[position], INFINITY);
  else
    result.set(position, result.integers[position], INFINITY);
}

/// The same of all elements, if any index may be off: what is updated is then not known.
void freeOfAll(Tensor &result, const Tensor &indices) {
  bool isFree = false;
  for (int64_t i = 0; i < indices.size(); ++i)
    isFree |= indices.error(i) != 0;
  for (int64_t i = 0; i < result.size() && isFree; ++i)
    freeOf(result, i);
}

Status checkExtent(int64_t extent, int64_t axis, const Tensor &result) {
  if (extent == 0 && result.size() > 0)
    return jit::invalidArgument("axis " + Twine(axis) + " has extent 0");
  return {};
}

Result<Tensor> gather(const Call &call) {
  auto op = cast<GatherOp>(call.op);
  const Tensor &x = call.tensor(0), &indices = call.tensor(1);
  int64_t axis = fromFront(op.getAxis(), x.rank()), batch = op.getBatchDims();
  // result: axes of x before `axis` (the first `batch` of them shared), axes of indices behind the shared
  // ones, axes of x behind `axis`.
  Shape shape(ArrayRef(x.shape).take_front(axis));
  shape.append(indices.shape.begin() + batch, indices.shape.end());
  shape.append(x.shape.begin() + axis + 1, x.shape.end());
  KILN_RETURN_IF_ERROR(checkSize(shape));
  Tensor result(call.element(), shape);
  KILN_RETURN_IF_ERROR(checkExtent(x.shape[axis], axis, result));
  Shape strideX = stridesOf(x.shape), strideI = stridesOf(indices.shape);
  int64_t own = indices.rank() - batch;
  forEachIndex(shape, [&](ArrayRef<int64_t> index, int64_t position) {
    int64_t from = 0, at = 0;
    for (int64_t b = 0; b < batch; ++b)
      at += index[b] * strideI[b];
    for (int64_t j = 0; j < own; ++j)
      at += index[axis + j] * strideI[batch + j];
    for (int64_t i = 0; i < axis; ++i)
      from += index[i] * strideX[i];
    from += kept(indices.integers[at], x.shape[axis]) * strideX[axis];
    for (int64_t k = axis + 1; k < x.rank(); ++k)
      from += index[own + k - 1] * strideX[k];
    result.copy(position, x, from);
    if (indices.error(at) != 0)
      freeOf(result, position);
  });
  return result;
}

Result<Tensor> gatherElements(const Call &call) {
  const Tensor &x = call.tensor(0), &indices = call.tensor(1);
  int64_t axis = fromFront(cast<GatherElementsOp>(call.op).getAxis(), x.rank());
  Tensor result(call.element(), indices.shape);
  KILN_RETURN_IF_ERROR(checkExtent(x.shape[axis], axis, result));
  Shape strides = stridesOf(x.shape);
  forEachIndex(indices.shape, [&](ArrayRef<int64_t> index, int64_t position) {
    Shape from(index);
    from[axis] = kept(indices.integers[position], x.shape[axis]);
    result.copy(position, x, dot(from, strides));
    if (indices.error(position) != 0)
      freeOf(result, position);
  });
  return result;
}

Result<Tensor> gatherNd(const Call &call) {
  auto op = cast<GatherNdOp>(call.op);
  const Tensor &x = call.tensor(0), &indices = call.tensor(1);
  int64_t batch = op.getBatchDims(), length = indices.shape.back();
  Shape shape(ArrayRef(indices.shape).drop_back());
  auto outer = static_cast<int64_t>(shape.size());
  shape.append(x.shape.begin() + batch + length, x.shape.end());
  KILN_RETURN_IF_ERROR(checkSize(shape));
  Tensor result(call.element(), shape);
  for (int64_t i = 0; i < length; ++i)
    KILN_RETURN_IF_ERROR(checkExtent(x.shape[batch + i], batch + i, result));
  Shape strideX = stridesOf(x.shape), strideI = stridesOf(indices.shape);
  forEachIndex(shape, [&](ArrayRef<int64_t> index, int64_t position) {
    int64_t at = dot(index.take_front(outer), ArrayRef(strideI).drop_back()), from = 0;
    for (int64_t b = 0; b < batch; ++b)
      from += index[b] * strideX[b];
    for (int64_t i = 0; i < length; ++i)
      from += kept(indices.integers[at + i], x.shape[batch + i]) * strideX[batch + i];
    bool isFree = false;
    for (int64_t i = 0; i < length; ++i)
      isFree |= indices.error(at + i) != 0;
    for (int64_t k = batch + length; k < x.rank(); ++k)
      from += index[outer + k - batch - length] * strideX[k];
    result.copy(position, x, from);
    if (isFree)
      freeOf(result, position);
  });
  return result;
}

Result<Tensor> oneHot(const Call &call) {
  auto op = cast<OneHotOp>(call.op);
  const Tensor &indices = call.tensor(0), &on = *call.find(op.getOn()), &off = *call.find(op.getOff());
  int64_t depth = call.list(op.getStaticDepth(), op.getDepth()).front();
  int64_t axis = fromFront(op.getAxis(), indices.rank() + 1);
  Shape shape = indices.shape;
  shape.insert(shape.begin() + axis, depth);
  KILN_RETURN_IF_ERROR(checkSize(shape));
  Tensor result(call.element(), shape);
  Shape strides = stridesOf(indices.shape);
  forEachIndex(shape, [&](ArrayRef<int64_t> index, int64_t position) {
    Shape outer(index);
    outer.erase(outer.begin() + axis);
    int64_t at = dot(outer, strides);
    result.copy(position, found(indices.integers[at], depth) == index[axis] ? on : off, 0);
    if (indices.error(at) != 0)
      freeOf(result, position);
  });
  return result;
}

/// result[to] = result[to] kind updates[from]. Of several sums or products at one place each after the first
/// may be rounded in another order.
void combine(ScatterKind kind, Tensor &result, int64_t to, const Tensor &updates, int64_t from,
             SmallVectorImpl<int64_t> &counts) {
  if (kind == ScatterKind::Replace)
    return result.copy(to, updates, from);
  bool isRepeated = counts[to]++ > 0;
  if (!result.isFloat()) {
    int64_t a = result.integers[to], b = updates.integers[from];
    auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    switch (kind) {
    case ScatterKind::Add:
      return result.set(to, static_cast<int64_t>(x + y));
    case ScatterKind::Mul:
      return result.set(to, static_cast<int64_t>(x * y));
    case ScatterKind::Min:
      return result.set(to, lessInteger(result, b, a) ? b : a);
    default:
      return result.set(to, lessInteger(result, a, b) ? b : a);
    }
  }
  double a = result.values[to], b = updates.values[from], ea = result.error(to), eb = updates.error(from);
  double value =
      kind == ScatterKind::Add ? a + b
      : kind == ScatterKind::Mul
          ? a * b
          : (std::isnan(a) || std::isnan(b) ? NAN
                                            : (kind == ScatterKind::Min ? std::min(a, b) : std::max(a, b)));
  double error = kind == ScatterKind::Add   ? ea + eb
                 : kind == ScatterKind::Mul ? std::fabs(a) * eb + std::fabs(b) * ea + ea * eb
                                            : std::max(ea, eb);
  if (isRepeated && (kind == ScatterKind::Add || kind == ScatterKind::Mul))
    error += ulp(result.element, roundTo(result.element, std::fabs(a) + std::fabs(b))) +
             ulp(result.element, value);
  result.set(to, value, std::isnan(error) ? 0 : error);
}

Result<Tensor> scatterElements(const Call &call) {
  auto op = cast<ScatterElementsOp>(call.op);
  const Tensor &x = call.tensor(0), &indices = call.tensor(1), &updates = call.tensor(2);
  int64_t axis = fromFront(op.getAxis(), x.rank());
  Tensor result = x;
  Shape strides = stridesOf(x.shape);
  SmallVector<int64_t> counts(x.size(), 0);
  forEachIndex(indices.shape, [&](ArrayRef<int64_t> index, int64_t position) {
    std::optional<int64_t> place = found(indices.integers[position], x.shape[axis]);
    if (!place)
      return;
    Shape to(index);
    to[axis] = *place;
    combine(op.getKind(), result, dot(to, strides), updates, position, counts);
  });
  freeOfAll(result, indices);
  return result;
}

Result<Tensor> scatterNd(const Call &call) {
  auto op = cast<ScatterNdOp>(call.op);
  const Tensor &x = call.tensor(0), &indices = call.tensor(1), &updates = call.tensor(2);
  int64_t length = indices.shape.back();
  Tensor result = x;
  Shape strides = stridesOf(x.shape);
  SmallVector<int64_t> counts(x.size(), 0);
  int64_t slice = elementCount(ArrayRef(x.shape).drop_front(length));
  for (int64_t tuple = 0, n = elementCount(ArrayRef(indices.shape).drop_back()); tuple < n; ++tuple) {
    int64_t base = 0;
    bool isInside = true;
    for (int64_t i = 0; i < length; ++i) {
      std::optional<int64_t> place = found(indices.integers[tuple * length + i], x.shape[i]);
      isInside &= place.has_value();
      base += place.value_or(0) * strides[i];
    }
    for (int64_t k = 0; k < slice && isInside; ++k)
      combine(op.getKind(), result, base + k, updates, tuple * slice + k, counts);
  }
  freeOfAll(result, indices);
  return result;
}

constexpr Family::Entry kIndexingEntries[] = {
    {"kiln.gather", gather},        {"kiln.gather_elements", gatherElements},
    {"kiln.gather_nd", gatherNd},   {"kiln.one_hot", oneHot},
    {"kiln.scatter_nd", scatterNd}, {"kiln.scatter_elements", scatterElements},
};

} // namespace

Family indexingFamily() { return {kIndexingEntries}; }

} // namespace kiln::reference
