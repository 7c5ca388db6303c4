// Access.h: how the elements of a value lie in a binding: movement ops followed to the argument they read.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_ACCESS_H
#define KILN_BACKENDS_NPU_TRANSFORMS_ACCESS_H

#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace kiln::npu {

/// One axis of a view: index i of it is `start + i * step` along `axis` of the source; or, if it is indexed,
/// element i along `axis` of the indices is the place along the source's gathered axis.
struct AxisAccess {
  int64_t axis;
  mlir::OpFoldResult start; // a number, or an index argument of the kernel
  int64_t step = 1;
  bool isIndexed = false;
};

/// A value as a view of a kernel's argument.
struct Access {
  mlir::Value source;   // the argument
  mlir::Value indices;  // of a gather: an argument, too
  int64_t gathered = 0; // the source's axis that they are for
  llvm::SmallVector<AxisAccess> axes;
};

/// Whether an op only moves elements and `accessOf` may follow it: transpose, slice, reverse, gather.
bool isView(mlir::Operation *op);

/// The access of an argument, or of a chain of views of one; nothing for other values and for chains that are
/// not followed: steps and reversed extents that are not known, views of what the kernel computes.
std::optional<Access> accessOf(mlir::Value value);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_ACCESS_H
