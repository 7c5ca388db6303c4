// AxisLowering.cpp: what kernels along one axis share: extents around it, tiles in and out.
#include "backends/npu/Transforms/AxisLowering.h"

#include "backends/npu/Transforms/VectorLoops.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "kiln/devicekit/Pipes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {

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

/// The one op of a kernel beside numbers; null if it has several.
static Operation *onlyOp(KernelOp kernel) {
  Operation *only = nullptr;
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (!isa<arith::ConstantOp>(op)) {
      if (only)
        return nullptr;
      only = &op;
    }
  return only;
}

bool isAxisKernel(KernelOp kernel) {
  Operation *op = onlyOp(kernel);
  return op && isa<SortOp, TopKOp, ArgReduceOp, CumulativeOp>(op) && isa<BlockArgument>(op->getOperand(0));
}

/// Whether one tile holds a row, of which a known count is wanted.
static bool isSortedInTile(Operation *op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  int64_t extent = type.getDimSize(axisOf(op));
  auto top = dyn_cast<TopKOp>(op);
  return !ShapedType::isDynamic(extent) && extent <= kLongestSorted && type.getElementTypeBitWidth() <= 32 &&
         (!top || getConstantIntValue(top.getMixedK()));
}

LogicalResult lowerAxisKernel(KernelOp kernel, const Target &target) {
  Operation *op = onlyOp(kernel);
  if (isa<SortOp, TopKOp>(op))
    return isSortedInTile(op) ? lowerSortKernel(kernel, op, target) : lowerLongSortKernel(kernel, op, target);
  return lowerScanKernel(kernel, op, target);
}

LogicalResult AxisLowering::checkFits() {
  if (devicekit::fitsMemory(function, 1))
    return success();
  return op->emitError("npu: ") << op->getName() << " whose tiles do not fit into UB is not lowered yet";
}

} // namespace kiln::npu
