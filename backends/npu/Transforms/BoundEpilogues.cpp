// BoundEpilogues.cpp: ends each product's kernel where the output path of the cube ends.
#include "backends/npu/Transforms/CubeEpilogue.h"
#include "backends/npu/Transforms/Passes.h"

#include "kiln/jit/Outline.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_BOUNDEPILOGUESPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

bool isElementwise(Operation *op) { return isa<ElementwiseOpInterface>(op); }

struct BoundEpilogues final : impl::BoundEpiloguesPassBase<BoundEpilogues> {
  void runOnOperation() override {
    SmallVector<Operation *> products;
    getOperation().walk([&](Operation *op) {
      if (isProduct(op))
        products.push_back(op);
    });
    for (Operation *product : products) {
      CubeEpilogue epilogue = followEpilogue(product);
      Value result = epilogue.result;
      if (Operation *layout = result.hasOneUse() ? *result.user_begin() : nullptr;
          layout && layout->hasAttr(jit::kLayoutAttr))
        result = layout->getResult(0);
      if (llvm::any_of(result.getUsers(), isElementwise))
        bound(result, [&](OpOperand &) { return true; });
      // What computes a bias is a kernel for vector cores.
      if (Operation *maker = epilogue.bias ? epilogue.bias.getDefiningOp() : nullptr)
        if (isElementwise(maker))
          bound(epilogue.bias, [&](OpOperand &use) { return use.getOwner() == epilogue.members.front(); });
    }
  }

  void bound(Value value, llvm::function_ref<bool(OpOperand &)> isBounded) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    Operation *barrier = builder.create<OptimizationBarrierOp>(value.getLoc(), value);
    value.replaceUsesWithIf(barrier->getResult(0),
                            [&](OpOperand &use) { return use.getOwner() != barrier && isBounded(use); });
    getContext().getOrLoadDialect<KilnDialect>()->count("bound-epilogues.bounded");
  }
};

} // namespace
} // namespace kiln::npu
