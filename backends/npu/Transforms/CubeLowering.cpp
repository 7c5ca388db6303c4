// CubeLowering.cpp: matmul with what the fixpipe and the bias table take of the ops behind it. A unit is one
// tile of the result of one batch; it accumulates in L0C over tiles of the depth, each by way of L1 and
// L0A/L0B.
#include "backends/npu/Transforms/Domain.h"
#include "backends/npu/Transforms/GlobalView.h"
#include "backends/npu/Transforms/VectorLowering.h"

#include "backends/npu/IR/Npu.h"
#include "kiln/devicekit/PipeOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
namespace {

MemRefType bufferType(ArrayRef<int64_t> extents, Type element, ir::Memory memory) {
  return MemRefType::get(extents, element, MemRefLayoutAttrInterface(),
                         ir::MemoryAttr::get(element.getContext(), memory));
}

/// What follows the product and is free of charge.
struct Epilogue {
  Value bias; // by column, or a splat constant; null: none
  bool isRelu = false;
};

class CubeLowering {
public:
  CubeLowering(KernelOp kernel, const Target &target)
      : kernel(kernel), target(target), builder(kernel.getContext()), loc(kernel.getLoc()) {}
  LogicalResult lower();

private:
  LogicalResult readEpilogue();
  LogicalResult refuse(Operation *op) {
    return op->emitError("npu: ") << op->getName() << " behind a matmul is not lowered yet";
  }
  LogicalResult check();
  void chooseTiles();
  OpFoldResult batchOffset(Value argument, OpFoldResult batch);
  void fillUnit(Value unit);
  void loadTile(Value source, OpFoldResult offset, OpFoldResult rows, OpFoldResult columns, Value stride,
                Value buffer, bool isRagged);
  Value loadBias(OpFoldResult start, OpFoldResult columns);
  OpFoldResult clip(OpFoldResult extent, int64_t tile, OpFoldResult start);

  KernelOp kernel;
  const Target &target;
  OpBuilder builder;
  Location loc;
  func::FuncOp function;
  MatmulOp matmul;
  Epilogue epilogue;
  Value yielded; // the kernel's result
  Type element, result;
  Value a, b, c; // buffers
  OpFoldResult m, n, k;
  SmallVector<OpFoldResult> batches; // extents of the result's batch axes
  int64_t tileM = 0, tileN = 0, tileK = 0, staticM = 0, staticN = 0, staticK = 0;
};

LogicalResult CubeLowering::readEpilogue() {
  auto products = kernel.getBody().getOps<MatmulOp>();
  if (!llvm::hasSingleElement(products))
    return kernel.emitError("npu: more than one matmul in a kernel is not lowered yet");
  matmul = *products.begin();
  Value value = matmul.getResult();
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<ConstantOp>(op) || &op == matmul.getOperation())
      continue;
    if (!llvm::is_contained(op.getOperands(), value) || !value.hasOneUse())
      return refuse(&op);
    if (auto add = dyn_cast<AddOp>(op)) {
      Value other = op.getOperand(0) == value ? op.getOperand(1) : op.getOperand(0);
      auto constant = other.getDefiningOp<ConstantOp>();
      bool isSplat = constant && isa<SplatElementsAttr>(constant.getValue());
      bool isFirst =
          value == matmul.getResult() && cast<RankedTensorType>(value.getType()).getElementType().isF32();
      if (!isFirst ||
          (!isSplat && !(isa<BlockArgument>(other) && isColumnBias(other, matmul.getResult().getType()))) ||
          shapeOf(op.getResult(0)) != shapeOf(value))
        return refuse(&op);
      epilogue.bias = other;
    } else if (isa<ReluOp>(op) && !epilogue.isRelu) {
      epilogue.isRelu = true;
    } else {
      return refuse(&op);
    }
    value = op.getResult(0);
  }
  yielded = value;
  if (kernel.getBody().front().getTerminator()->getNumOperands() != 1 ||
      kernel.getBody().front().getTerminator()->getOperand(0) != value)
    return kernel.emitError("npu: a matmul kernel of several results is not lowered yet");
  return success();
}

