// RefineControlFlow.cpp: types of what branches and loops hand on, for kiln-refine-shapes.
#include "kiln/Transforms/RefineControlFlow.h"
#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln {

namespace {

constexpr int kMaxAttempts = 4; // at a loop's types; each makes one less precise
constexpr int kMaxDepth = 4;    // of loops that are looked at: each level may clone what is inside

/// `type` with the extents that `a` and `b` agree on; null if that says nothing new, or they are no tensors.
RankedTensorType sharpened(Type type, Type a, Type b) {
  auto declared = dyn_cast<RankedTensorType>(type), first = dyn_cast<RankedTensorType>(a),
       second = dyn_cast<RankedTensorType>(b);
  if (!declared || !first || !second || first.getRank() != declared.getRank() ||
      second.getRank() != declared.getRank())
    return {};
  SmallVector<int64_t> shape(declared.getShape());
  for (auto [extent, x, y] : llvm::zip(shape, first.getShape(), second.getShape()))
    if (ShapedType::isDynamic(extent) && x == y)
      extent = x;
  RankedTensorType result = declared.clone(shape);
  return result == declared ? RankedTensorType() : result;
}

Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  return value.getType() == type ? value : builder.create<tensor::CastOp>(loc, type, value).getResult();
}

/// The results of a branch get the extents that both sides know behind casts.
struct SharpenIf final : OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::IfOp op, PatternRewriter &rewriter) const override {
    if (!op.elseBlock())
      return rewriter.notifyMatchFailure(op, "it has no results");
    bool changed = false;
    for (OpResult result : op->getResults()) {
      OpOperand *sides[] = {&op.thenYield()->getOpOperand(result.getResultNumber()),
                            &op.elseYield()->getOpOperand(result.getResultNumber())};
      Value values[] = {withoutCast(sides[0]->get()), withoutCast(sides[1]->get())};
      RankedTensorType type = sharpened(result.getType(), values[0].getType(), values[1].getType());
      if (!type)
        continue;
      for (auto [side, value] : llvm::zip(sides, values)) {
        rewriter.setInsertionPoint(side->getOwner());
        Value exact = castTo(rewriter, op.getLoc(), value, type);
        rewriter.modifyOpInPlace(side->getOwner(), [&, side = side] { side->set(exact); });
      }
      rewriter.setInsertionPointAfter(op);
      auto cast = rewriter.create<tensor::CastOp>(op.getLoc(), result.getType(), result);
      rewriter.modifyOpInPlace(op, [&] { result.setType(type); });
      rewriter.replaceAllUsesExcept(result, cast, cast);
      changed = true;
    }
    return success(changed);
  }
};

/// A copy of `loop` that carries tensors of `types`, in front of it. What its body yields is kept as it is,
/// behind casts that nothing looks through.
scf::ForOp cloneAs(OpBuilder &builder, scf::ForOp loop, ArrayRef<Type> types) {
  builder.setInsertionPoint(loop);
  auto clone = cast<scf::ForOp>(builder.clone(*loop));
  for (auto [i, type] : llvm::enumerate(types)) {
    Type old = clone.getResult(i).getType();
    if (type == old)
      continue;
    builder.setInsertionPoint(clone);
    OpOperand &init = clone.getInitArgsMutable()[i];
    init.set(castTo(builder, loop.getLoc(), withoutCast(init.get()), type));
    clone.getResult(i).setType(type);
    BlockArgument argument = clone.getRegionIterArg(i);
    builder.setInsertionPointToStart(clone.getBody());
    argument.setType(type);
    auto cast = builder.create<tensor::CastOp>(loop.getLoc(), old, argument);
    argument.replaceAllUsesExcept(cast, cast);
    OpOperand &yielded = (*clone.getYieldedValuesMutable())[i];
    builder.setInsertionPoint(yielded.getOwner());
    yielded.set(builder.create<UnrealizedConversionCastOp>(loop.getLoc(), type, yielded.get()).getResult(0));
  }
  return clone;
}

