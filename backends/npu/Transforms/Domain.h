// Domain.h: the loops that all values of a vector kernel share, merged into as few as possible.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_DOMAIN_H
#define KILN_BACKENDS_NPU_TRANSFORMS_DOMAIN_H

#include "backends/npu/Transforms/Access.h"

#include "llvm/ADT/EquivalenceClasses.h"

namespace kiln::npu {

/// The extents of a ranked tensor.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// One axis of a value.
using Axis = std::pair<void *, int64_t>;

/// An axis of one of the kernel's arguments or results: where to read an extent.
using BindingAxis = std::pair<mlir::Value, int64_t>;

/// The iteration space of a kernel of elementwise ops, reductions and views: groups of adjacent axes that
/// every value has or lacks as a whole, outermost first.
class Domain {
public:
  /// Fails with a diagnostic on the op that does not fit: an op that is not lowered, a reshape that mixes
  /// axes, an order of axes that differs between values.
  static mlir::FailureOr<Domain> create(KernelOp kernel);

  size_t groupCount() const { return groups.size(); }
  /// The product of a group's extents; dynamic if one of them is.
  int64_t extent(size_t group) const { return groups[group].extent; }
  /// Whether a value has the group's axes.
  bool has(mlir::Value value, size_t group) const { return !axesOf(value, group).empty(); }
  /// The axes of `value` in a group, outermost first.
  llvm::SmallVector<int64_t> axesOf(mlir::Value value, size_t group) const;
  /// Whether a reduction of the kernel drops the group.
  bool isReduced(size_t group) const { return groups[group].isReduced; }
  /// The axes whose extents' product is a dynamic group's.
  llvm::ArrayRef<BindingAxis> extentAxes(size_t group) const { return groups[group].extentAxes; }
  /// The values that are computed or read: arguments, views of arguments, results of ops; of
  /// constants those that are results.
  llvm::ArrayRef<mlir::Value> allValues() const { return values; }
  /// Puts a group of extent 1 in front, for kernels of one group or none, or of reduced groups alone.
  void addUnitGroup() { groups.insert(groups.begin(), Group{{}, 1, false, {}}); }

private:
  struct Group {
    llvm::SmallVector<Axis> classes; // their leaders
    int64_t extent;
    bool isReduced;
    llvm::SmallVector<BindingAxis> extentAxes;
  };
  mlir::LogicalResult unify(KernelOp kernel);
  mlir::LogicalResult unifyOp(mlir::Operation *op);
  void unite(mlir::Value a, int64_t axisA, mlir::Value b, int64_t axisB);
  mlir::LogicalResult order();
  void merge();
  bool areAdjacent(mlir::Value view, const Axis &outer, const Axis &inner) const;
  mlir::LogicalResult findExtents(KernelOp kernel);
  Axis leader(mlir::Value value, int64_t axis) const;
  llvm::SmallVector<Axis> classesOf(mlir::Value value) const;

  llvm::EquivalenceClasses<Axis> classes;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> reduced; // axes of reductions' inputs
  llvm::SmallVector<mlir::Value> values;
  std::vector<Group> groups;
};

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_DOMAIN_H
