// AxisLowering.cpp: arg_reduce along rows finds the extreme of a row, then the least or greatest column that
// holds it; across rows it keeps the best so far and where it was. cumulative along rows adds what lies 1, 2,
// 4, .. columns away (Hillis and Steele); across rows it goes row by row.
#include "backends/npu/Transforms/AxisLowering.h"

#include "backends/npu/Transforms/VectorLoops.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "kiln/devicekit/Pipes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
namespace {

constexpr int64_t kTileElements = 4096;
constexpr int64_t kMostTileRows = 248; // that one instruction spreads a column over

} // namespace

int64_t axisOf(Operation *op) {
  int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  auto axis = cast<IntegerAttr>(op->getAttr("axis")).getInt();
  return axis < 0 ? axis + rank : axis;
}

AxisLowering::AxisLowering(KernelOp kernel, Operation *op, int64_t axis, const Target &target)
    : kernel(kernel), op(op), target(target), builder(kernel.getContext()), loc(op->getLoc()),
      math(builder, loc), axis(axis), rank(cast<RankedTensorType>(op->getOperand(0).getType()).getRank()) {}

void AxisLowering::open(StringRef codeTemplate) {
  function = makeFunction(kernel, "aiv", codeTemplate);
  builder.setInsertionPoint(function.getBody().front().getTerminator());
  x = function.getArgument(cast<BlockArgument>(op->getOperand(0)).getArgNumber());
}

OpFoldResult AxisLowering::product(int64_t begin, int64_t end) {
  OpFoldResult count = math.constant(1);
  for (int64_t i = begin; i < end; ++i)
    count = math.mul(count, extentOf(builder, loc, x, i));
  return count;
}

OpFoldResult AxisLowering::outer() { return product(0, axis); }
OpFoldResult AxisLowering::inner() { return product(axis + 1, rank); }
OpFoldResult AxisLowering::along() { return extentOf(builder, loc, x, axis); }

std::optional<int64_t> AxisLowering::knownAlong() const {
  int64_t extent = cast<RankedTensorType>(op->getOperand(0).getType()).getDimSize(axis);
  return ShapedType::isDynamic(extent) ? std::nullopt : std::optional(extent);
}

bool AxisLowering::isInnermost() const {
  auto shape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  return llvm::all_of(shape.drop_front(axis + 1), [](int64_t extent) { return extent == 1; });
}

Value AxisLowering::resultOf(unsigned number) {
  auto yielded = kernel.getBody().front().getTerminator()->getOperands();
  for (auto [at, value] : llvm::enumerate(yielded))
    if (value == op->getResult(number))
      return function.getArgument(kernel.getArgumentTypes().size() + at);
  return Value();
}

bool AxisLowering::isExactInF32() const {
  Type element = elementOf(op->getOperand(0));
  return element.isF16() || element.isF32() || (element.isBF16() && target.hasBf16) || element.isInteger(8) ||
         element.isInteger(16);
}

TileValue AxisLowering::load(OpFoldResult offset, OpFoldResult rowStride) {
  const TileShape &shape = tiles->tile();
  Type stored = cast<MemRefType>(x.getType()).getElementType();
  TileValue raw = tiles->allocateAs(TileValue::Kind::Full, stored);
  if (!shape.isLine && !getConstantIntValue(shape.columns)) { // pads are computed, too
    Value zero =
        builder.create<arith::ConstantOp>(loc, cast<TypedAttr>(builder.getZeroAttr(signless(stored))));
    builder.create<ir::BroadcastOp>(loc, zero, raw.value);
  }
  Value window =
      windowOf(builder, loc, x, offset, {shape.rows, shape.columns}, {rowStride, math.constant(1)});
  builder.create<ir::LoadOp>(loc, window, tiles->view(raw, false));
  return raw;
}

TileValue AxisLowering::widen(TileValue raw) {
  Type stored = cast<MemRefType>(raw.value.getType()).getElementType(), element = signless(stored);
  TileValue wide = {raw.kind, raw.value, element};
  if (TileBuilder::held(element) != stored) {
    wide = tiles->allocate(raw.kind, element);
    builder.create<ir::CastOp>(loc, ir::Round::rint, tiles->view(raw, true), tiles->view(wide, true));
  }
  return stored.isUnsignedInteger(16) ? tiles->withSign(wide, /*isUnsigned=*/true) : wide;
}

