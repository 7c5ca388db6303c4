// ExpandComposites.cpp: the pass kiln-expand-composites, for composites that are more than one kernel.
#include "kiln/IR/Kiln.h"
#include "kiln/Transforms/Passes.h"
#include "kiln/Transforms/ToLinalg.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln {
#define GEN_PASS_DEF_EXPANDCOMPOSITESPASS
#include "kiln/Transforms/Passes.h.inc"

namespace {

struct ExpandCompositesPass : impl::ExpandCompositesPassBase<ExpandCompositesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandComposites(patterns);
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

void populateExpandComposites(RewritePatternSet &patterns) {
  populateExpandAttention(patterns);
  populateExpandConvTranspose(patterns);
  populateExpandRecurrence(patterns);
  populateExpandResize(patterns);
}

} // namespace kiln
