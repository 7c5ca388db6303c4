// kiln/jit/Fusion.h: which ops of a block become one kernel; for stage form, jit's own or a backend's.
#ifndef KILN_JIT_FUSION_H
#define KILN_JIT_FUSION_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace kiln::jit {

/// How an op takes part in fusion.
enum class FusionClass {
  Outside,     // constants, weights, reshapes, launches, checks, control flow: never in a kernel
  Elementwise, // ElementwiseOpInterface
  Movement,    // transpose, slice, broadcast, reverse, gather: reads elsewhere, computes nothing
  Generator,   // iota: reads nothing
  Heavy,       // contraction, pooling, reduction, normalization: takes the elementwise ops behind it
  Alone,       // any other op: a kernel of its own
};
/// The class of any op; of an op of another dialect, or without results: Outside.
FusionClass fusionClass(mlir::Operation *op);

/// The ops of one kernel, in block order; the results of the last one are the kernel's, and nothing else uses
/// the results of the others. Borrows the ops.
struct FusionGroup {
  llvm::SmallVector<mlir::Operation *> ops;
};

/// Partitions the kernel ops of a block, each into one group; groups in the order of their last ops. Changes
/// nothing, and gives the same for the same block. What Outliner takes.
std::vector<FusionGroup> planFusion(mlir::Block &block);

/// Whether weights and constants alone decide a value: the program computes it once, in its prologue. Looks
/// at all that the value is made of: ask WeightOnlyValues about many.
bool isWeightOnly(mlir::Value value);

/// isWeightOnly for many values: each op is looked at once. Valid while the IR does not change; for one
/// thread.
class WeightOnlyValues {
public:
  bool contains(mlir::Value value);

private:
  llvm::DenseMap<mlir::Operation *, bool> known;
};

} // namespace kiln::jit
#endif // KILN_JIT_FUSION_H
