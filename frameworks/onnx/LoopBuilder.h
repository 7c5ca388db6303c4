// LoopBuilder.h: loops whose bodies are imported: scf.for where the number of rounds is known ahead, else
// scf.while.
#ifndef KILN_ONNX_LOOPBUILDER_H
#define KILN_ONNX_LOOPBUILDER_H

#include "frameworks/onnx/Node.h"

namespace kiln::onnx {

/// What one round of a loop computes.
struct Round {
  std::vector<GraphValue> carried; // as many as the loop carries
  std::vector<GraphValue> entries; // one for each list
  Extent goesOn;                   // 0: it was the last one
};

/// What a loop leaves.
struct LoopResult {
  std::vector<GraphValue> carried;
  std::vector<mlir::Value> lists; // the rounds' entries along a new first axis
  bool unsupported = false;       // something in the body is; nothing was built
};

struct LoopLimits {
  std::optional<Extent> count; // rounds at most
  Extent goesOn;               // 0: no round at all
};

/// Imports one round at the end of `block`: its index, what is carried into it.
using RoundFn =
    llvm::function_ref<Result<Round>(Extent index, llvm::ArrayRef<GraphValue> carried, mlir::Block *block)>;

/// Builds a loop at the builder's place. Small integers are carried as numbers where each round computes them
/// as such, so that they may size tensors; a tensor's type is as precise as all rounds allow; a
/// sequence that rounds change is carried as a stack; what no round changes is not carried. To find out,
/// `round` may be called several times; what it built is then erased.
Result<LoopResult> buildLoop(KilnBuilder &build, const LoopLimits &limits, llvm::ArrayRef<GraphValue> initial,
                             RoundFn round);

/// The type of which both are cases; null if their ranks or element types differ.
mlir::RankedTensorType commonType(mlir::RankedTensorType a, mlir::RankedTensorType b);

} // namespace kiln::onnx
#endif // KILN_ONNX_LOOPBUILDER_H
