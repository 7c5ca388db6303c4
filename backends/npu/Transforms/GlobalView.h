// GlobalView.h: strides and windows of dense row-major buffers in global memory.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_GLOBALVIEW_H
#define KILN_BACKENDS_NPU_TRANSFORMS_GLOBALVIEW_H

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace kiln::npu {

/// Index arithmetic that folds constants.
class IndexMath {
public:
  IndexMath(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}
  mlir::OpFoldResult add(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult sub(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult mul(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult div(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult ceilDiv(mlir::OpFoldResult a, int64_t b);
  mlir::OpFoldResult rem(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult min(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult max(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult constant(int64_t value) { return builder.getIndexAttr(value); }
  mlir::Value value(mlir::OpFoldResult x);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// The extent of an axis: static, or a memref.dim.
mlir::OpFoldResult extentOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memref, int64_t axis);
/// The distance of neighbours along an axis, in elements.
mlir::OpFoldResult strideOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memref, int64_t axis);
/// A window of a buffer; extents and strides of one or two axes, innermost last.
mlir::Value windowOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memref,
                     mlir::OpFoldResult offset, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                     llvm::ArrayRef<mlir::OpFoldResult> strides);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_GLOBALVIEW_H
