// ScanLowering.cpp: arg_reduce along rows finds the extreme of a row, then the least or greatest column that
// holds it; across rows it keeps the best so far and where it was. cumulative along rows adds what lies 1, 2,
// 4, .. columns away (Hillis and Steele); across rows it goes row by row. Long rows go in parts.
#include "backends/npu/Transforms/AxisLowering.h"
#include "backends/npu/Transforms/VectorLoops.h"
#include "backends/npu/Transforms/VectorLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace kiln::npu {
namespace {

constexpr int64_t kTileElements = 4096;
constexpr int64_t kPartColumns = 512;  // of rows of unknown length
constexpr int64_t kMostTileRows = 248; // that one instruction spreads a column over

class ScanLowering : AxisLowering {
public:
  using AxisLowering::AxisLowering;
  LogicalResult lower();

private:
  using T = TileValue;
  /// The best of each row, and its column as f32.
  struct Extreme {
    T value, index;
  };
  void use(const TileShape &shape) { tiles = std::make_unique<TileBuilder>(builder, loc, shape); }
  T numbers(OpFoldResult offset, OpFoldResult rowStride);
  void write(T value, OpFoldResult offset, OpFoldResult rowStride);
  T neutral();
  void alongRows();
  void inParts(TileShape shape, OpFoldResult first, T columns, T places);
  void acrossRows();
  Extreme extremeOf(T value, T columns, T isThere, bool isWhole);
  T sumsOf(T value, T columns, T places, int64_t extent);
  T shiftedOnce(T sums, T columns, T places, int64_t extent);
  T endsOf(T value);
  T lastOf(OpFoldResult size);
  T shifted(T value, T places, int64_t by);
  T isWithin(T columns, int64_t by, int64_t extent);
  T isBetter(T value, T best);

