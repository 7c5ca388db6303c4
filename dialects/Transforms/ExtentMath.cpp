// ExtentMath.cpp: arith ops on extents, folded where both operands are numbers.
#include "dialects/Transforms/ExtentMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

#include <functional>

using namespace mlir;

namespace kiln {

template <typename Op, typename Compute>
OpFoldResult ExtentMath::binary(Extent a, Extent b, Compute compute) const {
  auto left = getConstantIntValue(a), right = getConstantIntValue(b);
  if (left && right)
    return constant(compute(*left, *right));
  Value result = builder.createOrFold<Op>(loc, value(a), value(b));
  if (auto known = getConstantIntValue(result))
    return constant(*known);
  return result;
}

Value ExtentMath::value(Extent extent) const { return getValueOrCreateConstantIndexOp(builder, loc, extent); }

OpFoldResult ExtentMath::add(Extent a, Extent b) const {
  return binary<arith::AddIOp>(a, b, std::plus<int64_t>());
}
OpFoldResult ExtentMath::sub(Extent a, Extent b) const {
  return binary<arith::SubIOp>(a, b, std::minus<int64_t>());
}
OpFoldResult ExtentMath::mul(Extent a, Extent b) const {
  return binary<arith::MulIOp>(a, b, std::multiplies<int64_t>());
}
OpFoldResult ExtentMath::floorDiv(Extent a, int64_t b) const {
  return binary<arith::FloorDivSIOp>(a, constant(b),
                                     [](int64_t x, int64_t y) { return llvm::divideFloorSigned(x, y); });
}
OpFoldResult ExtentMath::ceilDiv(Extent a, Extent b) const {
  return binary<arith::CeilDivSIOp>(a, b, [](int64_t x, int64_t y) { return llvm::divideCeilSigned(x, y); });
}
OpFoldResult ExtentMath::max(Extent a, Extent b) const {
  return binary<arith::MaxSIOp>(a, b, [](int64_t x, int64_t y) { return std::max(x, y); });
}

} // namespace kiln
