// Passes.cpp: foo's passes; Passes.td says what each does.
#include "Compiler/Foo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace foo {

#define GEN_PASS_DEF_REFUSEF64PASS
#define GEN_PASS_DEF_FORMCLAMPPASS
#define GEN_PASS_DEF_EXPANDCLAMPPASS
#define GEN_PASS_DEF_COUNTOPSPASS
#include "FooPasses.h.inc"

namespace {

bool isF64(Type type) { return getElementTypeOrSelf(type).isF64(); }

struct RefuseF64 final : impl::RefuseF64PassBase<RefuseF64> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      bool touchesF64 =
          llvm::any_of(op->getOperandTypes(), isF64) || llvm::any_of(op->getResultTypes(), isF64);
      if (!touchesF64 || op->hasTrait<OpTrait::IsTerminator>())
        return;
      op->emitError() << "'" << op->getName() << "' on f64, which the device foo has not";
      signalPassFailure();
    });
  }
};

struct FormClamp final : OpRewritePattern<arith::MaximumFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::MaximumFOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getLhs().getDefiningOp<arith::MinimumFOp>();
    if (!inner || isa<ShapedType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a scalar maximum of a minimum");
    rewriter.replaceOpWithNewOp<ClampOp>(op, op.getType(), inner.getLhs(), op.getRhs(), inner.getRhs());
    return success();
  }
};

struct ExpandClamp final : OpRewritePattern<ClampOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ClampOp op, PatternRewriter &rewriter) const override {
    Value limited = rewriter.create<arith::MinimumFOp>(op.getLoc(), op.getX(), op.getHigh());
    rewriter.replaceOpWithNewOp<arith::MaximumFOp>(op, limited, op.getLow());
    return success();
  }
};

template <typename Pattern> LogicalResult rewriteWith(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  patterns.add<Pattern>(module.getContext());
  return applyPatternsAndFoldGreedily(module, std::move(patterns));
}

struct FormClampPass final : impl::FormClampPassBase<FormClampPass> {
  void runOnOperation() override {
    if (failed(rewriteWith<FormClamp>(getOperation())))
      signalPassFailure();
  }
};

struct ExpandClampPass final : impl::ExpandClampPassBase<ExpandClampPass> {
  void runOnOperation() override {
    if (failed(rewriteWith<ExpandClamp>(getOperation())))
      signalPassFailure();
  }
};

struct CountOps final : impl::CountOpsPassBase<CountOps> {
  void runOnOperation() override {
    int64_t count = 0;
    getOperation().walk([&](Operation *) { ++count; });
    getOperation()->setAttr("foo.op_count", Builder(&getContext()).getI64IntegerAttr(count));
  }
};

} // namespace
} // namespace foo