  ArgReduceOp arg = dyn_cast<ArgReduceOp>(op);
  CumulativeOp sum = dyn_cast<CumulativeOp>(op);
  Type number; // what it is computed in
  ir::Binary pair = ir::Binary::vadd;
};

LogicalResult ScanLowering::lower() {
  Type element = elementOf(op->getOperand(0));
  bool isInt = element.isInteger(32);
  if (!isInt && !isExactInF32())
    return op->emitError("npu: ") << op->getName() << " of " << element << " is not lowered yet";
  // Sums of integers wrap.
  number = isInt || (sum && isa<IntegerType>(element)) ? Type(builder.getI32Type()) : builder.getF32Type();
  if (sum && sum.getKind() == CumulativeKind::Prod)
    pair = ir::Binary::vmul;
  open(arg ? "arg_reduce" : "cumulative");
  if (isInnermost())
    alongRows();
  else
    acrossRows();
  return checkFits();
}

/// Elements of the operand as what is computed with.
TileValue ScanLowering::numbers(OpFoldResult offset, OpFoldResult rowStride) {
  T value = tiles->cast(widen(load(offset, rowStride)), number, ir::Round::rint);
  if (arg && elementOf(op->getOperand(0)).isUnsignedInteger(32)) // in the same order
    value = tiles->binary(ir::Binary::vadd, value, tiles->number(double(INT32_MIN), number));
  return value;
}

/// The low bits of integers, numbers as they are, to memory.
void ScanLowering::write(T value, OpFoldResult offset, OpFoldResult rowStride) {
  Type element = elementOf(op->getOperand(0));
  if (number.isInteger(32) && !element.isInteger(32)) {
    tiles->setNarrow(element.isUnsignedInteger(), /*isInRange=*/false);
    value = tiles->narrow(value, signless(element));
  }
  store(value, resultOf(0), offset, rowStride);
}

/// What changes no sum, or no extreme.
TileValue ScanLowering::neutral() {
  if (sum)
    return tiles->number(sum.getKind() == CumulativeKind::Prod, number);
  bool isMax = arg.getKind() == ArgReduceKind::Max;
  if (number.isF32())
    return tiles->number((isMax ? -1 : 1) * std::numeric_limits<double>::infinity(), number);
  return tiles->number(isMax ? double(INT32_MIN) : double(INT32_MAX), number);
}

// ---- Along rows

/// Whether something of the row lies that far away, on the side that is added up.
TileValue ScanLowering::isWithin(T columns, int64_t by, int64_t extent) {
  if (!sum.getReverse())
    return tiles->compare(ir::Compare::ge, columns, tiles->number(double(by), columns.element));
  return tiles->compare(ir::Compare::lt, columns, tiles->number(double(extent - by), columns.element));
}

/// The offset of the last of `size` elements.
TileValue ScanLowering::lastOf(OpFoldResult size) {
  OpFoldResult last = math.mul(math.sub(size, math.constant(1)), math.constant(4));
  Type i32 = builder.getI32Type();
  return {T::Kind::Scalar, builder.create<arith::IndexCastOp>(loc, i32, math.value(last)), i32};
}

/// What lies `by` columns before each element (reverse: behind it), across the rows' ends, too.
TileValue ScanLowering::shifted(T value, T places, int64_t by) {
  const TileShape &shape = tiles->tile();
  OpFoldResult size = math.mul(shape.rows, math.constant(shape.pitch));
  TileValue result = tiles->allocateAs(T::Kind::Full, number);
  Type i32 = builder.getI32Type();
  int64_t bytes = 4 * by;
  T offsets =
      tiles->binary(ir::Binary::vadd, places, tiles->number(double(sum.getReverse() ? bytes : -bytes), i32));
  if (sum.getReverse()) { // not beyond the tile's end
    offsets = tiles->binary(ir::Binary::vmin, offsets, lastOf(size));
  } else {
    offsets = tiles->binary(ir::Binary::vmax, offsets, tiles->number(0, i32));
  }
  builder.create<ir::GatherOp>(loc, flat(value.value, math.constant(0), size),
                               flat(offsets.value, math.constant(0), size),
                               flat(result.value, math.constant(0), size));
  return result;
}

/// The sums up to each element of rows of `extent`, it included.
TileValue ScanLowering::sumsOf(T value, T columns, T places, int64_t extent) {
  for (int64_t by = 1; by < extent; by *= 2) {
    T more = tiles->binary(pair, value, shifted(value, places, by));
    value = tiles->select(isWithin(columns, by, extent), more, value);
  }
  return value;
}

/// The same without the element.
TileValue ScanLowering::shiftedOnce(T sums, T columns, T places, int64_t extent) {
  return tiles->select(isWithin(columns, 1, extent), shifted(sums, places, 1), neutral());
}

/// The element of each row behind which nothing is added: the last column, or (reverse) the first.
TileValue ScanLowering::endsOf(T value) {
  const TileShape &shape = tiles->tile();
  Type i32 = builder.getI32Type();
  T row = tiles->allocateAs(T::Kind::Column, i32), picked = tiles->allocateAs(T::Kind::Column, number);
  int64_t most = cast<MemRefType>(row.value.getType()).getShape()[0];
  OpFoldResult count = shape.paddedRows ? OpFoldResult(shape.paddedRows)
                                        : math.constant(llvm::alignTo(shape.maxRows, 8)),
               size = math.mul(shape.rows, math.constant(shape.pitch)), start = math.constant(0);
  builder.create<ir::RangeOp>(loc, flat(row.value, start, math.constant(most)));
  T places = tiles->binary(ir::Binary::vmul, row, tiles->number(double(4 * shape.pitch), i32));
  if (!sum.getReverse())
    places = tiles->binary(ir::Binary::vadd, places, tiles->number(double(4 * (shape.pitch - 1)), i32));
  places = tiles->binary(ir::Binary::vmin, places, lastOf(size)); // rows that are not there, too
  builder.create<ir::GatherOp>(loc, flat(value.value, start, size), flat(places.value, start, count),
                               flat(picked.value, start, count));
  return picked;
}

/// Where `isThere` (if any) holds. Integers go by their high halves, then by their low ones, which f32 holds.
ScanLowering::Extreme ScanLowering::extremeOf(T value, T columns, T isThere, bool isWhole) {
  bool isMax = arg.getKind() == ArgReduceKind::Max, takesLast = arg.getSelectLast();
  ir::Reduce kind = isMax ? ir::Reduce::max : ir::Reduce::min;
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  auto among = [&](T condition, T x, T other) {
    return condition.value ? tiles->select(condition, x, other) : x;
  };
  T best, isBest;
  if (number.isF32()) {
    value = among(isThere, value, neutral());
    best = tiles->reduceRows(kind, value, f32);
    isBest = tiles->compare(ir::Compare::eq, value, best);
  } else {
    T half = tiles->materialize(tiles->number(0xffff, i32), T::Kind::Full);
    T high =
        tiles->cast(tiles->binary(ir::Binary::vshr, value, tiles->number(16, i32)), f32, ir::Round::rint);
    T low = tiles->cast(tiles->binary(ir::Binary::vand, value, half), f32, ir::Round::rint);
    high = among(isThere, high, tiles->number(isMax ? -65536 : 65536, f32));
    T bestHigh = tiles->reduceRows(kind, high, f32);
    low = tiles->select(tiles->compare(ir::Compare::eq, high, bestHigh), low,
                        tiles->number(isMax ? -1 : 65536, f32));
    T bestLow = tiles->reduceRows(kind, low, f32);
    isBest = tiles->compare(ir::Compare::eq, low, bestLow);
    if (!isWhole)
      best = tiles->binary(ir::Binary::vadd,
                           tiles->binary(ir::Binary::vmul, tiles->cast(bestHigh, i32, ir::Round::rint),
                                         tiles->number(65536, i32)),
                           tiles->cast(bestLow, i32, ir::Round::rint));
  }
  T none = tiles->number(takesLast ? -1 : 65536, f32);
  T candidates = tiles->select(isBest, columns, none);
  if (isa<FloatType>(elementOf(op->getOperand(0)))) // where there is one, nothing equals the extreme
    candidates = tiles->select(tiles->compare(ir::Compare::ne, value, value), columns, candidates);
  candidates = among(isThere, candidates, none);
  return {best, tiles->reduceRows(takesLast ? ir::Reduce::max : ir::Reduce::min, candidates, f32)};
}

void ScanLowering::alongRows() {
  std::optional<int64_t> extent = knownAlong(), known = getConstantIntValue(outer());
  bool isWhole = extent && *extent <= kTileElements;
  int64_t pitch = isWhole ? llvm::alignTo(*extent, 16) : extent ? kTileElements : kPartColumns;
  auto cores = static_cast<int64_t>(target.vectorCores);
  int64_t rows = std::clamp<int64_t>(kTileElements / pitch, 1, kMostTileRows);
  if (known)
    rows = std::min<int64_t>(rows, std::max<int64_t>(1, llvm::divideCeil(*known, cores)));
  TileShape shape;
  shape.maxRows = rows, shape.pitch = pitch;
  shape.rows = math.constant(rows), shape.columns = math.constant(isWhole ? *extent : pitch);
  use(shape);
  // Of all tiles.
  T columns = tiles->materialize(
      tiles->cast(count(/*throughRows=*/false), builder.getF32Type(), ir::Round::rint), T::Kind::Full);
  T places;
  if (sum)
    places =
        tiles->binary(ir::Binary::vmul, count(/*throughRows=*/true), tiles->number(4, builder.getI32Type()));
  OpFoldResult all = outer();
  Value unit = openUnits(builder, loc, function, math.ceilDiv(all, rows), target.vectorCores);
  OpFoldResult first = math.mul(unit, math.constant(rows));
  if (!known || *known % rows != 0) {
    shape.rows = math.min(math.constant(rows), math.sub(all, first));
    shape.paddedRows = math.value(math.mul(math.ceilDiv(shape.rows, 8), math.constant(8)));
  }
  use(shape);
  if (!isWhole)
    return inParts(shape, first, columns, places);
  OpFoldResult place = math.mul(first, shape.columns);
  T value = numbers(place, shape.columns);
  if (arg)
    return store(extremeOf(value, columns, {}, /*isWhole=*/true).index, resultOf(0), first, math.constant(1));
  value = sumsOf(value, columns, places, *extent);
  if (sum.getExclusive())
    value = shiftedOnce(value, columns, places, *extent);
  write(value, place, shape.columns);
}

/// Rows that no tile holds, or of unknown length: what came before a part stays in a column.
void ScanLowering::inParts(TileShape shape, OpFoldResult first, T columns, T places) {
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  OpFoldResult length = along(), width = math.constant(shape.pitch);
  bool isReverse = sum && sum.getReverse();
  T before = tiles->materialize(neutral(), T::Kind::Column), index;
  if (arg)
    index = tiles->materialize(tiles->number(0, f32), T::Kind::Column);
  auto loop =
      builder.create<scf::ForOp>(loc, math.value(math.constant(0)),
                                 math.value(math.ceilDiv(length, shape.pitch)), math.value(math.constant(1)));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    OpFoldResult part = OpFoldResult(loop.getInductionVar());
    if (isReverse)
      part = math.sub(math.sub(math.ceilDiv(length, shape.pitch), math.constant(1)), part);
    OpFoldResult start = math.mul(part, width), place = math.add(math.mul(first, length), start);
    TileShape here = shape;
    here.columns = math.min(width, math.sub(length, start));
    auto scalar = [&](OpFoldResult size) -> T {
      Value integer = builder.create<arith::IndexCastOp>(loc, i32, math.value(size));
      return {T::Kind::Scalar, builder.create<arith::SIToFPOp>(loc, f32, integer), f32};
    };
    use(here);
    T value = numbers(place, length);
    use(shape);
    T isThere = tiles->compare(ir::Compare::lt, columns, scalar(here.columns));
    if (arg) {
      Extreme extreme = extremeOf(value, columns, isThere, /*isWhole=*/false);
      T better = isBetter(extreme.value, before);
      tiles->replace(better, extreme.value, before);
      tiles->replace(better, tiles->binary(ir::Binary::vadd, extreme.index, scalar(start)), index);
    } else {
      T sums = sumsOf(tiles->select(isThere, value, neutral()), columns, places, shape.pitch);
      T ends = endsOf(sums);
      if (sum.getExclusive())
        sums = shiftedOnce(sums, columns, places, shape.pitch);
      sums = tiles->binary(pair, sums, before);
      tiles->update(pair, before, ends);
      use(here);
      write(sums, place, length);
    }
  }
  use(shape);
  if (arg)
    store(index, resultOf(0), first, math.constant(1));
}

