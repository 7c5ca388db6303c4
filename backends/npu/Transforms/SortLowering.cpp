// SortLowering.cpp: sort and top_k of rows: runs of 32 by vbitsort, then four runs become one until one is
// left. Keys are f32; of i32 the low halves are sorted first, then, keeping their order, the high halves. The
// unit puts the greatest first: for the least first it gets rows from their end, and the result is read from
// its end, so that NaN is last and equal elements keep their order.
#include "backends/npu/Transforms/AxisLowering.h"
#include "backends/npu/Transforms/VectorLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace kiln::npu {
namespace {

constexpr int64_t kRun = 32; // elements of one vbitsort

class SortLowering : AxisLowering {
public:
  SortLowering(KernelOp kernel, Operation *op, int64_t axis, bool isDescending, OpFoldResult wanted,
               const Target &target)
      : AxisLowering(kernel, op, axis, target), isDescending(isDescending), wanted(wanted) {}
  LogicalResult lower();

private:
  using T = TileValue;
  void useColumns(int64_t columns);
  void sortRow(OpFoldResult row);
  T scaled(T value, int64_t factor, int64_t offset);
  T pick(T from, T places);
  T keysOf(T numbers, T places);
  T pairsOf(T keys, T indices, int64_t needed);
  T sort(T numbers);

