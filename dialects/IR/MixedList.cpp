// MixedList.cpp: lists of indices of which some are numbers and some are values, as the shape ops have them.
#include "dialects/IR/MixedList.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace kiln {

LogicalResult checkMixedList(Emit emit, StringRef name, ArrayRef<int64_t> numbers, size_t valueCount,
                             int64_t length, int64_t least) {
  if (length >= 0 && static_cast<int64_t>(numbers.size()) != length)
    return emit() << "expects '" << name << "' with " << length << " entries, got " << numbers.size();
  size_t dynamicCount = llvm::count_if(numbers, ShapedType::isDynamic);
  if (dynamicCount != valueCount)
    return emit() << "expects '" << name << "' with " << dynamicCount << " values, got " << valueCount;
  for (int64_t number : numbers)
    if (!ShapedType::isDynamic(number) && number < least)
      return emit() << "expects '" << name << "' >= " << least << ", got " << number;
  return success();
}

SmallVector<OpFoldResult> mixedList(Operation *op, ArrayRef<int64_t> numbers, ValueRange values) {
  Builder builder(op->getContext());
  return getMixedValues(numbers, values, builder);
}

std::optional<SmallVector<int64_t>> foldMixedList(MutableOperandRange values, ArrayRef<int64_t> numbers,
                                                  ArrayRef<Attribute> constants, int64_t least) {
  SmallVector<int64_t> folded(numbers);
  SmallVector<Value> left;
  OperandRange old = values;
  size_t next = 0;
  for (int64_t &number : folded) {
    if (!ShapedType::isDynamic(number))
      continue;
    auto constant = dyn_cast_or_null<IntegerAttr>(constants[next]);
    if (constant && constant.getInt() >= least)
      number = constant.getInt();
    else
      left.push_back(old[next]);
    ++next;
  }
  if (left.size() == old.size())
    return std::nullopt;
  values.assign(left);
  return folded;
}

LogicalResult reifyExtents(OpBuilder &builder, Location loc, Type type, ArrayRef<OpFoldResult> extents,
                           ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> &shape = shapes.emplace_back();
  for (auto [extent, known] : llvm::zip_equal(extents, cast<RankedTensorType>(type).getShape())) {
    if (!ShapedType::isDynamic(known))
      shape.push_back(builder.getIndexAttr(known));
    else
      shape.push_back(getValueOrCreateConstantIndexOp(builder, loc, extent));
  }
  return success();
}

} // namespace kiln
