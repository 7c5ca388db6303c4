// Tile.cpp: one scf.forall a root, its producers computed inside by tile.
#include "backends/host/Target.h"
#include "backends/host/Transforms/Contraction.h"
#include "backends/host/Transforms/Passes.h"
#include "backends/host/Transforms/SizeBounds.h"
#include "backends/host/Transforms/TemplateName.h"
#include "backends/host/Transforms/TileSpace.h"
#include "kiln/jit/LaunchConstants.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_TILEPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

/// Iterations of a tile with a body of one or two ops; heavier bodies get smaller tiles.
constexpr int64_t kTileIterations = kStreamTileBytes / 4;

/// Whether neighbours along `loop` are neighbours in some input.
bool isContiguousAlong(linalg::LinalgOp op, unsigned loop) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return map.getNumResults() > 0 && map.getResults().back() == getAffineDimExpr(loop, op.getContext());
  });
}

/// Whether some reduction reads neighbours in neighbouring iterations of the root's loop `loop`: it sums
/// columns.
bool sumsColumns(const TileSpace &space, unsigned loop) {
  return llvm::any_of(space.ops(), [&](const auto &entry) {
    auto op = cast<linalg::LinalgOp>(entry.first);
    if (op.getNumReductionLoops() == 0)
      return false;
    for (auto [own, followed] : llvm::enumerate(entry.second))
      if (followed == static_cast<int>(loop) && isContiguousAlong(op, own))
        return true;
    return false;
  });
}

/// Tile sizes by loop of the root; 0: not cut.
SmallVector<int64_t> chooseTileSizes(const TileSpace &space, unsigned vectorBits) {
  if (std::optional<SmallVector<int64_t>> sizes = contractionTileSizes(space, vectorBits))
    return *sizes;
  linalg::LinalgOp root = space.root();
  SmallVector<int64_t> extents = root.getStaticLoopRanges(), sizes(extents.size(), 0);
  int64_t weight = 1 + space.bodyOps() / 4;
  // Rows that are read several times stay in the L1 cache; windows read little for what they compute.
  int64_t iterations = kTileIterations / std::min<int64_t>(weight, 8);
  if (hasWindow(space))
    iterations = kTileIterations * 2;
  else if (space.hasReduction() && root.getNumReductionLoops() == 0)
    iterations = kL1TileBytes / 4;
  int64_t budget = std::max<int64_t>(1, iterations / space.workPerPoint(kAssumedExtent));
  bool transposing = isTransposing(root);
  int64_t lanes = vectorBits / 32;
  // Both sides of a transpose's squares come first, however far apart their loops are.
  SmallVector<unsigned> order, others;
  for (unsigned loop : llvm::reverse(space.loops()))
    (order.empty() || !transposing || isContiguousAlong(root, loop) ? order : others).push_back(loop);
  order.append(others);
  for (unsigned loop : order) {
    int64_t extent = extents[loop];
    bool innermost = loop == space.loops().back();
    if (ShapedType::isDynamic(extent)) {
      // Unknown: long inner tiles, the rest of the budget outside.
      int64_t size = innermost ? std::min<int64_t>(budget, transposing ? 64 : 4096) : budget;
      sizes[loop] = std::max<int64_t>(size, 1);
      budget = std::max<int64_t>(1, budget / sizes[loop]);
      continue;
    }
    int64_t least = 1;
    if (innermost && sumsColumns(space, loop))
      least = 8 * lanes; // columns whose sums fill the registers: what is read of a row is worth its page
    int64_t size = std::clamp<int64_t>(std::max(budget, least), 1, std::max<int64_t>(extent, 1));
    if (transposing && size > 64)
      size = 64; // both sides of a square block stay within the L1 cache and its ways
    if (size < extent) {
      int64_t tiles = llvm::divideCeil(extent, size);
      size = llvm::divideCeil(extent, tiles);
      if (size > lanes)
        size = llvm::alignTo(size, lanes);
      sizes[loop] = size >= extent ? 0 : size;
    }
    budget = std::max<int64_t>(1, budget / std::max<int64_t>(size, 1));
  }
  return sizes;
}

/// Builds the tile of one root.
class TileBuilder {
public:
  TileBuilder(RewriterBase &rewriter, const TileSpace &space, ArrayRef<int64_t> sizes)
      : rewriter(rewriter), space(space), sizes(sizes) {}

  /// Replaces `uses`, the materializations of the root's results in destination buffers.
  LogicalResult build(ArrayRef<bufferization::MaterializeInDestinationOp> uses);

private:
  SmallVector<OpFoldResult> tileCounts();
  void placeTile(scf::ForallOp forall);
  FailureOr<Operation *> tileOp(linalg::LinalgOp op, const TileSpace::Follows &follows);
  void boundTemporary(OpOperand &init);
  void useDestination(Operation *tiled, unsigned result, Value sharedTile);

