// AxisGroups.h: neighbouring axes of a tensor taken together, so that a lowering has few loops whatever the
// rank.
#ifndef KILN_DIALECTS_TRANSFORMS_AXISGROUPS_H
#define KILN_DIALECTS_TRANSFORMS_AXISGROUPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace kiln {

/// A tensor whose axes are split into consecutive groups; each becomes one axis, those without axes none. A
/// value type that keeps no builder.
class AxisGroups {
public:
  /// `counts` are the axes of each group, together those of `tensor`.
  AxisGroups(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
             llvm::ArrayRef<int64_t> counts);

  /// With one axis a group.
  mlir::Value tensor() const { return collapsed; }
  mlir::RankedTensorType type() const { return llvm::cast<mlir::RankedTensorType>(collapsed.getType()); }
  bool has(size_t group) const { return !groups[group].sizes.empty(); }
  /// The product of the group's extents; null without axes.
  mlir::OpFoldResult extent(size_t group) const { return groups[group].extent; }
  /// The group's own extents.
  llvm::SmallVector<mlir::OpFoldResult> sizes(size_t group) const { return groups[group].sizes; }
  /// Of one entry a group, those of groups that have axes.
  template <typename T> llvm::SmallVector<T> of(llvm::ArrayRef<T> entries) const {
    llvm::SmallVector<T> kept;
    for (auto [entry, group] : llvm::zip_equal(entries, groups))
      if (!group.sizes.empty())
        kept.push_back(entry);
    return kept;
  }

  /// The other way round: each axis of `tensor` as the axes of one group of `counts` that has some, with
  /// extents `sizes`.
  static mlir::Value expand(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
                            llvm::ArrayRef<int64_t> counts, llvm::ArrayRef<mlir::OpFoldResult> sizes);

private:
  struct Group {
    llvm::SmallVector<mlir::OpFoldResult> sizes;
    mlir::OpFoldResult extent;
  };
  llvm::SmallVector<Group> groups;
  mlir::Value collapsed;
};

/// The loops over groups of which some have no axes.
class GroupLoops {
public:
  explicit GroupLoops(llvm::ArrayRef<bool> exist) : exist(exist) {}

  /// The extents of the loops that there are.
  llvm::SmallVector<mlir::OpFoldResult> sizes(llvm::ArrayRef<mlir::OpFoldResult> extents) const;
  /// The map of an operand that has an axis for each of `used`, as far as these exist.
  mlir::AffineMap map(mlir::Builder &builder, llvm::ArrayRef<size_t> used) const;
  /// linalg.index of a loop, in a body; null if it does not exist.
  mlir::Value index(mlir::OpBuilder &builder, mlir::Location loc, size_t loop) const;

private:
  unsigned position(size_t loop) const { return llvm::count(llvm::ArrayRef(exist).take_front(loop), true); }
  llvm::SmallVector<bool> exist;
};

} // namespace kiln

#endif // KILN_DIALECTS_TRANSFORMS_AXISGROUPS_H
