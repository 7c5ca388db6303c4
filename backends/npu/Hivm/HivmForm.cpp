// HivmForm.cpp: a column is [rows] with us, spread to blocks where rows meet it, and [rows, 1] in HIVM, where
// the library spreads it.
#include "backends/npu/Hivm/HivmForm.h"

#include "backends/npu/Hivm/HivmProduct.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "kiln/devicekit/Pipes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace kiln::npu {

Value bufferOf(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

void forEachAccess(Value buffer, llvm::function_ref<void(Operation *)> fn) {
  for (Operation *user : buffer.getUsers()) {
    if (!isa<ViewLikeOpInterface>(user)) {
      fn(user);
      continue;
    }
    for (Value view : user->getResults())
      forEachAccess(view, fn);
  }
}

namespace {

/// The number that leaves the other operand as it is.
TypedAttr identityOf(OpBuilder &builder, ir::Reduce kind, Type element) {
  if (kind == ir::Reduce::sum)
    return builder.getZeroAttr(element);
  bool isMax = kind == ir::Reduce::max;
  if (auto real = dyn_cast<FloatType>(element))
    return builder.getFloatAttr(element, APFloat::getInf(real.getFloatSemantics(), /*Negative=*/isMax));
  unsigned width = element.getIntOrFloatBitWidth();
  return builder.getIntegerAttr(element,
                                isMax ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width));
}

OpFoldResult rowsOf(OpBuilder &builder, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(0))
    return builder.getIndexAttr(type.getShape()[0]);
  return builder.create<memref::DimOp>(loc, memref, 0).getResult();
}

/// A view [rows, 1] of a column.
Value asColumn(OpBuilder &builder, Location loc, Value column) {
  auto type = cast<MemRefType>(column.getType());
  SmallVector<ReassociationIndices> groups = {{0, 1}};
  SmallVector<OpFoldResult> extents = {rowsOf(builder, loc, column), builder.getIndexAttr(1)};
  return builder.create<memref::ExpandShapeOp>(loc, ArrayRef<int64_t>{type.getShape()[0], 1}, column, groups,
                                               extents);
}

/// The row of its buffer at which a view of a matrix begins; nothing if it is no part of whole rows.
std::optional<OpFoldResult> firstRowOf(OpBuilder &builder, Value view) {
  OpFoldResult row = builder.getIndexAttr(0);
  while (auto part = view.getDefiningOp<memref::SubViewOp>()) {
    OpFoldResult offset = part.getMixedOffsets().front();
    for (OpFoldResult other : ArrayRef(part.getMixedOffsets()).drop_front())
      if (getConstantIntValue(other) != 0)
        return std::nullopt;
    if (getConstantIntValue(part.getMixedStrides().front()) != 1 ||
        (getConstantIntValue(row) != 0 && getConstantIntValue(offset) != 0))
      return std::nullopt;
    row = getConstantIntValue(row) == 0 ? offset : row;
    view = part.getSource();
  }
  return view.getDefiningOp<memref::AllocOp>() ? std::optional(row) : std::nullopt;
}

bool isOnlyWriter(ir::BroadcastOp fill) {
  Value buffer = bufferOf(fill.getDst());
  bool isOnly = true;
  forEachAccess(buffer, [&](Operation *user) {
    SmallVector<ir::PipeAccess> accesses;
    if (auto pipe = dyn_cast<ir::PipeOpInterface>(user); pipe && user != fill)
      pipe.getAccesses(accesses);
    for (ir::PipeAccess access : accesses)
      isOnly &= !(access.isWrite && bufferOf(access.memref) == buffer);
  });
  return isOnly;
}

LogicalResult rewriteColumn(ir::BinaryOp op) {
  if (op.getBroadcast() != 1)
    return success();
  auto spread = writerOf<ir::BroadcastOp>(op.getRhs());
  if (spread && !isa<MemRefType>(spread.getSrc().getType()) && isOnlyWriter(spread)) { // of one number
    op.getRhsMutable().assign(spread.getSrc());
    op.removeBroadcastAttr();
    return success();
  }
  if (!spread || !isa<MemRefType>(spread.getSrc().getType()) || spread->getBlock() != op->getBlock())
    return op.emitError("npu: a column that no one vbrc spreads has no form in HIVM");
  Value column = spread.getSrc(), buffer = bufferOf(column);
  for (Operation *between = spread->getNextNode(); between != op; between = between->getNextNode())
    if (auto pipe = dyn_cast<ir::PipeOpInterface>(between)) {
      SmallVector<ir::PipeAccess> accesses;
      pipe.getAccesses(accesses);
      for (ir::PipeAccess access : accesses)
        if (access.isWrite && bufferOf(access.memref) == buffer)
          return op.emitError("npu: a column that is written after it was spread has no form in HIVM");
    }
  OpBuilder builder(op);
  std::optional<OpFoldResult> row = firstRowOf(builder, op.getRhs()),
                              start = firstRowOf(builder, spread.getDst());
  if (!row || !start || getConstantIntValue(*start) != 0)
    return op.emitError("npu: a column of this view of spread blocks has no form in HIVM");
  auto lhs = cast<MemRefType>(op.getLhs().getType());
  if (lhs.isDynamicDim(0) || getConstantIntValue(*row) != 0 ||
      cast<MemRefType>(column.getType()).getShape()[0] != lhs.getShape()[0]) {
    OpFoldResult one = builder.getIndexAttr(1);
    column = builder.create<memref::SubViewOp>(
        op.getLoc(), column, ArrayRef<OpFoldResult>{*row},
        ArrayRef<OpFoldResult>{rowsOf(builder, op.getLoc(), op.getLhs())}, ArrayRef<OpFoldResult>{one});
  }
  op.getRhsMutable().assign(asColumn(builder, op.getLoc(), column));
  return success();
}

