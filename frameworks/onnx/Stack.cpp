// Stack.cpp: lists of values become stacks where a loop carries them or data choose one.
#include "frameworks/onnx/Stack.h"

#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/LoopBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::onnx {

Result<RankedTensorType> stackType(const GraphValue &sequence) {
  if (sequence.stack)
    return tensorType(sequence.stack);
  RankedTensorType common;
  for (const GraphValue &element : *sequence.sequence) {
    if (element.isSequence())
      return unsupported("a sequence of sequences is not supported");
    RankedTensorType type = element.type();
    RankedTensorType both = common ? commonType(common, type) : type;
    if (!both)
      return unsupported("a sequence of elements of ranks {0} and {1}, or of several types, is not supported",
                         common.getRank(), type.getRank());
    common = both;
  }
  if (!common)
    return common;
  SmallVector<int64_t> shape(common.getShape());
  shape.insert(shape.begin(), ShapedType::kDynamic);
  return RankedTensorType::get(shape, common.getElementType());
}

Result<Value> asStack(KilnBuilder &build, const GraphValue &sequence, RankedTensorType type) {
  IndexMath &math = build.math();
  Value stack = sequence.stack;
  if (!stack && sequence.sequence->empty()) {
    SmallVector<int64_t> shape;
    for (int64_t extent : type.getShape().drop_front())
      shape.push_back(ShapedType::isDynamic(extent) ? 0 : extent);
    shape.insert(shape.begin(), 0);
    stack = build.constant(TensorData::fromBytes(type.clone(shape), ""), "");
  } else if (!stack) {
    SmallVector<Value> parts;
    for (GraphValue element : *sequence.sequence) {
      Value part = materialize(build, element, "");
      Extents shape = build.shape(part);
      shape.insert(shape.begin(), math.constant(1));
      KILN_ASSIGN_OR_RETURN(part, build.reshape(part, shape));
      parts.push_back(part);
    }
    KILN_ASSIGN_OR_RETURN(stack, build.concat(parts, 0));
  }
  if (stack.getType() == type)
    return stack;
  return Value(build.builder().create<tensor::CastOp>(build.location(), type, stack));
}

} // namespace kiln::onnx
