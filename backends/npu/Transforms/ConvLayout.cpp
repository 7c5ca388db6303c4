// ConvLayout.cpp: reads the ops that only say how arguments lie in memory.
#include "backends/npu/Transforms/ConvLayout.h"

#include "kiln/jit/Outline.h"

using namespace mlir;

namespace kiln::npu {
namespace {

constexpr int64_t kToChannelsFirst[] = {0, 3, 1, 2}, kToChannelsLast[] = {0, 2, 3, 1};
constexpr int64_t kFromBlocks[] = {0, 1, 4, 2, 3};

template <typename Op> Op layoutOp(Value value) {
  auto op = value.getDefiningOp<Op>();
  return op && op->hasAttr(jit::kLayoutAttr) ? op : Op();
}

/// The argument behind ops of layout; its first transpose gets out by `order`.
BlockArgument argumentBehind(Value value, ArrayRef<int64_t> &order) {
  while (Operation *op = value.getDefiningOp()) {
    if (!op->hasAttr(jit::kLayoutAttr))
      return {};
    if (auto transpose = dyn_cast<TransposeOp>(op))
      order = transpose.getPerm();
    value = op->getOperand(0);
  }
  return cast<BlockArgument>(value);
}

} // namespace

std::optional<ConvOperands> matchLayout(ConvOp conv, const CubeEpilogue &epilogue) {
  ConvOperands operands;
  auto x = layoutOp<TransposeOp>(conv.getX());
  if (!x || x.getPerm() != ArrayRef(kToChannelsFirst) || !(operands.x = dyn_cast<BlockArgument>(x.getX())))
    return std::nullopt;
  ArrayRef<int64_t> order;
  operands.w = argumentBehind(conv.getW(), order);
  if (!operands.w || cast<RankedTensorType>(operands.w.getType()).getRank() != 2)
    return std::nullopt;
  if (order == ArrayRef(kFromBlocks))
    operands.layout = FilterLayout::Blocks;
  else if (order == ArrayRef(kToChannelsFirst))
    operands.layout = FilterLayout::Frames;
  else
    return std::nullopt;
  if (conv.getBias()) {
    auto constant = conv.getBias().getDefiningOp<ConstantOp>();
    if (constant && isa<SplatElementsAttr>(constant.getValue()))
      operands.bias = constant;
    else
      operands.bias = argumentBehind(conv.getBias(), order);
    Type type = operands.bias ? cast<RankedTensorType>(operands.bias.getType()).getElementType() : Type();
    if (!type || !(type.isF32() || type.isInteger(32)))
      return std::nullopt;
  }
  if (!epilogue.result.hasOneUse())
    return std::nullopt;
  Operation *last = *epilogue.result.getUsers().begin();
  auto y = last->hasAttr(jit::kLayoutAttr) ? dyn_cast<TransposeOp>(last) : TransposeOp();
  if (!y || y.getPerm() != ArrayRef(kToChannelsLast) || !y->hasOneUse() ||
      !isa<YieldOp>(*y->getUsers().begin()) || (*y->getUsers().begin())->getNumOperands() != 1)
    return std::nullopt;
  return operands;
}

} // namespace kiln::npu
