// VectorTransfers.cpp: windows of bindings into tiles and back. Rows whose elements are adjacent are bursts;
// what is strided along the columns comes in as the source has it, or an element a burst, and is transposed
// in UB.
#include "backends/npu/Transforms/VectorLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
namespace {

Value zeroOf(OpBuilder &builder, Location loc, Type type) {
  return builder.create<arith::ConstantOp>(loc, cast<TypedAttr>(builder.getZeroAttr(signless(type))));
}

} // namespace

Type signless(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return integer ? IntegerType::get(element.getContext(), integer.getWidth()) : element;
}

Value VectorLowering::argumentOf(Value kernelArgument) {
  return function.getArgument(cast<BlockArgument>(kernelArgument).getArgNumber());
}

Value VectorLowering::resultOf(Value yielded) {
  auto all = kernel.getBody().front().getTerminator()->getOperands();
  size_t number = std::distance(all.begin(), llvm::find(all, yielded));
  return function.getArgument(kernel.getArgumentTypes().size() + number);
}

OpFoldResult VectorLowering::extent(size_t group) {
  if (!ShapedType::isDynamic(domain.extent(group)))
    return builder.getIndexAttr(domain.extent(group));
  IndexMath math(builder, loc);
  OpFoldResult product = math.constant(1);
  for (auto [value, axis] : domain.extentAxes(group)) {
    Value buffer = isa<BlockArgument>(value) ? argumentOf(value) : resultOf(value);
    product = math.mul(product, extentOf(builder, loc, buffer, axis));
  }
  return product;
}

TileValue::Kind VectorLowering::kindOf(Value value) {
  bool hasColumns = domain.has(value, tiling.columnGroup);
  if (tiling.isLine)
    return hasColumns ? Kind::Full : Kind::Scalar;
  bool hasRows = domain.has(value, tiling.rowGroup);
  return hasRows ? (hasColumns ? Kind::Full : Kind::Column) : hasColumns ? Kind::Row : Kind::Scalar;
}

/// The distance of neighbours along a group, in elements: of a result, or (with an access) of its source. 0
/// where the value has no such axes.
OpFoldResult VectorLowering::strideAlong(Value value, const Access *access, size_t group) {
  IndexMath math(builder, loc);
  SmallVector<int64_t> axes = domain.axesOf(value, group);
  if (axes.empty())
    return math.constant(0);
  if (!access)
    return strideOf(builder, loc, resultOf(value), axes.back());
  const AxisAccess &at = access->axes[axes.back()];
  if (at.isIndexed)
    return math.constant(0);
  return math.mul(strideOf(builder, loc, argumentOf(access->source), at.axis), math.constant(at.step));
}

OpFoldResult VectorLowering::offsetOf(Value value, const Access *access) {
  IndexMath math(builder, loc);
  OpFoldResult offset = math.constant(0);
  for (size_t group = 0; group < domain.groupCount(); ++group)
    offset = math.add(offset, math.mul(starts[group], strideAlong(value, access, group)));
  if (!access)
    return offset;
  for (const AxisAccess &at : access->axes) {
    if (at.isIndexed)
      continue;
    OpFoldResult start = at.start;
    if (auto argument = dyn_cast<Value>(start))
      start = argumentOf(argument);
    offset = math.add(offset, math.mul(start, strideOf(builder, loc, argumentOf(access->source), at.axis)));
  }
  return offset;
}

/// The part of a binding that belongs to this tile.
Value VectorLowering::windowFor(Value buffer, OpFoldResult offset, Kind kind, OpFoldResult rowStride) {
  IndexMath math(builder, loc);
  const TileShape &shape = tiles->tile();
  OpFoldResult one = math.constant(1);
  SmallVector<OpFoldResult> sizes, strides;
  switch (kind) {
  case Kind::Scalar:
    sizes = {one}, strides = {one};
    break;
  case Kind::Row:
    sizes = {one, shape.columns}, strides = {shape.columns, one};
    break;
  case Kind::Column:
    sizes = {shape.rows}, strides = {one};
    break;
  case Kind::Full:
    sizes = {shape.rows, shape.columns};
    strides = {tiling.isLine ? shape.columns : rowStride, one};
    break;
  }
  return windowOf(builder, loc, buffer, offset, sizes, strides);
}