  RewriterBase &rewriter;
  const TileSpace &space;
  ArrayRef<int64_t> sizes;
  SmallVector<Range> domain;                  // of the root
  SmallVector<OpFoldResult> offsets, extents; // of the tile, by loop of the root
};

SmallVector<OpFoldResult> TileBuilder::tileCounts() {
  SmallVector<OpFoldResult> counts;
  AffineExpr extent = rewriter.getAffineSymbolExpr(0);
  for (unsigned loop : space.loops())
    if (sizes[loop] > 0)
      counts.push_back(affine::makeComposedFoldedAffineApply(rewriter, space.root().getLoc(),
                                                             extent.ceilDiv(sizes[loop]), domain[loop].size));
  if (counts.empty())
    counts.push_back(rewriter.getIndexAttr(1));
  return counts;
}

void TileBuilder::placeTile(scf::ForallOp forall) {
  Location loc = forall.getLoc();
  offsets.assign(domain.size(), rewriter.getIndexAttr(0));
  extents = llvm::map_to_vector(domain, [](Range range) { return range.size; });
  unsigned position = 0;
  AffineExpr index = rewriter.getAffineDimExpr(0), extent = rewriter.getAffineSymbolExpr(0);
  for (unsigned loop : space.loops()) {
    int64_t size = sizes[loop];
    if (size == 0)
      continue;
    OpFoldResult id = forall.getInductionVar(position++);
    offsets[loop] = affine::makeComposedFoldedAffineApply(rewriter, loc, index * size, id);
    std::optional<int64_t> known = getConstantIntValue(domain[loop].size);
    if (known && *known % size == 0)
      extents[loop] = rewriter.getIndexAttr(size);
    else
      extents[loop] = affine::makeComposedFoldedAffineMin(
          rewriter, loc,
          AffineMap::get(1, 1, {rewriter.getAffineConstantExpr(size), extent - index * size},
                         rewriter.getContext()),
          {id, domain[loop].size});
  }
}

FailureOr<Operation *> TileBuilder::tileOp(linalg::LinalgOp op, const TileSpace::Follows &follows) {
  auto tiling = cast<TilingInterface>(op.getOperation());
  SmallVector<OpFoldResult> at, size;
  SmallVector<Range> own = op == space.root() ? domain : tiling.getIterationDomain(rewriter);
  for (auto [loop, followed] : llvm::enumerate(follows)) {
    at.push_back(followed == TileSpace::kWhole ? OpFoldResult(rewriter.getIndexAttr(0)) : offsets[followed]);
    size.push_back(followed == TileSpace::kWhole ? own[loop].size : extents[followed]);
  }
  FailureOr<TilingResult> tiled = tiling.getTiledImplementation(rewriter, at, size);
  if (failed(tiled))
    return op.emitError("cannot be tiled");
  return tiled->tiledOps.front();
}

/// A slice of a tensor.empty becomes one of its own, as large as the largest tile: its buffer is static then.
void TileBuilder::boundTemporary(OpOperand &init) {
  auto slice = init.get().getDefiningOp<tensor::ExtractSliceOp>();
  auto empty = slice ? slice.getSource().getDefiningOp<tensor::EmptyOp>() : tensor::EmptyOp();
  if (!empty)
    return;
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes(), bounds = upperBounds(rewriter, sizes);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(slice);
  Type element = slice.getType().getElementType();
  Value buffer = rewriter.create<tensor::EmptyOp>(slice.getLoc(), bounds, element);
  if (bounds != sizes) {
    SmallVector<OpFoldResult> zeros(sizes.size(), rewriter.getIndexAttr(0)),
        ones(sizes.size(), rewriter.getIndexAttr(1));
    buffer =
        rewriter.create<tensor::ExtractSliceOp>(slice.getLoc(), slice.getType(), buffer, zeros, sizes, ones);
  } else if (buffer.getType() != slice.getType()) {
    buffer = rewriter.create<tensor::CastOp>(slice.getLoc(), slice.getType(), buffer);
  }
  rewriter.replaceOp(slice, buffer);
}

