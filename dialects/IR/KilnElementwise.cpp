// KilnElementwise.cpp: shapes of elementwise ops.
#include "dialects/IR/Checks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace kiln {

namespace {

FailureOr<SmallVector<int64_t>> checkBroadcast(ValueRange operands, Emit emit) {
  FailureOr<SmallVector<int64_t>> shape = broadcastShapes(
      llvm::map_to_vector(operands, [](Value operand) { return tensorType(operand).getShape(); }));
  if (failed(shape)) // C1
    emit() << "expects operands that broadcast to one shape, got " << operands.getTypes();
  return shape;
}

} // namespace

LogicalResult verifyBroadcast(Operation *op) {
  return checkBroadcast(op->getOperands(), [&] { return op->emitOpError(); });
}

LogicalResult inferBroadcast(std::optional<Location> location, StringRef name, ValueRange operands,
                             Type element, SmallVectorImpl<Type> &types) {
  FailureOr<SmallVector<int64_t>> shape = checkBroadcast(operands, inferenceError(location, name));
  if (failed(shape))
    return failure();
  types.push_back(RankedTensorType::get(*shape, element));
  return success();
}

SmallVector<OpFoldResult> broadcastExtents(OpBuilder &builder, Location loc, ValueRange operands,
                                           RankedTensorType result) {
  SmallVector<OpFoldResult> extents;
  for (int64_t axis = 0; axis < result.getRank(); ++axis) {
    if (!result.isDynamicDim(axis)) {
      extents.push_back(builder.getIndexAttr(result.getDimSize(axis)));
      continue;
    }
    // A static extent other than 1 decides, else the first dynamic one.
    int64_t known = 1, sourceAxis = 0;
    Value source;
    for (Value operand : operands) {
      auto type = cast<RankedTensorType>(operand.getType());
      int64_t operandAxis = axis - (result.getRank() - type.getRank());
      if (operandAxis < 0)
        continue;
      if (type.isDynamicDim(operandAxis) && !source)
        source = operand, sourceAxis = operandAxis;
      else if (!type.isDynamicDim(operandAxis) && type.getDimSize(operandAxis) != 1)
        known = type.getDimSize(operandAxis);
    }
    if (known != 1 || !source)
      extents.push_back(builder.create<arith::ConstantIndexOp>(loc, known).getResult());
    else
      extents.push_back(builder.create<tensor::DimOp>(loc, source, sourceAxis).getResult());
  }
  return extents;
}

/// a + b, computed now if both are numbers.
OpFoldResult addExtents(OpBuilder &builder, Location loc, OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> numberA = getConstantIntValue(a), numberB = getConstantIntValue(b);
  if (numberA && numberB)
    return builder.getIndexAttr(*numberA + *numberB);
  return builder
      .create<arith::AddIOp>(loc, getValueOrCreateConstantIndexOp(builder, loc, a),
                             getValueOrCreateConstantIndexOp(builder, loc, b))
      .getResult();
}

} // namespace kiln