/// The types that the clone's body yields, refined, are those that it carries; if not, `types` become less
/// precise.
bool settles(scf::ForOp clone, MutableArrayRef<Type> types) {
  bool settled = true;
  for (auto [i, type] : llvm::enumerate(types)) {
    auto opaque = clone.getYieldedValues()[i].getDefiningOp<UnrealizedConversionCastOp>();
    if (!opaque)
      continue;
    auto carried = cast<RankedTensorType>(type);
    auto yielded = cast<RankedTensorType>(withoutCast(opaque.getOperand(0)).getType());
    SmallVector<int64_t> shape(carried.getShape());
    for (auto [extent, other] : llvm::zip(shape, yielded.getShape()))
      extent = extent == other ? extent : ShapedType::kDynamic;
    settled &= carried.clone(shape) == carried;
    type = carried.clone(shape);
  }
  return settled;
}

/// Replaces the loop by its refined copy.
void replace(OpBuilder &builder, scf::ForOp loop, scf::ForOp clone) {
  MutableArrayRef<OpOperand> yielded = *clone.getYieldedValuesMutable();
  for (OpOperand &operand : yielded)
    if (auto opaque = operand.get().getDefiningOp<UnrealizedConversionCastOp>()) {
      builder.setInsertionPoint(operand.getOwner());
      operand.set(castTo(builder, loop.getLoc(), withoutCast(opaque.getOperand(0)), opaque.getType(0)));
      opaque.erase();
    }
  builder.setInsertionPointAfter(clone);
  for (auto [old, result] : llvm::zip(loop.getResults(), clone.getResults()))
    old.replaceAllUsesWith(castTo(builder, loop.getLoc(), result, old.getType()));
  loop.erase();
}

void refineBody(Region &region, const FrozenRewritePatternSet &patterns) {
  SmallVector<Operation *> ops;
  region.walk([&](Operation *op) { ops.push_back(op); });
  GreedyRewriteConfig config;
  config.scope = &region;
  (void)applyOpPatternsAndFold(ops, patterns, config);
}

bool refineLoop(scf::ForOp loop, const FrozenRewritePatternSet &patterns, int depth);

/// The outermost loops of a region. Whether one changed.
bool refineLoopsIn(Region &region, const FrozenRewritePatternSet &patterns, int depth) {
  SmallVector<scf::ForOp> loops;
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (loop)
      loops.push_back(loop);
    return loop ? WalkResult::skip() : WalkResult::advance();
  });
  bool changed = false;
  for (scf::ForOp loop : loops)
    changed |= refineLoop(loop, patterns, depth);
  return changed;
}

/// Tries the loop with the types that it starts from, then with what its body makes of them.
bool refineLoop(scf::ForOp loop, const FrozenRewritePatternSet &patterns, int depth) {
  if (depth == kMaxDepth)
    return false;
  SmallVector<Type> types;
  for (auto [init, result] : llvm::zip(loop.getInitArgs(), loop.getResults())) {
    Type start = withoutCast(init).getType();
    RankedTensorType type = sharpened(result.getType(), start, start);
    types.push_back(type ? Type(type) : result.getType());
  }
  OpBuilder builder(loop);
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    if (llvm::equal(types, loop.getResultTypes()))
      return refineLoopsIn(loop.getRegion(), patterns, depth + 1);
    scf::ForOp clone = cloneAs(builder, loop, types);
    refineBody(clone.getRegion(), patterns);
    if (refineLoopsIn(clone.getRegion(), patterns, depth + 1))
      refineBody(clone.getRegion(), patterns);
    if (settles(clone, types)) {
      replace(builder, loop, clone);
      return true;
    }
    clone.erase();
  }
  return false;
}

} // namespace

void populateRefineControlFlow(RewritePatternSet &patterns) {
  patterns.add<SharpenIf>(patterns.getContext());
}

bool refineLoops(Region &region, const FrozenRewritePatternSet &patterns) {
  return refineLoopsIn(region, patterns, 0);
}

} // namespace kiln
