// Gather.h: folding of shape ops on constants: each element of the result is an element of an operand.
#ifndef KILN_IR_GATHER_H
#define KILN_IR_GATHER_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace kiln {

/// Larger constants are left to the program's prologue.
inline constexpr int64_t kMaxFoldedElements = 1024;

/// Whether `type` is static and small enough to fold.
bool isFoldable(mlir::Type type);

/// The constant behind fold()'s attribute, if its elements can be read.
mlir::DenseElementsAttr denseConstant(mlir::Attribute attribute);

/// The constant of `type` whose element at `index` is `elementAt(index)`; null if `type` is not foldable.
mlir::Attribute foldElements(mlir::Type type,
                             llvm::function_ref<mlir::Attribute(llvm::ArrayRef<int64_t> index)> elementAt);

/// The constant of `type` whose element at `index` is that of `source` at `sourceIndex(index)`. A splat stays
/// one at any size. Null if `type` is not foldable or `source` is null.
mlir::Attribute
foldGather(mlir::DenseElementsAttr source, mlir::Type type,
           llvm::function_ref<llvm::SmallVector<int64_t>(llvm::ArrayRef<int64_t> index)> sourceIndex);

} // namespace kiln
#endif // KILN_IR_GATHER_H
