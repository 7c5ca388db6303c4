// TileSpace.h: which loops of a root op can be distributed, what tile of every producer a tile of the root
// needs.
#ifndef KILN_BACKENDS_HOST_TRANSFORMS_TILESPACE_H
#define KILN_BACKENDS_HOST_TRANSFORMS_TILESPACE_H

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

namespace kiln::host {

/// Extents that are not known count as this many when work is estimated.
constexpr int64_t kAssumedExtent = 256;

/// The tile space of one root: a subset of its parallel loops, and for the root and each producer that is
/// fused into the tile, by loop of that op, the root's loop whose tile it follows (kWhole: it runs over its
/// whole extent). Refers to the ops; valid until one of them is erased.
class TileSpace {
public:
  static constexpr int kWhole = -1;
  using Follows = llvm::SmallVector<int>;

  explicit TileSpace(mlir::linalg::LinalgOp root);

  mlir::linalg::LinalgOp root() const { return theRoot; }
  /// The root's loops that tiles may cut, outer to inner.
  llvm::ArrayRef<unsigned> loops() const { return theLoops; }
  /// The root first, then producers such that every op stands behind all its consumers.
  const llvm::MapVector<mlir::Operation *, Follows> &ops() const { return theOps; }
  bool hasReduction() const;
  /// Iterations of the longest op for one point of the tile space; an unknown extent counts `unknown`.
  int64_t workPerPoint(int64_t unknown) const;
  /// Weighted ops of all bodies: how expensive an iteration is.
  unsigned bodyOps() const;

private:
  bool propagate();
  bool request(mlir::linalg::LinalgOp producer, unsigned result, llvm::ArrayRef<int> dims);
  bool drop(int loop);

  mlir::linalg::LinalgOp theRoot;
  llvm::SmallVector<unsigned> theLoops;
  llvm::MapVector<mlir::Operation *, Follows> theOps;
};

/// The results of a kernel as they are written into their buffers.
llvm::SmallVector<mlir::bufferization::MaterializeInDestinationOp> resultWrites(mlir::func::FuncOp func);

/// Whether loops, branches or updates of single parts make `value`, in place: it has no tiles.
bool isMadeInPlace(mlir::Value value);

/// The op that makes `value` and can be fused into a tile of its consumers: a structured op of the same
/// block.
mlir::linalg::LinalgOp fusibleProducer(mlir::Value value, mlir::Block *block);

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_TRANSFORMS_TILESPACE_H
