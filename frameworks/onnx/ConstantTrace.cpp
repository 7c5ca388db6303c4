// ConstantTrace.cpp: folds from the constants on; nothing is built.
#include "frameworks/onnx/ConstantTrace.h"

#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

constexpr unsigned kMaxOps = 16; // in a row; longer ones are no shape arithmetic

Attribute fold(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  bool isShort = !type || (type.hasStaticShape() && type.getElementType().isIntOrIndex() &&
                           type.getNumElements() <= static_cast<int64_t>(kMaxShapeElements));
  if (!op || depth == kMaxOps || !isShort || op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isa<KilnDialect, arith::ArithDialect>(op->getDialect()))
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(fold(operand, depth + 1));
    if (!operands.back())
      return {};
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.empty())
    return {};
  if (auto attribute = dyn_cast<Attribute>(results.front()))
    return attribute;
  auto same = cast<Value>(results.front());
  return same == value ? Attribute() : fold(same, depth + 1);
}

} // namespace

std::optional<SmallVector<int64_t>> traceConstant(Value tensor) {
  if (!ShapeValue::canHold(cast<RankedTensorType>(tensor.getType())))
    return std::nullopt;
  auto elements = dyn_cast_if_present<DenseElementsAttr>(fold(tensor, 0));
  if (!elements)
    return std::nullopt;
  SmallVector<int64_t> values;
  for (const APInt &element : elements.getValues<APInt>())
    values.push_back(element.getBitWidth() == 1 ? static_cast<int64_t>(element.getBoolValue())
                                                : element.getSExtValue());
  return values;
}

} // namespace kiln::onnx