void rewriteReduce(ir::ReduceOp op) {
  OpBuilder builder(op);
  Value column = asColumn(builder, op.getLoc(), op.getDst());
  TypedAttr identity = identityOf(builder, op.getKind(), cast<MemRefType>(column.getType()).getElementType());
  Value number = builder.create<arith::ConstantOp>(op.getLoc(), identity);
  builder.create<ir::BroadcastOp>(op.getLoc(), number, column);
  op.getDstMutable().assign(column);
}

bool isUnsigned(Value memref) {
  return cast<MemRefType>(memref.getType()).getElementType().isUnsignedInteger();
}

/// A buffer of unsigned integers as one of integers without a sign, as numbers are; written as `bitcast`.
Value asSignless(OpBuilder &builder, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.getElementType().isUnsignedInteger())
    return memref;
  Type element = builder.getIntegerType(type.getElementTypeBitWidth());
  MemRefType plain = MemRefType::Builder(type).setElementType(element);
  return builder.create<UnrealizedConversionCastOp>(loc, plain, memref).getResult(0);
}

void rewriteScalarLoad(ir::ScalarLoadOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getSrc().getType());
  Value zero = builder.create<arith::ConstantIndexOp>(loc, 0);
  Value element = builder.create<memref::LoadOp>(loc, asSignless(builder, loc, op.getSrc()),
                                                 SmallVector<Value>(type.getRank(), zero));
  Type result = op.getResult().getType();
  if (element.getType() != result)
    element = isa<FloatType>(result)    ? Value(builder.create<arith::ExtFOp>(loc, result, element))
              : isUnsigned(op.getSrc()) ? Value(builder.create<arith::ExtUIOp>(loc, result, element))
                                        : Value(builder.create<arith::ExtSIOp>(loc, result, element));
  op.replaceAllUsesWith(element);
  op.erase();
}

/// Halves lie as those with a sign; what the conversion makes of them is corrected behind it.
void rewriteCast(ir::CastOp op) {
  OpBuilder builder(op);
  auto take = [&](OpOperand &operand) {
    if (cast<MemRefType>(operand.get().getType()).getElementType().isUnsignedInteger(16))
      operand.set(asSignless(builder, op.getLoc(), operand.get()));
  };
  take(op.getSrcMutable());
  take(op.getDstMutable());
}

/// The first `rows` x `columns` elements of a matrix.
Value cornerOf(OpBuilder &builder, Location loc, Value matrix, OpFoldResult rows, OpFoldResult columns) {
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  return builder.create<memref::SubViewOp>(loc, matrix, ArrayRef<OpFoldResult>{zero, zero},
                                           ArrayRef<OpFoldResult>{rows, columns},
                                           ArrayRef<OpFoldResult>{one, one});
}

/// What the result has decides; HIVM wants both sides to agree.
void rewriteTranspose(ir::TransposeOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value target = op.getDst();
  if (cast<MemRefType>(target.getType()).getRank() == 1) { // column 0
    auto type = cast<MemRefType>(target.getType());
    SmallVector<ReassociationIndices> groups = {{0, 1}};
    SmallVector<OpFoldResult> extents = {builder.getIndexAttr(1), rowsOf(builder, loc, target)};
    target = builder.create<memref::ExpandShapeOp>(loc, ArrayRef<int64_t>{1, type.getShape()[0]}, target,
                                                   groups, extents);
  }
  auto extent = [&](int64_t axis) -> OpFoldResult {
    auto type = cast<MemRefType>(target.getType());
    if (!type.isDynamicDim(axis))
      return builder.getIndexAttr(type.getShape()[axis]);
    return builder.create<memref::DimOp>(loc, target, axis).getResult();
  };
  op.getSrcMutable().assign(cornerOf(builder, loc, op.getSrc(), extent(1), extent(0)));
  op.getDstMutable().assign(target);
}

