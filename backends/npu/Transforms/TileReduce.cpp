// TileReduce.cpp: reductions of tiles, in f32 for floats: across the columns of each row by the vector unit's
// reductions, across rows by halves. What those lack (products, integers) is transposed and goes by halves,
// too.
#include "backends/npu/Transforms/GlobalView.h"
#include "backends/npu/Transforms/TileBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace kiln::npu {
namespace {

struct Reduction {
  ir::Binary pair;
  std::optional<ir::Reduce> row; // what reduces a row of floats
};

Reduction reductionOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Mean:
  case ReduceKind::SumSquare:
  case ReduceKind::L2:
  case ReduceKind::L1:
  case ReduceKind::LogSum:
  case ReduceKind::LogSumExp:
    return {ir::Binary::vadd, ir::Reduce::sum};
  case ReduceKind::Max:
  case ReduceKind::Any:
    return {ir::Binary::vmax, ir::Reduce::max};
  case ReduceKind::Min:
  case ReduceKind::All:
    return {ir::Binary::vmin, ir::Reduce::min};
  case ReduceKind::Prod:
    return {ir::Binary::vmul, std::nullopt};
  }
  llvm_unreachable("a reduction");
}

/// What an empty sum, product, maximum or minimum of `element` is, in whichever type it is computed.
double identityOf(ir::Binary pair, Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  bool isUnsigned = integer && (integer.isUnsigned() || integer.getWidth() == 1);
  double most = integer ? std::ldexp(1.0, static_cast<int>(integer.getWidth()) - !isUnsigned) - 1
                        : std::numeric_limits<double>::infinity();
  switch (pair) {
  case ir::Binary::vmul:
    return 1;
  case ir::Binary::vmax:
    return isUnsigned ? 0 : integer ? -most - 1 : -most;
  case ir::Binary::vmin:
    return most;
  default:
    return 0;
  }
}

} // namespace

/// The type that a reduction of `element` computes in; null if it has none.
Type TileBuilder::reducedIn(ReduceOp op) {
  Type element = elementOf(op.getX());
  if (element.isSignlessInteger(32))
    return op.getKind() == ReduceKind::Mean ? Type() : element;
  bool isOrder = op.getKind() == ReduceKind::Max || op.getKind() == ReduceKind::Min ||
                 op.getKind() == ReduceKind::Any || op.getKind() == ReduceKind::All;
  bool isNarrow = element.isInteger(16) || element.isInteger(8) || element.isInteger(1);
  return isa<FloatType>(element) || (isNarrow && isOrder) ? Type(builder.getF32Type()) : Type();
}

FailureOr<TileValue> TileBuilder::prepare(ReduceOp op, TileValue x) {
  Type type = reducedIn(op);
  if (!type)
    return FailureOr<TileValue>(op.emitError("npu: kiln.reduce ")
                                << stringifyReduceKind(op.getKind()) << " on " << elementOf(op.getX())
                                << " is not lowered yet");
  x = this->cast(unmask(x), type, ir::Round::rint);
  switch (op.getKind()) {
  case ReduceKind::SumSquare:
  case ReduceKind::L2:
    return binary(ir::Binary::vmul, x, x);
  case ReduceKind::L1:
    return type.isF32() ? unary(ir::Unary::vabs, x) : binary(ir::Binary::vmax, x, negate(x));
  default:
    return x;
  }
}

FailureOr<TileValue> TileBuilder::identity(ReduceOp op) {
  Type type = reducedIn(op);
  if (!type)
    return prepare(op, {}); // says why
  TileValue sum = allocate(Kind::Full, type);
  double value = identityOf(reductionOf(op.getKind()).pair, elementOf(op.getX()));
  builder.create<ir::BroadcastOp>(loc, number(value, type).value, sum.value);
  return sum;
}

void TileBuilder::combine(ReduceOp op, TileValue sum, TileValue x) {
  x = materialize(x, Kind::Full);
  builder.create<ir::BinaryOp>(loc, reductionOf(op.getKind()).pair, view(sum, true), view(x, true),
                               view(sum, true), IntegerAttr());
}

FailureOr<TileValue> TileBuilder::collapse(ReduceOp op, TileValue x, bool rows, bool columns) {
  Reduction reduction = reductionOf(op.getKind());
  if (rows && columns)
    return FailureOr<TileValue>(
        op.emitError("npu: a reduction of both rows and columns of a tile is not lowered yet"));
  if (rows)
    return acrossRows(reduction.pair, materialize(x, Kind::Full));
  if (!columns)
    return x;
  if (x.element.isF32() && reduction.row)
    return reduceRows(*reduction.row, x, x.element);
  if (shape.isLine)
    return FailureOr<TileValue>(op.emitError("npu: kiln.reduce ")
                                << stringifyReduceKind(op.getKind()) << " on " << x.element
                                << " along a row that is not whole in a tile is not lowered yet");
  return byTranspose(reduction.pair, materialize(x, Kind::Full));
}

