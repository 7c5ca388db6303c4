// ComposeReshapes.h: collapse of expand as one reshape, whatever extents are known.
#ifndef KILN_HOST_TRANSFORMS_COMPOSERESHAPES_H
#define KILN_HOST_TRANSFORMS_COMPOSERESHAPES_H

#include "mlir/IR/PatternMatch.h"

namespace kiln::host {

/// Adds the pattern ahead of MLIR's own, which makes an expand_shape without sizes where a group has several
/// unknown extents: invalid IR that crashes who reads it. Belongs wherever CollapseShapeOp's patterns run.
void populateComposeReshapes(mlir::RewritePatternSet &patterns);

} // namespace kiln::host
#endif // KILN_HOST_TRANSFORMS_COMPOSERESHAPES_H
