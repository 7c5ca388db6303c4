// kiln/Transforms/RefineControlFlow.h: types that control flow hides.
#ifndef KILN_TRANSFORMS_REFINECONTROLFLOW_H
#define KILN_TRANSFORMS_REFINECONTROLFLOW_H

#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace kiln {

/// Results of scf.if get the extents that both branches know.
void populateRefineControlFlow(mlir::RewritePatternSet &patterns);

/// Values that scf.for carries get the extents that the first round starts with and every round keeps. To
/// find out, a copy of the loop is refined with `patterns` on that assumption. Whether a loop changed.
bool refineLoops(mlir::Region &region, const mlir::FrozenRewritePatternSet &patterns);

} // namespace kiln
#endif // KILN_TRANSFORMS_REFINECONTROLFLOW_H