TileValue TileBuilder::finish(ReduceOp op, TileValue x, TileValue inverseCount) {
  switch (op.getKind()) {
  case ReduceKind::Mean:
    x = binary(ir::Binary::vmul, x, inverseCount);
    break;
  case ReduceKind::L2:
    x = unary(ir::Unary::vsqrt, x);
    break;
  case ReduceKind::LogSum:
    x = unary(ir::Unary::vln, x);
    break;
  default:
    break;
  }
  return this->cast(x, elementOf(op.getResult()), ir::Round::rint);
}

void TileBuilder::setWhole(bool rows, bool columns) {
  if (rows)
    shape.rows = builder.getIndexAttr(shape.maxRows), shape.paddedRows = {};
  if (columns)
    shape.columns = builder.getIndexAttr(shape.pitch);
}

FailureOr<TileValue> TileBuilder::narrowTo(TileValue x, Kind kind) {
  if (x.kind != Kind::Full || kind == Kind::Full)
    return x;
  x = unmask(x);
  if (kind == Kind::Row) { // a product by 1 is exact
    auto type = mlir::cast<MemRefType>(x.value.getType());
    TileValue row = allocate(Kind::Row, x.element);
    SmallVector<OpFoldResult> zeros(2, builder.getIndexAttr(0)), ones(2, builder.getIndexAttr(1));
    Value first = x.value;
    if (type.getShape()[0] != 1)
      first = builder.create<memref::SubViewOp>(
          loc, first, zeros,
          ArrayRef<OpFoldResult>{builder.getIndexAttr(1), builder.getIndexAttr(type.getShape()[1])}, ones);
    builder.create<ir::BinaryOp>(loc, ir::Binary::vmul, first, number(1, x.element).value, row.value,
                                 IntegerAttr());
    return row;
  }
  if (!isa<FloatType>(held(x.element)))
    return FailureOr<TileValue>(emitError(loc, "npu: one column of ")
                                << x.element << " out of a tile is not lowered yet");
  OpFoldResult columns = std::exchange(shape.columns, builder.getIndexAttr(1));
  TileValue column = reduceRows(ir::Reduce::max, x, x.element);
  shape.columns = columns;
  return column;
}

/// The rows of a full tile to one.
TileValue TileBuilder::acrossRows(ir::Binary pair, TileValue x) {
  int64_t count = *getConstantIntValue(shape.rows);
  if (count == 1)
    return {shape.isLine ? Kind::Full : Kind::Row, x.value, x.element};
  TileValue row = allocate(Kind::Row, x.element);
  halveRows(pair, x.value, count, row.value);
  return row;
}

