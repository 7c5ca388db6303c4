// RefineShapes.cpp: result types from operand types, by one greedy rewrite with every canonicalization: a
// chain of shape computations of any length settles in one run.
#include "jit/Passes.h"
#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln::jit {
#define GEN_PASS_DEF_REFINESHAPESPASS
#include "jit/Passes.h.inc"
} // namespace kiln::jit

using namespace kiln;
using namespace kiln::jit;

namespace {
/// The type with each extent that either knows.
Type sharper(Type lhs, Type rhs) {
  auto left = dyn_cast<RankedTensorType>(lhs), right = dyn_cast<RankedTensorType>(rhs);
  if (!left || !right || left.getRank() != right.getRank() || left.getElementType() != right.getElementType())
    return lhs;
  SmallVector<int64_t> shape(left.getShape());
  for (auto [extent, other] : llvm::zip(shape, right.getShape()))
    if (ShapedType::isDynamic(extent))
      extent = other;
  return RankedTensorType::get(shape, left.getElementType());
}

// kiln ops look through casts: they infer their results themselves.
struct TakeCastSource final : RewritePattern {
  explicit TakeCastSource(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isa<KilnDialect>(op->getDialect()) || isa<LaunchOp, YieldOp>(op))
      return rewriter.notifyMatchFailure(op, "infers no types");
    bool changed = false;
    for (OpOperand &operand : op->getOpOperands())
      if (auto cast = operand.get().getDefiningOp<tensor::CastOp>();
          cast && sharper(cast.getType(), cast.getSource().getType()) == cast.getSource().getType()) {
        rewriter.modifyOpInPlace(op, [&] { operand.set(cast.getSource()); });
        changed = true;
      }
    return success(changed);
  }
};

struct RefineResults final : RewritePattern {
  explicit RefineResults(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    auto inferable = dyn_cast<InferTypeOpInterface>(op);
    if (!inferable || !isa<KilnDialect>(op->getDialect()))
      return rewriter.notifyMatchFailure(op, "infers no types");
    SmallVector<Type> types;
    if (failed(inferable.inferReturnTypes(op->getContext(), std::nullopt, op->getOperands(),
                                          op->getAttrDictionary(), op->getPropertiesStorage(),
                                          op->getRegions(), types)) ||
        types.size() != op->getNumResults())
      return rewriter.notifyMatchFailure(op, "contradicts itself"); // its verifier says how
    for (auto [type, known] : llvm::zip(types, op->getResultTypes()))
      type = sharper(type, known);
    if (TypeRange(types) == op->getResultTypes())
      return rewriter.notifyMatchFailure(op, "nothing new");
    Operation *refined = rewriter.clone(*op);
    SmallVector<Value> replacements;
    for (auto [result, type] : llvm::zip(refined->getResults(), types)) {
      Type old = result.getType();
      result.setType(type);
      replacements.push_back(type == old
                                 ? Value(result)
                                 : rewriter.create<tensor::CastOp>(op->getLoc(), old, result).getResult());
    }
    rewriter.replaceOp(op, replacements);
    op->getContext()->getLoadedDialect<KilnDialect>()->count("refine-shapes.refined");
    return success();
  }
};

/// Returns what casts hide, and gives the function the types of what it returns.
void refineSignature(func::FuncOp function) {
  auto returnOp = cast<func::ReturnOp>(function.getBody().front().getTerminator());
  for (OpOperand &operand : returnOp->getOpOperands())
    if (auto cast = operand.get().getDefiningOp<tensor::CastOp>();
        cast && sharper(cast.getType(), cast.getSource().getType()) == cast.getSource().getType())
      operand.set(cast.getSource());
  function.setFunctionType(FunctionType::get(function.getContext(), function.getBody().getArgumentTypes(),
                                             returnOp.getOperandTypes()));
}

struct RefineShapes final : kiln::jit::impl::RefineShapesPassBase<RefineShapes> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<TakeCastSource, RefineResults>(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(patterns);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(patterns, context);
    GreedyRewriteConfig config;
    config.useTopDownTraversal = true;
    config.maxIterations = GreedyRewriteConfig::kNoLimit;
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    refineSignature(getOperation());
    if (failed(verify(getOperation())))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> kiln::jit::createRefineShapesPass() { return std::make_unique<RefineShapes>(); }
