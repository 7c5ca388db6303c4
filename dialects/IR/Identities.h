// Identities.h: algebraic identities of elementwise ops.
#ifndef KILN_IR_IDENTITIES_H
#define KILN_IR_IDENTITIES_H

#include "mlir/IR/PatternMatch.h"

namespace kiln {

/// Identities that hold for every value of a type, NaN and signed zeros included.
void populateIdentities(mlir::RewritePatternSet &patterns);

} // namespace kiln
#endif // KILN_IR_IDENTITIES_H
