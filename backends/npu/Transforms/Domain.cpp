// Domain.cpp: axes that must run together become one class; classes are put in the order of the values' axes;
// neighbours that no value tells apart are merged. Axes of extent 1 take no part.
#include "backends/npu/Transforms/Domain.h"

using namespace mlir;

namespace kiln::npu {
namespace {

ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// The tensors of a kernel: arguments, then the body's in order. Constants are scalars here.
SmallVector<Value> tensorsOf(KernelOp kernel) {
  SmallVector<Value> values;
  for (Value argument : kernel.getBody().getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      values.push_back(argument);
  for (Operation &op : kernel.getBody().front())
    for (Value result : op.getResults())
      if (isa<RankedTensorType>(result.getType()) && !isa<ConstantOp>(op))
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
  for (Value value : tensorsOf(kernel))
    for (int64_t axis : wideAxes(value))
      domain.classes.insert({value.getAsOpaquePointer(), axis});
  if (failed(domain.unify(kernel)) || failed(domain.order(kernel)))
    return failure();
  domain.merge(kernel);
  return domain;
}

void Domain::unite(Value a, int64_t axisA, Value b, int64_t axisB) {
  if (!a.getDefiningOp<ConstantOp>())
    classes.unionSets({a.getAsOpaquePointer(), axisA}, {b.getAsOpaquePointer(), axisB});
}

LogicalResult Domain::unify(KernelOp kernel) {
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (failed(unifyOp(&op)))
      return failure();
  return success();
}

LogicalResult Domain::unifyOp(Operation *op) {
  if (isa<ConstantOp>(op) || op->getNumResults() != 1 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return success();
  Value result = op->getResult(0);
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

LogicalResult Domain::order(KernelOp kernel) {
  SmallVector<Value> values = tensorsOf(kernel);
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

void Domain::merge(KernelOp kernel) {
  SmallVector<Value> values = tensorsOf(kernel);
  auto presence = [&](const Group &group) {
    SmallVector<bool> present;
    for (Value value : values)
      present.push_back(llvm::is_contained(classesOf(value), group.classes.front()));
    return present;
  };
  std::vector<Group> merged;
  for (Group &group : groups) {
    if (!merged.empty() && merged.back().isReduced == group.isReduced &&
        presence(merged.back()) == presence(group))
      merged.back().classes.push_back(group.classes.front());
    else
      merged.push_back(group);
  }
  groups = std::move(merged);
  auto isBinding = [&](Value value) {
    return isa<BlockArgument>(value) ||
           llvm::is_contained(kernel.getBody().front().getTerminator()->getOperands(), value);
  };
  for (auto [number, group] : llvm::enumerate(groups))
    for (Value value : values) {
      int64_t extent = 1;
      for (int64_t axis : axesOf(value, number))
        extent = ShapedType::isDynamic(extent) || ShapedType::isDynamic(shapeOf(value)[axis])
                     ? ShapedType::kDynamic
                     : extent * shapeOf(value)[axis];
      if (!has(value, number) || (!isBinding(value) && ShapedType::isDynamic(extent)))
        continue;
      if (!group.example || ShapedType::isDynamic(group.extent)) {
        group.extent = extent;
        group.example = value;
      }
    }
}

SmallVector<int64_t> Domain::axesOf(Value value, size_t group) const {
  SmallVector<int64_t> axes;
  for (int64_t axis : wideAxes(value))
    if (llvm::is_contained(groups[group].classes, leader(value, axis)))
      axes.push_back(axis);
  return axes;
}

} // namespace kiln::npu
