// Passes.h: the passes of the reference lowering.
#ifndef KILN_DEVICEKIT_PASSES_H
#define KILN_DEVICEKIT_PASSES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace kiln::devicekit {

#define GEN_PASS_DECL
#include "devicekit/Passes.h.inc"

/// Stage Tensor's record of a kernel's type.
inline constexpr llvm::StringLiteral kSignatureAttr = "kiln.signature";

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_PASSES_H
