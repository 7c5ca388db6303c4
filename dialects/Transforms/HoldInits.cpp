// HoldInits.cpp: while patterns run, a reduction yields a cast of its result and of what it starts from.
#include "kiln/Transforms/HoldInits.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln {

LogicalResult applyPatternsHoldingInits(func::FuncOp function, const FrozenRewritePatternSet &patterns) {
  function.walk([](linalg::GenericOp op) {
    if (op.getNumReductionLoops() == 0)
      return;
    Operation *yield = op.getBody()->getTerminator();
    OpBuilder builder(yield);
    for (auto [operand, init] : llvm::zip(yield->getOpOperands(), op.getRegionOutputArgs()))
      operand.set(builder
                      .create<UnrealizedConversionCastOp>(op.getLoc(), operand.get().getType(),
                                                          ValueRange{operand.get(), init})
                      .getResult(0));
  });
  LogicalResult result = applyPatternsAndFoldGreedily(function, patterns);
  function.walk([](UnrealizedConversionCastOp hold) {
    hold.getResult(0).replaceAllUsesWith(hold.getOperand(0));
    hold.erase();
  });
  return result;
}

} // namespace kiln
