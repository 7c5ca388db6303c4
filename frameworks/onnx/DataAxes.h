// DataAxes.h: axes that are not known before the model runs, as arithmetic on extents.
#ifndef KILN_ONNX_DATAAXES_H
#define KILN_ONNX_DATAAXES_H

#include "frameworks/onnx/Node.h"

namespace kiln::onnx {

/// Axes of a tensor of known rank, each a number of the program. An op along such an axis works on the
/// tensor seen as [outer, extent, inner] around it, which is a reshape and moves nothing. Borrows the node.
class DataAxes {
public:
  /// Input `i` of the node, read back from data; negative axes count from the end of `rank`.
  static Result<DataAxes> read(Node &node, unsigned i, int64_t rank, llvm::StringRef what);

  /// Axes that are numbers already, counted from 0.
  DataAxes(IndexMath &math, int64_t rank, Extents axes = {})
      : math(math), rank(rank), axes(std::move(axes)) {}

  llvm::ArrayRef<Extent> all() const { return axes; }

  /// The extent of `shape` along `axis`.
  Extent extentAlong(llvm::ArrayRef<Extent> shape, Extent axis);
  /// [outer, extent, inner].
  Extents around(llvm::ArrayRef<Extent> shape, Extent axis);
  /// `shape` with another extent along `axis`.
  Extents replaced(llvm::ArrayRef<Extent> shape, Extent axis, Extent extent);
  /// `shape` without all of the axes.
  Extents removed(llvm::ArrayRef<Extent> shape);
  /// `shape`, whose rank is that of the result less the axes, with extents of 1 at the axes.
  Extents inserted(llvm::ArrayRef<Extent> shape);
  /// By axis of the tensor, `values[k]` at `axes[k]`, else 0.
  Extents spread(llvm::ArrayRef<Extent> values);

private:
  Extent isAt(Extent axis, int64_t position) {
    return math.compare(mlir::arith::CmpIPredicate::eq, axis, math.constant(position));
  }
  /// 1 if `position` is one of the axes.
  Extent contains(int64_t position);

  IndexMath &math;
  int64_t rank;
  Extents axes;
};

} // namespace kiln::onnx
#endif // KILN_ONNX_DATAAXES_H
