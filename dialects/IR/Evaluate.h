// Evaluate.h: elementwise ops on constants, by folding what buildScalar builds.
#ifndef KILN_IR_EVALUATE_H
#define KILN_IR_EVALUATE_H

#include "kiln/IR/Kiln.h"

namespace kiln {

/// The result of `op` on constant operands; null if it has more than kMaxFoldedElements, is not static, or
/// builds an op that does not fold. A result of splats is a splat at any size.
mlir::DenseElementsAttr evaluateElementwise(ElementwiseOpInterface op,
                                            llvm::ArrayRef<mlir::DenseElementsAttr> operands);

} // namespace kiln
#endif // KILN_IR_EVALUATE_H
