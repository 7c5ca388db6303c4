// Window.h: the sliding window of convolution and pooling: checks, extents, reified extents.
#ifndef KILN_DIALECTS_IR_WINDOW_H
#define KILN_DIALECTS_IR_WINDOW_H

#include "dialects/IR/Checks.h"

namespace kiln {

/// A window over spatial axes: borrowed lists, one entry an axis; `pads` the low ones, then the high ones.
struct Window {
  llvm::ArrayRef<int64_t> kernel, strides, pads, dilations;
  bool ceilMode = false;

  /// Checks the lists' lengths and entries. Dynamic kernel extents pass.
  mlir::LogicalResult checkLists(Emit emit, int64_t spatialRank) const;
  /// Checks that the window fits `spatial`, which may be partly dynamic. Needs lists that passed.
  mlir::LogicalResult checkFits(Emit emit, llvm::ArrayRef<int64_t> spatial) const;
  /// The number of windows along axis `i` of extent `extent`; dynamic if that or the kernel's is.
  int64_t outputExtent(unsigned i, int64_t extent) const;
  /// The same, as a value: `kernelExtent` stands for a dynamic kernel.
  mlir::OpFoldResult reifyOutputExtent(mlir::OpBuilder &builder, mlir::Location loc, unsigned i,
                                       mlir::OpFoldResult extent, mlir::OpFoldResult kernelExtent) const;
};

} // namespace kiln

#endif // KILN_DIALECTS_IR_WINDOW_H