/// A number in a scalar register; types that it does not compute in become a row.
FailureOr<TileValue> VectorLowering::loadNumber(Value value, const Access &access) {
  Type element = signless(elementOf(value));
  Value source = windowFor(argumentOf(access.source), offsetOf(value, &access), Kind::Scalar, {});
  Type stored = cast<MemRefType>(source.getType()).getElementType();
  Type number = stored.isBF16()          ? builder.getF32Type()
                : isa<FloatType>(stored) ? stored
                                         : builder.getI32Type();
  TileValue x = {Kind::Scalar, builder.create<ir::ScalarLoadOp>(loc, number, source), element};
  if (isa<FloatType>(stored) || stored.isSignlessInteger(32))
    return x;
  x.element = number;
  x = tiles->materialize(x, tiling.isLine ? Kind::Column : Kind::Row);
  x = tiles->cast(tiles->cast(x, builder.getF32Type(), ir::Round::rint), element, ir::Round::rint);
  return stored.isUnsignedInteger(16) ? tiles->withSign(x, /*isUnsigned=*/true) : x;
}

/// What memory holds as what arithmetic wants.
TileValue VectorLowering::widen(TileValue raw, Type stored, Type element) {
  if (TileBuilder::held(element) == stored)
    return {raw.kind, raw.value, element};
  TileValue wide = tiles->allocate(raw.kind, element);
  builder.create<ir::CastOp>(loc, ir::Round::rint, tiles->view(raw, true), tiles->view(wide, true));
  return stored.isUnsignedInteger(16) ? tiles->withSign(wide, /*isUnsigned=*/true) : wide;
}

/// The tile whose column is strided in memory, by way of its transpose.
TileValue VectorLowering::loadTransposed(Value buffer, OpFoldResult offset, Kind kind, OpFoldResult rowStride,
                                         OpFoldResult columnStride, TileValue raw) {
  IndexMath math(builder, loc);
  const TileShape &shape = tiles->tile();
  Type stored = cast<MemRefType>(buffer.getType()).getElementType();
  bool isColumn = kind == Kind::Column;
  bool isSquare = !isColumn && getConstantIntValue(rowStride) == 1 && !tiling.isLine;
  // Bursts run along what becomes the columns; each holds the rows that are adjacent in memory.
  OpFoldResult bursts = isColumn ? shape.rows : shape.columns;
  OpFoldResult width = isSquare ? shape.rows : math.constant(1);
  int64_t mostBursts = isColumn ? shape.maxRows : shape.pitch;
  Type moved = bytesOf(stored) == 1 ? cast<MemRefType>(raw.value.getType()).getElementType() : stored;
  int64_t block = 32 / bytesOf(stored);
  int64_t height = llvm::alignTo(mostBursts, kTransposed);
  int64_t pitch = llvm::alignTo(isSquare ? shape.maxRows : 1, block);
  Value window = windowOf(builder, loc, buffer, offset, {bursts, width},
                          {isColumn ? rowStride : columnStride, math.constant(1)});
  Value in = builder.create<memref::AllocOp>(loc, inUb({height, pitch}, stored));
  bool isWhole = getConstantIntValue(bursts) == height && getConstantIntValue(width).has_value();
  if (!isWhole)
    builder.create<ir::BroadcastOp>(loc, zeroOf(builder, loc, stored), in);
  Value part = builder.create<memref::SubViewOp>(
      loc, in, SmallVector<OpFoldResult>(2, builder.getIndexAttr(0)), ArrayRef<OpFoldResult>{bursts, width},
      SmallVector<OpFoldResult>(2, builder.getIndexAttr(1)));
  builder.create<ir::LoadOp>(loc, window, part);
  if (moved != stored) { // bytes as f16
    Value wide = builder.create<memref::AllocOp>(loc, inUb({height, pitch}, moved));
    builder.create<ir::CastOp>(loc, ir::Round::rint, in, wide);
    in = wide;
  }
  Value temp = builder.create<memref::AllocOp>(loc, inUb({height / kTransposed, pitch, kTransposed}, moved));
  builder.create<ir::TransposeOp>(loc, in, raw.value, temp);
  return raw;
}

