// MovementLowering.cpp: concat and pad: the result is cut into boxes, each of which is a copy of a box of an
// operand, or one number. A box is a loop over tiles of rows; blocks of the launch take tiles in turn.
#include "backends/npu/Transforms/GlobalView.h"
#include "backends/npu/Transforms/VectorLoops.h"
#include "backends/npu/Transforms/VectorLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

#include <functional>

using namespace mlir;

namespace kiln::npu {
namespace {

/// Bytes of a tile, so that several copies of two fit into UB.
constexpr int64_t kTileBytes = 32768;
/// Axes with pads that are copies: each makes three boxes of one.
constexpr int64_t kCopiedAxes = 2;

/// A box of the result: extents and strides (in elements) of each axis, outermost first.
struct Box {
  SmallVector<OpFoldResult> sizes, sourceStrides, targetStrides;
  OpFoldResult sourceOffset, targetOffset;
  Value source; // null: filled
};

/// A part of one axis of a result.
struct Segment {
  OpFoldResult size, from, to; // in elements of the axis: extent, start in the source, start in the result
  int64_t step = 1;            // in the source
  bool isFill = false;
};

class MovementLowering {
public:
  MovementLowering(KernelOp kernel, const Target &target)
      : kernel(kernel), target(target), builder(kernel.getContext()), math(builder, kernel.getLoc()) {}
  LogicalResult lower();

private:
  LogicalResult concat(ConcatOp op);
  LogicalResult pad(PadOp op);
  FailureOr<SmallVector<Segment>> segmentsOf(PadOp op, int64_t axis);
  FailureOr<OpFoldResult> indexOf(Operation *op, OpFoldResult value);
  FailureOr<Value> numberOf(Value scalar);
  void simplify(Box &box);
  void write(Box box, Value number);