  bool isDescending;
  OpFoldResult wanted; // elements of a row of the results
  int64_t extent = 0, pitch = 0, count = 0;
};

LogicalResult SortLowering::lower() {
  Type element = elementOf(op->getOperand(0));
  std::optional<int64_t> known = knownAlong(), results = getConstantIntValue(wanted);
  bool isLegal = isExactInF32() || element.isInteger(32);
  if (!known || !results || *known > kLongestSorted || *results == 0 || !isInnermost() || !isLegal)
    return op->emitError("npu: ") << op->getName() << " of " << element
                                  << " along other than rows of a known extent up to " << kLongestSorted
                                  << " is not lowered yet";
  extent = *known, count = *results;
  pitch = llvm::alignTo(extent, kRun);
  open("sort");
  sortRow(OpFoldResult(openUnits(builder, loc, function, outer(), target.vectorCores)));
  return checkFits();
}

void SortLowering::useColumns(int64_t columns) {
  TileShape shape;
  shape.isLine = true;
  shape.pitch = llvm::alignTo(columns, kRun);
  shape.rows = math.constant(1), shape.columns = math.constant(columns);
  tiles = std::make_unique<TileBuilder>(builder, loc, shape);
}

/// value * factor + offset, of i32.
TileValue SortLowering::scaled(T value, int64_t factor, int64_t offset) {
  auto number = [&](int64_t x) { return tiles->number(double(x), builder.getI32Type()); };
  return tiles->binary(ir::Binary::vadd, tiles->binary(ir::Binary::vmul, value, number(factor)),
                       number(offset));
}

/// The elements of `from` at those places.
TileValue SortLowering::pick(T from, T places) {
  Type type = cast<MemRefType>(from.value.getType()).getElementType();
  T result = tiles->allocateAs(T::Kind::Full, type);
  result.element = from.element;
  T offsets = scaled(places, bytesOf(type), 0);
  builder.create<ir::GatherOp>(loc, from.value, tiles->view(offsets, false), tiles->view(result, false));
  return result;
}

/// Keys of whole runs: numbers at those places, then what comes behind all of them.
TileValue SortLowering::keysOf(T numbers, T places) {
  T keys = tiles->allocateAs(T::Kind::Full, builder.getF32Type());
  double least = -std::numeric_limits<double>::infinity();
  builder.create<ir::BroadcastOp>(loc, tiles->number(least, keys.element).value, keys.value);
  T picked = pick(numbers, places);
  builder.create<ir::BinaryOp>(loc, ir::Binary::vmul, tiles->view(picked, false),
                               tiles->number(1, keys.element).value, tiles->view(keys, false), IntegerAttr());
  return keys;
}

/// Pairs in order, of which the first `needed` count.
TileValue SortLowering::pairsOf(T keys, T indices, int64_t needed) {
  auto make = [&]() -> Value {
    return builder.create<memref::AllocOp>(loc, inUb({1, 2 * pitch}, builder.getI32Type()));
  };
  Value from = make();
  builder.create<ir::SortOp>(loc, keys.value, indices.value, from);
  SmallVector<int64_t> lengths(pitch / kRun, kRun);
  for (int64_t distance = kRun; lengths.size() > 1; distance *= 4) {
    SmallVector<int64_t> merged;
    for (auto [i, length] : llvm::enumerate(lengths)) {
      length = std::min(length, needed);
      if (i % 4 == 0)
        merged.push_back(0);
      merged.back() += length;
    }
    Value to = make();
    builder.create<ir::MergeOp>(loc, from, to, lengths, distance);
    lengths = std::move(merged);
    from = to;
  }
  return {T::Kind::Full, from, builder.getI32Type()};
}

/// The row's pairs, in order or (the least first) from their end.
TileValue SortLowering::sort(T numbers) {
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  auto real = [&](T x) { return tiles->cast(x, f32, ir::Round::rint); };
  useColumns(pitch); // indices of whole runs are read
  T order = AxisLowering::count(/*throughRows=*/true);
  T places = isDescending ? order : scaled(order, -1, extent - 1);
  useColumns(extent);
  int64_t needed = isDescending ? count : extent;
  if (!numbers.element.isInteger(32))
    return pairsOf(keysOf(real(numbers), places), places, needed);
  T half = tiles->materialize(tiles->number(0xffff, i32), T::Kind::Full);
  T low = tiles->binary(ir::Binary::vand, numbers, half),
    high = tiles->binary(ir::Binary::vshr, numbers, tiles->number(16, i32));
  T pairs = pairsOf(keysOf(real(low), places), places, extent);
  T next = tiles->allocateAs(T::Kind::Full, i32);
  builder.create<ir::BroadcastOp>(loc, tiles->number(0, i32).value, next.value);
  T picked = pick(pairs, scaled(order, 2, 1));
  builder.create<ir::BinaryOp>(loc, ir::Binary::vadd, tiles->view(picked, false), tiles->number(0, i32).value,
                               tiles->view(next, false), IntegerAttr());
  return pairsOf(keysOf(real(high), next), next, needed);
}

void SortLowering::sortRow(OpFoldResult row) {
  useColumns(extent);
  OpFoldResult width = math.constant(extent);
  T raw = load(math.mul(row, width), width), numbers = widen(raw);
  if (elementOf(op->getOperand(0)).isUnsignedInteger(32)) // in the same order
    numbers = tiles->binary(ir::Binary::vadd, numbers, tiles->number(double(INT32_MIN), numbers.element));
  T pairs = sort(numbers);
  useColumns(count);
  T order = AxisLowering::count(/*throughRows=*/true);
  T index = pick(pairs, isDescending ? scaled(order, 2, 1) : scaled(order, -2, 2 * extent - 1));
  OpFoldResult results = math.constant(count), place = math.mul(row, results);
  // Elements as they are; of bytes the unit gathers none.
  bool isByte = elementOf(op->getOperand(0)).isInteger(8);
  if (Value values = resultOf(0))
    store(pick(isByte ? numbers : raw, index), values, place, results);
  if (Value indices = resultOf(1))
    store(index, indices, place, results);
}

} // namespace

LogicalResult lowerSortKernel(KernelOp kernel, Operation *op, const Target &target) {
  if (auto sort = dyn_cast<SortOp>(op)) {
    int64_t extent = cast<RankedTensorType>(sort.getX().getType()).getDimSize(axisOf(op));
    OpFoldResult wanted = Builder(op).getIndexAttr(extent);
    return SortLowering(kernel, op, axisOf(op), sort.getDescending(), wanted, target).lower();
  }
  auto top = cast<TopKOp>(op);
  return SortLowering(kernel, op, axisOf(op), !top.getSmallest(), top.getMixedK(), target).lower();
}

} // namespace kiln::npu
