// Access.cpp: views compose axis by axis, from the argument on.
#include "backends/npu/Transforms/Access.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// `access` seen through a slice; false where a step or a sum of two unknown starts is not known.
bool follow(SliceOp slice, Access &access, Builder &builder) {
  for (auto [axis, offset, stride] :
       llvm::zip(access.axes, slice.getMixedOffsets(), slice.getMixedStrides())) {
    std::optional<int64_t> step = getConstantIntValue(stride), from = getConstantIntValue(offset),
                           start = getConstantIntValue(axis.start);
    bool isArgument = !from && isa<BlockArgument>(cast<Value>(offset));
    if (!step || (from ? !start && *from != 0 : start != 0 || axis.step != 1 || !isArgument))
      return false;
    if (!from)
      axis.start = offset;
    else if (start)
      axis.start = builder.getIndexAttr(*start + *from * axis.step);
    axis.step *= *step;
  }
  return true;
}

bool follow(ReverseOp reverse, Access &access, Builder &builder) {
  auto shape = cast<RankedTensorType>(reverse.getX().getType()).getShape();
  for (int64_t axis : reverse.getAxes()) {
    AxisAccess &at = access.axes[axis < 0 ? axis + int64_t(shape.size()) : axis];
    int64_t extent = shape[axis < 0 ? axis + int64_t(shape.size()) : axis];
    std::optional<int64_t> start = getConstantIntValue(at.start);
    if (!start || ShapedType::isDynamic(extent))
      return false;
    at.start = builder.getIndexAttr(*start + (extent - 1) * at.step);
    at.step = -at.step;
  }
  return true;
}

/// A gather along one axis of an argument, at indices that are one, too.
std::optional<Access> gatherOf(GatherOp gather, Builder &builder) {
  auto type = cast<RankedTensorType>(gather.getX().getType());
  if (!isa<BlockArgument>(gather.getX()) || !isa<BlockArgument>(gather.getIndices()) ||
      gather.getBatchDims() != 0)
    return std::nullopt;
  auto axis = static_cast<int64_t>(gather.getAxis()); // the attribute's own type has no sign
  axis = axis < 0 ? axis + type.getRank() : axis;
  Access access = {gather.getX(), gather.getIndices(), axis, {}};
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (i != axis) {
      access.axes.push_back({i, builder.getIndexAttr(0)});
      continue;
    }
    for (int64_t j = 0; j < cast<RankedTensorType>(gather.getIndices().getType()).getRank(); ++j)
      access.axes.push_back({j, builder.getIndexAttr(0), 1, /*isIndexed=*/true});
  }
  return access;
}

} // namespace

bool isView(Operation *op) { return isa_and_nonnull<TransposeOp, SliceOp, ReverseOp, GatherOp>(op); }

std::optional<Access> accessOf(Value value) {
  Builder builder(value.getContext());
  if (isa<BlockArgument>(value)) {
    Access access = {value, {}, 0, {}};
    for (int64_t axis = 0; axis < cast<RankedTensorType>(value.getType()).getRank(); ++axis)
      access.axes.push_back({axis, builder.getIndexAttr(0)});
    return access;
  }
  Operation *op = value.getDefiningOp();
  if (auto gather = dyn_cast_or_null<GatherOp>(op))
    return gatherOf(gather, builder);
  std::optional<Access> access = isView(op) ? accessOf(op->getOperand(0)) : std::nullopt;
  if (!access || access->indices)
    return std::nullopt;
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    SmallVector<AxisAccess> axes;
    for (int64_t axis : transpose.getPerm())
      axes.push_back(access->axes[axis]);
    access->axes = std::move(axes);
    return access;
  }
  bool isFollowed = isa<SliceOp>(op) ? follow(cast<SliceOp>(op), *access, builder)
                                     : follow(cast<ReverseOp>(op), *access, builder);
  return isFollowed ? access : std::nullopt;
}

} // namespace kiln::npu
