// PoolingToLinalg.h: the pooling half of the contraction family's lowering, and the padding and cutting that
// conv shares.
#ifndef KILN_DIALECTS_TRANSFORMS_POOLINGTOLINALG_H
#define KILN_DIALECTS_TRANSFORMS_POOLINGTOLINALG_H

#include "mlir/Transforms/DialectConversion.h"

namespace kiln {

/// Pads the last axes of `x`, one an entry of `low`, with `value`; itself if there is nothing to pad.
mlir::Value padWindowed(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                        llvm::ArrayRef<mlir::OpFoldResult> low, llvm::ArrayRef<mlir::OpFoldResult> high,
                        mlir::TypedAttr value);

/// Cuts off what no window reads along the last axes of `x`, where there is one window only: its loop is
/// dropped as a unit extent, and the others would be taken to run over the whole axis. `reaches`: elements
/// from a window's first to its last.
mlir::Value trimWindowed(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                         llvm::ArrayRef<mlir::OpFoldResult> outputs, llvm::ArrayRef<int64_t> reaches);

void populatePoolingToLinalg(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace kiln

#endif // KILN_DIALECTS_TRANSFORMS_POOLINGTOLINALG_H
