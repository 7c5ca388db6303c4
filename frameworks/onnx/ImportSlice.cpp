// ImportSlice.cpp: Slice, whose bounds, axes and steps may be computed.
#include "frameworks/onnx/DataAxes.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/SliceBounds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

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

/// clampSlice's rules, with whatever of the bounds and the extent is known.
AxisSlice sliceAxis(IndexMath &math, Extent start, Extent end, int64_t step, Extent extent) {
  auto knownStart = IndexMath::known(start), knownEnd = IndexMath::known(end),
       knownExtent = IndexMath::known(extent);
  if (knownStart && knownEnd && knownExtent) {
    SliceRange range = clampSlice(*knownStart, *knownEnd, step, *knownExtent);
    int64_t offset = range.size == 0 ? 0 : step > 0 ? range.start : *knownExtent - 1 - range.start;
    return {math.constant(offset), math.constant(range.size), std::abs(step), step < 0};
  }
  // Exporters write "to the end" as a number no extent reaches.
  bool toTheEnd = knownEnd && *knownEnd >= INT32_MAX;
  bool toTheBeginning = knownEnd && (*knownEnd <= -INT32_MAX || isPastEveryExtent(*knownEnd));
  Extent zero = math.constant(0), one = math.constant(1);
  Extent first = math.fromFront(start, extent), past = math.fromFront(end, extent);
  if (step == 1 && knownStart == -1 &&
      toTheEnd) // one element, of an axis that has any, so that it broadcasts
    return {math.max(math.sub(extent, one), zero), one, step, false};
  if (step > 0) {
    first = clamp(math, first, zero, extent);
    past = toTheEnd ? extent : clamp(math, past, zero, extent);
    Extent length = math.sub(past, first);
    if (!IndexMath::isKnown(first, 0))
      length = math.max(length, zero);
    return {first, step == 1 ? length : math.ceilDiv(length, step), step, false};
  }
  Extent last = math.sub(extent, one), minusOne = math.constant(-1);
  first = knownStart && *knownStart >= INT32_MAX ? last : math.min(math.max(first, zero), last);
  past = toTheBeginning ? minusOne : clamp(math, past, minusOne, last);
  Extent length = math.max(math.sub(first, past), zero);
  return {math.sub(last, first), step == -1 ? length : math.ceilDiv(length, -step), -step, true};
}

/// The axis 1 of `x` turned round if the flag is set.
Result<Value> reversedIf(KilnBuilder &build, Value x, Extent flag) {
  OpBuilder &builder = build.builder();
  auto branch = builder.create<scf::IfOp>(build.location(), x.getType(), build.math().flag(flag),
                                          /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    KilnBuilder::InBlock where(build, block);
    Value part = x;
    if (block == branch.thenBlock()) {
      KILN_ASSIGN_OR_RETURN(part, build.reverse(x, {1}));
    }
    builder.create<scf::YieldOp>(build.location(), part);
  }
  return branch.getResult(0);
}

struct AxisPart {
  Extent offset, size, stride;
  Extent isBackward; // offset and stride count from the end, in an axis turned round
};

/// clampSlice's rules for a step of either sign. No sum of a bound and an extent overflows.
AxisPart partOf(IndexMath &math, Extent start, Extent end, Extent step, Extent extent) {
  Extent zero = math.constant(0), one = math.constant(1), minusOne = math.constant(-1);
  Extent beyond = math.add(extent, one), below = math.sub(zero, beyond);
  step = math.min(math.max(step, below), beyond);
  Extent isBackward = math.compare(arith::CmpIPredicate::slt, step, zero);
  Extent highest = math.select(isBackward, math.sub(extent, one), extent);
  auto position = [&](Extent given, Extent lowest) {
    Extent inside = math.min(math.max(given, below), extent);
    return math.min(math.max(math.fromFront(inside, extent), lowest), highest);
  };
  using Predicate = arith::CmpIPredicate;
  Extent isOpen = math.compare(Predicate::eq, end, math.constant(INT32_MAX)),
         isOpenToo = math.compare(Predicate::eq, end, math.constant(INT64_MAX));
  end = math.select(math.mul(isBackward, math.max(isOpen, isOpenToo)), below, end); // isPastEveryExtent
  Extent first = position(start, zero), past = position(end, math.select(isBackward, minusOne, zero));
  Extent sign = math.select(isBackward, minusOne, one);
  Extent length = math.add(math.sub(past, first), math.sub(step, sign)); // rounded up by the division
  Extent offset = math.select(isBackward, math.sub(math.sub(extent, one), first), first);
  return {offset, math.max(math.div(length, step), zero), math.mul(step, sign), isBackward};
}

Status sliceAlong(Node &node, DataAxes &axes, ArrayRef<Extent> starts, ArrayRef<Extent> ends,
                  ArrayRef<Extent> steps) {
  size_t count = axes.all().size();
  if (starts.size() != count || ends.size() != count || steps.size() != count)
    return invalid("{0} starts, {1} ends, {2} axes, {3} steps; expected as many of each", starts.size(),
                   ends.size(), count, steps.size());
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  Value x = node.tensor(0);
  Extents shape = node.shape(0);
  for (auto [axis, start, end, given] : llvm::zip(axes.all(), starts, ends, steps)) {
    Extents view = axes.around(shape, axis);
    AxisPart part = partOf(math, start, end, given, view[1]);
    KILN_ASSIGN_OR_RETURN(x, build.reshape(x, view));
    if (auto known = IndexMath::known(part.isBackward); !known) {
      KILN_ASSIGN_OR_RETURN(x, reversedIf(build, x, part.isBackward));
    } else if (*known) {
      KILN_ASSIGN_OR_RETURN(x, build.reverse(x, {1}));
    }
    Extent zero = math.constant(0), one = math.constant(1);
    KILN_ASSIGN_OR_RETURN(
        x, build.slice(x, {zero, part.offset, zero}, {view[0], part.size, view[2]}, {one, part.stride, one}));
    shape = axes.replaced(shape, axis, part.size);
  }
  return node.output(build.reshape(x, shape));
}

/// Axes or steps that are not known: each axis in turn is the middle one of three. The same rules, for
/// a step of either sign.
Status sliceByData(Node &node) {
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  KILN_ASSIGN_OR_RETURN(ShapeValue starts, node.extents(1, "'starts'"));
  KILN_ASSIGN_OR_RETURN(ShapeValue ends, node.extents(2, "'ends'"));
  size_t count = starts.elements.size();
  Extents steps(count, math.constant(1));
  if (node.hasInput(4)) {
    KILN_ASSIGN_OR_RETURN(ShapeValue given, node.extents(4, "'steps'"));
    steps = std::move(given.elements);
  }
  DataAxes axes(math, node.rank(0), math.constants(llvm::to_vector(llvm::seq<int64_t>(0, count))));
  if (!node.hasInput(3))
    return sliceAlong(node, axes, starts.elements, ends.elements, steps);
  KILN_ASSIGN_OR_RETURN(DataAxes given, DataAxes::read(node, 3, node.rank(0), "'axes'"));
  return sliceAlong(node, given, starts.elements, ends.elements, steps);
}

Status importSlice(Node &node) {
  if (node.opset() >= 10 && (node.isFromData(3) || node.isFromData(4)))
    return sliceByData(node);
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

constexpr OpEntry kSliceOps[] = {
    {"Slice", 1, 1, 1, importSlice},
    {"Slice", 10, 3, 5, importSlice},
};

} // namespace

llvm::ArrayRef<OpEntry> sliceOps() { return kSliceOps; }

} // namespace kiln::onnx
