// kiln/Transforms/Passes.h: the passes on kiln ops that every target shares.
#ifndef KILN_TRANSFORMS_PASSES_H
#define KILN_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace kiln {

/// Canonicalizations, by name, that are not for programs.
inline constexpr llvm::StringLiteral kDisabledPatterns[] = {
    // Takes the type of what a loop starts from for that of what it carries, whatever its rounds yield.
    "(anonymous namespace)::ForOpTensorCastFolder",
    // Makes arith.select of tensors, which would compute both.
    "(anonymous namespace)::ConvertTrivialIfToSelect",
};

/// On a cf.assert: its message goes on with the operands of the comparison that failed.
inline constexpr llvm::StringLiteral kShowsOperandsAttr = "kiln.shows_operands";

#define GEN_PASS_DECL
#include "kiln/Transforms/Passes.h.inc"

/// registerKilnPasses() registers all of them with MLIR's global table, for command lines.
#define GEN_PASS_REGISTRATION
#include "kiln/Transforms/Passes.h.inc"

} // namespace kiln

#endif // KILN_TRANSFORMS_PASSES_H
