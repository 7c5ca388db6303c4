// CubeBuilder.cpp: a tile comes by nd2nz; where it ends within a fractal the buffer is cleared before.
#include "backends/npu/Transforms/CubeBuilder.h"

#include "backends/npu/Transforms/VectorLowering.h"
#include "kiln/devicekit/PipeOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {

Value biasIn(OpBuilder &builder, Location loc, func::FuncOp function, Value bias) {
  if (auto argument = dyn_cast<BlockArgument>(bias))
    return function.getArgument(argument.getArgNumber());
  auto splat = cast<SplatElementsAttr>(bias.getDefiningOp<ConstantOp>().getValue());
  TypedAttr number = isa<FloatType>(splat.getElementType())
                         ? TypedAttr(builder.getF32FloatAttr(splat.getSplatValue<APFloat>().convertToFloat()))
                         : TypedAttr(builder.getI32IntegerAttr(splat.getSplatValue<APInt>().getSExtValue()));
  return builder.create<arith::ConstantOp>(loc, number);
}

Type sumType(Type element) {
  return element.isInteger(8) ? Type(IntegerType::get(element.getContext(), 32))
                              : Type(Float32Type::get(element.getContext()));
}

bool isCubeType(const Target &target, Type element) {
  return element.isF16() || element.isSignlessInteger(8) || (element.isBF16() && target.hasBf16) ||
         (element.isF32() && target.cubeDepthF32);
}

bool isCubeResult(Type element, Type result) {
  return element.isInteger(8) ? result.isSignlessInteger(32) : result == element || result.isF32();
}

int64_t cubeDepth(const Target &target, Type element) {
  return static_cast<int64_t>(element.isInteger(8) ? target.cubeDepthI8
                              : element.isF32()    ? target.cubeDepthF32
                                                   : target.cubeDepthF16);
}

bool isRagged(OpFoldResult extent, int64_t of) {
  std::optional<int64_t> known = getConstantIntValue(extent);
  return !known || *known % of != 0;
}

Value CubeBuilder::allocate(ArrayRef<int64_t> extents, Type type, ir::Memory memory) {
  auto space = ir::MemoryAttr::get(builder.getContext(), memory);
  return builder.create<memref::AllocOp>(loc,
                                         MemRefType::get(extents, type, MemRefLayoutAttrInterface(), space));
}

void CubeBuilder::clear(Value buffer) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  Type unit = type.isInteger(8) ? builder.getI16Type() : type; // set_l1 knows no bytes
  Value zero = builder.create<arith::ConstantOp>(loc, builder.getZeroAttr(unit));
  builder.create<ir::FillL1Op>(loc, zero, buffer);
}

Value CubeBuilder::allocateL0(ir::Memory memory, int64_t rows, int64_t depth) {
  int64_t c0 = ir::blockElements(element), blocks = llvm::alignTo(depth, squareOf(element)) / c0;
  if (memory == ir::Memory::L0A)
    return allocate({rows / 16, blocks, 16, c0}, element, memory);
  return allocate({blocks, rows / 16, 16, c0}, element, memory);
}

OpFoldResult CubeBuilder::columnsInL0(OpFoldResult columns, bool isTransposed) {
  if (!isTransposed || ir::blockElements(element) <= 16) // squares of 32 columns
    return columns;
  return math.mul(math.ceilDiv(columns, 32), math.constant(32));
}

Value CubeBuilder::isZero(OpFoldResult index) {
  if (std::optional<int64_t> known = getConstantIntValue(index))
    return builder.create<arith::ConstantOp>(loc, builder.getBoolAttr(*known == 0));
  return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, math.value(index),
                                       math.value(math.constant(0)));
}

OpFoldResult CubeBuilder::clip(OpFoldResult extent, int64_t tile, OpFoldResult start) {
  std::optional<int64_t> known = getConstantIntValue(extent);
  if (known && (*known % tile == 0 || (*known < tile && getConstantIntValue(start) == 0)))
    return math.constant(std::min(tile, *known));
  return math.min(math.constant(tile), math.sub(extent, start));
}