void AxisLowering::store(TileValue value, Value result, OpFoldResult offset, OpFoldResult rowStride) {
  const TileShape &shape = tiles->tile();
  Type stored = cast<MemRefType>(result.getType()).getElementType();
  auto held = cast<MemRefType>(value.value.getType());
  if (held.getElementType() != stored) {
    if (stored.isUnsignedInteger(16))
      value = tiles->withSign(value, /*isUnsigned=*/false);
    TileValue narrow = tiles->allocateAs(value.kind, stored);
    builder.create<ir::CastOp>(loc, ir::Round::rint, tiles->view(value, true), tiles->view(narrow, true));
    value = narrow;
  }
  bool isColumn = value.kind == TileValue::Kind::Column;
  SmallVector<OpFoldResult> sizes = {shape.rows}, strides = {rowStride};
  if (!isColumn)
    sizes.push_back(shape.columns), strides.push_back(math.constant(1));
  Value part = tiles->view(value, false);
  if (isColumn && getConstantIntValue(shape.rows) != held.getShape()[0])
    part = builder.create<memref::SubViewOp>(loc, value.value, ArrayRef<OpFoldResult>{math.constant(0)},
                                             sizes, ArrayRef<OpFoldResult>{math.constant(1)});
  builder.create<ir::StoreOp>(loc, part, windowOf(builder, loc, result, offset, sizes, strides));
}

Value AxisLowering::flat(Value buffer, OpFoldResult from, OpFoldResult size) {
  return windowOf(builder, loc, buffer, from, {math.constant(1), size}, {size, math.constant(1)});
}

TileValue AxisLowering::count(bool throughRows) {
  const TileShape &shape = tiles->tile();
  Type i32 = builder.getI32Type();
  if (throughRows || shape.isLine) {
    TileValue all = tiles->allocateAs(TileValue::Kind::Full, i32);
    builder.create<ir::RangeOp>(
        loc, flat(all.value, math.constant(0), math.constant(shape.maxRows * shape.pitch)));
    return all;
  }
  TileValue row = tiles->allocateAs(TileValue::Kind::Row, i32);
  builder.create<ir::RangeOp>(loc, row.value);
  return row;
}

namespace {

class ScanLowering : AxisLowering {
public:
  using AxisLowering::AxisLowering;
  LogicalResult lower();

private:
  using T = TileValue;
  LogicalResult check();
  void openTiles(int64_t rows, int64_t columns, bool isLine, OpFoldResult units);
  void alongRows();
  void acrossRows();
  void argAlong(T value, T columns, OpFoldResult place);
  void sumAlong(T value, T columns, T places, OpFoldResult place);
  T shifted(T value, T places, int64_t by);
  T isWithin(T columns, int64_t by);
  T isBetter(T value, T best);

  ArgReduceOp arg = dyn_cast<ArgReduceOp>(op);
  CumulativeOp sum = dyn_cast<CumulativeOp>(op);
  Type number; // what it is computed in
  ir::Binary pair = ir::Binary::vadd;
};

LogicalResult ScanLowering::check() {
  Type element = elementOf(op->getOperand(0));
  bool isInt = element.isSignlessInteger(32), wraps = sum && isa<IntegerType>(element);
  if (isInt || (isExactInF32() && !wraps)) {
    number = isInt ? element : builder.getF32Type();
    return success();
  }
  return op->emitError("npu: ") << op->getName() << " of " << element << " is not lowered yet";
}

LogicalResult ScanLowering::lower() {
  if (failed(check()))
    return failure();
  if (sum && sum.getKind() == CumulativeKind::Prod)
    pair = ir::Binary::vmul;
  if (!isInnermost()) {
    open(arg ? "arg_reduce" : "cumulative");
    acrossRows();
    return checkFits();
  }
  std::optional<int64_t> known = knownAlong();
  if (!known || *known > kReducedColumns || (arg && !number.isF32()))
    return op->emitError("npu: ") << op->getName() << " of " << number << " along rows of "
                                  << (known ? *known : 0) << " elements (0: unknown) is not lowered yet";
  open(arg ? "arg_reduce" : "cumulative");
  alongRows();
  return checkFits();
}

// ---- Along rows

/// Whether something of the row lies that far away, on the side that is added up.
TileValue ScanLowering::isWithin(T columns, int64_t by) {
  if (!sum.getReverse())
    return tiles->compare(ir::Compare::ge, columns, tiles->number(double(by), columns.element));
  return tiles->compare(ir::Compare::lt, columns, tiles->number(double(*knownAlong() - by), columns.element));
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
    OpFoldResult last = math.mul(math.sub(size, math.constant(1)), math.constant(4));
    Value most = builder.create<arith::IndexCastOp>(loc, i32, math.value(last));
    offsets = tiles->binary(ir::Binary::vmin, offsets, {T::Kind::Scalar, most, i32});
  } else {
    offsets = tiles->binary(ir::Binary::vmax, offsets, tiles->number(0, i32));
  }
  builder.create<ir::GatherOp>(loc, flat(value.value, math.constant(0), size),
                               flat(offsets.value, math.constant(0), size),
                               flat(result.value, math.constant(0), size));
  return result;
}

