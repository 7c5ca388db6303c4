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

/// The matrix [k, p * n] as a view of panels [p, k, n], or whatever order `map` says.
struct Panels {
  Value source;  // the argument
  AffineMap map; // (k, p, n) -> its index
};

/// Panels behind an operand: a collapse of the last two dimensions of a permuted copy.
std::optional<Panels> panelsBehind(Value matrix) {
  auto collapse = matrix.getDefiningOp<tensor::CollapseShapeOp>();
  auto copy = collapse ? collapse.getSrc().getDefiningOp<linalg::GenericOp>() : linalg::GenericOp();
  SmallVector<ReassociationIndices> columns{{0}, {1, 2}};
  if (!copy || collapse.getReassociationIndices() != columns || copy.getNumDpsInputs() != 1 ||
      copy.getNumParallelLoops() != 3 || copy.getBody()->getOperations().size() != 1 ||
      copy.getBody()->getTerminator()->getOperand(0) != copy.getBody()->getArgument(0))
    return std::nullopt;
  SmallVector<AffineMap> maps = copy.getIndexingMapsArray();
  if (!maps[0].isPermutation() || !maps[1].isIdentity())
    return std::nullopt;
  return Panels{copy.getDpsInputs()[0], maps[0]};
}

/// The contraction with its column loop cut in two: over the panels and inside one.
void readPanels(RewriterBase &rewriter, Contraction contraction, const Panels &panels) {
  auto op = cast<linalg::GenericOp>(contraction.op.getOperation());
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  unsigned columns = contraction.vectorLoop, sum = contraction.loops(Role::Sum).front();
  unsigned loops = op.getNumLoops() + 1;
  auto dim = [&](unsigned loop) { return rewriter.getAffineDimExpr(loop > columns ? loop + 1 : loop); };
  SmallVector<AffineMap> maps;
  for (AffineMap map : op.getIndexingMapsArray()) {
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : map.getResults()) {
      results.push_back(dim(cast<AffineDimExpr>(expr).getPosition()));
      if (results.back() == dim(columns))
        results.push_back(rewriter.getAffineDimExpr(columns + 1));
    }
    maps.push_back(AffineMap::get(loops, 0, results, rewriter.getContext()));
  }
  AffineMap index = AffineMap::get(loops, 0, {dim(sum), dim(columns), rewriter.getAffineDimExpr(columns + 1)},
                                   rewriter.getContext());
  maps[contraction.right] = panels.map.compose(index);
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  iterators.insert(iterators.begin() + columns, utils::IteratorType::parallel);

  // Results are contiguous along the columns: their last dimension is the one that is cut.
  Value init = op.getDpsInits()[0];
  auto type = cast<RankedTensorType>(init.getType());
  auto source = cast<RankedTensorType>(panels.source.getType());
  SmallVector<int64_t> shape(type.getShape().drop_back());
  for (unsigned position : {1u, 2u}) // of p and n in (k, p, n)
    for (auto [i, expr] : llvm::enumerate(panels.map.getResults()))
      if (expr == rewriter.getAffineDimExpr(position))
        shape.push_back(source.getDimSize(i));
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < type.getRank(); ++i)
    groups.push_back({i});
  groups.back().push_back(type.getRank());
  auto wide = RankedTensorType::get(shape, type.getElementType());
  SmallVector<Value> inputs(op.getDpsInputs());
  inputs[contraction.right] = panels.source;
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
      // The matrix is [sum, columns], read in that order; all maps are projections.
      AffineMap right = op.getIndexingMapsArray()[contraction->right];
      std::optional<Panels> panels = panelsBehind(op.getDpsInputs()[contraction->right]);
      auto isProjection = [](AffineMap map) { return map.isProjectedPermutation(); };
      if (!panels || right.getNumResults() != 2 || !llvm::all_of(op.getIndexingMapsArray(), isProjection) ||
          right.getDimPosition(0) != contraction->loops(Role::Sum).front() ||
          right.getDimPosition(1) != contraction->vectorLoop)
        continue;
      readPanels(rewriter, *contraction, *panels);
    }
  }
};

} // namespace
} // namespace kiln::host