LogicalResult CubeLowering::check() {
  element = cast<RankedTensorType>(matmul.getA().getType()).getElementType();
  result = cast<RankedTensorType>(yielded.getType()).getElementType();
  bool isKnown =
      (element.isF16() || (element.isBF16() && target.hasBf16) || (element.isF32() && target.cubeDepthF32)) &&
      (result == element);
  if (!isKnown)
    return matmul.emitError("npu: kiln.matmul on ")
           << element << " is not lowered yet on the " << std::string(target.name());
  if (matmul.getTransA())
    return matmul.emitError("npu: kiln.matmul with transA is not lowered yet");
  if (!isa<BlockArgument>(matmul.getA()) || !isa<BlockArgument>(matmul.getB()))
    return matmul.emitError("npu: kiln.matmul on a computed operand is not lowered yet");
  if (shapeOf(matmul.getA()).size() < 2 || shapeOf(matmul.getB()).size() < 2)
    return matmul.emitError("npu: kiln.matmul on a vector is not lowered yet");
  return success();
}

void CubeLowering::chooseTiles() {
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  auto known = [](OpFoldResult x) { return getConstantIntValue(x).value_or(ShapedType::kDynamic); };
  staticM = known(m), staticN = known(n), staticK = known(k);
  auto upTo = [](int64_t most, int64_t extent) {
    return ShapedType::isDynamic(extent) ? most : std::min<int64_t>(most, llvm::alignTo(extent, 16));
  };
  // Two copies of each operand's tile fill L0A and L0B, two accumulators L0C.
  tileM = upTo(128, staticM);
  tileN = upTo(128, staticN);
  tileK = upTo(int64_t(target.l0aBytes) / 2 / (128 * bytes), staticK);
  // Smaller tiles where cores would have no work.
  auto units = [&] {
    auto tiles = [](int64_t extent, int64_t tile) {
      return ShapedType::isDynamic(extent) ? 8 : llvm::divideCeil(extent, tile);
    };
    int64_t count = tiles(staticM, tileM) * tiles(staticN, tileN);
    for (OpFoldResult batch : batches)
      count *= getConstantIntValue(batch).value_or(1);
    return count;
  };
  while (units() < int64_t(target.cubeCores) && std::max(tileM, tileN) > 32)
    (tileM >= tileN ? tileM : tileN) = llvm::alignTo(std::max(tileM, tileN) / 2, 16);
}

/// Where an operand's matrix of a batch begins: axes of extent 1 are read again.
OpFoldResult CubeLowering::batchOffset(Value argument, OpFoldResult batch) {
  IndexMath math(builder, loc);
  auto type = cast<MemRefType>(argument.getType());
  OpFoldResult offset = math.constant(0), rest = batch;
  int64_t rank = type.getRank(), resultRank = batches.size() + 2;
  for (int64_t axis = int64_t(batches.size()) - 1; axis >= 0; --axis) {
    OpFoldResult index = axis == 0 ? rest : math.rem(rest, batches[axis]);
    rest = math.div(rest, batches[axis]);
    int64_t own = axis - (resultRank - rank);
    if (own < 0 || type.getShape()[own] == 1)
      continue;
    offset = math.add(offset, math.mul(index, strideOf(builder, loc, argument, own)));
  }
  return offset;
}

OpFoldResult CubeLowering::clip(OpFoldResult extent, int64_t tile, OpFoldResult start) {
  IndexMath math(builder, loc);
  if (auto known = getConstantIntValue(extent); known && *known % tile == 0)
    return math.constant(tile);
  return math.min(math.constant(tile), math.sub(extent, start));
}

void CubeLowering::loadTile(Value source, OpFoldResult offset, OpFoldResult rows, OpFoldResult columns,
                            Value stride, Value buffer, bool isRagged) {
  if (isRagged) { // whole fractals are copied on; products do not use what is past the end
    Value zero = builder.create<arith::ConstantOp>(loc, builder.getZeroAttr(element));
    builder.create<ir::FillL1Op>(loc, zero, buffer);
  }
  IndexMath math(builder, loc);
  Value window = windowOf(builder, loc, source, offset, {rows, columns}, {stride, math.constant(1)});
  builder.create<ir::Nd2NzOp>(loc, window, buffer);
}