/// The rows of a tile, each from where its index says.
FailureOr<TileValue> VectorLowering::gather(Value value, const Access &access, TileValue raw) {
  IndexMath math(builder, loc);
  const TileShape &shape = tiles->tile();
  OpFoldResult at = math.constant(0), step = math.constant(0); // among the indices
  Value indices = argumentOf(access.indices);
  for (size_t group = 0; group < domain.groupCount(); ++group) {
    SmallVector<int64_t> axes = domain.axesOf(value, group);
    if (axes.empty() || !access.axes[axes.back()].isIndexed)
      continue;
    OpFoldResult stride = strideOf(builder, loc, indices, access.axes[axes.back()].axis);
    at = math.add(at, math.mul(starts[group], stride));
    if (group == tiling.rowGroup)
      step = stride;
  }
  bool isWhole = raw.kind == Kind::Full && (tiling.isLine || getConstantIntValue(step) != 0) &&
                 (tiling.isLine || getConstantIntValue(shape.columns));
  // What a row is read from must lie as the row does.
  isWhole &= getConstantIntValue(shape.columns) == 1 ||
             getConstantIntValue(strideAlong(value, &access, tiling.columnGroup)) == 1;
  Type index = signless(elementOf(access.indices));
  if (!isWhole || !(index.isInteger(32) || index.isInteger(64)))
    return emitError(value.getLoc(), "npu: a gather of this form is not lowered yet");
  Value buffer = argumentOf(access.source);
  Value source = windowOf(builder, loc, buffer, offsetOf(value, &access),
                          {extentOf(builder, loc, buffer, access.gathered), shape.columns},
                          {strideOf(builder, loc, buffer, access.gathered), math.constant(1)});
  Value places = windowOf(builder, loc, indices, at, {shape.rows}, {tiling.isLine ? math.constant(1) : step});
  builder.create<ir::GatherRowsOp>(loc, source, places, viewForTransfer(raw));
  return raw;
}

FailureOr<TileValue> VectorLowering::load(Value value, bool isRaw) {
  std::optional<Access> access = accessOf(value);
  Kind kind = kindOf(value);
  Type element = signless(elementOf(value));
  if (kind == Kind::Scalar && access->indices)
    return emitError(value.getLoc(), "npu: a gather of one element is not lowered yet");
  if (kind == Kind::Scalar)
    return loadNumber(value, *access);
  IndexMath math(builder, loc);
  Value buffer = argumentOf(access->source);
  Type stored = cast<MemRefType>(buffer.getType()).getElementType();
  OpFoldResult offset = offsetOf(value, &*access);
  OpFoldResult rowStride = strideAlong(value, &*access, tiling.rowGroup),
               columnStride = strideAlong(value, &*access, tiling.columnGroup);
  bool isAdjacent = kind == Kind::Column
                        ? getConstantIntValue(rowStride) == 1
                        : domain.extent(tiling.columnGroup) == 1 || getConstantIntValue(columnStride) == 1;
  if (isPickedFromRows(domain, value, *access, tiling.columnGroup)) {
    FailureOr<TileValue> raw = pickFromRows(value, *access, kind);
    return failed(raw) || isRaw ? raw : FailureOr<TileValue>(widen(*raw, stored, element));
  }
  if (access->indices) {
    FailureOr<TileValue> raw = gather(value, *access, tiles->allocateAs(kind, stored));
    return failed(raw) || isRaw ? raw : FailureOr<TileValue>(widen(*raw, stored, element));
  }
  if (isAdjacent) {
    TileValue raw = tiles->allocateAs(kind, stored);
    // Rows of which parts are missing would hold what nobody wrote; so would columns, whose pads are
    // computed.
    bool isPart = kind == Kind::Column ? !getConstantIntValue(tiles->tile().rows) && bytesOf(stored) <= 4
                                       : !getConstantIntValue(tiles->tile().columns);
    if (!tiling.isLine && isPart)
      builder.create<ir::BroadcastOp>(loc, zeroOf(builder, loc, stored), raw.value);
    builder.create<ir::LoadOp>(loc, windowFor(buffer, offset, kind, rowStride), viewForTransfer(raw));
    return isRaw ? raw : widen(raw, stored, element);
  }
  bool isByte = bytesOf(stored) == 1;
  if (isByte ? isRaw : bytesOf(stored) != 2 && bytesOf(stored) != 4)
    return emitError(value.getLoc(), "npu: transposed elements of type ")
           << elementOf(value) << " are not lowered yet";
  Type moved = isByte ? TileBuilder::held(element) : stored;
  TileValue raw =
      loadTransposed(buffer, offset, kind, rowStride, columnStride, tiles->allocateAs(kind, moved));
  return isRaw ? raw : widen(raw, moved, element);
}

