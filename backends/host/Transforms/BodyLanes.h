// BodyLanes.h: how the values of a nest's body differ between neighbouring iterations of one loop, and so how
// its indexed loads are made by vectors.
#ifndef KILN_BACKENDS_HOST_TRANSFORMS_BODYLANES_H
#define KILN_BACKENDS_HOST_TRANSFORMS_BODYLANES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace kiln::host {

/// What a value is in the next iteration of a loop.
enum class Lanes {
  Same,       // the same
  Ascending,  // one more
  Descending, // one less
  Any,
};

/// How the elements that an indexed load (a memref.load in the body) reads in consecutive iterations lie.
enum class Access {
  Broadcast,  // one element for all
  Contiguous, // neighbours
  Reversed,   // neighbours, backwards
  Gathered,   // anywhere
};

/// The lanes of a body along one loop. Refers to the op; valid while its body is unchanged.
class BodyLanes {
public:
  /// `moves` says whether an operand of the op moves with the loop.
  BodyLanes(mlir::linalg::GenericOp op, unsigned loop, llvm::function_ref<bool(unsigned operand)> moves);

  /// Values from outside the body are the same in every iteration.
  Lanes of(mlir::Value value) const;
  Access accessOf(mlir::memref::LoadOp load) const;

private:
  Lanes compute(mlir::Operation &op, unsigned loop) const;

  llvm::DenseMap<mlir::Value, Lanes> lanes;
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_TRANSFORMS_BODYLANES_H
