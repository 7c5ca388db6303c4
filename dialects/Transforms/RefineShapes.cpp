// RefineShapes.cpp: the pass kiln-refine-shapes: one greedy rewrite with every canonicalization, among them
// the one that sharpens kiln ops' types, settles a chain of shape computations of any length; then the
// function's type follows.
#include "kiln/IR/Kiln.h"
#include "kiln/Transforms/Passes.h"
#include "kiln/Transforms/RefineControlFlow.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln {

#define GEN_PASS_DEF_REFINESHAPESPASS
#include "kiln/Transforms/Passes.h.inc"

namespace {

/// Returns what casts hide, and gives the function the types of what it returns. Only public functions: the
/// others have callers, which name the types.
void refineResults(FunctionOpInterface function) {
  Region &body = function.getFunctionBody();
  if (SymbolTable::getSymbolVisibility(function) != SymbolTable::Visibility::Public || !body.hasOneBlock())
    return;
  Operation *terminator = body.front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands())
    operand.set(withoutCast(operand.get()));
  Builder builder(function.getContext());
  function.setType(builder.getFunctionType(function.getArgumentTypes(), terminator->getOperandTypes()));
}

/// What casts still hide from kiln ops contradicts them: their verifiers say how.
void revealContradictions(FunctionOpInterface function) {
  function.walk([](Operation *op) {
    if (hasInferredTypes(op))
      for (OpOperand &operand : op->getOpOperands())
        operand.set(withoutCast(operand.get()));
  });
}

struct RefineShapes final : impl::RefineShapesPassBase<RefineShapes> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(owned);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(owned, context);
    populateRefineControlFlow(owned);
    SmallVector<std::string> disabled(std::begin(kDisabledPatterns), std::end(kDisabledPatterns));
    patterns = FrozenRewritePatternSet(std::move(owned), disabled);
    return success();
  }

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    GreedyRewriteConfig config;
    config.useTopDownTraversal = true;
    config.maxIterations = GreedyRewriteConfig::kNoLimit;
    if (failed(applyPatternsAndFoldGreedily(getOperation(), patterns, config)))
      return signalPassFailure();
    if (refineLoops(getOperation().getFunctionBody(), patterns) &&
        failed(applyPatternsAndFoldGreedily(getOperation(), patterns, config)))
      return signalPassFailure();
    refineResults(getOperation());
    revealContradictions(getOperation());
    if (failed(verify(getOperation())))
      signalPassFailure();
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

} // namespace kiln
