// SortLowering.cpp: sort and top_k of rows that a tile holds. Of i32 the low halves are sorted first, then,
// keeping their order, the high halves. The unit puts the greatest first: for the least first it gets rows
// from their end, and the result is read from its end, so that NaN is last and equal elements keep their
// order.
#include "backends/npu/Transforms/SortTiles.h"
#include "backends/npu/Transforms/VectorLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {
namespace {

class SortLowering : SortTiles {
public:
  using SortTiles::SortTiles;
  LogicalResult lower();

private:
  void sortRow(OpFoldResult row);
  void useColumns(int64_t columns) {
    SortTiles::useColumns(math.constant(columns), llvm::alignTo(columns, kRun));
  }
  T sort(T numbers);

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

/// The row's pairs, in order or (the least first) from their end.
TileValue SortLowering::sort(T numbers) {
  useColumns(pitch); // indices of whole runs are read
  T order = AxisLowering::count(/*throughRows=*/true);
  T places = isDescending ? order : scaled(order, -1, extent - 1);
  useColumns(extent);
  int64_t needed = isDescending ? count : extent;
  if (!numbers.element.isInteger(32))
    return pairsOf(keysOf(real(numbers), places), places, needed);
  auto [low, high] = halvesOf(numbers);
  T next = indicesOf(pairsOf(keysOf(low, places), places, extent), order);
  return pairsOf(keysOf(high, next), next, needed);
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
