// Contraction.h: recognises sums of products and names the roles of their loops.
#ifndef KILN_BACKENDS_HOST_TRANSFORMS_CONTRACTION_H
#define KILN_BACKENDS_HOST_TRANSFORMS_CONTRACTION_H

#include "backends/host/Transforms/TileSpace.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace kiln::host {

/// What a loop of C[batch, m, n] += A[batch, m, k] * B[batch, n, k] runs over. B is the side along which
/// results are contiguous: its elements come as vectors, those of A as scalars for all lanes.
enum class Role { Batch, Rows, Columns, Sum };

/// A linalg op that is a matrix product in the widest sense: matmul with any transposes and batches,
/// convolution with its window loops as sums. Refers to the op; plain data.
struct Contraction {
  mlir::linalg::LinalgOp op;
  llvm::SmallVector<Role> roles; // by loop
  unsigned left = 0, right = 1;  // operand numbers of A and B
  unsigned vectorLoop = 0;       // the loop along which C is contiguous; Columns

  /// Nothing if the body is not acc + a * b (each possibly widened), or results are contiguous along a loop
  /// that both or neither factor has (depthwise convolution).
  static std::optional<Contraction> match(mlir::Operation *op);

  /// Whether it is a vector's product with a matrix whose rows are contiguous.
  bool streamsRows() const;
  llvm::SmallVector<unsigned> loops(Role role) const;
  /// The product of the extents of the loops of `role`; those not known count as `unknown`.
  int64_t extent(Role role, int64_t unknown) const;
};

/// Whether the body is acc + a * b, each factor possibly widened, of the op's two inputs and its init.
bool isSumOfProducts(mlir::linalg::LinalgOp op);

/// Whether the body is that with factors widened to i32 from at most 16 bits with their sign: i16, or bytes
/// of either kind.
bool isSumOfShortProducts(mlir::linalg::LinalgOp op);

/// Register and cache blocking of contractions, from a vector's lanes and the number of registers.
struct ContractionBlocking {
  int64_t rows, columns; // of the register tile
  int64_t sum; // products that a register tile adds up at once: its columns of B stay in the L1 cache

  static ContractionBlocking make(unsigned vectorBits, unsigned registers, unsigned elementBits);
};

/// Tile sizes by loop of the root (0: not cut) if `space` holds a contraction that decides them.
std::optional<llvm::SmallVector<int64_t>> contractionTileSizes(const TileSpace &space, unsigned vectorBits);

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_TRANSFORMS_CONTRACTION_H
