// PackedPairs.h: factors of a product of 16-bit numbers as pairs of neighbours along the sum.
#ifndef KILN_BACKENDS_HOST_TRANSFORMS_PACKEDPAIRS_H
#define KILN_BACKENDS_HOST_TRANSFORMS_PACKEDPAIRS_H

#include "backends/host/Transforms/Contraction.h"

#include "mlir/IR/PatternMatch.h"

namespace kiln::host {

/// An allocation of `sizes`, a view of one as large as they can become. With `spread`, the rows of its
/// dimension `spread` stand apart where powers of two would make them meet in few sets of the L1 cache.
mlir::Value makeTemporary(mlir::RewriterBase &rewriter, mlir::Location loc,
                          llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type element,
                          std::optional<unsigned> spread);

/// Rewrites a contraction of 16-bit numbers in pairs: its loop `sum` runs over pairs, a new last loop inside
/// them. Where a factor does not lie so, it is copied. Refers to the op; lives for one rewrite.
class PairPacker {
public:
  /// The loop of the sum whose neighbours become pairs, if it is worth it; none if `contraction` is of other
  /// numbers or its factors are in pairs already.
  static std::optional<unsigned> loopOf(const Contraction &contraction);
  /// Whether both factors are in pairs already, along their last dimension.
  static bool isPaired(const Contraction &contraction);

  PairPacker(mlir::RewriterBase &rewriter, const Contraction &contraction, mlir::Value left,
             mlir::Value right)
      : rewriter(rewriter), contraction(contraction), op(contraction.op), left(left), right(right),
        loc(op.getLoc()) {}

  /// The product of `left` and `right` in pairs along `sum`, or, with the sum's loops as one, along all of
  /// them.
  mlir::linalg::GenericOp run(unsigned sum);
  /// The same where they are in pairs already: only widens the factor whose pairs come one at a time.
  mlir::linalg::GenericOp runPaired();

private:
  struct Factor {
    mlir::Value buffer;
    mlir::AffineMap map;
  };
  mlir::OpFoldResult sizeOf(unsigned loop);
  bool isFlat();
  mlir::linalg::GenericOp runFlat();
  Factor packed(unsigned number, llvm::ArrayRef<unsigned> order, std::optional<unsigned> sum,
                std::optional<unsigned> spread);
  void copy(mlir::Value from, mlir::AffineMap map, mlir::Value to, unsigned number);
  mlir::Value widened(mlir::OpBuilder &builder, mlir::Value number, unsigned factor, mlir::Type to);
  mlir::linalg::GenericOp product(Factor a, Factor b, unsigned loops);

  mlir::RewriterBase &rewriter;
  const Contraction &contraction;
  mutable mlir::linalg::LinalgOp op;
  mlir::Value left, right;
  mlir::Location loc;
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_TRANSFORMS_PACKEDPAIRS_H
