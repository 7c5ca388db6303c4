// BoundEpilogues.cpp: follows each product's only user as long as the fixpipe computes it.
#include "backends/npu/Transforms/Passes.h"
#include "backends/npu/Transforms/VectorLowering.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_BOUNDEPILOGUESPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

/// The last op from a product on that its kernel may hold.
Operation *lastFreeOp(MatmulOp matmul) {
  Operation *last = matmul;
  bool hasBias = false, hasRelu = false;
  while (last->getResult(0).hasOneUse()) {
    Operation *user = *last->getResult(0).getUsers().begin();
    bool isBias = false;
    if (auto add = dyn_cast<AddOp>(user)) {
      Value other = user->getOperand(0) == last->getResult(0) ? user->getOperand(1) : user->getOperand(0);
      auto constant = other.getDefiningOp<ConstantOp>();
      bool isSplat = constant && isa<SplatElementsAttr>(constant.getValue());
      auto type = cast<RankedTensorType>(last->getResult(0).getType());
      isBias = !hasBias && !hasRelu && type.getElementType().isF32() &&
               user->getResult(0).getType() == type && (isSplat || isColumnBias(other, type));
    }
    bool isRelu = !hasRelu && isa<ReluOp>(user);
    if (!isBias && !isRelu)
      break;
    hasBias |= isBias;
    hasRelu |= isRelu;
    last = user;
  }
  return last;
}

struct BoundEpilogues final : impl::BoundEpiloguesPassBase<BoundEpilogues> {
  void runOnOperation() override {
    SmallVector<MatmulOp> products;
    getOperation().walk([&](MatmulOp matmul) { products.push_back(matmul); });
    for (MatmulOp matmul : products) {
      Value result = lastFreeOp(matmul)->getResult(0);
      if (llvm::none_of(result.getUsers(), [](Operation *user) { return isa<ElementwiseOpInterface>(user); }))
        continue;
      OpBuilder builder(result.getContext());
      builder.setInsertionPointAfterValue(result);
      Value bounded = builder.create<OptimizationBarrierOp>(result.getLoc(), result);
      result.replaceAllUsesExcept(bounded, bounded.getDefiningOp());
      getContext().getOrLoadDialect<KilnDialect>()->count("bound-epilogues.bounded");
    }
  }
};

} // namespace
} // namespace kiln::npu