Value TileBuilder::greatest(TileValue x) {
  auto type = mlir::cast<MemRefType>(x.value.getType());
  int64_t count = type.getNumElements(), width = count % 64 == 0 ? 64 : 8; // of what is whole blocks
  auto make = [&](ArrayRef<int64_t> extents) -> Value {
    return builder.create<memref::AllocOp>(loc, inUb(extents, x.element));
  };
  Value sizes = make({count / width, width}), from = view(x, true);
  SmallVector<OpFoldResult> extents = getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  if (auto part = from.getDefiningOp<memref::SubViewOp>()) { // what lies behind it must not count
    extents = part.getMixedSizes();
    builder.create<ir::BroadcastOp>(loc, number(0, x.element).value, sizes);
  }
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  if (type.getRank() == 2)
    strides[0] = builder.getIndexAttr(type.getShape()[1]);
  Value to = windowOf(builder, loc, sizes, builder.getIndexAttr(0), extents, strides);
  builder.create<ir::UnaryOp>(loc, ir::Unary::vabs, from, to);
  Value row = sizes;
  if (count != width) {
    row = make({1, width});
    halveRows(ir::Binary::vmax, sizes, count / width, row);
  }
  Value one = builder.create<memref::SubViewOp>(
      loc, make({kColumnAlign}), ArrayRef<OpFoldResult>{builder.getIndexAttr(0)},
      ArrayRef<OpFoldResult>{builder.getIndexAttr(1)}, ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  builder.create<ir::ReduceOp>(loc, ir::Reduce::max, row, one, make({1, 64}));
  return builder.create<ir::ScalarLoadOp>(loc, x.element, one);
}

/// The first `count` rows of `from` to the one row of `to`.
void TileBuilder::halveRows(ir::Binary pair, Value from, int64_t count, Value to) {
  auto type = mlir::cast<MemRefType>(from.getType());
  int64_t pitch = type.getShape()[1];
  auto part = [&](Value buffer, int64_t first, int64_t rows) -> Value {
    if (first == 0 && mlir::cast<MemRefType>(buffer.getType()).getShape()[0] == rows)
      return buffer;
    SmallVector<OpFoldResult> ones(2, builder.getIndexAttr(1));
    return builder.create<memref::SubViewOp>(
        loc, buffer, ArrayRef<OpFoldResult>{builder.getIndexAttr(first), builder.getIndexAttr(0)},
        ArrayRef<OpFoldResult>{builder.getIndexAttr(rows), builder.getIndexAttr(pitch)}, ones);
  };
  auto combine = [&](Value a, Value b, Value d) {
    builder.create<ir::BinaryOp>(loc, pair, a, b, d, IntegerAttr());
  };
  Value temp;
  if (count > 3)
    temp = builder.create<memref::AllocOp>(
        loc, MemRefType(MemRefType::Builder(type).setShape({count / 2, pitch})));
  while (count > 1) {
    int64_t half = count / 2;
    Value into = half == 1 ? to : temp;
    combine(part(from, 0, half), part(from, half, half), part(into, 0, half));
    if (count % 2)
      combine(part(into, 0, 1), part(from, 2 * half, 1), part(into, 0, 1));
    from = into;
    count = half;
  }
}

/// Each row of a full tile to one element: the columns of its transpose, by halves.
TileValue TileBuilder::byTranspose(ir::Binary pair, TileValue x) {
  auto type = mlir::cast<MemRefType>(x.value.getType());
  int64_t height = llvm::alignTo(shape.maxRows, kTransposed), pitch = type.getShape()[1];
  int64_t columns = *getConstantIntValue(shape.columns);
  auto allocate = [&](ArrayRef<int64_t> extents) -> Value {
    return builder.create<memref::AllocOp>(loc, MemRefType(MemRefType::Builder(type).setShape(extents)));
  };
  Value in = x.value;
  if (height != shape.maxRows || !getConstantIntValue(shape.rows)) {
    in = allocate({height, pitch});
    builder.create<ir::BroadcastOp>(loc, number(0, x.element).value, in);
    SmallVector<OpFoldResult> zeros(2, builder.getIndexAttr(0)), ones(2, builder.getIndexAttr(1));
    Value part = builder.create<memref::SubViewOp>(
        loc, in, zeros, ArrayRef<OpFoldResult>{shape.rows, builder.getIndexAttr(pitch)}, ones);
    builder.create<ir::BinaryOp>(loc, ir::Binary::vmul, view(x, true), number(1, x.element).value, part,
                                 IntegerAttr());
  }
  Value transposed = allocate({columns, height});
  builder.create<ir::TransposeOp>(loc, in, transposed, allocate({height / kTransposed, pitch, kTransposed}));
  TileValue column = this->allocate(Kind::Column, x.element);
  Value row =
      builder.create<memref::AllocOp>(loc, MemRefType(MemRefType::Builder(type).setShape({1, height})));
  halveRows(pair, transposed, columns, row);
  // The same elements as a column.
  builder.create<ir::CopyOp>(loc, row, column.value);
  return column;
}

TileValue TileBuilder::reduceRows(ir::Reduce kind, TileValue x, Type element) {
  Type wide = held(element);
  if (wide.isF16())
    wide = builder.getF32Type(); // sums of f16 are f32
  x = cast(materialize(x, x.kind == Kind::Row ? Kind::Row : Kind::Full), wide, ir::Round::rint);
  int64_t chunk = 256 * 8 / wide.getIntOrFloatBitWidth();
  TileValue result = allocate(Kind::Column, wide);
  // What is spread to blocks later is read in eights.
  builder.create<ir::BroadcastOp>(loc, number(0, wide).value, result.value);
  Value temp = builder.create<memref::AllocOp>(
      loc, MemRefType(MemRefType::Builder(mlir::cast<MemRefType>(result.value.getType()))
                          .setShape({shape.maxRows, chunk})));
  SmallVector<OpFoldResult> zeros(2, builder.getIndexAttr(0)), ones(2, builder.getIndexAttr(1));
  if (getConstantIntValue(shape.rows) != shape.maxRows)
    temp = builder.create<memref::SubViewOp>(
        loc, temp, zeros, ArrayRef<OpFoldResult>{shape.rows, builder.getIndexAttr(chunk)}, ones);
  Value column = result.value;
  if (getConstantIntValue(shape.rows) != mlir::cast<MemRefType>(column.getType()).getShape()[0])
    column = builder.create<memref::SubViewOp>(loc, column, ArrayRef<OpFoldResult>{builder.getIndexAttr(0)},
                                               shape.rows, ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  if (x.kind == Kind::Row)
    x = materialize(x, Kind::Full);
  builder.create<ir::ReduceOp>(loc, kind, view(x, false), column, temp);
  return cast(result, element, ir::Round::rint);
}

} // namespace kiln::npu
