// AxisGroups.cpp: neighbouring axes of a tensor taken together, so that a lowering has few loops whatever the
// rank.
#include "dialects/Transforms/AxisGroups.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln {

namespace {

/// Which axes belong to each group that has some.
SmallVector<ReassociationIndices> reassociation(ArrayRef<int64_t> counts) {
  SmallVector<ReassociationIndices> result;
  int64_t axis = 0;
  for (int64_t count : counts)
    if (count > 0) {
      ReassociationIndices &axes = result.emplace_back();
      for (int64_t i = 0; i < count; ++i)
        axes.push_back(axis++);
    }
  return result;
}

OpFoldResult product(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> extents) {
  int64_t known = 1;
  Value value;
  for (OpFoldResult extent : extents) {
    if (std::optional<int64_t> number = getConstantIntValue(extent)) {
      known *= *number;
      continue;
    }
    Value factor = cast<Value>(extent);
    value = value ? builder.create<arith::MulIOp>(loc, value, factor).getResult() : factor;
  }
  if (!value)
    return builder.getIndexAttr(known);
  if (known == 1)
    return value;
  return builder.create<arith::MulIOp>(loc, value, builder.create<arith::ConstantIndexOp>(loc, known))
      .getResult();
}

} // namespace

AxisGroups::AxisGroups(OpBuilder &builder, Location loc, Value tensor, ArrayRef<int64_t> counts)
    : collapsed(tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> all = tensor::getMixedSizes(builder, loc, tensor);
  ArrayRef<OpFoldResult> rest(all);
  for (int64_t count : counts) {
    Group &group = groups.emplace_back();
    group.sizes.assign(rest.begin(), rest.begin() + count);
    rest = rest.drop_front(count);
    if (count > 0)
      group.extent = product(builder, loc, group.sizes);
  }
  if (llvm::any_of(counts, [](int64_t count) { return count > 1; })) {
    SmallVector<int64_t> shape;
    for (const Group &group : groups)
      if (!group.sizes.empty())
        shape.push_back(getConstantIntValue(group.extent).value_or(ShapedType::kDynamic));
    collapsed =
        builder.create<tensor::CollapseShapeOp>(loc, type.clone(shape), tensor, reassociation(counts));
  }
}

Value AxisGroups::expand(OpBuilder &builder, Location loc, Value tensor, ArrayRef<int64_t> counts,
                         ArrayRef<OpFoldResult> sizes) {
  if (llvm::all_of(counts, [](int64_t count) { return count <= 1; }))
    return tensor;
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  auto type = cast<RankedTensorType>(tensor.getType()).clone(shape);
  return builder.create<tensor::ExpandShapeOp>(loc, type, tensor, reassociation(counts), sizes);
}

SmallVector<OpFoldResult> GroupLoops::sizes(ArrayRef<OpFoldResult> extents) const {
  SmallVector<OpFoldResult> kept;
  for (auto [extent, exists] : llvm::zip_equal(extents, exist))
    if (exists)
      kept.push_back(extent);
  return kept;
}

AffineMap GroupLoops::map(Builder &builder, ArrayRef<size_t> used) const {
  SmallVector<AffineExpr> results;
  for (size_t loop : used)
    if (exist[loop])
      results.push_back(builder.getAffineDimExpr(position(loop)));
  return AffineMap::get(position(exist.size()), 0, results, builder.getContext());
}

Value GroupLoops::index(OpBuilder &builder, Location loc, size_t loop) const {
  return exist[loop] ? builder.create<linalg::IndexOp>(loc, position(loop)).getResult() : Value();
}

} // namespace kiln
