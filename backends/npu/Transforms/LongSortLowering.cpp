// LongSortLowering.cpp: sort and top_k of rows that no tile holds, of unknown length, or of 64 bits. A core
// takes a row: it sorts runs of a tile, then merges two runs until one is left, in two halves of its part of
// the workspace in turn. A step of a merge sorts the next elements of both runs together, of which the first
// ones are the next of both, and counts how many are of which run. The least first are the greatest first of
// the reversed row, read from its end, so that NaN is last and equal elements keep their order.
#include "backends/npu/Transforms/SortTiles.h"
#include "backends/npu/Transforms/VectorLoops.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "kiln/jit/LaunchConstants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace kiln::npu {
namespace {

constexpr int64_t kTileWords = 2048;   // of a run
constexpr int64_t kMostDoublings = 31; // of runs
constexpr int64_t kSlotAlign = 16;     // elements: whole blocks in global memory

class LongSortLowering : SortTiles {
public:
  using SortTiles::SortTiles;
  LogicalResult lower();

private:
  /// A tile's elements, as words that the workspace holds, and their indices in the row.
  struct Elements {
    T words, indices;
  };
  void asWordPairs(Value argument);
  void setWorkspace();
  void makeTables();
  Value workspaceOf(Type type);
  OpFoldResult halfAt(OpFoldResult number);
  T scalar(OpFoldResult number);
  SmallVector<T> keysOf(T words);
  T sorted(T words, T places, OpFoldResult count);
  T pickWords(T from, T places, OpFoldResult count);
  Value loopOver(OpFoldResult from, OpFoldResult to);
  T zeros(int64_t size, Type type);
  Elements emptyElements() {
    return {zeros(wordsOfOne * tile, wordType()), zeros(tile, builder.getI32Type())};
  }
  Type wordType() { return isReal ? Type(builder.getF32Type()) : builder.getI32Type(); }
  void loadPart(Elements into, int64_t at, OpFoldResult half, OpFoldResult first, OpFoldResult count);
  void store(T words, T indices, OpFoldResult half, OpFoldResult first, OpFoldResult count);
  void sortRuns(OpFoldResult row);
  OpFoldResult mergeRuns();
  void mergeTwo(OpFoldResult start, OpFoldResult width, OpFoldResult from, OpFoldResult to);
  void writeResults(OpFoldResult row, OpFoldResult half);
  OpFoldResult lessThan(OpFoldResult a, OpFoldResult b);

  OpFoldResult length, slot, capacity;
  bool isReal = false, isUnsigned = false;
  int64_t wordsOfOne = 1;
  int64_t tile = 0, step = 0; // elements of a run, and of each run in a step of a merge
  Value values, places;       // the workspace's words, as what keys are made of, and its indices
  T order, halves, odds;
};

// ---- Numbers and tables

OpFoldResult LongSortLowering::lessThan(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return math.constant(*x < *y);
  Value is = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, math.value(a), math.value(b));
  return builder.create<arith::SelectOp>(loc, is, math.value(math.constant(1)), math.value(math.constant(0)))
      .getResult();
}

/// An index as a number that vector instructions take.
TileValue LongSortLowering::scalar(OpFoldResult number) {
  Type i32 = builder.getI32Type();
  return {T::Kind::Scalar, builder.create<arith::IndexCastOp>(loc, i32, math.value(number)), i32};
}

