// ArrangeSorts.cpp: sort and top_k along an axis that is not the innermost one, between transposes.
#include "backends/npu/Transforms/AxisLowering.h"
#include "backends/npu/Transforms/Domain.h"
#include "backends/npu/Transforms/Passes.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_ARRANGESORTSPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

bool isTurned(Operation *op) {
  ArrayRef<int64_t> behind = shapeOf(op->getOperand(0)).drop_front(axisOf(op) + 1);
  return !elementOf(op->getOperand(0)).isF64() &&
         llvm::any_of(behind, [](int64_t inner) { return inner != 1; });
}

/// Puts an op along the innermost axis in the place of `op`.
void turn(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  int64_t axis = axisOf(op), rank = int64_t(shapeOf(op->getOperand(0)).size());
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(perm[axis], perm[rank - 1]);
  Value rows = builder.create<TransposeOp>(loc, op->getOperand(0), perm);
  Operation *sort = builder.clone(*op);
  sort->setOperand(0, rows);
  sort->setAttr("axis", builder.getI64IntegerAttr(rank - 1));
  for (auto [inner, result] : llvm::zip(sort->getResults(), op->getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<int64_t> shape(type.getShape());
    std::swap(shape[axis], shape[rank - 1]);
    inner.setType(type.clone(shape));
    if (!result.use_empty())
      result.replaceAllUsesWith(builder.create<TransposeOp>(loc, inner, perm));
  }
  op->erase();
}

struct ArrangeSorts final : impl::ArrangeSortsPassBase<ArrangeSorts> {
  void runOnOperation() override {
    SmallVector<Operation *> sorts;
    getOperation().walk([&](Operation *op) {
      if (isa<SortOp, TopKOp>(op) && isTurned(op))
        sorts.push_back(op);
    });
    for (Operation *op : sorts) {
      turn(op);
      getContext().getOrLoadDialect<KilnDialect>()->count("arrange-sorts.turned");
    }
  }
};

} // namespace
} // namespace kiln::npu
