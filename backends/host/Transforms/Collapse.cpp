// Collapse.cpp: merges neighbouring loops that are neighbours in every operand, the same ones in all ops of a
// kernel.
#include "backends/host/Transforms/Passes.h"
#include "kiln/Transforms/ComposeReshapes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_COLLAPSEPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

/// Which neighbouring loops of every op, and dimensions of every tensor between them, can be merged. A
/// greatest fixpoint: everything can until an op or another user of a tensor says no.
class MergeAnalysis {
public:
  explicit MergeAnalysis(func::FuncOp func) {
    func.walk([&](linalg::GenericOp op) {
      if (op.hasPureTensorSemantics())
        ops.push_back(op);
    });
    for (linalg::GenericOp op : ops)
      for (Value operand : op->getOperands())
        if (auto type = dyn_cast<RankedTensorType>(operand.getType()); type && !isDense(operand))
          for (int64_t dim = 0; dim + 1 < type.getRank(); ++dim)
            forbid(operand, dim);
    while (step()) {
    }
  }

  /// Loops of `op` that run as one, outer to inner; all in groups of one if none are merged.
  SmallVector<ReassociationIndices> groups(linalg::GenericOp op) {
    SmallVector<ReassociationIndices> result;
    for (int64_t loop = 0, e = op.getNumLoops(); loop < e; ++loop)
      if (loop > 0 && mergesLoops(op, loop - 1))
        result.back().push_back(loop);
      else
        result.push_back({loop});
    return result;
  }

  ArrayRef<linalg::GenericOp> all() const { return ops; }

private:
  /// Whether a tensor's buffer will be dense: a part of one is not, and padding is made tile by tile.
  static bool isDense(Value tensor) {
    Operation *op = tensor.getDefiningOp();
    if (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(op))
      return isDense(op->getOperand(0));
    return !op || isa<linalg::LinalgOp, tensor::EmptyOp, arith::ConstantOp>(op);
  }

  /// Whether dims `dim` and `dim + 1` of a tensor may be merged; tensors nobody forbids may.
  bool mergesDims(Value tensor, unsigned dim) { return !forbidden.contains({tensor, dim}); }

  /// The place of `loop` in `map`; nothing if it is used otherwise than as one plain dimension.
  static std::optional<unsigned> placeOf(AffineMap map, unsigned loop) {
    std::optional<unsigned> place;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      if (!expr.isFunctionOfDim(loop))
        continue;
      if (!isa<AffineDimExpr>(expr) || place)
        return std::nullopt;
      place = i;
    }
    return place;
  }

  bool mergesLoops(linalg::GenericOp op, unsigned loop) {
    auto types = op.getIteratorTypesArray();
    // Windows and constant indices keep their loops.
    if (llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) { return !map.isProjectedPermutation(); }))
      return false;
    if (types[loop] != types[loop + 1] || readsIndex(op, loop) || readsIndex(op, loop + 1))
      return false;
    for (OpOperand &use : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&use);
      bool first = map.isFunctionOfDim(loop), second = map.isFunctionOfDim(loop + 1);
      if (!first && !second)
        continue;
      std::optional<unsigned> a = placeOf(map, loop), b = placeOf(map, loop + 1);
      if (!a || !b || *b != *a + 1 || !mergesDims(use.get(), *a))
        return false;
      // Nothing beside something dynamic is dynamic to a reshape's type inference, and nothing is to be run.
      auto type = cast<RankedTensorType>(use.get().getType());
      if (type.getDimSize(*a) == 0 || type.getDimSize(*b) == 0)
        return false;
    }
    return true;
  }

  static bool readsIndex(linalg::GenericOp op, unsigned loop) {
    return llvm::any_of(op.getBody()->getOps<linalg::IndexOp>(),
                        [&](linalg::IndexOp index) { return index.getDim() == loop; });
  }

  bool forbid(Value tensor, unsigned dim) { return forbidden.insert({tensor, dim}).second; }

  bool step() {
    bool changed = false;
    for (linalg::GenericOp op : ops) {
      for (OpOperand &use : op->getOpOperands()) {
        AffineMap map = op.getMatchingIndexingMap(&use);
        for (unsigned dim = 0; dim + 1 < map.getNumResults(); ++dim) {
          auto a = dyn_cast<AffineDimExpr>(map.getResult(dim)),
               b = dyn_cast<AffineDimExpr>(map.getResult(dim + 1));
          bool merges = a && b && b.getPosition() == a.getPosition() + 1 && mergesLoops(op, a.getPosition());
          if (!merges) {
            changed |= forbid(use.get(), dim);
            if (use.getOperandNumber() >= op.getNumDpsInputs())
              changed |= forbid(op->getResult(use.getOperandNumber() - op.getNumDpsInputs()), dim);
          }
        }
      }
      // An output and its init, and what other ops make of it, agree.
      for (auto [init, result] : llvm::zip_equal(op.getDpsInits(), op->getResults()))
        for (int64_t dim = 0, e = cast<RankedTensorType>(result.getType()).getRank(); dim + 1 < e; ++dim) {
          bool otherUser = llvm::any_of(result.getUsers(), [](Operation *user) {
            return !isa<linalg::GenericOp, func::ReturnOp, tensor::DimOp>(user);
          });
          if (otherUser || !mergesDims(init, dim) || !mergesDims(result, dim)) {
            changed |= forbid(init, dim);
            changed |= forbid(result, dim);
          }
        }
    }
    return changed;
  }

  SmallVector<linalg::GenericOp> ops;
  llvm::DenseSet<std::pair<Value, unsigned>> forbidden;
};