/// The buffer's part that a transfer fills or reads: without pads.
Value VectorLowering::viewForTransfer(TileValue x) {
  auto type = cast<MemRefType>(x.value.getType());
  if (x.kind != Kind::Column)
    return tiles->view(x, false);
  OpFoldResult rows = tiles->tile().rows;
  if (getConstantIntValue(rows) == type.getShape()[0])
    return x.value;
  return builder.create<memref::SubViewOp>(loc, x.value, ArrayRef<OpFoldResult>{builder.getIndexAttr(0)},
                                           rows, ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
}

/// Whether a result is a view or an argument as it stands, so that its bytes need no meaning.
bool VectorLowering::isOnlyMoved(Value value) {
  std::optional<Access> access = accessOf(value);
  if (!access || !value.hasOneUse() || !isa<YieldOp>(*value.getUsers().begin()) ||
      kindOf(value) != Kind::Full)
    return false;
  bool isAdjacent = domain.extent(tiling.columnGroup) == 1 ||
                    getConstantIntValue(strideAlong(value, &*access, tiling.columnGroup)) == 1;
  return isAdjacent || bytesOf(elementOf(value)) != 1;
}

LogicalResult VectorLowering::store(Value value) {
  if (isOnlyMoved(value)) {
    FailureOr<TileValue> raw = load(value, /*isRaw=*/true);
    if (failed(raw))
      return failure();
    Value target = windowFor(resultOf(value), offsetOf(value, nullptr), Kind::Full,
                             strideAlong(value, nullptr, tiling.rowGroup));
    builder.create<ir::StoreOp>(loc, viewForTransfer(*raw), target);
    return success();
  }
  FailureOr<TileValue> known = valueOf(value);
  if (failed(known))
    return failure();
  Kind kind = kindOf(value);
  TileValue x = tiles->unmask(*known);
  if (kind == Kind::Scalar) { // one element; or, of a line, one of each row
    bool isOne = domain.extent(tiling.columnGroup) == 1 || domain.isReduced(tiling.columnGroup);
    bool isRow = tiling.isLine || domain.extent(tiling.rowGroup) == 1;
    if (!isOne || !isRow)
      return emitError(value.getLoc(), "npu: a result of one element in a kernel of rows is not lowered yet");
    kind = x.kind == Kind::Scalar ? (tiling.isLine ? Kind::Column : Kind::Row) : x.kind;
  }
  OpFoldResult rowStride = strideAlong(value, nullptr, tiling.rowGroup);
  if (kind == Kind::Column && !tiling.isLine && getConstantIntValue(rowStride) != 1)
    return emitError(value.getLoc(), "npu: a column of strided elements is not lowered yet");
  x = tiles->materialize(x, kind);
  Value target = windowFor(resultOf(value), offsetOf(value, nullptr), kind, rowStride);
  Type stored = cast<MemRefType>(target.getType()).getElementType();
  if (stored.isUnsignedInteger(16))
    x = tiles->withSign(x, /*isUnsigned=*/false);
  auto held = cast<MemRefType>(x.value.getType());
  if (held.getElementType() != stored) {
    Value alloc = builder.create<memref::AllocOp>(
        loc, MemRefType::get(held.getShape(), stored, MemRefLayoutAttrInterface(), held.getMemorySpace()));
    TileValue narrow = {kind, alloc, x.element};
    builder.create<ir::CastOp>(loc, ir::Round::rint, tiles->view(x, true), tiles->view(narrow, true));
    x = narrow;
  }
  builder.create<ir::StoreOp>(loc, viewForTransfer(x), target);
  return success();
}

} // namespace kiln::npu