void CubeBuilder::forSteps(OpFoldResult end, int64_t step, llvm::function_ref<void(OpFoldResult)> body) {
  if (std::optional<int64_t> known = getConstantIntValue(end); known && *known <= step)
    return body(math.constant(0));
  Value zero = math.value(math.constant(0)), last = math.value(end), width = math.value(math.constant(step));
  auto loop = builder.create<scf::ForOp>(loc, zero, last, width);
  loop->setAttr(devicekit::kRunsAttr, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

SmallVector<int64_t> CubeBuilder::tileExtents(bool depthIsRow, int64_t tile, int64_t depth) {
  int64_t c0 = ir::blockElements(element), square = squareOf(element);
  int64_t rows = depthIsRow ? llvm::alignTo(depth, square) : llvm::alignTo(tile, 16);
  int64_t columns = depthIsRow ? llvm::alignTo(tile, square) : llvm::alignTo(depth, c0);
  return {columns / c0, rows / 16, 16, c0};
}

void CubeBuilder::fillTile(Value buffer, const CubeOperand &operand, OpFoldResult offset, OpFoldResult extent,
                           OpFoldResult sizeK) {
  Value window = windowOf(builder, loc, operand.memref, offset,
                          {operand.depthIsRow ? sizeK : extent, operand.depthIsRow ? extent : sizeK},
                          {operand.stride, math.constant(1)});
  builder.create<ir::Nd2NzOp>(loc, window, buffer, Value(), Value());
}

Value CubeBuilder::loadTile(const CubeOperand &operand, OpFoldResult offset, OpFoldResult extent,
                            OpFoldResult sizeK, int64_t tile, int64_t depth, bool isWhole) {
  Value buffer = allocate(tileExtents(operand.depthIsRow, tile, depth), element, ir::Memory::L1);
  if (!isWhole)
    clear(buffer);
  fillTile(buffer, operand, offset, extent, sizeK);
  return buffer;
}

Value CubeBuilder::slice(Value buffer, int64_t axis, OpFoldResult first, int64_t count) {
  auto type = cast<MemRefType>(buffer.getType());
  if (count == type.getDimSize(axis))
    return buffer;
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
      ones(type.getRank(), builder.getIndexAttr(1)), sizes;
  for (int64_t extent : type.getShape())
    sizes.push_back(builder.getIndexAttr(extent));
  offsets[axis] = first;
  sizes[axis] = builder.getIndexAttr(count);
  return builder.create<memref::SubViewOp>(loc, buffer, offsets, sizes, ones);
}

void CubeBuilder::once(OpFoldResult index, llvm::function_ref<void()> body) {
  OpFoldResult trips = math.sub(math.constant(1), math.min(index, math.constant(1)));
  if (getConstantIntValue(trips) == 1)
    return body();
  Value zero = math.value(math.constant(0)), one = math.value(math.constant(1));
  auto loop = builder.create<scf::ForOp>(loc, zero, math.value(trips), one);
  loop->setAttr(devicekit::kOnceAttr, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body();
}

Value CubeBuilder::loadBias(Value bias, OpFoldResult start, OpFoldResult columns, int64_t tile,
                            bool isWhole) {
  Type sum = sumType(element);
  Value inL1 = allocate({tile}, sum, ir::Memory::L1), table = allocate({tile}, sum, ir::Memory::BT);
  if (!isa<MemRefType>(bias.getType())) {
    builder.create<ir::FillL1Op>(loc, bias, inL1);
    builder.create<ir::LoadBiasOp>(loc, inL1, table);
    return table;
  }
  auto take = [&](Value buffer) -> Value {
    if (getConstantIntValue(columns) == tile)
      return buffer;
    return builder.create<memref::SubViewOp>(loc, buffer, ArrayRef<OpFoldResult>{builder.getIndexAttr(0)},
                                             columns, ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  };
  if (!isWhole)
    clear(inL1);
  Value window = windowOf(builder, loc, bias, start, columns, OpFoldResult(builder.getIndexAttr(1)));
  builder.create<ir::LoadL1Op>(loc, window, take(inL1));
  if (!isWhole) { // all of them, since squares of columns may read more
    builder.create<ir::LoadBiasOp>(loc, inL1, table);
    return table;
  }
  builder.create<ir::LoadBiasOp>(loc, take(inL1), take(table));
  return take(table);
}

void CubeBuilder::storeSums(const CubeOutput &output, Value sums, OpFoldResult offset, OpFoldResult rows,
                            OpFoldResult columns) {
  bool isFloat = cast<MemRefType>(sums.getType()).getElementType().isF32();
  ir::Quant quant = isFloat && output.element.isF16()    ? ir::Quant::F322F16
                    : isFloat && output.element.isBF16() ? ir::Quant::F322BF16
                                                         : ir::Quant::NO_QUANT;
  if (ir::targetOf(function).fusedCores)
    return storeByUb(output, sums, offset, rows, columns, quant);
  Value window =
      windowOf(builder, loc, output.memref, offset, {rows, columns}, {output.stride, math.constant(1)});
  builder.create<ir::FixpipeOp>(loc, sums, window, quant, output.isRelu);
}

} // namespace kiln::npu
