// KilnReduction.cpp: checks and inference of reduce, arg_reduce and cumulative.
#include "dialects/IR/Checks.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace kiln {

namespace {

bool takesElement(ReduceKind kind, Type element) {
  switch (kind) {
  case ReduceKind::Any:
  case ReduceKind::All:
    return element.isInteger(1);
  case ReduceKind::L2:
  case ReduceKind::LogSum:
  case ReduceKind::LogSumExp:
    return isa<FloatType>(element);
  case ReduceKind::Sum:
  case ReduceKind::Prod:
  case ReduceKind::Max:
  case ReduceKind::Min:
  case ReduceKind::Mean:
  case ReduceKind::SumSquare:
  case ReduceKind::L1:
    return !element.isInteger(1);
  }
  llvm_unreachable("a kind from outside the enum");
}

template <typename Reduce> LogicalResult checkReduce(Reduce op, Emit emit) {
  auto x = tensorType(op.getX());
  llvm::SmallBitVector seen(x.getRank());
  for (int64_t axis : op.getAxes()) { // C1
    if (failed(checkAxis(emit, axis, x.getRank(), "axes")))
      return failure();
    int64_t front = fromFront(axis, x.getRank());
    if (seen.test(front))
      return emit() << "expects distinct 'axes', got axis " << front << " twice";
    seen.set(front);
  }
  if (!takesElement(op.getKind(), x.getElementType())) // C2
    return emit() << "expects elements that '" << stringifyReduceKind(op.getKind()) << "' takes, got "
                  << x.getElementType();
  return success();
}

/// The extents left of `extents` when `isReduced` axes go, or become `one`.
template <typename Extent>
SmallVector<Extent> dropAxes(ArrayRef<Extent> extents, llvm::function_ref<bool(int64_t)> isReduced, bool keep,
                             Extent one) {
  SmallVector<Extent> left;
  for (auto [i, extent] : llvm::enumerate(extents)) {
    if (!isReduced(i))
      left.push_back(extent);
    else if (keep)
      left.push_back(one);
  }
  return left;
}

template <typename Reduce> auto reducedAxes(Reduce op) {
  int64_t rank = tensorType(op.getX()).getRank();
  ArrayRef<int64_t> axes = op.getAxes();
  return
      [axes, rank](int64_t i) { return llvm::is_contained(axes, i) || llvm::is_contained(axes, i - rank); };
}

template <typename ArgReduce> LogicalResult checkArgReduce(ArgReduce op, Emit emit) {
  auto x = tensorType(op.getX());
  int64_t axis = op.getAxis();
  if (failed(checkAxis(emit, axis, x.getRank()))) // C1
    return failure();
  if (x.getDimSize(fromFront(axis, x.getRank())) == 0) // C2
    return emit() << "expects elements along 'axis', got " << x;
  return success();
}

template <typename ArgReduce> auto argAxis(ArgReduce op) {
  int64_t axis = op.getAxis();
  return [axis = fromFront(axis, tensorType(op.getX()).getRank())](int64_t i) { return i == axis; };
}

} // namespace

// ---- reduce ----------------------------------------------------------------------------------------------

LogicalResult ReduceOp::verify() {
  return checkReduce(*this, [&] { return emitOpError(); });
}

SmallVector<int64_t> ReduceOp::getSortedAxes() {
  SmallVector<int64_t> axes;
  for (int64_t axis : getAxes())
    axes.push_back(fromFront(axis, tensorType(getX()).getRank()));
  llvm::sort(axes);
  return axes;
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                         SmallVectorImpl<Type> &types) {
  if (failed(checkReduce(op, inferenceError<ReduceOp>(location))))
    return failure();
  auto x = tensorType(op.getX());
  auto shape = dropAxes<int64_t>(x.getShape(), reducedAxes(op), op.getKeepdims(), 1);
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult ReduceOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &dims) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, getLoc(), getX());
  dims.push_back(dropAxes<OpFoldResult>(sizes, reducedAxes(*this), getKeepdims(), builder.getIndexAttr(1)));
  return success();
}

// ---- arg_reduce ------------------------------------------------------------------------------------------

LogicalResult ArgReduceOp::verify() {
  return checkArgReduce(*this, [&] { return emitOpError(); });
}

LogicalResult ArgReduceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                            Adaptor op, SmallVectorImpl<Type> &types) {
  if (failed(checkArgReduce(op, inferenceError<ArgReduceOp>(location))))
    return failure();
  auto shape = dropAxes<int64_t>(tensorType(op.getX()).getShape(), argAxis(op), op.getKeepdims(), 1);
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 64)));
  return success();
}

LogicalResult ArgReduceOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &dims) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, getLoc(), getX());
  dims.push_back(dropAxes<OpFoldResult>(sizes, argAxis(*this), getKeepdims(), builder.getIndexAttr(1)));
  return success();
}

// ---- cumulative ------------------------------------------------------------------------------------------

LogicalResult CumulativeOp::verify() { // C1
  return checkAxis([&] { return emitOpError(); }, getAxis(), tensorType(getX()).getRank());
}

} // namespace kiln
