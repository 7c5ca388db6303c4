// VectorLowering.cpp: one loop over units, a unit being a tile at one place of the groups outside it. The
// blocks of a launch take units in turn. What a reduction drops and no tile holds is a loop within the unit:
// one pass over the parts for each level of reductions, which accumulates whole tiles and collapses them at
// its end, and a last pass for results that have the dropped axes; passes compute again what they need.
// Values that no loop index changes are loaded before the loop.
#include "backends/npu/Transforms/VectorLowering.h"

#include "backends/npu/Transforms/VectorLoops.h"
#include "kiln/devicekit/Pipes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {

LogicalResult VectorLowering::checkTypes() {
  auto check = [&](Value value) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor || (value.getDefiningOp<ConstantOp>() && !llvm::is_contained(domain.allValues(), value)))
      return success();
    Type type = tensor.getElementType();
    bool isKnown = type.isF16() || type.isBF16() || type.isF32() || type.isInteger(1) ||
                   type.isSignlessInteger(32) || type.isInteger(16) || type.isInteger(8);
    if (isKnown && (!type.isBF16() || target.hasBf16))
      return success();
    // Moved as bytes.
    bool isBytes = type.isIntOrFloat() && type.getIntOrFloatBitWidth() % 8 == 0;
    bool isMoved = !value.getDefiningOp() || isView(value.getDefiningOp());
    if (isBytes && isMoved &&
        llvm::all_of(value.getUsers(), [](Operation *user) { return isView(user) || isa<YieldOp>(user); }))
      return success();
    return emitError(value.getLoc(), "npu: elements of type ") << type << " are not lowered yet";
  };
  for (Value argument : kernel.getBody().getArguments())
    if (failed(check(argument)))
      return failure();
  for (Operation &op : kernel.getBody().front())
    for (Value result : op.getResults())
      if (failed(check(result)))
        return failure();
  return success();
}

// ---- Which values need loops

int64_t VectorLowering::tileOf(size_t group) const {
  return group == tiling.rowGroup ? tiling.rows : group == tiling.columnGroup ? tiling.columns : 1;
}

/// Whether a reduction drops the group and no tile holds all of it.
bool VectorLowering::isLooped(size_t group) const {
  int64_t extent = domain.extent(group);
  return domain.isReduced(group) && (ShapedType::isDynamic(extent) || extent > tileOf(group));
}

bool VectorLowering::hasLooped(Value value) const {
  for (size_t group = 0; group < domain.groupCount(); ++group)
    if (isLooped(group) && domain.has(value, group))
      return true;
  return false;
}

/// Whether a value depends on no reduction that is yet to be computed.
bool VectorLowering::isReady(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || values.contains(value) || accessOf(value) || isa<ConstantOp>(op))
    return true;
  bool isPending = isa<ReduceOp>(op) && hasLooped(op->getOperand(0));
  return !isPending && llvm::all_of(op->getOperands(), [&](Value operand) {
    return !isa<RankedTensorType>(operand.getType()) || isReady(operand);
  });
}

/// Whether an argument is the same in all units and parts.
bool VectorLowering::isInvariant(Value argument) {
  for (size_t group = 0; group < domain.groupCount(); ++group) {
    bool isHeld = group == tiling.columnGroup && tiling.isColumnsWhole;
    if (!isHeld && domain.extent(group) != 1 && domain.has(argument, group))
      return false;
  }
  return true;
}

// ---- Values

FailureOr<TileValue> VectorLowering::valueOf(Value value) {
  if (auto known = values.find(value); known != values.end())
    return known->second;
  if (auto constant = value.getDefiningOp<ConstantOp>())
    return constantTile(*tiles, constant);
  if (!accessOf(value)) {
    if (failed(compute(value.getDefiningOp())))
      return failure();
    return values.lookup(value);
  }
  FailureOr<TileValue> loaded = load(value);
  if (succeeded(loaded))
    values[value] = *loaded;
  return loaded;
}

LogicalResult VectorLowering::compute(Operation *op) {
  Location outer = loc;
  loc = op->getLoc();
  tiles->setLoc(loc);
  LogicalResult result = success();
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    FailureOr<TileValue> input = valueOf(reduce.getX());
    FailureOr<TileValue> x = failed(input) ? input : tiles->prepare(reduce, *input);
    if (failed(x))
      return failure();
    auto drops = [&](size_t group) {
      return domain.has(reduce.getX(), group) && !domain.has(reduce.getResult(), group);
    };
    FailureOr<TileValue> collapsed =
        tiles->collapse(reduce, *x, drops(tiling.rowGroup), drops(tiling.columnGroup));
    if (failed(collapsed))
      return failure();
    values[reduce.getResult()] = tiles->finish(reduce, *collapsed, inverseCount(reduce));
  } else {
    result = computeElementwise(op);
  }
  loc = outer;
  tiles->setLoc(loc);
  return result;
}

