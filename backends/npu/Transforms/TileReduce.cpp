// TileReduce.cpp: reductions of the rows of a tile, in f32 for floats.
#include "backends/npu/Transforms/TileBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace kiln::npu {

FailureOr<TileValue> TileBuilder::reduce(ReduceOp op, TileValue x, int64_t count, bool isWide) {
  Type element = mlir::cast<RankedTensorType>(op.getResult().getType()).getElementType();
  if (!isa<FloatType>(element))
    return FailureOr<TileValue>(op.emitError("npu: kiln.reduce on ") << element << " is not lowered yet");
  ir::Reduce kind = ir::Reduce::sum;
  Type f32 = builder.getF32Type();
  switch (op.getKind()) {
  case ReduceKind::Sum:
  case ReduceKind::Mean:
    break;
  case ReduceKind::SumSquare:
  case ReduceKind::L2:
    x = this->cast(x, f32, ir::Round::rint);
    x = binary(ir::Binary::vmul, x, x);
    break;
  case ReduceKind::L1:
    x = unary(ir::Unary::vabs, x);
    break;
  case ReduceKind::Max:
    kind = ir::Reduce::max;
    break;
  case ReduceKind::Min:
    kind = ir::Reduce::min;
    break;
  case ReduceKind::Prod:
  case ReduceKind::Any:
  case ReduceKind::All:
  case ReduceKind::LogSum:
  case ReduceKind::LogSumExp:
    return FailureOr<TileValue>(op.emitError("npu: kiln.reduce ")
                                << stringifyReduceKind(op.getKind()) << " is not lowered yet");
  }
  if (isWide)
    x = reduceRows(kind, x, f32);
  if (op.getKind() == ReduceKind::Mean && count != 1)
    x = binary(ir::Binary::vmul, x, number(1.0 / count, f32));
  if (op.getKind() == ReduceKind::L2)
    x = unary(ir::Unary::vsqrt, x);
  return this->cast(x, element, ir::Round::rint);
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