void ScanLowering::sumAlong(T value, T columns, T places, OpFoldResult place) {
  int64_t extent = *knownAlong();
  for (int64_t by = 1; by < extent; by *= 2) {
    T more = tiles->binary(pair, value, shifted(value, places, by));
    value = tiles->select(isWithin(columns, by), more, value);
  }
  if (sum.getExclusive())
    value = tiles->select(isWithin(columns, 1), shifted(value, places, 1),
                          tiles->number(sum.getKind() == CumulativeKind::Prod, number));
  store(value, resultOf(0), place, math.constant(extent));
}

void ScanLowering::argAlong(T value, T columns, OpFoldResult place) {
  bool isMax = arg.getKind() == ArgReduceKind::Max, takesLast = arg.getSelectLast();
  T best = tiles->reduceRows(isMax ? ir::Reduce::max : ir::Reduce::min, value, number);
  T none = tiles->number(takesLast ? -1 : double(*knownAlong()), number);
  T candidates = tiles->select(tiles->compare(ir::Compare::eq, value, best), columns, none);
  if (isa<FloatType>(elementOf(op->getOperand(0)))) // where there is one, nothing equals the extreme
    candidates = tiles->select(tiles->compare(ir::Compare::ne, value, value), columns, candidates);
  T index = tiles->reduceRows(takesLast ? ir::Reduce::max : ir::Reduce::min, candidates, number);
  store(index, resultOf(0), place, math.constant(1));
}

void ScanLowering::alongRows() {
  int64_t extent = *knownAlong(), pitch = llvm::alignTo(extent, 16);
  auto cores = static_cast<int64_t>(target.vectorCores);
  std::optional<int64_t> known = getConstantIntValue(outer());
  int64_t rows = std::clamp<int64_t>(kTileElements / pitch, 1, kMostTileRows);
  if (known)
    rows = std::min<int64_t>(rows, std::max<int64_t>(1, llvm::divideCeil(*known, cores)));
  TileShape shape;
  shape.maxRows = rows, shape.pitch = pitch;
  shape.rows = math.constant(rows), shape.columns = math.constant(extent);
  tiles = std::make_unique<TileBuilder>(builder, loc, shape);
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
  tiles = std::make_unique<TileBuilder>(builder, loc, shape);
  OpFoldResult place = math.mul(first, math.constant(extent));
  T value = tiles->cast(widen(load(place, math.constant(extent))), number, ir::Round::rint);
  if (arg)
    argAlong(value, columns, first);
  else
    sumAlong(value, columns, places, place);
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
  tiles = std::make_unique<TileBuilder>(builder, loc, shape);
  OpFoldResult rowStride = math.mul(count, step);
  OpFoldResult first = math.add(math.mul(group, rowStride), column);
  bool isReverse = sum && sum.getReverse();
  auto placeOf = [&](OpFoldResult k) {
    if (isReverse)
      k = math.sub(math.sub(count, math.constant(1)), k);
    return math.add(first, math.mul(k, step));
  };
  auto row = [&](OpFoldResult k) {
    return tiles->cast(widen(load(placeOf(k), rowStride)), number, ir::Round::rint);
  };
  auto fresh = [&](double value, Type type) {
    return tiles->materialize(tiles->number(value, type), T::Kind::Full);
  };
  if (sum) {
    T total = fresh(sum.getKind() == CumulativeKind::Prod, number);
    auto loop = builder.create<scf::ForOp>(loc, math.value(math.constant(0)), math.value(count),
                                           math.value(math.constant(1)));
    builder.setInsertionPointToStart(loop.getBody());
    OpFoldResult k = OpFoldResult(loop.getInductionVar());
    T value = row(k);
    auto copy = [&] { return tiles->binary(ir::Binary::vmul, total, tiles->number(1, number)); };
    if (sum.getExclusive())
      store(copy(), resultOf(0), placeOf(k), rowStride);
    tiles->update(pair, total, value);
    if (!sum.getExclusive())
      store(copy(), resultOf(0), placeOf(k), rowStride);
    return;
  }
  T best = tiles->binary(ir::Binary::vmul, row(math.constant(0)), tiles->number(1, number));
  T index = fresh(0, builder.getF32Type());
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

bool isAxisKernel(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  if (!llvm::hasSingleElement(body.without_terminator()))
    return false;
  Operation &op = body.front();
  return isa<SortOp, TopKOp, ArgReduceOp, CumulativeOp>(op) && isa<BlockArgument>(op.getOperand(0));
}

LogicalResult lowerAxisKernel(KernelOp kernel, const Target &target) {
  Operation &op = kernel.getBody().front().front();
  if (isa<SortOp, TopKOp>(op))
    return lowerSortKernel(kernel, &op, target);
  return ScanLowering(kernel, &op, axisOf(&op), target).lower();
}

LogicalResult AxisLowering::checkFits() {
  if (devicekit::fitsMemory(function, 1))
    return success();
  return op->emitError("npu: ") << op->getName() << " whose tiles do not fit into UB is not lowered yet";
}

} // namespace kiln::npu
