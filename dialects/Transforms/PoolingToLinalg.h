// PoolingToLinalg.h: the pooling half of the contraction family's lowering, and the padding that conv shares.
#ifndef KILN_DIALECTS_TRANSFORMS_POOLINGTOLINALG_H
#define KILN_DIALECTS_TRANSFORMS_POOLINGTOLINALG_H

#include "mlir/Transforms/DialectConversion.h"

namespace kiln {

/// Pads the last axes of `x`, one an entry of `low`, with `value`; itself if there is nothing to pad.
mlir::Value padWindowed(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                        llvm::ArrayRef<mlir::OpFoldResult> low, llvm::ArrayRef<mlir::OpFoldResult> high,
                        mlir::TypedAttr value);

void populatePoolingToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace kiln

#endif // KILN_DIALECTS_TRANSFORMS_POOLINGTOLINALG_H
