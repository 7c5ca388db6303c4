// TemplateName.cpp: tells templates apart by the loops of their ops, composites by what stage tensor noted.
#include "backends/host/Transforms/TemplateName.h"

#include "backends/host/Transforms/Contraction.h"

using namespace mlir;

namespace kiln::host {

bool isTransposing(linalg::LinalgOp op) {
  return llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) {
    unsigned last = 0;
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        if (dim.getPosition() < last)
          return true;
        last = dim.getPosition();
      }
    return false;
  });
}

bool hasWindow(const TileSpace &space) {
  return llvm::any_of(space.ops(), [](const auto &entry) {
    return llvm::any_of(cast<linalg::LinalgOp>(entry.first).getIndexingMapsArray(), [](AffineMap map) {
      return llvm::any_of(map.getResults(), [](AffineExpr expr) { return isa<AffineBinaryOpExpr>(expr); });
    });
  });
}

StringRef templateName(const TileSpace &space, StringRef composite) {
  linalg::LinalgOp root = space.root();
  bool isWindowed = hasWindow(space), sumsProducts = false;
  for (auto &[op, follows] : space.ops()) {
    auto contraction = Contraction::match(op);
    if (contraction && !contraction->loops(Role::Rows).empty())
      return isWindowed ? "conv" : "matmul";
    auto structured = cast<linalg::LinalgOp>(op);
    sumsProducts |=
        isSumOfProducts(structured) && op->getOperand(0) != op->getOperand(1); // no sum of squares
  }
  if (isWindowed && space.hasReduction())
    return sumsProducts ? "depthwise" : "pool";
  if (sumsProducts) // a vector's product with a matrix, or with vectors
    return "gemv";
  if (!space.hasReduction())
    return isTransposing(root) ? "transpose" : "elementwise";
  if (!composite.empty())
    return composite;
  return root.getNumReductionLoops() > 0 ? "reduction" : "rows";
}

} // namespace kiln::host