/// What `view` is of `buffer`, of another buffer.
Value viewLike(OpBuilder &builder, Value view, Value buffer, Value other) {
  if (view == buffer)
    return other;
  auto op = view.getDefiningOp<ViewLikeOpInterface>();
  IRMapping mapping;
  mapping.map(op.getViewSource(), viewLike(builder, op.getViewSource(), buffer, other));
  return builder.clone(*op, mapping)->getResult(0);
}

/// HIVM counts elements where we count bytes.
LogicalResult rewriteGather(ir::GatherOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value offsets = op.getOffsets();
  auto buffer = bufferOf(offsets).getDefiningOp<memref::AllocOp>();
  if (!buffer)
    return op.emitError("npu: a gather by offsets that are in no buffer of the kernel has no form in HIVM");
  unsigned bytes = cast<MemRefType>(op.getSrc().getType()).getElementTypeBitWidth() / 8;
  Value numbers = builder.create<memref::AllocOp>(loc, buffer.getType());
  numbers = viewLike(builder, offsets, buffer, numbers);
  Value shift = builder.create<arith::ConstantOp>(loc, builder.getI32IntegerAttr(llvm::Log2_32(bytes)));
  builder.create<ir::BinaryOp>(loc, ir::Binary::vshr, offsets, shift, numbers, IntegerAttr());
  op.getOffsetsMutable().assign(numbers);
  return success();
}

/// A transfer for each row; its index is read, counted from the end if negative, and kept within the matrix.
void rewriteGatherRows(ir::GatherRowsOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto constant = [&](int64_t number) -> Value {
    return builder.create<arith::ConstantIndexOp>(loc, number);
  };
  auto extent = [&](Value memref, int64_t axis) -> OpFoldResult {
    auto type = cast<MemRefType>(memref.getType());
    if (!type.isDynamicDim(axis))
      return builder.getIndexAttr(type.getShape()[axis]);
    return builder.create<memref::DimOp>(loc, memref, axis).getResult();
  };
  Value zero = constant(0), one = constant(1);
  Value rows = getValueOrCreateConstantIndexOp(builder, loc, extent(op.getSrc(), 0));
  Value count = getValueOrCreateConstantIndexOp(builder, loc, extent(op.getDst(), 0));
  OpFoldResult columns = extent(op.getDst(), 1);
  auto loop = builder.create<scf::ForOp>(loc, zero, count, one);
  builder.setInsertionPointToStart(loop.getBody());
  Value number = builder.create<memref::LoadOp>(loc, op.getIndices(), loop.getInductionVar());
  Value at = builder.create<arith::IndexCastOp>(loc, builder.getIndexType(), number);
  Value isNegative = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, at, zero);
  Value fromEnd = builder.create<arith::AddIOp>(loc, at, rows);
  at = builder.create<arith::SelectOp>(loc, isNegative, fromEnd, at);
  Value last = builder.create<arith::SubIOp>(loc, rows, one);
  at = builder.create<arith::MaxSIOp>(loc, builder.create<arith::MinSIOp>(loc, at, last), zero);
  auto rowOf = [&](Value matrix, OpFoldResult row) {
    OpFoldResult none = builder.getIndexAttr(0), unit = builder.getIndexAttr(1);
    return builder.create<memref::SubViewOp>(loc, matrix, ArrayRef<OpFoldResult>{row, none},
                                             ArrayRef<OpFoldResult>{unit, columns},
                                             ArrayRef<OpFoldResult>{unit, unit});
  };
  builder.create<ir::LoadOp>(loc, rowOf(op.getSrc(), at), rowOf(op.getDst(), loop.getInductionVar()));
  op.erase();
}

/// HIVM copies between equal shapes.
LogicalResult rewriteCopy(ir::CopyOp op) {
  auto from = cast<MemRefType>(op.getSrc().getType()), to = cast<MemRefType>(op.getDst().getType());
  if (from.getShape() == to.getShape())
    return success();
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!from.hasStaticShape() || !to.hasStaticShape() || from.getElementType() != to.getElementType() ||
      failed(getStridesAndOffset(from, strides, offset)) || offset != 0)
    return op.emitError("npu: a copy from ") << from << " to " << to << " has no form in HIVM";
  OpBuilder builder(op);
  SmallVector<OpFoldResult> extents, steps;
  int64_t step = 1;
  for (int64_t extent : llvm::reverse(to.getShape())) {
    extents.insert(extents.begin(), builder.getIndexAttr(extent));
    steps.insert(steps.begin(), builder.getIndexAttr(step));
    step *= extent;
  }
  auto type = MemRefType::get(to.getShape(), from.getElementType(), MemRefLayoutAttrInterface(),
                              from.getMemorySpace());
  op.getSrcMutable().assign(builder.create<memref::ReinterpretCastOp>(
      op.getLoc(), type, op.getSrc(), OpFoldResult(builder.getIndexAttr(0)), extents, steps));
  return success();
}

