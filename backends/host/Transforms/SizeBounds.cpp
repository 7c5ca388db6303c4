// SizeBounds.cpp: by the ops' bounds interface: the last tile of a loop is no larger than the others.
#include "backends/host/Transforms/SizeBounds.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;

namespace kiln::host {

SmallVector<OpFoldResult> upperBounds(Builder &builder, ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> bounds;
  for (OpFoldResult size : sizes) {
    FailureOr<int64_t> most = failure();
    if (!getConstantIntValue(size))
      most = ValueBoundsConstraintSet::computeConstantBound(presburger::BoundType::UB, size, nullptr,
                                                            /*closedUB=*/true);
    bounds.push_back(succeeded(most) ? OpFoldResult(builder.getIndexAttr(std::max<int64_t>(*most, 0)))
                                     : size);
  }
  return bounds;
}

} // namespace kiln::host
