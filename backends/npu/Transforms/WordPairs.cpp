// WordPairs.cpp: the vector unit moves words. Views get a new innermost axis, which they leave as it is.
#include "backends/npu/Transforms/WordPairs.h"

#include "backends/npu/Transforms/Access.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace kiln::npu {
namespace {

/// The type as pairs of words; null if elements have another size.
RankedTensorType pairsOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isIntOrFloat() || tensor.getElementTypeBitWidth() != 64)
    return {};
  SmallVector<int64_t> shape(tensor.getShape());
  shape.push_back(2);
  return RankedTensorType::get(shape, IntegerType::get(type.getContext(), 32));
}

/// Whether an argument is only read as the indices of gathers.
bool isIndices(Value argument) {
  return !argument.use_empty() && llvm::all_of(argument.getUses(), [](OpOperand &use) {
    return isa<GatherOp>(use.getOwner()) && use.getOperandNumber() == 1;
  });
}

void addAxis(Operation *op) {
  Builder builder(op->getContext());
  auto rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank() - 1; // of the op as it was
  auto appended = [&](ArrayRef<int64_t> values, int64_t value) {
    SmallVector<int64_t> all(values);
    all.push_back(value);
    return all;
  };
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    transpose.setPerm(appended(transpose.getPerm(), rank));
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    slice.setStaticOffsets(appended(slice.getStaticOffsets(), 0));
    slice.setStaticSizes(appended(slice.getStaticSizes(), 2));
    slice.setStaticStrides(appended(slice.getStaticStrides(), 1));
  } else if (auto reverse = dyn_cast<ReverseOp>(op)) {
    SmallVector<int64_t> axes;
    for (int64_t axis : reverse.getAxes())
      axes.push_back(axis < 0 ? axis + rank : axis);
    reverse.setAxes(axes);
  } else if (auto gather = dyn_cast<GatherOp>(op)) {
    auto axis = static_cast<int64_t>(gather.getAxis()); // the attribute's own type has no sign
    gather.setAxis(axis < 0 ? axis + rank : axis);
  }
  op->getResult(0).setType(pairsOf(op->getResult(0).getType()));
}

} // namespace

KernelOp asWordPairs(KernelOp kernel) {
  auto moves = [](Operation &op) { return isView(&op) && pairsOf(op.getResult(0).getType()); };
  if (!llvm::all_of(kernel.getBody().front().without_terminator(), moves))
    return {};
  OpBuilder builder(kernel);
  auto pairs = cast<KernelOp>(builder.clone(*kernel));
  Block &body = pairs.getBody().front();
  for (Value argument : body.getArguments())
    if (RankedTensorType type = pairsOf(argument.getType()); type && !isIndices(argument))
      argument.setType(type);
  for (Operation &op : body.without_terminator())
    addAxis(&op);
  pairs.setFunctionType(
      builder.getFunctionType(body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
  return pairs;
}

} // namespace kiln::npu