/// Lets the op that starts the chain of inits of a root's result write the destination's tile.
void TileBuilder::useDestination(Operation *tiled, unsigned result, Value sharedTile) {
  auto op = cast<DestinationStyleOpInterface>(tiled);
  OpOperand *init = op.getDpsInitOperand(result);
  while (auto before = init->get().getDefiningOp<DestinationStyleOpInterface>()) {
    if (!init->get().hasOneUse() || before->getBlock() != tiled->getBlock())
      return;
    init = before.getTiedOpOperand(cast<OpResult>(init->get()));
  }
  Value start = init->get();
  if (auto slice = start.getDefiningOp<tensor::ExtractSliceOp>())
    start = slice.getSource();
  if (!start.getDefiningOp<tensor::EmptyOp>())
    return;
  if (init->get().getType() == sharedTile.getType())
    rewriter.modifyOpInPlace(init->getOwner(), [&] { init->set(sharedTile); });
}

LogicalResult TileBuilder::build(ArrayRef<bufferization::MaterializeInDestinationOp> uses) {
  linalg::LinalgOp root = space.root();
  Location loc = root.getLoc();
  rewriter.setInsertionPoint(uses.front());
  domain = cast<TilingInterface>(root.getOperation()).getIterationDomain(rewriter);

  SmallVector<Value> destinations;
  for (bufferization::MaterializeInDestinationOp use : uses)
    destinations.push_back(rewriter.create<bufferization::ToTensorOp>(loc, use.getSource().getType(),
                                                                      use.getDest(),
                                                                      /*restrict=*/true, /*writable=*/true));
  auto forall = rewriter.create<scf::ForallOp>(loc, tileCounts(), destinations, std::nullopt);
  rewriter.setInsertionPoint(forall.getTerminator());
  placeTile(forall);
  Operation *anchor = forall.getTerminator()->getPrevNode();

  llvm::MapVector<Operation *, Operation *> tiledOps;
  for (auto &[op, follows] : space.ops()) {
    // Each op in front of those before it: consumers come first in the tile space.
    if (anchor)
      rewriter.setInsertionPointAfter(anchor);
    else
      rewriter.setInsertionPointToStart(forall.getBody());
    FailureOr<Operation *> tiled = tileOp(cast<linalg::LinalgOp>(op), follows);
    if (failed(tiled))
      return failure();
    tiledOps[op] = *tiled;
    // Consumers inside took slices of the whole result: they take the tile instead.
    for (auto [whole, tile] : llvm::zip_equal(op->getResults(), (*tiled)->getResults()))
      for (OpOperand &use : llvm::make_early_inc_range(whole.getUses()))
        if (auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner());
            slice && slice->getParentOp() == forall) {
          Value value = tile;
          if (value.getType() != slice.getType()) {
            OpBuilder::InsertionGuard guard(rewriter);
            rewriter.setInsertionPointAfter(*tiled);
            value = rewriter.create<tensor::CastOp>(loc, slice.getType(), value);
          }
          rewriter.replaceOp(slice, value);
        }
  }

  Operation *tiledRoot = tiledOps[root];
  for (auto [i, use] : llvm::enumerate(llvm::to_vector(uses))) {
    unsigned result = cast<OpResult>(use.getSource()).getResultNumber();
    SmallVector<OpFoldResult> at, size;
    if (anchor)
      rewriter.setInsertionPointAfter(anchor);
    else
      rewriter.setInsertionPointToStart(forall.getBody());
    if (failed(cast<TilingInterface>(root.getOperation())
                   .getResultTilePosition(rewriter, result, offsets, extents, at, size)))
      return root.emitError("has no tile of result ") << result;
    SmallVector<OpFoldResult> strides(at.size(), rewriter.getIndexAttr(1));
    BlockArgument shared = forall.getRegionIterArgs()[i];
    auto tileType = cast<RankedTensorType>(tiledRoot->getResult(result).getType());
    useDestination(tiledRoot, result,
                   rewriter.create<tensor::ExtractSliceOp>(loc, tileType, shared, at, size, strides));
    rewriter.setInsertionPointToEnd(forall.getTerminator().getBody());
    rewriter.create<tensor::ParallelInsertSliceOp>(loc, tiledRoot->getResult(result), shared, at, size,
                                                   strides);
  }
  for (auto [op, tiled] : tiledOps)
    for (OpOperand &init : cast<DestinationStyleOpInterface>(tiled).getDpsInitsMutable())
      boundTemporary(init);
  for (auto [i, use] : llvm::enumerate(llvm::to_vector(uses)))
    rewriter.modifyOpInPlace(use, [&] { use.getSourceMutable().set(forall.getResult(i)); });
  return success();
}

