// kiln/Transforms/ComposeReshapes.h: collapse of expand as one reshape, and an expand's extents, whatever
// extents are known.
#ifndef KILN_TRANSFORMS_COMPOSERESHAPES_H
#define KILN_TRANSFORMS_COMPOSERESHAPES_H

#include "mlir/IR/PatternMatch.h"

namespace kiln {

/// Adds patterns ahead of MLIR's own, which take a group of an expand_shape to have one unknown extent. With
/// several of them a collapse of it becomes an expand_shape without sizes, invalid IR that crashes who reads
/// it, and an extent becomes a quotient by the number that stands for "unknown". Canonicalizations of the
/// kiln dialect; belongs wherever else patterns of ExpandShapeOp, CollapseShapeOp or DimOp run.
void populateComposeReshapes(mlir::RewritePatternSet &patterns);

} // namespace kiln
#endif // KILN_TRANSFORMS_COMPOSERESHAPES_H
