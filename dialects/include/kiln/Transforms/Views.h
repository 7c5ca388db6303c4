// kiln/Transforms/Views.h: buffers seen with other axes, where upstream's ops cannot say it.
#ifndef KILN_TRANSFORMS_VIEWS_H
#define KILN_TRANSFORMS_VIEWS_H

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace kiln {

/// `buffer`, which is dense, with each axis split into a group of axes of `sizes`. memref.expand_shape infers
/// one unknown extent of a group; with several this is a memref.reinterpret_cast.
mlir::Value expandView(mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value buffer,
                       llvm::ArrayRef<mlir::ReassociationIndices> groups,
                       llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// `buffer`, which is dense, with each group of axes merged. An extent of 0 beside unknown ones is forgotten
/// first: memref.collapse_shape wants an unknown product of them, and infers 0.
mlir::Value collapseView(mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value buffer,
                         llvm::ArrayRef<mlir::ReassociationIndices> groups);

} // namespace kiln
#endif // KILN_TRANSFORMS_VIEWS_H
