// TemplateName.h: what profiles call the code that a tile space becomes.
#ifndef KILN_BACKENDS_HOST_TRANSFORMS_TEMPLATENAME_H
#define KILN_BACKENDS_HOST_TRANSFORMS_TEMPLATENAME_H

#include "backends/host/Transforms/TileSpace.h"

namespace kiln::host {

/// Attribute of a kernel that is one composite op, by stage tensor: "softmax", "layernorm".
inline constexpr llvm::StringLiteral kCompositeAttr = "kiln.composite";
/// Attribute of a kernel's function: the template that made most of its code.
inline constexpr llvm::StringLiteral kTemplateAttr = "kiln.template";

/// Whether `op` reads an input along other loops than it writes: its tiles are transposed.
bool isTransposing(mlir::linalg::LinalgOp op);
/// Whether some op reads its input through a window: a dimension that several loops move in.
bool hasWindow(const TileSpace &space);
/// One of docs/host-codegen.md's templates. `composite` is the kernel's, or "".
llvm::StringRef templateName(const TileSpace &space, llvm::StringRef composite);

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_TRANSFORMS_TEMPLATENAME_H