/// Rewrites one op to run its groups of loops as one loop each. (linalg::collapseOpIterationDims cannot
/// expand a result with two dynamic extents in a group.)
class Collapser {
public:
  Collapser(RewriterBase &rewriter, linalg::GenericOp op, ArrayRef<ReassociationIndices> groups)
      : rewriter(rewriter), op(op), groupOf(op.getNumLoops()), loops(groups.size()) {
    for (auto [i, group] : llvm::enumerate(groups))
      for (int64_t loop : group)
        groupOf[loop] = i;
    for (const ReassociationIndices &group : groups)
      types.push_back(op.getIteratorTypesArray()[group.front()]);
  }

  void run() {
    rewriter.setInsertionPoint(op);
    SmallVector<Value> operands;
    SmallVector<AffineMap> maps;
    SmallVector<SmallVector<ReassociationIndices>> dims;
    for (OpOperand &use : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&use);
      dims.push_back(dimGroups(map));
      maps.push_back(collapsedMap(map));
      bool changes = dims.back().size() < map.getNumResults();
      operands.push_back(changes
                             ? rewriter.create<tensor::CollapseShapeOp>(op.getLoc(), use.get(), dims.back())
                             : use.get());
    }
    unsigned inputs = op.getNumDpsInputs();
    ArrayRef<Value> all(operands);
    auto collapsed =
        rewriter.create<linalg::GenericOp>(op.getLoc(), TypeRange(ValueRange(all.drop_front(inputs))),
                                           all.take_front(inputs), all.drop_front(inputs), maps, types);
    rewriter.inlineRegionBefore(op.getRegion(), collapsed.getRegion(), collapsed.getRegion().end());
    for (auto index : collapsed.getBody()->getOps<linalg::IndexOp>())
      index.setDim(groupOf[index.getDim()]);
    SmallVector<Value> results;
    for (auto [i, result] : llvm::enumerate(collapsed->getResults())) {
      Value init = op.getDpsInitOperand(i)->get();
      auto type = cast<RankedTensorType>(init.getType());
      results.push_back(result.getType() == type ? Value(result)
                                                 : rewriter.create<tensor::ExpandShapeOp>(
                                                       op.getLoc(), type, result, dims[inputs + i],
                                                       tensor::getMixedSizes(rewriter, op.getLoc(), init)));
    }
    rewriter.replaceOp(op, results);
  }

private:
  /// The dimensions of an operand that become one.
  SmallVector<ReassociationIndices> dimGroups(AffineMap map) {
    SmallVector<ReassociationIndices> result;
    int64_t before = -1;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      int64_t group = groupOf[cast<AffineDimExpr>(expr).getPosition()];
      if (group != before)
        result.emplace_back();
      result.back().push_back(i);
      before = group;
    }
    return result;
  }
  AffineMap collapsedMap(AffineMap map) {
    SmallVector<AffineExpr> exprs;
    for (const ReassociationIndices &dims : dimGroups(map))
      exprs.push_back(
          rewriter.getAffineDimExpr(groupOf[cast<AffineDimExpr>(map.getResult(dims.front())).getPosition()]));
    return AffineMap::get(loops, 0, exprs, rewriter.getContext());
  }

  RewriterBase &rewriter;
  linalg::GenericOp op;
  SmallVector<int64_t> groupOf; // by loop
  unsigned loops;               // of the collapsed op
  SmallVector<utils::IteratorType> types;
};

struct CollapsePass : impl::CollapsePassBase<CollapsePass> {
  void runOnOperation() override {
    MergeAnalysis analysis(getOperation());
    SmallVector<std::pair<linalg::GenericOp, SmallVector<ReassociationIndices>>> work;
    for (linalg::GenericOp op : analysis.all())
      if (auto groups = analysis.groups(op); groups.size() < op.getNumLoops())
        work.emplace_back(op, std::move(groups));
    if (work.empty())
      return;
    IRRewriter rewriter(&getContext());
    for (auto &[op, groups] : work)
      Collapser(rewriter, op, groups).run();
    // Between two collapsed ops an expansion meets a collapse.
    RewritePatternSet patterns(&getContext());
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, &getContext());
    populateComposeReshapes(patterns);
    tensor::CastOp::getCanonicalizationPatterns(patterns, &getContext());
    tensor::populateFoldTensorEmptyPatterns(patterns);
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    tensor::DimOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace kiln::host
