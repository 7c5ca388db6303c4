// CubeEpilogue.cpp: the bias table holds f32 and i32, what accumulators are; the fixpipe clamps floats at 0.
#include "backends/npu/Transforms/CubeEpilogue.h"

#include "backends/npu/Transforms/WindowTiling.h"
#include "kiln/jit/Outline.h"

using namespace mlir;

namespace kiln::npu {
namespace {

bool isSplat(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

/// Whether the last axis of a product's result is that of its columns.
bool endsInColumns(Operation *product) {
  auto matmul = dyn_cast<MatmulOp>(product);
  return matmul && cast<RankedTensorType>(matmul.getB().getType()).getRank() > 1;
}

/// The bias that `user` adds to `value`; null if it is none that the bias table holds.
Value biasOf(Operation *user, Value value) {
  auto add = dyn_cast<AddOp>(user);
  auto type = cast<RankedTensorType>(value.getType());
  if (!add || type.getRank() == 0 || user->getResult(0).getType() != type ||
      !(type.getElementType().isF32() || type.getElementType().isInteger(32)))
    return Value();
  Value other = user->getOperand(0) == value ? user->getOperand(1) : user->getOperand(0);
  return isSplat(other) || isColumnBias(other, type) ? other : Value();
}

} // namespace

bool isProduct(Operation *op) {
  auto conv = dyn_cast<ConvOp>(op);
  if (!conv)
    return isa<MatmulOp>(op);
  Operation *layout = conv.getX().getDefiningOp();
  return !isDepthwise(conv) || (layout && layout->hasAttr(jit::kLayoutAttr));
}

bool isColumnBias(Value value, Type product) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto result = cast<RankedTensorType>(product);
  if (!type || type.getRank() == 0 || result.getRank() == 0)
    return false;
  return llvm::all_of(type.getShape().drop_back(), [](int64_t extent) { return extent == 1; }) &&
         type.getShape().back() == result.getShape().back();
}

CubeEpilogue followEpilogue(Operation *product) {
  CubeEpilogue epilogue;
  epilogue.result = product->getResult(0);
  while (epilogue.result.hasOneUse()) {
    Operation *user = *epilogue.result.getUsers().begin();
    bool isFloat = isa<FloatType>(cast<RankedTensorType>(epilogue.result.getType()).getElementType());
    if (Value bias =
            endsInColumns(product) && epilogue.members.empty() ? biasOf(user, epilogue.result) : Value())
      epilogue.bias = bias;
    else if (isa<ReluOp>(user) && isFloat && !epilogue.isRelu)
      epilogue.isRelu = true;
    else
      break;
    epilogue.members.push_back(user);
    epilogue.result = user->getResult(0);
  }
  return epilogue;
}

} // namespace kiln::npu
