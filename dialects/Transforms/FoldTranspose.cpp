// FoldTranspose.cpp: matmul(transpose(a), b) -> matmul(a, b) transA
#include "dialects/IR/Checks.h"
#include "kiln/Transforms/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_FOLDTRANSPOSEPASS
#include "kiln/Transforms/Passes.h.inc"

namespace {

/// Whether the transpose swaps its last two axes and moves no other.
bool swapsLastTwo(TransposeOp op) {
  ArrayRef<int64_t> perm = op.getPerm();
  int64_t rank = perm.size();
  if (rank < 2 || perm[rank - 1] != rank - 2 || perm[rank - 2] != rank - 1)
    return false;
  return llvm::all_of(llvm::enumerate(perm.drop_back(2)),
                      [](auto axis) { return axis.value() == static_cast<int64_t>(axis.index()); });
}

struct FoldIntoMatmul final : OpRewritePattern<MatmulOp> {
  FoldIntoMatmul(MLIRContext *context, bool foldShared) : OpRewritePattern(context), foldShared(foldShared) {}

  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    TransposeOp a = foldable(op.getA()), b = foldable(op.getB());
    if (!a && !b)
      return rewriter.notifyMatchFailure(op, "no operand is a transpose that folds");
    rewriter.modifyOpInPlace(op, [&] {
      if (a) {
        op.getAMutable().assign(a.getX());
        op.setTransA(!op.getTransA());
      }
      if (b) {
        op.getBMutable().assign(b.getX());
        op.setTransB(!op.getTransB());
      }
    });
    cast<KilnDialect>(op->getDialect())->count("fold-transpose.folded");
    return success();
  }

private:
  TransposeOp foldable(Value operand) const {
    auto op = operand.getDefiningOp<TransposeOp>();
    return op && swapsLastTwo(op) && (foldShared || op->hasOneUse()) ? op : TransposeOp();
  }

  bool foldShared;
};

struct FoldTransposePass : impl::FoldTransposePassBase<FoldTransposePass> {
  using FoldTransposePassBase::FoldTransposePassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldIntoMatmul>(&getContext(), foldShared);
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kiln
