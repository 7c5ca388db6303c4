// Domain.cpp: axes that must run together become one class; classes are put in the order of the values' axes;
// neighbours that no value tells apart are merged. Axes of extent 1 take no part.
#include "backends/npu/Transforms/Domain.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// Constants are scalars here, but those that are results.
bool isScalarConstant(Value value) {
  return value.getDefiningOp<ConstantOp>() &&
         llvm::none_of(value.getUsers(), [](Operation *user) { return isa<YieldOp>(user); });
}

/// The values that a kernel reads or computes. An argument of views alone is read through them.
SmallVector<Value> valuesOf(KernelOp kernel) {
  SmallVector<Value> values;
  for (Value argument : kernel.getBody().getArguments())
    if (isa<RankedTensorType>(argument.getType()) &&
        (argument.use_empty() || !llvm::all_of(argument.getUsers(), isView)))
      values.push_back(argument);
  for (Operation &op : kernel.getBody().front())
    for (Value result : op.getResults())
      if (isa<RankedTensorType>(result.getType()) && !isScalarConstant(result) &&
          !(isView(&op) && llvm::all_of(result.getUsers(), isView)))
        values.push_back(result);
  return values;
}

SmallVector<int64_t> wideAxes(Value value) {
  SmallVector<int64_t> axes;
  for (auto [axis, extent] : llvm::enumerate(shapeOf(value)))
    if (extent != 1)
      axes.push_back(axis);
  return axes;
}

} // namespace

FailureOr<Domain> Domain::create(KernelOp kernel) {
  Domain domain;
  domain.values = valuesOf(kernel);
  for (Value value : domain.values)
    for (int64_t axis : wideAxes(value))
      domain.classes.insert({value.getAsOpaquePointer(), axis});
  if (failed(domain.unify(kernel)) || failed(domain.order()))
    return failure();
  domain.merge();
  if (failed(domain.findExtents(kernel)))
    return failure();
  return domain;
}

void Domain::unite(Value a, int64_t axisA, Value b, int64_t axisB) {
  if (!isScalarConstant(a))
    classes.unionSets({a.getAsOpaquePointer(), axisA}, {b.getAsOpaquePointer(), axisB});
}

LogicalResult Domain::unify(KernelOp kernel) {
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (failed(unifyOp(&op)))
      return failure();
  return success();
}

LogicalResult Domain::unifyOp(Operation *op) {
  if (isa<ConstantOp>(op) || op->getNumResults() == 0 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return success();
  if (op->getNumResults() != 1)
    return op->emitError("npu: ") << op->getName() << " is not lowered yet";
  Value result = op->getResult(0);
  if (isView(op))
    return accessOf(result) || llvm::all_of(result.getUsers(), isView)
               ? success()
               : LogicalResult(op->emitError("npu: ") << op->getName() << " of this form is not lowered yet");
  if (isa<ElementwiseOpInterface, BroadcastOp>(op)) {
    for (Value operand : op->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()))
        continue;
      int64_t shift = shapeOf(result).size() - shapeOf(operand).size();
      for (int64_t axis : wideAxes(operand))
        unite(operand, axis, result, axis + shift);
    }
    return success();
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    if (reduce.getX().getDefiningOp<ConstantOp>()) // which has no axes here
      return op->emitError("npu: kiln.reduce of a constant is not lowered yet");
    SmallVector<int64_t> axes = reduce.getSortedAxes();
    int64_t next = 0;
    for (int64_t axis = 0; axis < int64_t(shapeOf(reduce.getX()).size()); ++axis) {
      bool isReduced = llvm::is_contained(axes, axis), isWide = shapeOf(reduce.getX())[axis] != 1;
      if (isReduced && isWide)
        reduced.push_back({reduce.getX(), axis});
      if (!isReduced && isWide)
        unite(reduce.getX(), axis, result, next);
      if (!isReduced || reduce.getKeepdims())
        ++next;
    }
    return success();
  }
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    SmallVector<int64_t> from = wideAxes(reshape.getX()), to = wideAxes(result);
    bool fits = from.size() == to.size();
    for (size_t i = 0; fits && i < from.size(); ++i) {
      int64_t a = shapeOf(reshape.getX())[from[i]], b = shapeOf(result)[to[i]];
      fits = a == b && (!ShapedType::isDynamic(a) || from.size() == 1);
    }
    if (!fits)
      return op->emitError("npu: kiln.reshape that splits or merges axes is not lowered yet inside a kernel");
    for (auto [a, b] : llvm::zip(from, to))
      unite(reshape.getX(), a, result, b);
    return success();
  }
  return op->emitError("npu: ") << op->getName() << " is not lowered yet";
}

Axis Domain::leader(Value value, int64_t axis) const {
  return *classes.findLeader({value.getAsOpaquePointer(), axis});
}

