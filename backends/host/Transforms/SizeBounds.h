// SizeBounds.h: how large sizes that are not known can become.
#ifndef KILN_BACKENDS_HOST_TRANSFORMS_SIZEBOUNDS_H
#define KILN_BACKENDS_HOST_TRANSFORMS_SIZEBOUNDS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace kiln::host {

/// The largest that each size can become, so that a buffer for it has a known size even where the last tile
/// is shorter than the others; the size itself if there is no such number.
llvm::SmallVector<mlir::OpFoldResult> upperBounds(mlir::Builder &builder,
                                                  llvm::ArrayRef<mlir::OpFoldResult> sizes);

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_TRANSFORMS_SIZEBOUNDS_H