LogicalResult VectorLowering::computeElementwise(Operation *op) {
  SmallVector<TileValue> operands;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    FailureOr<TileValue> value = valueOf(operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  if (isa<ReshapeOp, BroadcastOp>(op)) {
    values[op->getResult(0)] = operands[0];
    return success();
  }
  // What the op has no axes of, it computes once: numbers become a column where a tile is a line.
  Kind kind = kindOf(op->getResult(0)), home = kind;
  if (kind == Kind::Scalar)
    home = tiling.isLine ? Kind::Column : Kind::Row;
  else if (kind == Kind::Full && !tiling.isLine)
    home = Kind::Row;
  tiles->setHome(home);
  FailureOr<TileValue> result = applyElementwise(*tiles, op, operands);
  if (succeeded(result) && kind != Kind::Full)
    result = tiles->narrowTo(*result, home);
  tiles->setHome(tiling.isLine ? Kind::Full : Kind::Row);
  if (succeeded(result))
    values[op->getResult(0)] = *result;
  return result;
}

/// 1 / the number of elements that a mean is over.
TileValue VectorLowering::inverseCount(ReduceOp op) {
  if (op.getKind() != ReduceKind::Mean)
    return tiles->number(1, builder.getF32Type());
  IndexMath math(builder, loc);
  OpFoldResult count = math.constant(1);
  for (size_t group = 0; group < domain.groupCount(); ++group)
    if (domain.has(op.getX(), group) && !domain.has(op.getResult(), group))
      count = math.mul(count, extent(group));
  if (std::optional<int64_t> known = getConstantIntValue(count))
    return tiles->number(1.0 / double(*known), builder.getF32Type());
  Value integer = builder.create<arith::IndexCastOp>(loc, builder.getI32Type(), cast<Value>(count));
  Value real = builder.create<arith::SIToFPOp>(loc, builder.getF32Type(), integer);
  Value one = builder.create<arith::ConstantOp>(loc, builder.getF32FloatAttr(1));
  return {Kind::Scalar, builder.create<arith::DivFOp>(loc, one, real), builder.getF32Type()};
}

// ---- Loops

OpFoldResult VectorLowering::countOf(size_t group) {
  IndexMath math(builder, loc);
  int64_t tile = tileOf(group);
  return tile == 1 ? extent(group) : math.ceilDiv(extent(group), tile);
}

OpFoldResult VectorLowering::unitCount() {
  IndexMath math(builder, loc);
  OpFoldResult units = math.constant(1);
  for (size_t group = 0; group < domain.groupCount(); ++group)
    if (!domain.isReduced(group))
      units = math.mul(units, countOf(group));
  return units;
}

/// The starts of a unit's groups, from its number; dropped groups start at 0.
void VectorLowering::setUnit(OpFoldResult unit) {
  IndexMath math(builder, loc);
  starts.assign(domain.groupCount(), math.constant(0));
  OpFoldResult rest = unit;
  std::optional<size_t> outermost;
  for (size_t group = domain.groupCount(); group-- > 0;)
    if (!domain.isReduced(group) && domain.extent(group) != 1)
      outermost = group;
  for (size_t group = domain.groupCount(); group-- > 0;) {
    if (domain.isReduced(group) || domain.extent(group) == 1)
      continue;
    if (!ShapedType::isDynamic(domain.extent(group)) && domain.extent(group) <= tileOf(group))
      continue; // one tile
    OpFoldResult count = countOf(group);
    OpFoldResult number = group == *outermost ? rest : math.rem(rest, count);
    starts[group] = math.mul(number, math.constant(tileOf(group)));
    if (group != *outermost)
      rest = math.div(rest, count);
  }
  setTile();
}

/// The builder of the tile at `starts`.
void VectorLowering::setTile() {
  IndexMath math(builder, loc);
  auto here = [&](size_t group) -> OpFoldResult {
    int64_t tile = tileOf(group), extent = domain.extent(group);
    if (tile == 1 || (!ShapedType::isDynamic(extent) && (extent % tile == 0 || extent <= tile)))
      return math.constant(ShapedType::isDynamic(extent) ? tile : std::min(tile, extent));
    return math.min(math.constant(tile), math.sub(this->extent(group), starts[group]));
  };
  TileShape shape;
  shape.isLine = tiling.isLine;
  shape.maxRows = tiling.rows;
  shape.pitch = tiling.pitch;
  shape.rows = here(tiling.rowGroup);
  shape.columns = here(tiling.columnGroup);
  if (!getConstantIntValue(shape.rows))
    shape.paddedRows = math.value(math.mul(math.ceilDiv(shape.rows, 8), math.constant(8)));
  tiles = std::make_unique<TileBuilder>(builder, loc, shape);
}

/// Opens a loop over the parts of each of these dropped groups; the outermost loop, or null if there is none.
scf::ForOp VectorLowering::openLoops(ArrayRef<size_t> loops) {
  scf::ForOp outermost;
  for (size_t group : loops) {
    IndexMath math(builder, loc);
    // An extent of 0 that tiles run along is one part of no elements: what the loop sets and waits for is
    // then the same. Parts of one element have no such part.
    OpFoldResult end = extent(group);
    bool isTiled = (group == tiling.rowGroup || group == tiling.columnGroup) && tileOf(group) > 1;
    bool runs = isTiled && !getConstantIntValue(end);
    if (runs)
      end = math.max(end, math.constant(1));
    auto loop = builder.create<scf::ForOp>(loc, math.value(math.constant(0)), math.value(end),
                                           math.value(math.constant(tileOf(group))));
    if (runs)
      loop->setAttr(devicekit::kRunsAttr, builder.getUnitAttr());
    outermost = outermost ? outermost : loop;
    builder.setInsertionPointToStart(loop.getBody());
    starts[group] = loop.getInductionVar();
  }
  if (outermost)
    setTile();
  return outermost;
}

/// Values without the dropped axes that are ready.
LogicalResult VectorLowering::computeKept() {
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<ConstantOp>(op) || op.getNumResults() != 1 || !isa<RankedTensorType>(op.getResult(0).getType()) ||
        (isView(&op) && !accessOf(op.getResult(0))))
      continue;
    Value result = op.getResult(0);
    if (isView(&op) && !llvm::is_contained(domain.allValues(), result))
      continue;
    bool isPending = isa<ReduceOp>(op) && hasLooped(op.getOperand(0));
    if (values.contains(result) || isPending || hasLooped(result) || !isReady(result))
      continue;
    if (failed(valueOf(result)))
      return failure();
  }
  for (Value argument : kernel.getBody().getArguments())
    if (isa<RankedTensorType>(argument.getType()) && llvm::is_contained(domain.allValues(), argument) &&
        !hasLooped(argument) && !argument.use_empty() && failed(valueOf(argument)))
      return failure();
  return success();
}

