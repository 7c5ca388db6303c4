// KilnElementwise.cpp: shapes of elementwise ops.
#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace kiln {

LogicalResult inferBroadcast(std::optional<Location> location, StringRef name, ValueRange operands,
                             Type element, SmallVectorImpl<Type> &types) {
  SmallVector<ArrayRef<int64_t>> shapes;
  for (Type type : operands.getTypes())
    shapes.push_back(cast<RankedTensorType>(type).getShape());
  FailureOr<SmallVector<int64_t>> shape = broadcastShapes(shapes);
  if (failed(shape)) // C1
    return emitOptionalError(location, "operands of types ", operands.getTypes(),
                             " do not broadcast to one shape");
  types.push_back(RankedTensorType::get(*shape, element));
  return success();
}

LogicalResult reifyBroadcast(OpBuilder &builder, Operation *op, ValueRange operands,
                             ReifiedRankedShapedTypeDims &shapes) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  Location loc = op->getLoc();
  auto constant = [&](int64_t extent) -> Value {
    return builder.create<arith::ConstantIndexOp>(loc, extent);
  };
  SmallVector<OpFoldResult> &extents = shapes.emplace_back();
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
      extents.push_back(constant(known));
    else
      extents.push_back(builder.create<tensor::DimOp>(loc, source, sourceAxis).getResult());
  }
  return success();
}

} // namespace kiln