/// A buffer of 64-bit elements as such of pairs of words.
void LongSortLowering::asWordPairs(Value argument) {
  auto type = cast<MemRefType>(argument.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(2);
  argument.setType(MemRefType::get(shape, builder.getI32Type(), type.getLayout(), type.getMemorySpace()));
  function.setFunctionType(
      builder.getFunctionType(function.getBody().front().getArgumentTypes(), TypeRange()));
}

/// Two halves a block, of words and of indices each.
void LongSortLowering::setWorkspace() {
  using Expr = jit::LaunchExpr;
  auto blocks = function->getAttrOfType<IntegerAttr>(kBlocksAttr).getInt();
  Expr extent = *jit::LaunchConstants(function).express(length), align = Expr::literal(kSlotAlign);
  Expr bytes = Expr::binary(Expr::Op::CeilDiv, extent, align);
  bytes = Expr::binary(Expr::Op::Mul, bytes, Expr::literal(kSlotAlign * 8 * (wordsOfOne + 1) * blocks));
  function->setAttr(kWorkspaceAttr, jit::exprToAttr(kernel.getContext(), bytes));
}

Value LongSortLowering::workspaceOf(Type type) {
  auto space = ir::MemoryAttr::get(kernel.getContext(), ir::Memory::GM);
  auto part = MemRefType::get({1}, type, MemRefLayoutAttrInterface(), space);
  return builder.create<ir::WorkspaceBufferOp>(loc, part, 0);
}

/// The first word of one of the block's two halves.
OpFoldResult LongSortLowering::halfAt(OpFoldResult number) {
  return math.add(slot, math.mul(number, math.mul(capacity, math.constant(wordsOfOne + 1))));
}

/// 0, 1, 2 .. and, of words of 64-bit elements, whose word it is and which.
void LongSortLowering::makeTables() {
  useColumns(math.constant(tile), tile);
  order = count(/*throughRows=*/true);
  if (wordsOfOne == 1)
    return;
  useColumns(math.constant(2 * tile), 2 * tile);
  T each = count(/*throughRows=*/true);
  halves = tiles->binary(ir::Binary::vshr, each, tiles->number(1, builder.getI32Type()));
  odds = tiles->binary(ir::Binary::vadd, each, scaled(halves, -2, 0));
}

// ---- Tiles

/// The keys of a whole tile, those that matter least first.
SmallVector<TileValue> LongSortLowering::keysOf(T words) {
  Type i32 = builder.getI32Type();
  useColumns(math.constant(tile), tile);
  if (isReal)
    return {words};
  T low = words, high = words;
  if (wordsOfOne == 2)
    low = pick(words, scaled(order, 2, 0)), high = pick(words, scaled(order, 2, 1));
  if (isUnsigned) // in the same order
    high = tiles->binary(ir::Binary::vadd, high, tiles->number(double(INT32_MIN), i32));
  auto [third, fourth] = halvesOf(high);
  if (wordsOfOne == 1)
    return {third, fourth};
  auto [first, second] = halvesOf(low);
  // The shift kept the sign, which a low word has not.
  T isNegative = tiles->compare(ir::Compare::lt, second, tiles->number(0, second.element));
  second = tiles->select(
      isNegative, tiles->binary(ir::Binary::vadd, second, tiles->number(65536, second.element)), second);
  return {first, second, third, fourth};
}

/// The first `count` places in the order of the words there, the greatest first; zeros behind. Several keys
/// in a loop: its code is the largest part of the kernel's.
TileValue LongSortLowering::sorted(T words, T at, OpFoldResult count) {
  SmallVector<T> keys = keysOf(words);
  auto sortBy = [&](T key, T places) {
    useColumns(count, tile);
    return indicesOf(pairsOf(SortTiles::keysOf(key, places), places, tile), order);
  };
  if (keys.size() == 1)
    return sortBy(keys.front(), at);
  auto rounds = static_cast<int64_t>(keys.size());
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  OpFoldResult size = math.constant(tile);
  Value all = builder.create<memref::AllocOp>(loc, inUb({1, rounds * tile}, f32));
  for (auto [round, key] : llvm::enumerate(keys))
    builder.create<ir::BinaryOp>(loc, ir::Binary::vmul, key.value, tiles->number(1, f32).value,
                                 flat(all, math.constant(int64_t(round) * tile), size), IntegerAttr());
  T result = tiles->allocateAs(T::Kind::Full, i32);
  auto keep = [&](T places) {
    builder.create<ir::BinaryOp>(loc, ir::Binary::vadd, places.value, tiles->number(0, i32).value,
                                 result.value, IntegerAttr());
  };
  keep(at);
  OpBuilder::InsertionGuard guard(builder);
  Value round = loopOver(math.constant(0), math.constant(rounds));
  keep(sortBy({T::Kind::Full, flat(all, math.mul(OpFoldResult(round), size), size), f32}, result));
  return result;
}

/// The words of `count` elements at those places; the tile then has these columns.
TileValue LongSortLowering::pickWords(T from, T at, OpFoldResult count) {
  useColumns(math.mul(count, math.constant(wordsOfOne)), wordsOfOne * tile);
  if (wordsOfOne == 1)
    return pick(from, at);
  T whose = scaled(pick(at, halves), 2, 0);
  return pick(from, tiles->binary(ir::Binary::vadd, whose, odds));
}

/// A buffer of zeros.
TileValue LongSortLowering::zeros(int64_t size, Type type) {
  Value buffer = builder.create<memref::AllocOp>(loc, inUb({1, size}, type));
  builder.create<ir::BroadcastOp>(loc, tiles->number(0, type).value, buffer);
  return {T::Kind::Full, buffer, type};
}

/// `count` elements of a half, from the first one on, to the tile's place `at`.
void LongSortLowering::loadPart(Elements into, int64_t at, OpFoldResult half, OpFoldResult first,
                                OpFoldResult count) {
  OpBuilder::InsertionGuard guard(builder);
  if (!getConstantIntValue(count)) // there may be none
    loopOver(math.constant(0), lessThan(math.constant(0), count));
  auto load = [&](Value from, OpFoldResult offset, int64_t words, Value buffer) {
    OpFoldResult size = math.mul(count, math.constant(words));
    Value part = builder.create<memref::SubViewOp>(
        loc, buffer, ArrayRef<OpFoldResult>{math.constant(0), math.constant(at * words)},
        ArrayRef<OpFoldResult>{math.constant(1), size}, SmallVector<OpFoldResult>(2, math.constant(1)));
    Value window = windowOf(builder, loc, from, offset, {math.constant(1), size}, {size, math.constant(1)});
    builder.create<ir::LoadOp>(loc, window, part, /*keep=*/true);
  };
  OpFoldResult each = math.constant(wordsOfOne);
  load(values, math.add(half, math.mul(first, each)), wordsOfOne, into.words.value);
  load(places, math.add(math.add(half, math.mul(capacity, each)), first), 1, into.indices.value);
}

/// The first `count` elements of a tile to a half, from the first place on.
void LongSortLowering::store(T picked, T indices, OpFoldResult half, OpFoldResult first, OpFoldResult count) {
  auto write = [&](T words, Value to, OpFoldResult offset, int64_t each) {
    OpFoldResult size = math.mul(count, math.constant(each));
    useColumns(size, each * tile);
    builder.create<ir::StoreOp>(
        loc, tiles->view(words, false),
        windowOf(builder, loc, to, offset, {math.constant(1), size}, {size, math.constant(1)}));
  };
  OpFoldResult each = math.constant(wordsOfOne);
  write(picked, values, math.add(half, math.mul(first, each)), wordsOfOne);
  write(indices, places, math.add(math.add(half, math.mul(capacity, each)), first), 1);
}

// ---- A row

/// Opens a loop; what follows is built inside.
Value LongSortLowering::loopOver(OpFoldResult from, OpFoldResult to) {
  auto loop = builder.create<scf::ForOp>(loc, math.value(from), math.value(to), math.value(math.constant(1)));
  builder.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

/// Runs of a tile each, to the first half.
void LongSortLowering::sortRuns(OpFoldResult row) {
  OpBuilder::InsertionGuard guard(builder);
  OpFoldResult run = OpFoldResult(loopOver(math.constant(0), math.ceilDiv(length, tile)));
  OpFoldResult start = math.mul(run, math.constant(tile));
  OpFoldResult here = math.min(math.constant(tile), math.sub(length, start));
  OpFoldResult first = isDescending ? start : math.sub(math.sub(length, start), here);
  OpFoldResult each = math.constant(wordsOfOne), size = math.mul(here, each);
  useColumns(size, wordsOfOne * tile);
  T raw = load(math.mul(math.add(math.mul(row, length), first), each), size);
  T words = wordsOfOne == 2 ? raw : widen(raw);
  if (isReal)
    words = real(words);
  // Whole tiles are computed with.
  T whole = zeros(wordsOfOne * tile, wordType());
  Value zero = tiles->number(0, whole.element).value;
  builder.create<ir::BinaryOp>(loc, ir::Binary::vadd, tiles->view(words, false), zero,
                               tiles->view(whole, false), IntegerAttr());
  useColumns(math.constant(tile), tile);
  T at = order;
  if (!isDescending) {
    Type i32 = builder.getI32Type();
    at = tiles->binary(ir::Binary::vadd, scaled(order, -1, 0), scalar(math.sub(here, math.constant(1))));
    at = tiles->binary(ir::Binary::vmax, at, tiles->number(0, i32));
  }
  at = sorted(whole, at, here);
  T picked = pickWords(words, at, here);
  useColumns(here, tile);
  T indices = tiles->binary(ir::Binary::vadd, at, scalar(first));
  store(picked, indices, halfAt(math.constant(0)), start, here);
}

/// Two runs of `width` elements, the first at `start`: one in the other half.
void LongSortLowering::mergeTwo(OpFoldResult start, OpFoldResult width, OpFoldResult from, OpFoldResult to) {
  OpFoldResult zero = math.constant(0), most = math.constant(step), left = math.sub(length, start);
  // No more than the results need is ever looked at.
  auto needed = [&](OpFoldResult size) { return isDescending ? math.min(size, wanted) : size; };
  OpFoldResult sizeA = needed(math.min(width, left));
  OpFoldResult sizeB = needed(math.max(zero, math.min(width, math.sub(left, width))));
  OpFoldResult total = needed(math.add(sizeA, sizeB));
  auto loop = builder.create<scf::ForOp>(loc, math.value(zero), math.value(math.ceilDiv(total, step)),
                                         math.value(math.constant(1)),
                                         ValueRange{math.value(zero), math.value(zero)});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  OpFoldResult done = math.mul(OpFoldResult(loop.getInductionVar()), most);
  OpFoldResult a = OpFoldResult(loop.getRegionIterArgs()[0]), b = OpFoldResult(loop.getRegionIterArgs()[1]);
  OpFoldResult countA = math.min(most, math.sub(sizeA, a)), countB = math.min(most, math.sub(sizeB, b));
  OpFoldResult out = math.min(most, math.sub(total, done));
  useColumns(math.constant(tile), tile);
  Elements parts = emptyElements();
  loadPart(parts, 0, from, math.add(start, a), countA);
  loadPart(parts, step, from, math.add(math.add(start, width), b), countB);
  // The second run's elements behind the first run's, wherever these end.
  useColumns(math.constant(tile), tile);
  Type i32 = builder.getI32Type();
  T isOfA = tiles->compare(ir::Compare::lt, real(order),
                           tiles->cast(scalar(countA), builder.getF32Type(), ir::Round::rint));
  T moved = tiles->binary(ir::Binary::vadd, order, scalar(math.sub(most, countA)));
  moved = tiles->binary(ir::Binary::vmin, moved, tiles->number(tile - 1, i32));
  T at = sorted(parts.words, tiles->select(isOfA, order, moved), math.add(countA, countB));
  T words = pickWords(parts.words, at, out);
  useColumns(out, tile);
  store(words, pick(parts.indices, at), to, math.add(start, done), out);
  // How many of the step were of the first run.
  useColumns(most, tile);
  T isTaken =
      tiles->unmask(tiles->compare(ir::Compare::lt, real(at), tiles->number(step, builder.getF32Type())));
  T sum = tiles->reduceRows(ir::Reduce::sum, tiles->cast(isTaken, builder.getF32Type(), ir::Round::rint),
                            builder.getF32Type());
  Value one = builder.create<memref::SubViewOp>(loc, sum.value, ArrayRef<OpFoldResult>{zero},
                                                ArrayRef<OpFoldResult>{math.constant(1)},
                                                ArrayRef<OpFoldResult>{math.constant(1)});
  Value taken = builder.create<ir::ScalarLoadOp>(loc, builder.getF32Type(), one);
  Value number = builder.create<arith::FPToSIOp>(loc, i32, taken);
  OpFoldResult ofA = builder.create<arith::IndexCastOp>(loc, builder.getIndexType(), number).getResult();
  Value nextA = math.value(math.add(a, ofA)), nextB = math.value(math.add(b, math.sub(most, ofA)));
  builder.create<scf::YieldOp>(loc, ValueRange{nextA, nextB});
}

/// Doubles the runs until one is left; the half that holds it.
OpFoldResult LongSortLowering::mergeRuns() {
  OpFoldResult rounds = math.constant(0);
  for (int64_t i = 0; i < kMostDoublings; ++i)
    rounds = math.add(rounds, lessThan(math.constant(tile << i), length));
  {
    OpBuilder::InsertionGuard guard(builder);
    Value round = loopOver(math.constant(0), rounds);
    Value first = math.value(math.constant(tile));
    OpFoldResult width = builder.create<arith::ShLIOp>(loc, first, round).getResult();
    OpFoldResult which = math.rem(OpFoldResult(round), math.constant(2));
    OpFoldResult both = math.mul(width, math.constant(2));
    OpFoldResult pairs = math.div(math.add(length, math.sub(both, math.constant(1))), both);
    OpFoldResult pair = OpFoldResult(loopOver(math.constant(0), pairs));
    mergeTwo(math.mul(pair, both), width, halfAt(which), halfAt(math.sub(math.constant(1), which)));
  }
  return halfAt(math.rem(rounds, math.constant(2)));
}

void LongSortLowering::writeResults(OpFoldResult row, OpFoldResult half) {
  OpBuilder::InsertionGuard guard(builder);
  OpFoldResult part = OpFoldResult(loopOver(math.constant(0), math.ceilDiv(wanted, tile)));
  OpFoldResult start = math.mul(part, math.constant(tile));
  OpFoldResult here = math.min(math.constant(tile), math.sub(wanted, start));
  OpFoldResult first = isDescending ? start : math.sub(math.sub(length, start), here);
  useColumns(math.constant(tile), tile);
  Elements parts = emptyElements();
  loadPart(parts, 0, half, first, here);
  T words = parts.words, indices = parts.indices;
  if (!isDescending) {
    T at = tiles->binary(ir::Binary::vadd, scaled(order, -1, 0), scalar(math.sub(here, math.constant(1))));
    at = tiles->binary(ir::Binary::vmax, at, tiles->number(0, builder.getI32Type()));
    words = pickWords(parts.words, at, here);
    useColumns(here, tile);
    indices = pick(parts.indices, at);
  }
  OpFoldResult place = math.add(math.mul(row, wanted), start);
  if (Value result = resultOf(0)) {
    OpFoldResult each = math.constant(wordsOfOne), size = math.mul(here, each);
    useColumns(size, wordsOfOne * tile);
    if (isReal)
      words = tiles->cast(words, signless(elementOf(op->getOperand(0))), ir::Round::rint);
    AxisLowering::store(words, result, math.mul(place, each), size);
  }
  if (Value result = resultOf(1)) {
    useColumns(here, tile);
    AxisLowering::store(indices, result, place, here);
  }
}

LogicalResult LongSortLowering::lower() {
  Type element = elementOf(op->getOperand(0));
  isReal = isExactInF32(), isUnsigned = element.isUnsignedInteger() && !isReal;
  auto number = wanted.isNull() ? Value() : dyn_cast<Value>(wanted);
  if ((number && !isa<BlockArgument>(number)) || !isInnermost() ||
      !(isReal || element.isInteger(32) || element.isInteger(64)))
    return op->emitError("npu: ") << op->getName() << " of " << element << " is not lowered yet";
  open("sort");
  wordsOfOne = element.isInteger(64) ? 2 : 1;
  tile = kTileWords / wordsOfOne, step = tile / 2;
  if (wordsOfOne == 2) {
    asWordPairs(x);
    if (Value result = resultOf(0))
      asWordPairs(result);
  }
  length = along();
  if (isa<SortOp>(op))
    wanted = length;
  else if (auto number = dyn_cast<Value>(wanted)) // of the kernel
    wanted = OpFoldResult(function.getArgument(cast<BlockArgument>(number).getArgNumber()));
  OpFoldResult rows = outer();
  values = workspaceOf(wordType());
  places = !isReal ? values : workspaceOf(builder.getI32Type());
  makeTables();
  Value row = openUnits(builder, loc, function, rows, target.vectorCores);
  capacity = math.mul(math.ceilDiv(length, kSlotAlign), math.constant(kSlotAlign));
  Value block = builder.create<ir::BlockIdxOp>(loc, builder.getIndexType());
  slot = math.mul(OpFoldResult(block), math.mul(capacity, math.constant(2 * (wordsOfOne + 1))));
  sortRuns(OpFoldResult(row));
  writeResults(OpFoldResult(row), mergeRuns());
  setWorkspace();
  return checkFits();
}

} // namespace

LogicalResult lowerLongSortKernel(KernelOp kernel, Operation *op, const Target &target) {
  auto sort = dyn_cast<SortOp>(op);
  bool isDescending = sort ? sort.getDescending() : !cast<TopKOp>(op).getSmallest();
  OpFoldResult wanted = sort ? OpFoldResult() : cast<TopKOp>(op).getMixedK();
  if (std::optional<int64_t> known = wanted ? getConstantIntValue(wanted) : std::nullopt)
    wanted = Builder(op).getIndexAttr(*known);
  return LongSortLowering(kernel, op, axisOf(op), isDescending, wanted, target).lower();
}

} // namespace kiln::npu
