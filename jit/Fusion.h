// Fusion.h: which ops of a block become one kernel.
#ifndef KILN_JIT_FUSION_H
#define KILN_JIT_FUSION_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace kiln::jit {

/// How an op takes part in fusion.
enum class FusionClass {
  Outside,     // constants, weights, reshapes, launches, checks, control flow: never in a kernel
  Elementwise, // ElementwiseOpInterface
  Movement,    // transpose, slice, broadcast, reverse, gather: reads elsewhere, computes nothing
  Generator,   // iota: reads nothing
  Heavy,       // contraction, pooling, reduction, normalisation: takes the elementwise ops behind it
  Alone,       // any other op: a kernel of its own
};
FusionClass fusionClass(mlir::Operation *op);

/// The ops of one kernel, in block order; the results of the last one are the kernel's.
struct FusionGroup {
  llvm::SmallVector<mlir::Operation *> ops;
};

/// Partitions the kernel ops of a block; groups in the order of their last ops. Deterministic.
std::vector<FusionGroup> planFusion(mlir::Block &block);

/// Whether weights and constants alone decide a value: the prologue computes it.
bool isWeightOnly(mlir::Value value);

} // namespace kiln::jit
#endif // KILN_JIT_FUSION_H
