// KeepAttention.cpp: marks attentions before composites are expanded.
#include "backends/npu/Transforms/Passes.h"
#include "backends/npu/Transforms/VectorLowering.h"
#include "kiln/Transforms/ToLinalg.h"

using namespace mlir;

namespace kiln::npu {
#define GEN_PASS_DEF_KEEPATTENTIONPASS
#include "backends/npu/Transforms/Passes.h.inc"

namespace {

struct KeepAttention final : impl::KeepAttentionPassBase<KeepAttention> {
  using KeepAttentionPassBase::KeepAttentionPassBase;

  void runOnOperation() override {
    const Target *target = ir::findTarget(chip, getOperation());
    if (!target)
      return signalPassFailure();
    getOperation().walk([&](AttentionOp op) {
      if (!isMixedAttention(op, *target))
        return;
      op->setAttr(kWholeAttr, UnitAttr::get(&getContext()));
      getContext().getOrLoadDialect<KilnDialect>()->count("keep-attention.kept");
    });
  }
};

} // namespace
} // namespace kiln::npu
