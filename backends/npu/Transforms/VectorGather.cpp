// VectorGather.cpp: elements of a row at places that differ by column: gathers along the innermost axis,
// steps along it, its reversal. Rows of the source come in as they lie; one gather in UB picks the elements.
#include "backends/npu/Transforms/VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// A row of the source, of which UB holds two copies beside the tiles.
constexpr int64_t kMostRowBytes = 49152;

} // namespace

bool isPickedFromRows(const Domain &domain, Value value, const Access &access, size_t columnGroup) {
  SmallVector<int64_t> axes = domain.axesOf(value, columnGroup);
  if (axes.empty())
    return false;
  const AxisAccess &at = access.axes[axes.back()];
  auto source = cast<RankedTensorType>(access.source.getType());
  bool hasStep = !at.isIndexed && axes.size() == 1 && at.step != 1;
  if (!at.isIndexed && !hasStep)
    return false;
  int64_t axis = at.isIndexed ? access.gathered : at.axis, bytes = bytesOf(source.getElementType());
  bool isInnermost =
      llvm::all_of(source.getShape().drop_front(axis + 1), [](int64_t extent) { return extent == 1; });
  return isInnermost && !source.isDynamicDim(axis) && (bytes == 2 || bytes == 4) &&
         source.getDimSize(axis) * bytes <= kMostRowBytes;
}

/// For each column, and each row where indices differ by row, which element of the source's row it is.
FailureOr<TileValue> VectorLowering::placesInRows(Value value, const Access &access, int64_t extent,
                                                  bool differsByRow) {
  IndexMath math(builder, loc);
  const TileShape &shape = tiles->tile();
  Type i32 = builder.getI32Type();
  Kind kind = differsByRow || tiling.isLine ? Kind::Full : Kind::Row;
  const AxisAccess &at = access.axes[domain.axesOf(value, tiling.columnGroup).back()];
  TileValue places;
  if (at.isIndexed) {
    Value indices = argumentOf(access.indices);
    Type stored = cast<MemRefType>(indices.getType()).getElementType();
    if (!stored.isSignlessInteger(32) && !stored.isSignlessInteger(64))
      return FailureOr<TileValue>(emitError(value.getLoc(), "npu: a gather at indices of type ")
                                  << elementOf(access.indices) << " is not lowered yet");
    // Pads of a burst end at 124 bytes; the vector unit fills no elements of eight.
    if (!tiling.isLine && bytesOf(stored) == 8 && shape.pitch - *getConstantIntValue(shape.columns) > 15)
      return FailureOr<TileValue>(
          emitError(value.getLoc(), "npu: a gather of so few bytes a row is not lowered yet"));
    OpFoldResult from = math.constant(0), step = shape.columns;
    for (size_t group = 0; group < domain.groupCount(); ++group) {
      SmallVector<int64_t> axes = domain.axesOf(value, group);
      if (axes.empty() || !access.axes[axes.back()].isIndexed)
        continue;
      OpFoldResult stride = strideOf(builder, loc, indices, access.axes[axes.back()].axis);
      from = math.add(from, math.mul(starts[group], stride));
      if (group == tiling.rowGroup && differsByRow)
        step = stride;
    }
    places = tiles->allocateAs(kind, stored);
    OpFoldResult rows = differsByRow ? shape.rows : math.constant(1);
    builder.create<ir::LoadOp>(
        loc, windowOf(builder, loc, indices, from, {rows, shape.columns}, {step, math.constant(1)}),
        viewForTransfer(places));
    places = tiles->cast(places, i32, ir::Round::rint);
    // One below 0 counts from the end.
    TileValue sign = tiles->binary(ir::Binary::vshr, places, tiles->number(31, i32));
    sign = tiles->binary(ir::Binary::vmul, sign, tiles->number(double(-extent), i32));
    places = tiles->binary(ir::Binary::vadd, places, sign);
  } else {
    places = tiles->allocateAs(kind, i32);
    builder.create<ir::RangeOp>(loc, places.value);
    places = tiles->binary(ir::Binary::vmul, places, tiles->number(double(at.step), i32));
    OpFoldResult start = at.start;
    if (auto argument = dyn_cast<Value>(start))
      start = argumentOf(argument);
    start = math.add(start, math.mul(starts[tiling.columnGroup], math.constant(at.step)));
    Value first = builder.create<arith::IndexCastOp>(loc, i32, math.value(start));
    places = tiles->binary(ir::Binary::vadd, places, {Kind::Scalar, first, i32});
  }
  // Also what no column is behind must lie in the row.
  places = tiles->binary(ir::Binary::vmax, places, tiles->number(0, i32));
  return tiles->binary(ir::Binary::vmin, places, tiles->number(double(extent - 1), i32));
}

