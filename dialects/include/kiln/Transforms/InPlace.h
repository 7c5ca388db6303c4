// kiln/Transforms/InPlace.h: results that are made in the buffer they go to.
#ifndef KILN_TRANSFORMS_INPLACE_H
#define KILN_TRANSFORMS_INPLACE_H

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/PatternMatch.h"

namespace kiln {

/// Lets what makes the source of `use` start from its destination: the updates of loops, branches and
/// structured ops are followed back to the empty tensor they start from. Does nothing if they start from
/// something else; bufferization then copies.
void writeInPlace(mlir::RewriterBase &rewriter, mlir::bufferization::MaterializeInDestinationOp use);

} // namespace kiln
#endif // KILN_TRANSFORMS_INPLACE_H