/// A root for a result that is an argument, or a view of one: a copy.
linalg::GenericOp copyRoot(RewriterBase &rewriter, bufferization::MaterializeInDestinationOp use) {
  rewriter.setInsertionPoint(use);
  auto type = cast<RankedTensorType>(use.getSource().getType());
  Location loc = use.getLoc();
  Value empty = rewriter.create<tensor::EmptyOp>(loc, tensor::getMixedSizes(rewriter, loc, use.getSource()),
                                                 type.getElementType());
  AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  auto copy = rewriter.create<linalg::GenericOp>(loc, empty.getType(), use.getSource(), empty,
                                                 ArrayRef<AffineMap>{identity, identity}, loops,
                                                 [](OpBuilder &builder, Location loc, ValueRange args) {
                                                   builder.create<linalg::YieldOp>(loc, args[0]);
                                                 });
  rewriter.modifyOpInPlace(use, [&] { use.getSourceMutable().set(copy.getResult(0)); });
  return copy;
}

/// Arithmetic of one iteration: ops of the body, a math function counted as one.
int64_t flopsOf(linalg::LinalgOp op) {
  return llvm::count_if(op.getBlock()->without_terminator(), [](Operation &inner) {
    return isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) &&
           !inner.hasTrait<OpTrait::ConstantLike>() &&
           !isa<CastOpInterface, arith::SelectOp, arith::CmpFOp, arith::CmpIOp>(inner);
  });
}

/// Adds the arithmetic of a tile space to `flops`; forgets it for good if an extent is no function of the
/// constants.
void addFlops(RewriterBase &rewriter, const jit::LaunchConstants &constants, const TileSpace &space,
              std::optional<jit::LaunchExpr> &flops) {
  for (auto &[op, follows] : space.ops()) {
    rewriter.setInsertionPoint(op);
    jit::LaunchExpr product = jit::LaunchExpr::literal(flopsOf(cast<linalg::LinalgOp>(op)));
    for (Range range : cast<TilingInterface>(op).getIterationDomain(rewriter)) {
      std::optional<jit::LaunchExpr> extent = constants.express(range.size);
      if (!extent) {
        flops.reset();
        return;
      }
      product = jit::LaunchExpr::binary(jit::LaunchExpr::Op::Mul, product, *extent);
    }
    if (flops)
      flops = flops->empty() ? product : jit::LaunchExpr::binary(jit::LaunchExpr::Op::Add, *flops, product);
  }
}

/// Whether some loop is known to have no iteration.
bool isEmpty(const TileSpace &space) {
  return llvm::any_of(space.ops(), [](const auto &entry) {
    return llvm::is_contained(cast<linalg::LinalgOp>(entry.first).getStaticLoopRanges(), 0);
  });
}

struct TilePass : impl::TilePassBase<TilePass> {
  using TilePassBase::TilePassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    IRRewriter rewriter(&getContext());
    // Results of one root share its loop.
    llvm::MapVector<Operation *, SmallVector<bufferization::MaterializeInDestinationOp>> roots;
    for (bufferization::MaterializeInDestinationOp use : resultWrites(func)) {
      if (isMadeInPlace(use.getSource())) // the tiles of a template, or a loop kernel
        continue;
      linalg::LinalgOp root = fusibleProducer(use.getSource(), use->getBlock());
      if (!root)
        root = copyRoot(rewriter, use);
      roots[root].push_back(use);
    }
    StringRef name = "copy", composite;
    if (auto attr = func->getAttrOfType<StringAttr>(kCompositeAttr))
      composite = attr.getValue();
    jit::LaunchConstants constants(func);
    std::optional<jit::LaunchExpr> flops = jit::LaunchExpr();
    for (auto &[root, uses] : roots) {
      TileSpace space(cast<linalg::LinalgOp>(root));
      if (isEmpty(space)) {
        // Nothing to write, or nothing to read: no tiles, what is left is done at once.
        for (bufferization::MaterializeInDestinationOp use : uses)
          if (llvm::is_contained(cast<RankedTensorType>(use.getSource().getType()).getShape(), 0))
            rewriter.eraseOp(use);
        continue;
      }
      name = templateName(space, composite);
      addFlops(rewriter, constants, space, flops);
      if (failed(TileBuilder(rewriter, space, chooseTileSizes(space, vectorBits)).build(uses)))
        return signalPassFailure();
    }
    // What was tiled is dead now: the destinations are written by the loops.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
      if (isOpTriviallyDead(&op))
        rewriter.eraseOp(&op);
    if (flops && !flops->empty())
      func->setAttr("kiln.flops", jit::exprToAttr(&getContext(), *flops));
    if (!roots.empty() && !func->hasAttr(kTemplateAttr))
      func->setAttr(kTemplateAttr, rewriter.getStringAttr(name));
  }
};

} // namespace
} // namespace kiln::host
