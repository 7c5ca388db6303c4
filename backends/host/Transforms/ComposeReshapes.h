// ComposeReshapes.h: collapse of expand as one reshape, and an expand's extents, whatever extents are known.
#ifndef KILN_HOST_TRANSFORMS_COMPOSERESHAPES_H
#define KILN_HOST_TRANSFORMS_COMPOSERESHAPES_H

#include "mlir/IR/PatternMatch.h"

namespace kiln::host {

/// Adds patterns ahead of MLIR's own, which take a group of an expand_shape to have one unknown extent. With
/// several of them a collapse of it becomes an expand_shape without sizes, invalid IR that crashes who reads
/// it, and an extent becomes a quotient by the number that stands for "unknown". Belongs wherever patterns of
/// ExpandShapeOp, CollapseShapeOp or DimOp run.
void populateComposeReshapes(mlir::RewritePatternSet &patterns);

} // namespace kiln::host
#endif // KILN_HOST_TRANSFORMS_COMPOSERESHAPES_H