Value CubeLowering::loadBias(OpFoldResult start, OpFoldResult columns) {
  Type f32 = builder.getF32Type();
  auto take = [&](Value buffer) -> Value {
    if (getConstantIntValue(columns) == tileN)
      return buffer;
    return builder.create<memref::SubViewOp>(loc, buffer, ArrayRef<OpFoldResult>{builder.getIndexAttr(0)},
                                             columns, ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
  };
  bool isWholeN = !ShapedType::isDynamic(staticN) && staticN % 16 == 0;
  Value inL1 = builder.create<memref::AllocOp>(loc, bufferType({tileN}, f32, ir::Memory::L1));
  Value table = builder.create<memref::AllocOp>(loc, bufferType({tileN}, f32, ir::Memory::BT));
  if (auto constant = epilogue.bias.getDefiningOp<ConstantOp>()) {
    double number = cast<SplatElementsAttr>(constant.getValue()).getSplatValue<APFloat>().convertToFloat();
    Value value = builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(f32, number));
    builder.create<ir::FillL1Op>(loc, value, inL1);
  } else {
    Value source = function.getArgument(cast<BlockArgument>(epilogue.bias).getArgNumber());
    Value zero = builder.create<arith::ConstantOp>(loc, builder.getF32FloatAttr(0));
    if (!isWholeN) // whole blocks are copied on
      builder.create<ir::FillL1Op>(loc, zero, inL1);
    Value window = windowOf(builder, loc, source, start, columns, OpFoldResult(builder.getIndexAttr(1)));
    builder.create<ir::LoadL1Op>(loc, window, take(inL1));
  }
  builder.create<ir::LoadBiasOp>(loc, take(inL1), take(table));
  return take(table);
}

void CubeLowering::fillUnit(Value unit) {
  IndexMath math(builder, loc);
  int64_t c0 = ir::blockElements(element);
  OpFoldResult tilesM = math.ceilDiv(m, tileM), tilesN = math.ceilDiv(n, tileN);
  OpFoldResult rest = unit;
  OpFoldResult startN = math.mul(math.rem(rest, tilesN), math.constant(tileN));
  rest = math.div(rest, tilesN);
  OpFoldResult startM = math.mul(math.rem(rest, tilesM), math.constant(tileM));
  OpFoldResult batch = math.div(rest, tilesM);
  OpFoldResult sizeM = clip(m, tileM, startM), sizeN = clip(n, tileN, startN);
  Value bias = epilogue.bias ? loadBias(startN, sizeN) : Value();
  Value sums = builder.create<memref::AllocOp>(
      loc, bufferType({tileN / 16, tileM / 16, 16, 16}, builder.getF32Type(), ir::Memory::L0C));

  Value zero = math.value(math.constant(0));
  // A product over nothing is one step on zeros, so that L0C is written whatever the depth is.
  Value depth = math.value(math.max(k, math.constant(1)));
  auto loop = builder.create<scf::ForOp>(loc, zero, depth, math.value(math.constant(tileK)));
  loop->setAttr(devicekit::kRunsAttr, builder.getUnitAttr());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    OpFoldResult startK = loop.getInductionVar(), sizeK = clip(k, tileK, startK);
    auto isRagged = [](int64_t extent) { return ShapedType::isDynamic(extent) || extent % 16 != 0; };
    bool isRaggedK = isRagged(staticK), isRaggedM = isRagged(staticM), isRaggedN = isRagged(staticN);
    bool mayBeEmpty = ShapedType::isDynamic(staticK);
    // Batch offsets are added here, so that the strides of dynamic operands stay in one place.
    Value strideA = math.value(strideOf(builder, loc, a, cast<MemRefType>(a.getType()).getRank() - 2));
    Value strideB = math.value(strideOf(builder, loc, b, cast<MemRefType>(b.getType()).getRank() - 2));
    OpFoldResult offsetA = math.add(math.add(batchOffset(a, batch), math.mul(startM, strideA)), startK);
    Value tileA = builder.create<memref::AllocOp>(
        loc, bufferType({tileK / c0, tileM / 16, 16, c0}, element, ir::Memory::L1));
    loadTile(a, offsetA, sizeM, sizeK, strideA, tileA, isRaggedM || mayBeEmpty);
    bool isTransposed = matmul.getTransB();
    OpFoldResult offsetB = batchOffset(b, batch);
    offsetB = isTransposed ? math.add(math.add(offsetB, math.mul(startN, strideB)), startK)
                           : math.add(math.add(offsetB, math.mul(startK, strideB)), startN);
    SmallVector<int64_t> extentsB = isTransposed ? SmallVector<int64_t>{tileK / c0, tileN / 16, 16, c0}
                                                 : SmallVector<int64_t>{tileN / c0, tileK / 16, 16, c0};
    Value tileB = builder.create<memref::AllocOp>(loc, bufferType(extentsB, element, ir::Memory::L1));
    loadTile(b, offsetB, isTransposed ? sizeN : sizeK, isTransposed ? sizeK : sizeN, strideB, tileB,
             isTransposed ? isRaggedN || mayBeEmpty : isRaggedK || (c0 < 16 && isRaggedN));
    Value left = builder.create<memref::AllocOp>(
        loc, bufferType({tileM / 16, tileK / c0, 16, c0}, element, ir::Memory::L0A));
    Value right = builder.create<memref::AllocOp>(
        loc, bufferType({tileK / c0, tileN / 16, 16, c0}, element, ir::Memory::L0B));
    Value valueM = math.value(sizeM), valueN = math.value(sizeN);
    Value valueK = math.value(mayBeEmpty ? math.max(sizeK, math.constant(1)) : sizeK);
    builder.create<ir::Load2dOp>(loc, tileA, left, valueM, valueK, /*transpose=*/false);
    builder.create<ir::Load2dOp>(loc, tileB, right, valueN, valueK, /*transpose=*/!isTransposed);
    Value isFirst =
        builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, loop.getInductionVar(), zero);
    builder.create<ir::MmadOp>(loc, left, right, sums, valueM, valueN, valueK, isFirst, bias);
  }
  OpFoldResult strideC = strideOf(builder, loc, c, cast<MemRefType>(c.getType()).getRank() - 2);
  OpFoldResult offsetC = math.add(math.add(batchOffset(c, batch), math.mul(startM, strideC)), startN);
  Value window = windowOf(builder, loc, c, offsetC, {sizeM, sizeN}, {strideC, math.constant(1)});
  ir::Quant quant = result.isF16()    ? ir::Quant::F322F16
                    : result.isBF16() ? ir::Quant::F322BF16
                                      : ir::Quant::NO_QUANT;
  builder.create<ir::FixpipeOp>(loc, sums, window, quant, epilogue.isRelu);
}