// ---- Across rows

/// Whether `value` takes the place of the best so far.
TileValue ScanLowering::isBetter(T value, T best) {
  bool isMax = arg.getKind() == ArgReduceKind::Max, takesLast = arg.getSelectLast();
  T better;
  if (number.isF32()) {
    better = tiles->compare(isMax ? (takesLast ? ir::Compare::ge : ir::Compare::gt)
                                  : (takesLast ? ir::Compare::le : ir::Compare::lt),
                            value, best);
  } else { // integers only compare equal: the greater of both is another one, or this one
    T extreme = tiles->binary(isMax ? ir::Binary::vmax : ir::Binary::vmin, value, best);
    return takesLast ? tiles->compare(ir::Compare::eq, extreme, value)
                     : tiles->compare(ir::Compare::ne, extreme, best);
  }
  if (!isa<FloatType>(elementOf(op->getOperand(0))))
    return better;
  T isNan = tiles->unmask(tiles->compare(ir::Compare::ne, value, value));
  if (!takesLast) // the first one stays
    isNan =
        tiles->binary(ir::Binary::vmin, isNan, tiles->unmask(tiles->compare(ir::Compare::eq, best, best)));
  T either = tiles->binary(ir::Binary::vmax, isNan, tiles->unmask(better));
  return tiles->compare(ir::Compare::ne, either, tiles->number(0, either.element));
}