/// A buffer in use from before `op` until after it: the ops that use it.
SmallVector<Operation *> reserveScratch(Operation *op, MemRefType type) {
  OpBuilder builder(op);
  auto scratch = builder.create<memref::AllocOp>(op->getLoc(), type);
  Value zero = builder.create<arith::ConstantOp>(op->getLoc(), builder.getZeroAttr(type.getElementType()));
  Operation *before = builder.create<ir::BroadcastOp>(op->getLoc(), zero, scratch);
  builder.setInsertionPointAfter(op);
  Operation *after = builder.create<ir::BroadcastOp>(op->getLoc(), zero, scratch);
  return {before, after, scratch};
}

/// What the library takes beside an op's operands; null: nothing.
MemRefType scratchOf(Operation *op) {
  auto whole = [](Value tile) {
    auto alloc = bufferOf(tile).getDefiningOp<memref::AllocOp>();
    return alloc ? alloc.getType() : MemRefType();
  };
  if (auto reduce = dyn_cast<ir::ReduceOp>(op))
    return whole(reduce.getSrc());
  if (auto binary = dyn_cast<ir::BinaryOp>(op); binary && binary.getBroadcast() == 1)
    return whole(binary.getDst());
  if (auto select = dyn_cast<ir::SelectOp>(op)) // a block; and its planner keeps a tile for the bits
    return whole(select.getDst());
  return {};
}

} // namespace

LogicalResult chooseCopies(ModuleOp module) {
  SmallVector<std::pair<Operation *, MemRefType>> takers;
  SmallVector<Operation *> reserved;
  module.walk([&](Operation *op) {
    if (MemRefType scratch = scratchOf(op))
      takers.push_back({op, scratch});
  });
  for (auto [op, scratch] : takers)
    reserved.append(reserveScratch(op, scratch));
  PassManager passes(module.getContext());
  devicekit::buildMultiBufferPass(passes);
  LogicalResult result = passes.run(module);
  for (Operation *op : reserved)
    op->erase();
  return result;
}

LogicalResult rewriteForHivm(func::FuncOp function) {
  auto blocks = function->getAttrOfType<IntegerAttr>(kBlocksAttr);
  if (!blocks || !function->hasAttr(kCoreAttr))
    return function.emitError("npu: expected a kernel's function with the attributes ")
           << kCoreAttr << " and " << kBlocksAttr;
  Value block =
      function.getBody().front().addArgument(IndexType::get(function.getContext()), function.getLoc());
  if (failed(rewriteProducts(function)))
    return failure();
  SmallVector<Operation *> ops, spreads;
  function.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    OpBuilder builder(op);
    if (auto index = dyn_cast<ir::BlockIdxOp>(op)) {
      index.replaceAllUsesWith(block);
      index.erase();
    } else if (auto number = dyn_cast<ir::BlockNumOp>(op)) {
      number.replaceAllUsesWith(
          builder.create<arith::ConstantIndexOp>(op->getLoc(), blocks.getInt()).getResult());
      number.erase();
    } else if (auto load = dyn_cast<ir::ScalarLoadOp>(op)) {
      rewriteScalarLoad(load);
    } else if (auto conversion = dyn_cast<ir::CastOp>(op)) {
      rewriteCast(conversion);
    } else if (auto transpose = dyn_cast<ir::TransposeOp>(op)) {
      rewriteTranspose(transpose);
    } else if (auto gather = dyn_cast<ir::GatherOp>(op)) {
      if (failed(rewriteGather(gather)))
        return failure();
    } else if (auto rows = dyn_cast<ir::GatherRowsOp>(op)) {
      rewriteGatherRows(rows);
    } else if (auto copy = dyn_cast<ir::CopyOp>(op)) {
      if (failed(rewriteCopy(copy)))
        return failure();
    } else if (auto reduce = dyn_cast<ir::ReduceOp>(op)) {
      rewriteReduce(reduce);
    } else if (auto binary = dyn_cast<ir::BinaryOp>(op)) {
      if (failed(rewriteColumn(binary)))
        return failure();
    } else if (auto spread = dyn_cast<ir::BroadcastOp>(op)) {
      if (isa<MemRefType>(spread.getSrc().getType()))
        spreads.push_back(spread);
      else
        spread.getDstMutable().assign(asSignless(builder, spread.getLoc(), spread.getDst()));
    }
  }
  for (Operation *spread : spreads)
    spread->erase();
  return success();
}

} // namespace kiln::npu
