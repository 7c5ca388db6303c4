// Fuse.cpp: elementwise fusion with a cost rule, and the clean-up around it.
#include "backends/host/Transforms/Passes.h"
#include "kiln/Transforms/ComposeReshapes.h"
#include "kiln/Transforms/HoldInits.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_FUSEPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

/// A body of this weight is computed again rather than stored and loaded.
constexpr unsigned kRecomputeOps = 2;

unsigned weightOf(linalg::GenericOp op) {
  unsigned ops = 0;
  for (Operation &inner : op.getBody()->without_terminator())
    ops += isa<math::MathDialect>(inner.getDialect()) ? 10 : inner.hasTrait<OpTrait::ConstantLike>() ? 0 : 1;
  return ops;
}

/// Whether the consumer reads each element of the operand once.
bool readsOnce(linalg::GenericOp consumer, OpOperand *operand) {
  AffineMap map = consumer.getMatchingIndexingMap(operand);
  return map.isPermutation();
}

bool shouldFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer || producer->getBlock() != consumer->getBlock())
    return false; // in a loop it would be computed again each time
  unsigned weight = weightOf(producer);
  // Read twice by the consumer, its body would stand there twice, and theirs in front of it, until 2^n of
  // them do. Reads by one map become one operand first; fusion comes back to it then.
  for (OpOperand *other : consumer.getDpsInputOperands())
    if (other != operand && other->get() == operand->get() &&
        (weight > kRecomputeOps ||
         consumer.getMatchingIndexingMap(other) == consumer.getMatchingIndexingMap(operand)))
      return false;
  if (weight == 0)
    return true; // a copy, a broadcast, a transpose
  if (!readsOnce(consumer, operand))
    return weight <= kRecomputeOps && consumer.getNumReductionLoops() == 0;
  // Several users: fusing into one keeps the result for the others only if all of them are this consumer.
  bool shared = llvm::any_of(producer->getUsers(), [&](Operation *user) { return user != consumer; });
  return !shared || weight <= kRecomputeOps;
}

/// Whether a reshape stands between two structured ops: at the kernel's ends it is a view of a buffer and
/// costs nothing.
bool reshapeIsInTheWay(OpOperand *operand) {
  Operation *reshape = operand->get().getDefiningOp();
  if (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(reshape))
    return reshape->getOperand(0).getDefiningOp<linalg::GenericOp>();
  return llvm::any_of(operand->getOwner()->getUsers(),
                      [](Operation *user) { return isa<linalg::GenericOp>(user); });
}

/// extf(truncf(x)) -> x: inside a kernel a 16-bit result that goes on is not rounded, unless it was asked
/// for.
struct DropRounding final : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    auto narrow = op.getIn().getDefiningOp<arith::TruncFOp>();
    if (!narrow || narrow.getRoundingmode() || narrow.getIn().getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "no truncation of this type before it");
    rewriter.replaceOp(op, narrow.getIn());
    return success();
  }
};

struct FusePass : impl::FusePassBase<FusePass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    // Unit loops and reshapes there and back disappear before loops are expanded for what is left: with both
    // at once the patterns would push a reshape of units around in circles.
    RewritePatternSet units(context);
    linalg::ControlDropUnitDims dropAll;
    linalg::populateLinalgNamedOpsGeneralizationPatterns(units);
    linalg::populateFoldUnitExtentDimsPatterns(units, dropAll);
    tensor::populateFoldTensorEmptyPatterns(units);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(units, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(units, context);
    populateComposeReshapes(units);
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(units))))
      return signalPassFailure();
    RewritePatternSet patterns(context);
    linalg::populateLinalgNamedOpsGeneralizationPatterns(patterns);
    linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, reshapeIsInTheWay);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::CastOp::getCanonicalizationPatterns(patterns, context);
    tensor::DimOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    populateComposeReshapes(patterns);
    tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, context);
    patterns.add<DropRounding>(context);
    if (failed(applyPatternsHoldingInits(getOperation(), std::move(patterns))))
      return signalPassFailure();
    // The mode has done its work: all code rounds so.
    getOperation().walk([](arith::TruncFOp op) { op.removeRoundingmodeAttr(); });
  }
};

} // namespace
} // namespace kiln::host