/// One pass over the dropped axes: each part's values are added to tiles, which are collapsed behind it.
LogicalResult VectorLowering::accumulate(ArrayRef<ReduceOp> reductions) {
  SmallVector<TileValue> sums;
  for (ReduceOp op : reductions) {
    FailureOr<TileValue> sum = tiles->identity(op);
    if (failed(sum))
      return failure();
    sums.push_back(*sum);
  }
  SmallVector<size_t> loops;
  for (size_t group = 0; group < domain.groupCount(); ++group)
    if (isLooped(group))
      loops.push_back(group);
  SmallVector<OpFoldResult> unitStarts = starts;
  DenseMap<Value, TileValue> kept = values;
  scf::ForOp loop = openLoops(loops);
  for (size_t i = 0; i < sums.size(); ++i) {
    ReduceOp op = reductions[i];
    loc = op->getLoc();
    tiles->setLoc(loc);
    FailureOr<TileValue> input = valueOf(op.getX());
    FailureOr<TileValue> x = failed(input) ? input : tiles->prepare(op, *input);
    if (failed(x))
      return failure();
    tiles->combine(op, sums[i], *x);
  }
  builder.setInsertionPointAfter(loop);
  loc = kernel.getLoc();
  starts = std::move(unitStarts);
  values = std::move(kept);
  setTile();
  for (size_t i = 0; i < sums.size(); ++i) {
    ReduceOp op = reductions[i];
    auto drops = [&](size_t group) {
      return domain.has(op.getX(), group) && !domain.has(op.getResult(), group);
    };
    tiles->setWhole(isLooped(tiling.rowGroup), isLooped(tiling.columnGroup));
    FailureOr<TileValue> collapsed =
        tiles->collapse(op, sums[i], drops(tiling.rowGroup), drops(tiling.columnGroup));
    setTile();
    if (failed(collapsed))
      return failure();
    values[op.getResult()] = tiles->finish(op, *collapsed, inverseCount(op));
  }
  return success();
}