/// A row of byte offsets for each row of a tile, whose source rows lie `step` bytes apart.
TileValue VectorLowering::offsetsByRow(TileValue row, int64_t step) {
  Type i32 = builder.getI32Type();
  const TileShape &shape = tiles->tile();
  TileValue table = tiles->allocateAs(Kind::Full, i32);
  auto part = [&](int64_t first, int64_t count) -> Value {
    if (first == 0 && count == shape.maxRows)
      return table.value;
    SmallVector<OpFoldResult> ones(2, builder.getIndexAttr(1));
    return builder.create<memref::SubViewOp>(
        loc, table.value, ArrayRef<OpFoldResult>{builder.getIndexAttr(first), builder.getIndexAttr(0)},
        ArrayRef<OpFoldResult>{builder.getIndexAttr(count), builder.getIndexAttr(shape.pitch)}, ones);
  };
  auto add = [&](Value from, int64_t value, Value to) {
    builder.create<ir::BinaryOp>(loc, ir::Binary::vadd, from, tiles->number(double(value), i32).value, to,
                                 IntegerAttr());
  };
  add(row.value, 0, part(0, 1));
  for (int64_t done = 1; done < shape.maxRows; done *= 2) {
    int64_t next = std::min(done, shape.maxRows - done);
    add(part(0, next), done * step, part(done, next));
  }
  return table;
}

FailureOr<TileValue> VectorLowering::pickFromRows(Value value, const Access &access, Kind kind) {
  IndexMath math(builder, loc);
  const TileShape &shape = tiles->tile();
  Value buffer = argumentOf(access.source);
  auto type = cast<MemRefType>(buffer.getType());
  Type stored = type.getElementType();
  int64_t column = domain.axesOf(value, tiling.columnGroup).back(), bytes = bytesOf(stored);
  const AxisAccess &at = access.axes[column];
  int64_t extent = type.getShape()[at.isIndexed ? access.gathered : at.axis];
  if (!tiling.isLine && !getConstantIntValue(shape.columns))
    return FailureOr<TileValue>(
        emitError(value.getLoc(), "npu: a gather of parts of rows of a tile is not lowered yet"));
  bool hasRows = kind == Kind::Full && !tiling.isLine;
  SmallVector<int64_t> rowAxes = hasRows ? domain.axesOf(value, tiling.rowGroup) : SmallVector<int64_t>();
  bool differsByRow = !rowAxes.empty() && access.axes[rowAxes.back()].isIndexed,
       spreads = hasRows && !differsByRow;
  FailureOr<TileValue> places = placesInRows(value, access, extent, differsByRow);
  if (failed(places))
    return failure();
  TileValue offsets =
      tiles->binary(ir::Binary::vmul, *places, tiles->number(double(bytes), builder.getI32Type()));
  // The source's rows as a whole.
  Access rows = access;
  if (!at.isIndexed)
    rows.axes[column].start = builder.getIndexAttr(0);
  OpFoldResult start = std::exchange(starts[tiling.columnGroup], math.constant(0));
  OpFoldResult offset = offsetOf(value, &rows);
  starts[tiling.columnGroup] = start;
  int64_t height = spreads ? shape.maxRows : 1, pitch = llvm::alignTo(extent, 32 / bytes);
  OpFoldResult count = spreads ? shape.rows : math.constant(1), width = math.constant(extent);
  Value held = builder.create<memref::AllocOp>(loc, inUb({height, pitch}, stored)), target = held;
  if (pitch != extent || getConstantIntValue(count) != height)
    target = builder.create<memref::SubViewOp>(
        loc, held, SmallVector<OpFoldResult>(2, builder.getIndexAttr(0)),
        ArrayRef<OpFoldResult>{count, width}, SmallVector<OpFoldResult>(2, builder.getIndexAttr(1)));
  OpFoldResult stride = spreads ? strideAlong(value, &access, tiling.rowGroup) : width;
  builder.create<ir::LoadOp>(
      loc, windowOf(builder, loc, buffer, offset, {count, width}, {stride, math.constant(1)}), target);
  if (spreads)
    offsets = offsetsByRow(offsets, pitch * bytes);
  TileValue result = tiles->allocateAs(kind, stored);
  OpFoldResult elements = tiling.isLine       ? shape.columns
                          : kind == Kind::Row ? math.constant(shape.pitch)
                                              : math.mul(shape.rows, math.constant(shape.pitch));
  auto flat = [&](Value whole, OpFoldResult size) {
    return windowOf(builder, loc, whole, math.constant(0), {math.constant(1), size},
                    {size, math.constant(1)});
  };
  builder.create<ir::GatherOp>(loc, flat(held, math.constant(height * pitch)), flat(offsets.value, elements),
                               flat(result.value, elements));
  return result;
}

} // namespace kiln::npu
