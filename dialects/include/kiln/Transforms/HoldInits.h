// kiln/Transforms/HoldInits.h: rewriting with upstream's fusion patterns without losing what reductions start
// from.
#ifndef KILN_TRANSFORMS_HOLDINITS_H
#define KILN_TRANSFORMS_HOLDINITS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace kiln {

/// Applies patterns greedily to a function. Upstream's fusion drops the initial value of a reduction whose
/// body does not read it, as that of a product by 0, though it is the result where there is nothing to
/// reduce. Here every such body reads it until the patterns are done.
llvm::LogicalResult applyPatternsHoldingInits(mlir::func::FuncOp function,
                                              const mlir::FrozenRewritePatternSet &patterns);

} // namespace kiln
#endif // KILN_TRANSFORMS_HOLDINITS_H