LogicalResult VectorLowering::fillUnit() {
  Block &body = kernel.getBody().front();
  SmallVector<size_t> loops;
  for (size_t group = 0; group < domain.groupCount(); ++group)
    if (isLooped(group))
      loops.push_back(group);
  if (!loops.empty() && failed(computeKept()))
    return failure();
  while (!loops.empty()) {
    SmallVector<ReduceOp> level;
    for (auto op : body.getOps<ReduceOp>())
      if (!values.contains(op.getResult()) && hasLooped(op.getX()) && isReady(op.getX()))
        level.push_back(op);
    if (level.empty())
      break;
    if (failed(accumulate(level)) || failed(computeKept()))
      return failure();
  }
  SmallVector<Value> inside;
  for (Value yielded : body.getTerminator()->getOperands()) {
    if (hasLooped(yielded))
      inside.push_back(yielded);
    else if (failed(store(yielded)))
      return failure();
  }
  if (inside.empty())
    return success();
  openLoops(loops);
  for (Value yielded : inside)
    if (failed(store(yielded)))
      return failure();
  return success();
}

LogicalResult VectorLowering::fillBody() {
  builder.setInsertionPoint(function.getBody().front().getTerminator());
  setUnit(builder.getIndexAttr(0));
  for (Value value : domain.allValues())
    if (accessOf(value) && !value.use_empty() && isInvariant(value) && !isOnlyMoved(value)) {
      FailureOr<TileValue> loaded = load(value);
      if (failed(loaded))
        return failure();
      values[value] = *loaded;
    }
  setUnit(OpFoldResult(openUnits(builder, loc, function, unitCount(), target.vectorCores)));
  return fillUnit();
}

LogicalResult VectorLowering::lower(int64_t limit, int64_t narrowest, func::FuncOp &result) {
  FailureOr<Tiling> chosen = failed(checkTypes()) ? FailureOr<Tiling>(failure())
                                                  : chooseTiling(kernel, domain, target, limit, narrowest);
  if (failed(chosen))
    return failure();
  tiling = *chosen;
  bool reduces = false;
  for (size_t group = 0; group < domain.groupCount(); ++group)
    reduces |= domain.isReduced(group);
  function = result = makeFunction(kernel, "aiv",
                                   reduces         ? "reduction"
                                   : tiling.isLine ? "elementwise"
                                                   : "rows");
  return fillBody();
}

/// The bytes of the narrowest element of which a tile's rows are no whole blocks; 4 if there is none. Masks
/// as numbers are f16, whatever the kernel's types are.
static int64_t raggedBytes(func::FuncOp function) {
  int64_t narrowest = 4;
  function.walk([&](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    int64_t bytes = bytesOf(type.getElementType());
    bool isBits = type.getElementType().isInteger(1);
    if (!isBits && type.getRank() == 2 && type.getShape()[0] > 1 && type.getShape()[1] * bytes % 32 != 0)
      narrowest = std::min(narrowest, bytes);
  });
  return narrowest;
}

LogicalResult lowerVectorKernel(KernelOp kernel, const Target &target) {
  FailureOr<Domain> domain = Domain::create(kernel);
  if (failed(domain))
    return failure();
  // Tiles get smaller until all buffers fit, copies of those in transit included.
  for (int64_t limit = 16384, narrowest = narrowestBytes(*domain);;) {
    func::FuncOp function;
    if (failed(VectorLowering(kernel, *domain, target).lower(limit, narrowest, function))) {
      if (function)
        function.erase();
      return failure();
    }
    if (int64_t ragged = raggedBytes(function); ragged < narrowest) {
      narrowest = ragged;
      function.erase();
      continue;
    }
    if (devicekit::fitsMemory(function, 2))
      return success();
    if (limit <= 512 && devicekit::fitsMemory(function, 1))
      return success();
    function.erase();
    if (limit <= 512)
      return kernel.emitError("npu: the kernel's tiles do not fit into UB; this is not lowered yet");
    limit = llvm::isPowerOf2_64(limit) ? limit / 4 * 3 : limit / 3 * 2;
  }
}

} // namespace kiln::npu