SmallVector<Axis> Domain::classesOf(Value value) const {
  SmallVector<Axis> list;
  for (int64_t axis : wideAxes(value))
    list.push_back(leader(value, axis));
  return list;
}

LogicalResult Domain::order() {
  SmallVector<Axis> sequence;
  for (Value value : values) // the widest value names the order
    if (SmallVector<Axis> own = classesOf(value); own.size() > sequence.size())
      sequence = own;
  for (Value value : values) {
    auto *at = sequence.begin();
    for (Axis axis : classesOf(value)) {
      auto *found = std::find(at, sequence.end(), axis);
      if (found == sequence.end())
        return emitError(value.getLoc(), "npu: the axes of ")
               << value.getType()
               << " stand in an order that differs from other values'; this is not lowered yet";
      at = found + 1;
    }
  }
  for (Axis axis : sequence) {
    bool isReduced =
        llvm::any_of(reduced, [&](auto pair) { return leader(pair.first, pair.second) == axis; });
    groups.push_back(Group{{axis}, 1, isReduced, {}});
  }
  return success();
}

/// Whether two neighbouring axes of a view are one axis of its source's memory, too.
bool Domain::areAdjacent(Value view, const Axis &outer, const Axis &inner) const {
  std::optional<Access> access = accessOf(view);
  const AxisAccess *a = nullptr, *b = nullptr;
  int64_t extent = 0;
  for (int64_t axis : wideAxes(view)) {
    if (leader(view, axis) == outer)
      a = &access->axes[axis];
    if (leader(view, axis) == inner)
      b = &access->axes[axis], extent = shapeOf(view)[axis];
  }
  if (!a || !b)
    return true;
  if (a->isIndexed != b->isIndexed)
    return false;
  ArrayRef<int64_t> shape = shapeOf(a->isIndexed ? access->indices : access->source);
  for (int64_t axis = a->axis + 1; axis < b->axis; ++axis)
    if (shape[axis] != 1)
      return false;
  bool isWhole = shape[b->axis] == extent && !ShapedType::isDynamic(extent);
  return a->axis < b->axis && a->step == 1 && b->step == 1 && isWhole && getConstantIntValue(b->start) == 0;
}

void Domain::merge() {
  auto presence = [&](const Group &group) {
    SmallVector<bool> present;
    for (Value value : values)
      present.push_back(llvm::is_contained(classesOf(value), group.classes.front()));
    return present;
  };
  auto areOne = [&](const Group &outer, const Group &inner) {
    return outer.isReduced == inner.isReduced && presence(outer) == presence(inner) &&
           llvm::all_of(values, [&](Value value) {
             return !isView(value.getDefiningOp()) ||
                    areAdjacent(value, outer.classes.back(), inner.classes.front());
           });
  };
  std::vector<Group> merged;
  for (Group &group : groups) {
    if (!merged.empty() && areOne(merged.back(), group))
      merged.back().classes.push_back(group.classes.front());
    else
      merged.push_back(group);
  }
  groups = std::move(merged);
}

LogicalResult Domain::findExtents(KernelOp kernel) {
  auto yielded = kernel.getBody().front().getTerminator()->getOperands();
  for (auto [number, group] : llvm::enumerate(groups)) {
    bool isFound = false;
    for (Value value : values) {
      SmallVector<int64_t> axes = axesOf(value, number);
      if (axes.empty())
        continue;
      int64_t extent = 1;
      for (int64_t axis : axes)
        extent = ShapedType::isDynamic(extent) || ShapedType::isDynamic(shapeOf(value)[axis])
                     ? ShapedType::kDynamic
                     : extent * shapeOf(value)[axis];
      bool isKnown = !ShapedType::isDynamic(extent);
      if (!isKnown && (isFound || !(isa<BlockArgument>(value) || llvm::is_contained(yielded, value)))) {
        // A view that permutes axes has its source's extents.
        std::optional<Access> access = isFound ? std::nullopt : accessOf(value);
        Operation *op = value.getDefiningOp();
        if (!access || !isa_and_nonnull<TransposeOp>(op) || !isa<BlockArgument>(op->getOperand(0)))
          continue;
        group.extent = extent;
        for (int64_t axis : axes)
          group.extentAxes.push_back({access->source, access->axes[axis].axis});
        isFound = true;
        continue;
      }
      group.extent = extent;
      group.extentAxes.clear();
      for (int64_t axis : axes)
        group.extentAxes.push_back({value, axis});
      isFound = true;
      if (isKnown)
        break;
    }
    if (!isFound)
      return kernel.emitError("npu: an extent that no argument or result has is not lowered yet");
  }
  return success();
}

SmallVector<int64_t> Domain::axesOf(Value value, size_t group) const {
  SmallVector<int64_t> axes;
  for (int64_t axis : wideAxes(value))
    if (llvm::is_contained(groups[group].classes, leader(value, axis)))
      axes.push_back(axis);
  return axes;
}

} // namespace kiln::npu
