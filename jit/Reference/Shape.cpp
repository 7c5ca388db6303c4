// Shape.cpp: ops that move elements: for each element of the result, where it comes from.
#include "jit/Reference/Reference.h"

#include "jit/Diagnostics.h"
#include "kiln/IR/Kiln.h"

using namespace mlir;

namespace kiln::reference {
namespace {

/// A tensor whose elements come from `x` at the position that `from` gives for an index.
Result<Tensor> gathered(const Call &call, const Tensor &x, ArrayRef<int64_t> shape,
                        llvm::function_ref<int64_t(ArrayRef<int64_t> index)> from) {
  KILN_RETURN_IF_ERROR(checkSize(shape));
  Tensor result(call.element(), shape);
  forEachIndex(shape,
               [&](ArrayRef<int64_t> index, int64_t position) { result.copy(position, x, from(index)); });
  return result;
}

Result<Tensor> reshape(const Call &call) {
  auto op = cast<ReshapeOp>(call.op);
  const Tensor &x = call.tensor(0);
  Shape shape = call.list(op.getStaticSizes(), op.getSizes());
  KILN_RETURN_IF_ERROR(checkSize(shape));
  if (elementCount(shape) != x.size())
    return jit::invalidArgument(Twine(x.size()) + " elements as a shape of " + Twine(elementCount(shape)));
  Tensor result = x;
  result.shape = shape;
  return result;
}

Result<Tensor> transpose(const Call &call) {
  auto op = cast<TransposeOp>(call.op);
  const Tensor &x = call.tensor(0);
  Shape strides = stridesOf(x.shape), shape, permuted;
  for (int64_t axis : op.getPerm()) {
    shape.push_back(x.shape[axis]);
    permuted.push_back(strides[axis]);
  }
  return gathered(call, x, shape, [&](ArrayRef<int64_t> index) { return dot(index, permuted); });
}

Result<Tensor> broadcast(const Call &call) {
  auto op = cast<BroadcastOp>(call.op);
  const Tensor &x = call.tensor(0);
  Shape shape = call.list(op.getStaticSizes(), op.getSizes());
  for (auto [extent, wanted] : llvm::zip_equal(x.shape, ArrayRef(shape).take_back(x.shape.size())))
    if (extent != 1 && extent != wanted)
      return jit::invalidArgument("an extent of " + Twine(extent) + " does not broadcast to " +
                                  Twine(wanted));
  return gathered(call, x, shape, [&](ArrayRef<int64_t> index) { return broadcastPosition(x.shape, index); });
}

Result<Tensor> reverse(const Call &call) {
  auto op = cast<ReverseOp>(call.op);
  const Tensor &x = call.tensor(0);
  SmallVector<bool> reversed(x.rank(), false);
  for (int64_t axis : op.getAxes())
    reversed[fromFront(axis, x.rank())] = true;
  Shape strides = stridesOf(x.shape);
  return gathered(call, x, x.shape, [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (size_t axis = 0; axis < index.size(); ++axis)
      position += (reversed[axis] ? x.shape[axis] - 1 - index[axis] : index[axis]) * strides[axis];
    return position;
  });
}

Result<Tensor> slice(const Call &call) {
  auto op = cast<SliceOp>(call.op);
  const Tensor &x = call.tensor(0);
  Shape offsets = call.list(op.getStaticOffsets(), op.getOffsets());
  Shape sizes = call.list(op.getStaticSizes(), op.getSizes());
  Shape steps = call.list(op.getStaticStrides(), op.getStrides());
  Shape strides = stridesOf(x.shape);
  int64_t base = dot(offsets, strides);
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    int64_t last = offsets[axis] + (sizes[axis] - 1) * steps[axis];
    if (sizes[axis] > 0 && (offsets[axis] < 0 || last >= x.shape[axis]))
      return jit::invalidArgument("axis " + Twine(axis) + ": index " + Twine(last) + "; the extent is " +
                                  Twine(x.shape[axis]));
    strides[axis] *= steps[axis];
  }
  return gathered(call, x, sizes, [&](ArrayRef<int64_t> index) { return base + dot(index, strides); });
}

Result<Tensor> concat(const Call &call) {
  auto op = cast<ConcatOp>(call.op);
  Shape shape = call.tensor(0).shape;
  int64_t axis = fromFront(op.getAxis(), static_cast<int64_t>(shape.size()));
  shape[axis] = 0;
  for (unsigned i = 0; i < call.operands.size(); ++i)
    shape[axis] += call.tensor(i).shape[axis];
  KILN_RETURN_IF_ERROR(checkSize(shape));
  Tensor result(call.element(), shape);
  Shape strides = stridesOf(shape);
  int64_t offset = 0;
  for (unsigned i = 0; i < call.operands.size(); ++i) {
    const Tensor &part = call.tensor(i);
    forEachIndex(part.shape, [&](ArrayRef<int64_t> index, int64_t position) {
      result.copy(dot(index, strides) + offset * strides[axis], part, position);
    });
    offset += part.shape[axis];
  }
  return result;
}

/// Where a padded axis takes index `i` from, which may lie outside [0, extent); -1 for the constant.
int64_t padSource(PadMode mode, int64_t i, int64_t extent) {
  if (i >= 0 && i < extent)
    return i;
  switch (mode) {
  case PadMode::Constant:
    return -1;
  case PadMode::Edge:
    return i < 0 ? 0 : extent - 1;
  case PadMode::Reflect:
    return i < 0 ? -i : 2 * (extent - 1) - i;
  case PadMode::Wrap:
    return ((i % extent) + extent) % extent;
  }
  return -1;
}

Result<Tensor> pad(const Call &call) {
  auto op = cast<PadOp>(call.op);
  const Tensor &x = call.tensor(0), *value = call.find(op.getValue());
  Shape low = call.list(op.getStaticLow(), op.getLow()), high = call.list(op.getStaticHigh(), op.getHigh()),
        shape;
  for (size_t axis = 0; axis < low.size(); ++axis)
    shape.push_back(low[axis] + x.shape[axis] + high[axis]);
  KILN_RETURN_IF_ERROR(checkSize(shape));
  Shape strides = stridesOf(x.shape);
  Tensor result(call.element(), shape);
  Status status;
  forEachIndex(shape, [&](ArrayRef<int64_t> index, int64_t position) {
    int64_t from = 0;
    for (size_t axis = 0; axis < index.size() && from >= 0; ++axis) {
      int64_t source = padSource(op.getMode(), index[axis] - low[axis], x.shape[axis]);
      if (source >= x.shape[axis] || (source < 0 && op.getMode() != PadMode::Constant))
        status = jit::invalidArgument("axis " + Twine(axis) + " has too few elements for its padding");
      from = source < 0 || !status.ok() ? -1 : from + source * strides[axis];
    }
    if (from >= 0)
      result.copy(position, x, from);
    else if (value)
      result.copy(position, *value, 0);
  });
  return status.ok() ? Result<Tensor>(std::move(result)) : status;
}

Result<Tensor> iota(const Call &call) {
  auto op = cast<IotaOp>(call.op);
  Shape shape = call.list(op.getStaticSizes(), op.getSizes());
  KILN_RETURN_IF_ERROR(checkSize(shape));
  int64_t axis = fromFront(op.getAxis(), static_cast<int64_t>(shape.size()));
  Tensor result(call.element(), shape);
  forEachIndex(shape, [&](ArrayRef<int64_t> index, int64_t position) {
    if (result.isFloat())
      result.set(position, static_cast<double>(index[axis]), 0);
    else
      result.set(position, index[axis]);
  });
  return result;
}

Result<Tensor> fromElements(const Call &call) {
  auto op = cast<FromElementsOp>(call.op);
  auto count = static_cast<int64_t>(call.operands.size());
  Tensor result(call.element(), op.getScalar() ? Shape() : Shape{count});
  for (int64_t i = 0; i < count; ++i) {
    int64_t index = call.index(static_cast<unsigned>(i));
    result.set(i, result.element.isInteger(1) ? static_cast<int64_t>(index != 0) : index);
  }
  return result;
}

/// The entries of the list, then one more; an empty list has no extents of its own.
Result<Tensor> append(const Call &call) {
  const Tensor &list = call.tensor(0), &entry = call.tensor(1);
  if (list.shape[0] != 0 && ArrayRef(list.shape).drop_front() != ArrayRef(entry.shape))
    return jit::invalidArgument("an entry of other extents than those of the list");
  Shape shape{list.shape[0] + 1};
  shape.append(entry.shape);
  KILN_RETURN_IF_ERROR(checkSize(shape));
  Tensor result(call.element(), shape);
  for (int64_t i = 0; i < list.size(); ++i)
    result.copy(i, list, i);
  for (int64_t i = 0; i < entry.size(); ++i)
    result.copy(list.size() + i, entry, i);
  return result;
}

constexpr Family::Entry kShapeEntries[] = {
    {"kiln.reshape", reshape}, {"kiln.transpose", transpose}, {"kiln.broadcast", broadcast},
    {"kiln.reverse", reverse}, {"kiln.slice", slice},         {"kiln.concat", concat},
    {"kiln.pad", pad},         {"kiln.iota", iota},           {"kiln.from_elements", fromElements},
    {"kiln.append", append},
};

} // namespace

Status checkSize(ArrayRef<int64_t> shape) {
  double count = 1;
  for (int64_t extent : shape) {
    if (extent < 0)
      return jit::invalidArgument("an extent of " + Twine(extent));
    count *= static_cast<double>(extent);
  }
  if (count > static_cast<double>(kMaxElements))
    return jit::makeError(Code::ResourceExhausted,
                          "a result of more than " + Twine(kMaxElements) + " elements");
  return {};
}

Family shapeFamily() { return {kShapeEntries}; }

} // namespace kiln::reference
