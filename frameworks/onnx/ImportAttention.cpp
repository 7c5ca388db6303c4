// ImportAttention.cpp: Attention and RotaryEmbedding of ai.onnx.
#include "frameworks/onnx/AttentionBuilder.h"
#include "frameworks/onnx/Errors.h"

#include <cmath>

using namespace mlir;

namespace kiln::onnx {
namespace {

enum Input : unsigned { Q, K, V, Mask, PastKey, PastValue, NonpadLength };

/// The mask, padded at its end to one column a key: those are not seen.
Value paddedMask(Formula &f, Extent keys) {
  if (!f.node.hasInput(Mask) || !f.ok())
    return {};
  Value mask = f.node.tensor(Mask);
  int64_t rank = f.rank(mask);
  if (rank == 0)
    return mask;
  Extent missing = f.build.math().sub(keys, f.dim(mask, rank - 1));
  if (IndexMath::isKnown(missing, 0))
    return mask;
  Extents low(static_cast<size_t>(rank), f.constant(0)), high(low);
  high.back() = f.build.math().max(missing, f.constant(0));
  Value hidden = f.elementType(mask).isInteger(1) ? f.like(mask, 0) : f.like(mask, -INFINITY);
  return f.keep(f.build.pad(mask, low, high, "constant", hidden));
}

/// How many keys precede the first query, one number or one a batch element; null for none.
Value offsetOf(Formula &f, Value q) {
  if (f.node.hasInput(PastKey))
    return f.vectorOf(f.dim(f.node.tensor(PastKey), 2));
  if (!f.node.hasInput(NonpadLength))
    return {};
  Value lengths = f.convert(f.node.tensor(NonpadLength), f.i64());
  return f.sub(lengths, f.vectorOf(f.dim(q, 2)));
}

Result<std::optional<int64_t>> windowAttribute(Node &node, StringRef name) {
  if (node.opset() < 25)
    return std::optional<int64_t>();
  KILN_ASSIGN_OR_RETURN(int64_t size, node.integerAttribute(name, -1));
  if (size < -1)
    return invalid("attribute '{0}' is {1}; expected -1 or more", name, size);
  return size < 0 ? std::optional<int64_t>() : std::optional(size);
}

/// The attributes of the operator.
Status readAttributes(Formula &f, AttentionSpec &spec) {
  Node &node = f.node;
  if (node.hasAttribute("scale")) {
    KILN_ASSIGN_OR_RETURN(spec.scale, node.realAttribute("scale"));
  } else {
    KILN_ASSIGN_OR_RETURN(spec.scale, defaultScale(f, spec.q));
  }
  KILN_ASSIGN_OR_RETURN(spec.causal, node.flagAttribute("is_causal", false));
  KILN_ASSIGN_OR_RETURN(double softcap, node.realAttribute("softcap", 0.0));
  if (softcap > 0)
    spec.softcap = softcap;
  KILN_ASSIGN_OR_RETURN(spec.leftWindow, windowAttribute(node, "left_window_size"));
  KILN_ASSIGN_OR_RETURN(spec.rightWindow, windowAttribute(node, "right_window_size"));
  node.ignoreAttribute("softmax_precision"); // f32 or more, always
  KILN_ASSIGN_OR_RETURN(int64_t mode, node.integerAttribute("qk_matmul_output_mode", 0));
  std::optional<AttentionStage> stage = symbolizeAttentionStage(static_cast<uint32_t>(mode));
  if (!stage)
    return invalid("attribute 'qk_matmul_output_mode' is {0}; expected 0 to 3", mode);
  if (node.wantsOutput(3))
    spec.shows = stage;
  return {};
}

Status importAttention(Node &node) {
  Formula f(node);
  AttentionSpec spec;
  spec.q = node.tensor(Q), spec.k = node.tensor(K), spec.v = node.tensor(V);
  bool merged = node.rank(Q) == 3;
  KILN_ASSIGN_OR_RETURN(int64_t heads, node.integerAttribute("q_num_heads", 0));
  KILN_ASSIGN_OR_RETURN(int64_t shared, node.integerAttribute("kv_num_heads", 0));
  if (merged) {
    spec.q = splitHeads(f, spec.q, heads);
    spec.k = splitHeads(f, spec.k, shared);
    spec.v = splitHeads(f, spec.v, shared);
  }
  KILN_RETURN_IF_ERROR(f.status());
  if (f.rank(spec.q) != 4)
    return invalid("'Q' has rank {0}; expected 3 or 4", f.rank(spec.q));
  spec.k = appended(f, node.tensorOrNull(PastKey), spec.k);
  spec.v = appended(f, node.tensorOrNull(PastValue), spec.v);
  KILN_RETURN_IF_ERROR(readAttributes(f, spec));
  spec.mask = paddedMask(f, f.dim(spec.k, 2));
  spec.lengths = node.tensorOrNull(NonpadLength);
  if (spec.causal || spec.leftWindow || spec.rightWindow)
    spec.offset = offsetOf(f, spec.q);
  AttentionResults results = attention(f, spec);
  KILN_RETURN_IF_ERROR(f.output(0, merged ? mergeHeads(f, results.result) : results.result));
  KILN_RETURN_IF_ERROR(f.output(1, spec.k));
  KILN_RETURN_IF_ERROR(f.output(2, spec.v));
  return spec.shows ? f.output(3, results.shown) : Status();
}

constexpr OpEntry kAttentionOps[] = {
    {"Attention", 23, 3, 7, importAttention},
};

} // namespace

llvm::ArrayRef<OpEntry> attentionOps() { return kAttentionOps; }

} // namespace kiln::onnx