void ScanLowering::acrossRows() {
  OpFoldResult step = inner(), count = along(), groups = outer();
  std::optional<int64_t> known = getConstantIntValue(step);
  auto cores = static_cast<int64_t>(target.vectorCores);
  // Tiles of whole groups of columns; or a part of one group.
  bool isLine = !known || *known > kTileElements / 2;
  TileShape shape;
  shape.isLine = isLine;
  shape.pitch = isLine ? kTileElements : llvm::alignTo(*known, 16);
  if (!isLine) {
    shape.maxRows = std::clamp<int64_t>(kTileElements / shape.pitch, 1, kMostTileRows);
    if (std::optional<int64_t> rows = getConstantIntValue(groups))
      shape.maxRows = std::min<int64_t>(shape.maxRows, std::max<int64_t>(1, llvm::divideCeil(*rows, cores)));
  }
  OpFoldResult parts = isLine ? math.ceilDiv(step, shape.pitch) : math.constant(1);
  OpFoldResult units = isLine ? math.mul(groups, parts) : math.ceilDiv(groups, shape.maxRows);
  OpFoldResult unit = OpFoldResult(openUnits(builder, loc, function, units, target.vectorCores));
  OpFoldResult group = isLine ? math.div(unit, parts) : math.mul(unit, math.constant(shape.maxRows));
  OpFoldResult column =
      isLine ? math.mul(math.rem(unit, parts), math.constant(shape.pitch)) : math.constant(0);
  shape.rows = isLine ? math.constant(1) : math.min(math.constant(shape.maxRows), math.sub(groups, group));
  shape.columns = isLine ? math.min(math.constant(shape.pitch), math.sub(step, column)) : step;
  if (!isLine && shape.maxRows == 1)
    shape.rows = math.constant(1);
  if (!getConstantIntValue(shape.rows))
    shape.paddedRows = math.value(math.mul(math.ceilDiv(shape.rows, 8), math.constant(8)));
  use(shape);
  OpFoldResult rowStride = math.mul(count, step);
  OpFoldResult first = math.add(math.mul(group, rowStride), column);
  bool isReverse = sum && sum.getReverse();
  auto placeOf = [&](OpFoldResult k) {
    if (isReverse)
      k = math.sub(math.sub(count, math.constant(1)), k);
    return math.add(first, math.mul(k, step));
  };
  auto row = [&](OpFoldResult k) { return numbers(placeOf(k), rowStride); };
  if (sum) {
    T total = tiles->materialize(neutral(), T::Kind::Full);
    auto loop = builder.create<scf::ForOp>(loc, math.value(math.constant(0)), math.value(count),
                                           math.value(math.constant(1)));
    builder.setInsertionPointToStart(loop.getBody());
    OpFoldResult k = OpFoldResult(loop.getInductionVar());
    T value = row(k);
    auto copy = [&] { return tiles->binary(ir::Binary::vmul, total, tiles->number(1, number)); };
    if (sum.getExclusive())
      write(copy(), placeOf(k), rowStride);
    tiles->update(pair, total, value);
    if (!sum.getExclusive())
      write(copy(), placeOf(k), rowStride);
    return;
  }
  T best = tiles->binary(ir::Binary::vmul, row(math.constant(0)), tiles->number(1, number));
  T index = tiles->materialize(tiles->number(0, builder.getF32Type()), T::Kind::Full);
  auto loop = builder.create<scf::ForOp>(loc, math.value(math.constant(1)), math.value(count),
                                         math.value(math.constant(1)));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    OpFoldResult k = OpFoldResult(loop.getInductionVar());
    T value = row(k), better = isBetter(value, best);
    Value integer = builder.create<arith::IndexCastOp>(loc, builder.getI32Type(), math.value(k));
    Value real = builder.create<arith::SIToFPOp>(loc, builder.getF32Type(), integer);
    tiles->replace(better, value, best);
    tiles->replace(better, tiles->materialize({T::Kind::Scalar, real, builder.getF32Type()}, T::Kind::Full),
                   index);
  }
  store(index, resultOf(0), math.add(math.mul(group, step), column), step);
}

} // namespace

LogicalResult lowerScanKernel(KernelOp kernel, Operation *op, const Target &target) {
  return ScanLowering(kernel, op, axisOf(op), target).lower();
}

} // namespace kiln::npu