LogicalResult CubeLowering::lower() {
  if (failed(readEpilogue()) || failed(check()))
    return failure();
  function = makeFunction(kernel, "aic", "matmul");
  builder.setInsertionPoint(function.getBody().front().getTerminator());
  a = function.getArgument(cast<BlockArgument>(matmul.getA()).getArgNumber());
  b = function.getArgument(cast<BlockArgument>(matmul.getB()).getArgNumber());
  c = function.getArguments().back();
  int64_t rankA = cast<MemRefType>(a.getType()).getRank(), rankC = cast<MemRefType>(c.getType()).getRank();
  IndexMath math(builder, loc);
  m = extentOf(builder, loc, c, rankC - 2);
  n = extentOf(builder, loc, c, rankC - 1);
  k = extentOf(builder, loc, a, rankA - 1);
  for (int64_t axis = 0; axis + 2 < rankC; ++axis)
    batches.push_back(extentOf(builder, loc, c, axis));
  if (getConstantIntValue(k) == 0)
    return matmul.emitError("npu: kiln.matmul over no elements is not lowered yet");
  chooseTiles();
  OpFoldResult units = math.mul(math.ceilDiv(m, tileM), math.ceilDiv(n, tileN));
  for (OpFoldResult batch : batches)
    units = math.mul(units, batch);
  int64_t cores = target.cubeCores;
  int64_t blocks = std::max<int64_t>(1, std::min(cores, getConstantIntValue(units).value_or(cores)));
  function->setAttr(kBlocksAttr, builder.getI64IntegerAttr(blocks));
  Value count = math.value(units);
  Value first = builder.create<ir::BlockIdxOp>(loc, builder.getIndexType());
  Value step = builder.create<ir::BlockNumOp>(loc, builder.getIndexType());
  auto loop = builder.create<scf::ForOp>(loc, first, count, step);
  builder.setInsertionPointToStart(loop.getBody());
  fillUnit(loop.getInductionVar());
  return success();
}

} // namespace

bool isColumnBias(Value value, Type product) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() == 0)
    return false;
  return llvm::all_of(type.getShape().drop_back(), [](int64_t extent) { return extent == 1; }) &&
         type.getShape().back() == cast<RankedTensorType>(product).getShape().back();
}

LogicalResult lowerCubeKernel(KernelOp kernel, const Target &target) {
  return CubeLowering(kernel, target).lower();
}

} // namespace kiln::npu
