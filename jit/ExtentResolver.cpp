// ExtentResolver.cpp: asks ops to reify their results' shapes and follows the tensor.dim ops that they
// create.
#include "kiln/jit/ExtentResolver.h"

#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

FailureOr<OpFoldResult> ExtentResolver::extent(Value tensor, int64_t axis) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Operation *op = tensor.getDefiningOp();
  if (!type.isDynamicDim(axis))
    return OpFoldResult(IntegerAttr::get(IndexType::get(tensor.getContext()), type.getDimSize(axis)));
  if (!known.count(tensor)) {
    if (op && isa<tensor::CastOp, OptimizationBarrierOp>(op))
      return extent(op->getOperand(0), axis);
    if (op && isa<KilnDialect>(op->getDialect())) {
      if (failed(resolve(op)))
        return failure();
    } else {
      OpBuilder builder(tensor.getContext());
      builder.setInsertionPointAfterValue(tensor);
      SmallVector<OpFoldResult> dims;
      for (int64_t i = 0; i < type.getRank(); ++i)
        dims.push_back(tensor::getMixedSize(builder, tensor.getLoc(), tensor, i));
      known[tensor] = dims;
    }
  }
  return known[tensor][axis];
}

LogicalResult ExtentResolver::resolve(Operation *op) {
  auto reifiable = dyn_cast<ReifyRankedShapedTypeOpInterface>(op);
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Operation *end = op->getNextNode();
  ReifiedRankedShapedTypeDims shapes;
  if (!reifiable || failed(reifiable.reifyResultShapes(builder, shapes)))
    return op->emitOpError("does not say what shape its result has; dynamic extents need it");
  for (auto [result, dims] : llvm::zip(op->getResults(), shapes))
    known[result] = dims;
  // The new tensor.dim ops are of op's operands: resolve them in turn.
  SmallVector<tensor::DimOp> created;
  for (Operation *it = op->getNextNode(); it && it != end; it = it->getNextNode())
    if (auto dim = dyn_cast<tensor::DimOp>(it))
      created.push_back(dim);
  for (tensor::DimOp dim : created) {
    std::optional<int64_t> axis = dim.getConstantIndex();
    if (!axis || !isa<RankedTensorType>(dim.getSource().getType()))
      continue;
    if (dim.getSource().getDefiningOp() == nullptr)
      continue; // an argument's extent is what we are after
    FailureOr<OpFoldResult> value = extent(dim.getSource(), *axis);
    if (failed(value))
      return failure();
    OpBuilder at(dim);
    Value replacement = getValueOrCreateConstantIndexOp(at, dim.getLoc(), *value);
    if (replacement == dim.getResult())
      continue;
    for (Value result : op->getResults())
      for (OpFoldResult &entry : known[result])
        if (auto entryValue = dyn_cast<Value>(entry); entryValue && entryValue == dim.getResult())
          entry = replacement;
    dim.replaceAllUsesWith(replacement);
    dim.erase();
  }
  return success();
}

FailureOr<SmallVector<Value>> ExtentResolver::dynamicExtents(Value tensor) {
  SmallVector<Value> values;
  auto type = cast<RankedTensorType>(tensor.getType());
  OpBuilder builder(tensor.getContext());
  builder.setInsertionPointAfterValue(tensor);
  for (int64_t i = 0; i < type.getRank(); ++i) {
    if (!type.isDynamicDim(i))
      continue;
    FailureOr<OpFoldResult> value = extent(tensor, i);
    if (failed(value))
      return failure();
    values.push_back(getValueOrCreateConstantIndexOp(builder, tensor.getLoc(), *value));
  }
  return values;
}

LogicalResult ExtentResolver::replace(tensor::DimOp op) {
  std::optional<int64_t> axis = op.getConstantIndex();
  Operation *source = op.getSource().getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!axis || !type || *axis < 0 || *axis >= type.getRank())
    return op.emitOpError("expects a constant axis of a ranked tensor");
  if (!source || !isa<KilnDialect, tensor::TensorDialect>(source->getDialect()))
    return success();
  FailureOr<OpFoldResult> value = extent(op.getSource(), *axis);
  if (failed(value))
    return failure();
  OpBuilder builder(op);
  Value replacement = getValueOrCreateConstantIndexOp(builder, op.getLoc(), *value);
  if (replacement == op.getResult())
    return success();
  op.replaceAllUsesWith(replacement);
  op.erase();
  return success();
}
