// AttentionBuilder.h: what the attention operators of ONNX and com.microsoft share.
#ifndef KILN_ONNX_ATTENTIONBUILDER_H
#define KILN_ONNX_ATTENTIONBUILDER_H

#include "frameworks/onnx/Formula.h"

namespace kiln::onnx {

/// The operands and attributes of kiln.attention. Plain value; null operands are left out.
struct AttentionSpec {
  mlir::Value q, k, v; // [batch, heads, length, size]
  mlir::Value mask, lengths, offset;
  double scale = 1;
  bool causal = false;
  std::optional<int64_t> leftWindow, rightWindow;
  std::optional<double> softcap;
  std::optional<AttentionStage> shows;
};

/// The results of kiln.attention: [batch, heads, queries, size], and what it shows.
struct AttentionResults {
  mlir::Value result, shown;
};
AttentionResults attention(Formula &f, const AttentionSpec &spec);

/// [batch, length, heads * size] as [batch, length, heads, size]; fails for another rank.
mlir::Value headsInPlace(Formula &f, mlir::Value x, int64_t heads);
/// [batch, length, heads * size] as [batch, heads, length, size]; fails for another rank.
mlir::Value splitHeads(Formula &f, mlir::Value x, int64_t heads);
/// The reverse.
mlir::Value mergeHeads(Formula &f, mlir::Value x);

/// `past` and then `now` along the axis of the length, 2; `now` if there is no past.
mlir::Value appended(Formula &f, mlir::Value past, mlir::Value now);

/// Rotates pairs of the first `rotated` elements of the last axis of [batch, heads, length, size], or
/// [batch, length, heads, size]; `cos` and `sin` are [batch or 1, length, rotated / 2] with an axis of 1 for
/// the heads. A pair is two neighbours if interleaved, else one of each
/// half.
mlir::Value rotate(Formula &f, mlir::Value x, mlir::Value cos, mlir::Value sin, int64_t rotated,
                   bool interleaved);

/// An attribute that counts heads.
Result<int64_t> headsAttribute(Node &node, llvm::StringRef name = "num_heads");
/// Attribute `scale`, which is the default one if it is 0 or left out.
Status readScale(Formula &f, AttentionSpec &spec);
/// 1 / sqrt of the extent of the last axis, which must be known.
Result<double> defaultScale(Formula &f, mlir::Value q);

} // namespace kiln::onnx
#endif // KILN_ONNX_ATTENTIONBUILDER_H
