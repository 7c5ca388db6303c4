// AttentionLowering.h: how an attention is cut for one kernel of cube and vector cores.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_ATTENTIONLOWERING_H
#define KILN_BACKENDS_NPU_TRANSFORMS_ATTENTIONLOWERING_H

#include "backends/npu/Target.h"
#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::npu {

/// Queries that a block takes at a time, and keys of a chunk.
inline constexpr int64_t kAttentionTile = 128;
/// Dictionary on the function of the cube core: of which arguments it is ("q", "k", "v"), and "scale".
inline constexpr llvm::StringLiteral kAttentionAttr = "npu.attention";

/// Steps from the scores of a unit to its products: meanwhile its weights are made.
inline constexpr int64_t kLag = 2;

/// Extents and tiles. Scores and weights of `kAttentionTile` queries lie in the workspace by chunks of
/// `kAttentionTile` keys: [chunks][kAttentionTile][kAttentionTile]; products of weights and values, and sums
/// of weights, as [kAttentionTile][valueSize] and [kAttentionTile][kSumColumns]. Each block has two places
/// for all, so that its cube core computes the scores of the next queries while its vector cores make weights
/// of these.
struct AttentionPlan {
  static constexpr int64_t kPlaces = 2;
  int64_t heads = 1;      // of all batches
  int64_t headsOfKey = 1; // that read one head of k and v
  int64_t queries = 0, keys = 0, size = 0, valueSize = 0;
  double scale = 1;
  int64_t rows = 0; // that a vector core has in UB at one time
  int64_t blocks = 1;

  int64_t chunks() const { return keys / kAttentionTile; }
  int64_t units() const { return heads * (queries / kAttentionTile); }
  int64_t elementsOfPlace() const { return chunks() * kAttentionTile * kAttentionTile; }
  /// From the weights of a chunk's first rows to those of the second half.
  static constexpr int64_t weightsOfHalf() { return kAttentionTile * kAttentionTile; }
  int64_t elements() const { return blocks * kPlaces * elementsOfPlace(); }
};

/// Flags between the cube core of a block and its vector cores.
/// A place is free again where its weights have been read, by the core that writes scores there next.
enum AttentionFlag : int64_t { kScoresFull, kWeightsFull };

/// The kernel's parts of the workspace.
struct AttentionBuffers {
  mlir::Value scores, weights;
};

/// Nothing if the attention is not of the form that AttentionLowering.cpp takes: without mask, window, cap or
/// second result, of f16 or bf16, its extents known, queries and keys whole tiles.
std::optional<AttentionPlan> planAttention(AttentionOp op, const Target &target);

/// Writes what vector cores do for `plan` into a function's body at the builder's place: softmax of scores,
/// f32, to weights.
void emitAttentionSoftmax(mlir::OpBuilder &builder, mlir::Location loc, const AttentionPlan &plan,
                          const AttentionBuffers &buffers);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_ATTENTIONLOWERING_H
