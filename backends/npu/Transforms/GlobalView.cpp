// GlobalView.cpp: windows are memref.reinterpret_cast, so that one form serves every rank.
#include "backends/npu/Transforms/GlobalView.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu {

Value IndexMath::value(OpFoldResult x) { return getValueOrCreateConstantIndexOp(builder, loc, x); }

OpFoldResult IndexMath::add(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return constant(*x + *y);
  if (x == 0)
    return b;
  if (y == 0)
    return a;
  return builder.create<arith::AddIOp>(loc, value(a), value(b)).getResult();
}

OpFoldResult IndexMath::sub(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return constant(*x - *y);
  return y == 0 ? a : OpFoldResult(builder.create<arith::SubIOp>(loc, value(a), value(b)).getResult());
}

OpFoldResult IndexMath::mul(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return constant(*x * *y);
  if (x == 0 || y == 0)
    return constant(0);
  if (x == 1)
    return b;
  if (y == 1)
    return a;
  return builder.create<arith::MulIOp>(loc, value(a), value(b)).getResult();
}

OpFoldResult IndexMath::div(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y && *y)
    return constant(*x / *y);
  return y == 1 ? a : OpFoldResult(builder.create<arith::DivUIOp>(loc, value(a), value(b)).getResult());
}

OpFoldResult IndexMath::ceilDiv(OpFoldResult a, int64_t b) {
  return div(add(a, constant(b - 1)), constant(b));
}

OpFoldResult IndexMath::rem(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y && *y)
    return constant(*x % *y);
  return y == 1 ? constant(0)
                : OpFoldResult(builder.create<arith::RemUIOp>(loc, value(a), value(b)).getResult());
}

OpFoldResult IndexMath::min(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return constant(std::min(*x, *y));
  return builder.create<arith::MinSIOp>(loc, value(a), value(b)).getResult();
}

OpFoldResult IndexMath::max(OpFoldResult a, OpFoldResult b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return constant(std::max(*x, *y));
  return builder.create<arith::MaxSIOp>(loc, value(a), value(b)).getResult();
}

OpFoldResult extentOf(OpBuilder &builder, Location loc, Value memref, int64_t axis) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(axis))
    return builder.getIndexAttr(type.getShape()[axis]);
  return builder.create<memref::DimOp>(loc, memref, axis).getResult();
}

OpFoldResult strideOf(OpBuilder &builder, Location loc, Value memref, int64_t axis) {
  IndexMath math(builder, loc);
  OpFoldResult stride = math.constant(1);
  for (int64_t inner = cast<MemRefType>(memref.getType()).getRank() - 1; inner > axis; --inner)
    stride = math.mul(stride, extentOf(builder, loc, memref, inner));
  return stride;
}

Value windowOf(OpBuilder &builder, Location loc, Value memref, OpFoldResult offset,
               ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) {
  auto type = cast<MemRefType>(memref.getType());
  auto known = [](OpFoldResult x) { return getConstantIntValue(x).value_or(ShapedType::kDynamic); };
  SmallVector<int64_t> extents, steps;
  for (OpFoldResult size : sizes)
    extents.push_back(known(size));
  for (OpFoldResult stride : strides)
    steps.push_back(known(stride));
  auto layout = StridedLayoutAttr::get(builder.getContext(), known(offset), steps);
  auto window = MemRefType::get(extents, type.getElementType(), layout, type.getMemorySpace());
  auto folded = [&](OpFoldResult x) -> OpFoldResult {
    if (auto constant = getConstantIntValue(x))
      return builder.getIndexAttr(*constant);
    return x;
  };
  SmallVector<OpFoldResult> mixedSizes, mixedStrides;
  for (OpFoldResult size : sizes)
    mixedSizes.push_back(folded(size));
  for (OpFoldResult stride : strides)
    mixedStrides.push_back(folded(stride));
  return builder.create<memref::ReinterpretCastOp>(loc, window, memref, folded(offset), mixedSizes,
                                                   mixedStrides);
}

} // namespace kiln::npu