  KernelOp kernel;
  const Target &target;
  OpBuilder builder;
  IndexMath math;
  func::FuncOp function;
  Location loc = kernel.getLoc();
  Value result;
};

/// Leaves out extents of 1 and merges neighbours that lie one behind the other on both sides.
void MovementLowering::simplify(Box &box) {
  Box merged = box;
  merged.sizes.clear(), merged.sourceStrides.clear(), merged.targetStrides.clear();
  auto equals = [](OpFoldResult a, OpFoldResult b) {
    std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
    return x && x == y;
  };
  for (size_t i = 0; i < box.sizes.size(); ++i) {
    if (getConstantIntValue(box.sizes[i]) == 1)
      continue;
    OpFoldResult size = box.sizes[i];
    bool joins = !merged.sizes.empty() && getConstantIntValue(merged.sizes.back()) &&
                 getConstantIntValue(size) &&
                 equals(merged.targetStrides.back(), math.mul(size, box.targetStrides[i])) &&
                 (!box.source || equals(merged.sourceStrides.back(), math.mul(size, box.sourceStrides[i])));
    if (!joins) {
      merged.sizes.push_back(size);
      merged.sourceStrides.push_back(box.sourceStrides[i]);
      merged.targetStrides.push_back(box.targetStrides[i]);
      continue;
    }
    merged.sizes.back() = math.mul(merged.sizes.back(), size);
    merged.sourceStrides.back() = box.sourceStrides[i];
    merged.targetStrides.back() = box.targetStrides[i];
  }
  bool isAdjacent = !merged.sizes.empty() && getConstantIntValue(merged.targetStrides.back()) == 1 &&
                    (!box.source || getConstantIntValue(merged.sourceStrides.back()) == 1);
  if (!isAdjacent) {
    merged.sizes.push_back(math.constant(1));
    merged.sourceStrides.push_back(math.constant(1));
    merged.targetStrides.push_back(math.constant(1));
  }
  box = std::move(merged);
}

void MovementLowering::write(Box box, Value number) {
  simplify(box);
  Type element = cast<MemRefType>(result.getType()).getElementType();
  int64_t limit = kTileBytes / bytesOf(element), cores = target.vectorCores;
  size_t last = box.sizes.size() - 1;
  // Rows are bursts of one transfer if their distance is known not to be negative.
  auto isForward = [](OpFoldResult stride) { return getConstantIntValue(stride).value_or(1) > 0; };
  bool hasRows = last > 0 && (!box.source || isForward(box.sourceStrides[last - 1]));
  std::optional<int64_t> columns = getConstantIntValue(box.sizes[last]),
                         rows =
                             hasRows ? getConstantIntValue(box.sizes[last - 1]) : std::optional<int64_t>(1);
  int64_t block = std::max<int64_t>(32 / bytesOf(element), 1),
          padded = columns ? llvm::alignTo(*columns, block) : 0;
  int64_t tileRows = 1, tileColumns = limit, pitch = limit;
  if (columns && padded <= limit) {
    tileColumns = *columns;
    pitch = padded;
    tileRows = hasRows ? std::clamp<int64_t>(limit / pitch, 1, kMaxRepeats) : 1;
    if (rows)
      tileRows = std::min(tileRows, std::max<int64_t>(8, llvm::divideCeil(*rows, cores)));
    if (rows)
      tileRows = std::min(tileRows, std::max<int64_t>(*rows, 1));
    if (!hasRows && padded > cores * 256) // one long row for all cores
      tileColumns = pitch = llvm::alignTo(llvm::divideCeil(*columns, cores), 256);
  } else if (columns) {
    tileColumns = pitch = std::min<int64_t>(limit, llvm::alignTo(llvm::divideCeil(*columns, cores), 256));
  }
  OpFoldResult columnTiles = math.ceilDiv(box.sizes[last], tileColumns);
  OpFoldResult rowTiles = hasRows ? math.ceilDiv(box.sizes[last - 1], tileRows) : math.constant(1);
  size_t outer = hasRows ? last - 1 : last;
  OpFoldResult units = math.mul(columnTiles, rowTiles);
  for (size_t i = 0; i < outer; ++i)
    units = math.mul(units, box.sizes[i]);

  MemRefType tileType = inUb({tileRows, pitch}, element);
  Value filled;
  if (!box.source) {
    filled = builder.create<memref::AllocOp>(loc, tileType);
    builder.create<ir::BroadcastOp>(loc, number, filled);
  }
  OpBuilder::InsertionGuard guard(builder);
  OpFoldResult rest = OpFoldResult(openUnits(builder, loc, function, units, target.vectorCores)),
               from = box.sourceOffset, to = box.targetOffset;
  auto take = [&](OpFoldResult count) {
    OpFoldResult index = math.rem(rest, count);
    rest = math.div(rest, count);
    return index;
  };
  auto advance = [&](OpFoldResult index, size_t axis) {
    if (box.source)
      from = math.add(from, math.mul(index, box.sourceStrides[axis]));
    to = math.add(to, math.mul(index, box.targetStrides[axis]));
  };
  auto here = [&](OpFoldResult size, OpFoldResult start, int64_t tile) {
    std::optional<int64_t> known = getConstantIntValue(size);
    return known && *known % tile == 0 ? math.constant(tile)
                                       : math.min(math.constant(tile), math.sub(size, start));
  };
  OpFoldResult column = math.mul(take(columnTiles), math.constant(tileColumns));
  OpFoldResult width = here(box.sizes[last], column, tileColumns), height = math.constant(1);
  advance(column, last);
  if (hasRows) {
    OpFoldResult row = math.mul(take(rowTiles), math.constant(tileRows));
    height = here(box.sizes[last - 1], row, tileRows);
    advance(row, last - 1);
  }
  for (size_t i = outer; i-- > 0;)
    advance(take(box.sizes[i]), i);
  Value tile = filled ? filled : builder.create<memref::AllocOp>(loc, tileType).getResult();
  Value part = tile;
  if (getConstantIntValue(height) != tileRows || getConstantIntValue(width) != pitch)
    part = builder.create<memref::SubViewOp>(loc, tile, SmallVector<OpFoldResult>(2, builder.getIndexAttr(0)),
                                             ArrayRef<OpFoldResult>{height, width},
                                             SmallVector<OpFoldResult>(2, builder.getIndexAttr(1)));
  auto window = [&](Value buffer, OpFoldResult offset, ArrayRef<OpFoldResult> strides) {
    return windowOf(builder, loc, buffer, offset, {height, width},
                    {hasRows ? strides[last - 1] : width, math.constant(1)});
  };
  if (box.source)
    builder.create<ir::LoadOp>(loc, window(box.source, from, box.sourceStrides), part);
  builder.create<ir::StoreOp>(loc, part, window(result, to, box.targetStrides));
}

FailureOr<OpFoldResult> MovementLowering::indexOf(Operation *op, OpFoldResult value) {
  if (getConstantIntValue(value))
    return value;
  if (auto argument = dyn_cast<BlockArgument>(cast<Value>(value)))
    return OpFoldResult(function.getArgument(argument.getArgNumber()));
  return FailureOr<OpFoldResult>(op->emitError("npu: ")
                                 << op->getName() << " at computed places is not lowered yet");
}

LogicalResult MovementLowering::concat(ConcatOp op) {
  int64_t rank = cast<RankedTensorType>(op.getType()).getRank();
  auto axis = static_cast<int64_t>(op.getAxis()); // the attribute's own type has no sign
  axis = axis < 0 ? axis + rank : axis;
  OpFoldResult at = math.constant(0);
  auto product = [&](Value memref, int64_t begin, int64_t end) {
    OpFoldResult count = math.constant(1);
    for (int64_t i = begin; i < end; ++i)
      count = math.mul(count, extentOf(builder, loc, memref, i));
    return count;
  };
  for (Value input : op.getInputs()) {
    auto argument = dyn_cast<BlockArgument>(input);
    if (!argument)
      return op.emitError("npu: kiln.concat of what the kernel computes is not lowered yet");
    Value source = function.getArgument(argument.getArgNumber());
    OpFoldResult run = product(source, axis, rank);
    Box box = {{product(source, 0, axis), run},
               {run, math.constant(1)},
               {product(result, axis, rank), math.constant(1)},
               math.constant(0),
               at,
               source};
    write(box, {});
    at = math.add(at, run);
  }
  return success();
}

/// The parts of one axis, the middle first.
FailureOr<SmallVector<Segment>> MovementLowering::segmentsOf(PadOp op, int64_t axis) {
  FailureOr<OpFoldResult> low = indexOf(op, op.getMixedLow()[axis]),
                          high = indexOf(op, op.getMixedHigh()[axis]);
  if (failed(low) || failed(high))
    return failure();
  Value source = function.getArgument(cast<BlockArgument>(op.getX()).getArgNumber());
  OpFoldResult extent = extentOf(builder, loc, source, axis), zero = math.constant(0), one = math.constant(1);
  OpFoldResult end = math.add(*low, extent), last = math.sub(extent, one);
  SmallVector<Segment> parts = {{extent, zero, *low}};
  bool hasLow = getConstantIntValue(*low) != 0, hasHigh = getConstantIntValue(*high) != 0;
  switch (op.getMode()) {
  case PadMode::Constant:
    if (hasLow)
      parts.push_back({*low, zero, zero, 0, true});
    if (hasHigh)
      parts.push_back({*high, zero, end, 0, true});
    return parts;
  case PadMode::Edge:
    if (hasLow)
      parts.push_back({*low, zero, zero, 0});
    if (hasHigh)
      parts.push_back({*high, last, end, 0});
    return parts;
  case PadMode::Reflect:
    if (hasLow)
      parts.push_back({*low, *low, zero, -1});
    if (hasHigh)
      parts.push_back({*high, math.sub(last, one), end, -1});
    return parts;
  case PadMode::Wrap: {
    auto n = getConstantIntValue(extent), a = getConstantIntValue(*low), b = getConstantIntValue(*high);
    if (!n || !a || !b || *a > *n || *b > *n)
      return FailureOr<SmallVector<Segment>>(
          op.emitError("npu: kiln.pad wrap by more than the extent is not lowered yet"));
    if (hasLow)
      parts.push_back({*low, math.sub(extent, *low), zero});
    if (hasHigh)
      parts.push_back({*high, zero, end});
    return parts;
  }
  }
  llvm_unreachable("a mode");
}

FailureOr<Value> MovementLowering::numberOf(Value scalar) {
  Type element = signless(elementOf(scalar)), stored = cast<MemRefType>(result.getType()).getElementType();
  if (auto constant = scalar.getDefiningOp<ConstantOp>()) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    Attribute value = splat ? splat.getSplatValue<Attribute>() : Attribute();
    if (auto real = dyn_cast_or_null<FloatAttr>(value); real && bytesOf(element) <= 4)
      return builder.create<arith::ConstantOp>(loc, element, real).getResult();
    if (auto integer = dyn_cast_or_null<IntegerAttr>(value); integer && bytesOf(element) <= 4) {
      Type type = bytesOf(element) == 1 ? builder.getI8Type() : element;
      APInt bits = integer.getValue().zextOrTrunc(type.getIntOrFloatBitWidth());
      return builder.create<arith::ConstantOp>(loc, type, builder.getIntegerAttr(type, bits)).getResult();
    }
  } else if (auto argument = dyn_cast<BlockArgument>(scalar);
             argument && (element.isF32() || element.isF16() || element.isInteger(32))) {
    Value source = windowOf(builder, loc, function.getArgument(argument.getArgNumber()), math.constant(0),
                            {math.constant(1)}, {math.constant(1)});
    return builder.create<ir::ScalarLoadOp>(loc, stored, source).getResult();
  }
  return FailureOr<Value>(emitError(scalar.getLoc(), "npu: a pad of type ")
                          << elementOf(scalar) << " is not lowered yet");
}

LogicalResult MovementLowering::pad(PadOp op) {
  if (!isa<BlockArgument>(op.getX()))
    return op.emitError("npu: kiln.pad of what the kernel computes is not lowered yet");
  Value source = function.getArgument(cast<BlockArgument>(op.getX()).getArgNumber()), number;
  int64_t rank = cast<RankedTensorType>(op.getType()).getRank(), copied = 0;
  SmallVector<SmallVector<Segment>> segments;
  for (int64_t axis = 0; axis < rank; ++axis) {
    FailureOr<SmallVector<Segment>> parts = segmentsOf(op, axis);
    if (failed(parts))
      return failure();
    copied += parts->size() > 1;
    segments.push_back(*parts);
  }
  if (op.getMode() == PadMode::Constant) {
    FailureOr<Value> value = numberOf(op.getValue());
    if (failed(value))
      return failure();
    number = *value;
  } else if (copied > kCopiedAxes) {
    return op.emitError("npu: kiln.pad ")
           << stringifyPadMode(op.getMode()) << " of more than " << kCopiedAxes << " axes is not lowered yet";
  }
  // All combinations; where one axis is filled, the inner ones are whole.
  std::function<void(Box, int64_t, bool)> combine = [&](Box box, int64_t axis, bool isFill) {
    if (axis == rank) {
      box.source = isFill ? Value() : source;
      return write(box, number);
    }
    SmallVector<Segment> whole = {{extentOf(builder, loc, result, axis), math.constant(0), math.constant(0)}};
    for (const Segment &part : isFill ? whole : segments[axis]) {
      Box next = box;
      OpFoldResult stride = strideOf(builder, loc, source, axis),
                   pitch = strideOf(builder, loc, result, axis);
      next.sizes.push_back(part.size);
      next.sourceStrides.push_back(math.mul(stride, math.constant(part.step)));
      next.targetStrides.push_back(pitch);
      next.sourceOffset = math.add(next.sourceOffset, math.mul(part.from, stride));
      next.targetOffset = math.add(next.targetOffset, math.mul(part.to, pitch));
      combine(next, axis + 1, isFill || part.isFill);
    }
  };
  Box box;
  box.sourceOffset = box.targetOffset = math.constant(0);
  combine(box, 0, false);
  return success();
}

LogicalResult MovementLowering::lower() {
  Block &body = kernel.getBody().front();
  Operation *root = body.getTerminator()->getOperand(0).getDefiningOp();
  Type element = cast<RankedTensorType>(kernel.getResultTypes()[0]).getElementType();
  if (!element.isIntOrFloat() || (element.getIntOrFloatBitWidth() % 8 != 0 && !element.isInteger(1)))
    return kernel.emitError("npu: elements of type ") << element << " are not lowered yet";
  function = makeFunction(kernel, "aiv", "movement");
  builder.setInsertionPoint(function.getBody().front().getTerminator());
  result = function.getArgument(kernel.getArgumentTypes().size());
  loc = root->getLoc();
  LogicalResult written = isa<ConcatOp>(root) ? concat(cast<ConcatOp>(root)) : pad(cast<PadOp>(root));
  if (failed(written))
    function.erase();
  return written;
}

} // namespace

bool isMovementKernel(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto isOther = [](Operation &op) { return !isa<ConstantOp, ConcatOp, PadOp>(op); };
  return body.getTerminator()->getNumOperands() == 1 && llvm::none_of(body.without_terminator(), isOther) &&
         isa_and_nonnull<ConcatOp, PadOp>(body.getTerminator()->getOperand(0).getDefiningOp());
}

LogicalResult lowerMovementKernel(KernelOp kernel, const Target &target) {
  return MovementLowering(kernel, target).lower();
}

} // namespace kiln::npu
