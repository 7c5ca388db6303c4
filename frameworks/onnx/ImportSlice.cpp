// ImportSlice.cpp: Slice, whose bounds may be computed.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Node.h"
#include "frameworks/onnx/SliceBounds.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

Extent clamp(IndexMath &math, Extent x, Extent lowest, Extent highest) {
  if (IndexMath::isKnown(x, 0) && IndexMath::isKnown(lowest, 0))
    return x;
  return math.min(math.max(x, lowest), highest);
}

struct AxisSlice {
  Extent offset, size;
  int64_t step;
  bool reversed; // offset counts from the end, in an axis turned round
};

/// Python's rules, with whatever of the bounds and the extent is known.
AxisSlice sliceAxis(IndexMath &math, Extent start, Extent end, int64_t step, Extent extent) {
  auto knownStart = IndexMath::known(start), knownEnd = IndexMath::known(end),
       knownExtent = IndexMath::known(extent);
  if (knownStart && knownEnd && knownExtent) {
    SliceRange range = clampSlice(*knownStart, *knownEnd, step, *knownExtent);
    int64_t offset = range.size == 0 ? 0 : step > 0 ? range.start : *knownExtent - 1 - range.start;
    return {math.constant(offset), math.constant(range.size), std::abs(step), step < 0};
  }
  // Exporters write "to the end" as a number no extent reaches.
  bool toTheEnd = knownEnd && *knownEnd >= INT32_MAX, fromTheEnd = knownEnd && *knownEnd <= -INT32_MAX;
  Extent zero = math.constant(0), one = math.constant(1);
  Extent first = math.fromFront(start, extent), past = math.fromFront(end, extent);
  if (step > 0) {
    first = clamp(math, first, zero, extent);
    past = toTheEnd ? extent : clamp(math, past, zero, extent);
    Extent length = math.sub(past, first);
    if (!IndexMath::isKnown(first, 0))
      length = math.max(length, zero);
    return {first, step == 1 ? length : math.ceilDiv(length, step), step, false};
  }
  Extent last = math.sub(extent, one), minusOne = math.constant(-1);
  first = knownStart && *knownStart >= INT32_MAX ? last : clamp(math, first, minusOne, last);
  past = fromTheEnd ? minusOne : clamp(math, past, minusOne, last);
  Extent length = math.max(math.sub(first, past), zero);
  return {math.sub(last, first), step == -1 ? length : math.ceilDiv(length, -step), -step, true};
}

Status importSlice(Node &node) {
  KILN_ASSIGN_OR_RETURN(SliceBounds bounds, readSliceBounds(node));
  IndexMath &math = node.build.math();
  Extents sizes = node.shape(0), offsets(sizes.size(), math.constant(0)),
          strides(sizes.size(), math.constant(1));
  SmallVector<int64_t> reversed;
  for (auto [i, axis] : llvm::enumerate(bounds.axes)) {
    if (bounds.steps[i] < -INT32_MAX || bounds.steps[i] > INT32_MAX)
      bounds.steps[i] = bounds.steps[i] < 0 ? -INT32_MAX : INT32_MAX; // beyond every extent all the same
    AxisSlice part = sliceAxis(math, bounds.starts[i], bounds.ends[i], bounds.steps[i], sizes[axis]);
    if (part.reversed)
      reversed.push_back(axis);
    offsets[axis] = part.offset;
    sizes[axis] = part.size;
    strides[axis] = math.constant(part.step);
  }
  llvm::sort(reversed);
  KILN_ASSIGN_OR_RETURN(Value x, node.build.reverse(node.tensor(0), reversed));
  return node.output(node.build.slice(x, offsets, sizes, strides));
}

constexpr OpEntry kOps[] = {
    {"Slice", 1, 1, 1, importSlice},
    {"Slice", 10, 3, 5, importSlice, "axes and steps computed from data"},
};

} // namespace

llvm::ArrayRef<OpEntry> sliceOps() { return kOps; }

} // namespace kiln::onnx
