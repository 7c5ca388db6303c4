// UnpackWeights.cpp: a contraction of a matrix that comes as panels reads the panels. The kernel spells the
// matrix as their transposition and reshape; here the loop over its columns becomes two, over panels and
// inside one.
#include "backends/host/Transforms/Contraction.h"
#include "backends/host/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::host {
#define GEN_PASS_DEF_UNPACKWEIGHTSPASS
#include "backends/host/Transforms/Passes.h.inc"

namespace {

/// Matrices [lead.., k, p * n] as a view of panels [lead.., p, k, n], or whatever order `map` says. In pairs
/// they are [lead.., k * 2, p * n].
struct Panels {
  Value source;  // the argument
  AffineMap map; // (lead.., k, p, n) -> its index; in pairs (lead.., k, 2, p, n)
  bool inPairs;
};

/// Panels behind an operand: a collapse of the last two dimensions of a permuted copy, in pairs of the two
/// before them as well.
std::optional<Panels> panelsBehind(Value matrix) {
  auto collapse = matrix.getDefiningOp<tensor::CollapseShapeOp>();
  auto copy = collapse ? collapse.getSrc().getDefiningOp<linalg::GenericOp>() : linalg::GenericOp();
  if (!copy || copy.getNumDpsInputs() != 1 || copy.getNumParallelLoops() != copy.getNumLoops() ||
      copy.getBody()->getOperations().size() != 1 ||
      copy.getBody()->getTerminator()->getOperand(0) != copy.getBody()->getArgument(0))
    return std::nullopt;
  SmallVector<ReassociationIndices> groups;
  int64_t lead = collapse.getType().getRank() - 2, loops = copy.getNumLoops();
  for (int64_t i = 0; i < lead; ++i)
    groups.push_back({i});
  bool inPairs = loops == lead + 4;
  groups.push_back(inPairs ? ReassociationIndices{lead, lead + 1} : ReassociationIndices{lead});
  groups.push_back({loops - 2, loops - 1});
  SmallVector<AffineMap> maps = copy.getIndexingMapsArray();
  if (collapse.getReassociationIndices() != groups || !maps[0].isPermutation() || !maps[1].isIdentity())
    return std::nullopt;
  return Panels{copy.getDpsInputs()[0], maps[0], inPairs};
}

/// `type` with dimension `at` cut into [.., by], and the groups of its dimensions.
std::pair<RankedTensorType, SmallVector<ReassociationIndices>> cut(RankedTensorType type, int64_t at,
                                                                   int64_t by) {
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    groups.push_back({static_cast<int64_t>(shape.size())});
    shape.push_back(i == at ? type.getDimSize(i) / by : type.getDimSize(i));
    if (i != at)
      continue;
    groups.back().push_back(static_cast<int64_t>(shape.size()));
    shape.push_back(by);
  }
  return {type.clone(shape), groups};
}

/// The contraction with its column loop cut in two: over the panels and inside one. In pairs the sum's loop
/// is cut as well: over pairs and, as the last loop, inside one.
void readPanels(RewriterBase &rewriter, Contraction contraction, const Panels &panels) {
  auto op = cast<linalg::GenericOp>(contraction.op.getOperation());
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  unsigned columns = contraction.vectorLoop, sum = contraction.loops(Role::Sum).front();
  unsigned loops = op.getNumLoops() + (panels.inPairs ? 2 : 1);
  auto dim = [&](unsigned loop) { return rewriter.getAffineDimExpr(loop > columns ? loop + 1 : loop); };
  AffineExpr inside = rewriter.getAffineDimExpr(columns + 1), half = rewriter.getAffineDimExpr(loops - 1);
  SmallVector<AffineMap> maps;
  for (AffineMap map : op.getIndexingMapsArray()) {
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : map.getResults()) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      results.push_back(dim(loop));
      if (loop == columns)
        results.push_back(inside);
      else if (panels.inPairs && loop == sum)
        results.push_back(half);
    }
    maps.push_back(AffineMap::get(loops, 0, results, rewriter.getContext()));
  }
  SmallVector<AffineExpr> at;
  for (AffineExpr expr : op.getIndexingMapsArray()[contraction.right].getResults().drop_back(2))
    at.push_back(dim(cast<AffineDimExpr>(expr).getPosition()));
  at.push_back(dim(sum));
  if (panels.inPairs)
    at.push_back(half);
  at.append({dim(columns), inside});
  maps[contraction.right] = panels.map.compose(AffineMap::get(loops, 0, at, rewriter.getContext()));
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.insert(iterators.begin() + columns, utils::IteratorType::parallel);
  iterators.resize(loops, utils::IteratorType::reduction);

  // Results are contiguous along the columns: their last dimension is the one that is cut.
  Value init = op.getDpsInits()[0];
  auto type = cast<RankedTensorType>(init.getType());
  auto source = cast<RankedTensorType>(panels.source.getType());
  int64_t width = 0;
  for (auto [i, expr] : llvm::enumerate(panels.map.getResults()))
    if (expr == rewriter.getAffineDimExpr(panels.map.getNumDims() - 1))
      width = source.getDimSize(i);
  auto [wide, groups] = cut(type, type.getRank() - 1, width);
  SmallVector<Value> inputs(op.getDpsInputs());
  inputs[contraction.right] = panels.source;
  if (panels.inPairs) {
    Value &left = inputs[contraction.left];
    AffineMap map = op.getIndexingMapsArray()[contraction.left];
    unsigned along = *map.getResultPosition(rewriter.getAffineDimExpr(sum));
    auto [paired, leftGroups] = cut(cast<RankedTensorType>(left.getType()), along, 2);
    left = rewriter.create<tensor::ExpandShapeOp>(loc, paired, left, leftGroups);
  }
  Value start = rewriter.create<tensor::ExpandShapeOp>(loc, wide, init, groups);
  auto product = rewriter.create<linalg::GenericOp>(loc, wide, inputs, start, maps, iterators);
  rewriter.inlineRegionBefore(op.getRegion(), product.getRegion(), product.getRegion().end());
  rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(op, type, product.getResult(0), groups);
}

struct UnpackWeightsPass : impl::UnpackWeightsPassBase<UnpackWeightsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops) {
      std::optional<Contraction> contraction = Contraction::match(op);
      if (!contraction || contraction->loops(Role::Sum).size() != 1)
        continue;
      // The matrices are [lead.., sum, columns], read in that order; all maps are projections.
      AffineMap right = op.getIndexingMapsArray()[contraction->right];
      std::optional<Panels> panels = panelsBehind(op.getDpsInputs()[contraction->right]);
      auto isProjection = [](AffineMap map) { return map.isProjectedPermutation(); };
      if (!panels || !llvm::all_of(op.getIndexingMapsArray(), isProjection) || right.getNumResults() < 2)
        continue;
      unsigned last = right.getNumResults() - 1;
      if (right.getDimPosition(last - 1) != contraction->loops(Role::Sum).front() ||
          right.getDimPosition(last) != contraction->vectorLoop)
        continue;
      readPanels(rewriter, *contraction, *panels);
    }
  }
};

} // namespace
} // namespace kiln::host
