// ImportContribAttention.cpp: the attention operators of com.microsoft, as ONNX Runtime's CPU kernels compute
// them.
#include "frameworks/onnx/AttentionBuilder.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Quantization.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// Element `i` of the first axis, which goes.
Value element(Formula &f, Value x, int64_t i) {
  return f.squeeze(f.slice(x, 0, f.constant(i), f.constant(1)), 0);
}

// ---- Masks
// --------------------------------------------------------------------------------------------------

/// 0 where a condition holds, `filter` elsewhere.
Value additive(Formula &f, Value condition, double filter, Type element) {
  return f.select(condition, f.scalar(element, 0), f.scalar(element, filter));
}

/// What `mask_index` or `key_padding_mask` adds to the scores of queries `q` and keys `k`: [batch] counts the
/// keys that are seen, as [3 * batch + 2] begins (where packed ones lie follows), [2 * batch] has also where
/// they begin, more axes hold 1 for a key that is seen.
Value paddingBias(Formula &f, unsigned input, Value q, Value k, double filter, Type element) {
  if (!f.ok() || !f.node.hasInput(input))
    return {};
  Extent batch = f.dim(q, 0), queries = f.dim(q, 2), keys = f.dim(k, 2);
  Value mask = f.convert(f.node.tensor(input), f.i64());
  int64_t rank = f.rank(mask);
  if (rank > 1) {  // [batch, keys], [batch, queries, keys], [batch, 1, most keys, most keys]
    if (rank == 4) // a row for every key there may be: the queries are the last of those there are
      mask = f.slice(f.slice(mask, 2, f.build.math().sub(keys, queries), queries), 3, f.constant(0), keys);
    Value seen = f.compare("gt", mask, f.like(mask, 0));
    Value bias = additive(f, seen, filter, element);
    for (; rank > 0 && rank < 4; ++rank)
      bias = f.unsqueeze(bias, 1);
    return bias;
  }
  std::optional<int64_t> count = IndexMath::known(f.dim(mask, 0)), known = IndexMath::known(batch);
  bool hasBegin = count && known && *count == 2 * *known && *known > 0;
  if (!hasBegin && count && known && *count != *known && *count != 3 * *known + 2)
    return f.fail(unsupported("a mask of {0} elements for a batch of {1} is not supported", *count, *known));
  Value positions = f.iota(f.i64(), {f.constant(1), f.constant(1), f.constant(1), keys}, 3);
  auto part = [&](int64_t i) {
    bool isWhole = !hasBegin && (!count || !known || *count == *known);
    Value numbers = isWhole ? mask : f.slice(mask, 0, f.constant(hasBegin ? i * *known : 0), batch);
    return f.reshape(numbers, {batch, f.constant(1), f.constant(1), f.constant(1)});
  };
  Value seen = f.compare("lt", positions, part(0));
  if (hasBegin)
    seen = f.make<AndOp>({seen, f.compare("ge", positions, part(1))});
  return additive(f, seen, filter, element);
}

/// The sum of those that are there.
Value sumOf(Formula &f, Value a, Value b) { return a && b ? f.add(a, b) : a ? a : b; }

// ---- Attention
// ----------------------------------------------------------------------------------------------

/// Where an operator of this kind has its optional inputs.
struct AttentionInputs {
  unsigned mask, past;
  std::optional<unsigned> bias;
};

/// The outputs of attention over q, k and v that stand side by side in [batch, length, 3 * hidden].
Status attend(Formula &f, Value projected, const AttentionInputs &inputs) {
  Node &node = f.node;
  KILN_ASSIGN_OR_RETURN(int64_t heads, headsAttribute(node));
  KILN_ASSIGN_OR_RETURN(bool unidirectional, node.flagAttribute("unidirectional", false));
  KILN_ASSIGN_OR_RETURN(double filter, node.realAttribute("mask_filter_value", -10000.0));
  KILN_ASSIGN_OR_RETURN(auto sizes, node.integersAttribute("qkv_hidden_sizes"));
  KILN_ASSIGN_OR_RETURN(bool rotary, node.flagAttribute("do_rotary", false));
  KILN_ASSIGN_OR_RETURN(bool shared, node.flagAttribute("past_present_share_buffer", false));
  node.ignoreAttribute("rotary_embedding_dim");
  if (rotary || shared)
    return unsupported("'do_rotary' and 'past_present_share_buffer' are not supported");
  KILN_RETURN_IF_ERROR(f.status());
  Extent third = f.build.math().div(f.dim(projected, 2), f.constant(3)), begin = f.constant(0);
  Value parts[3];
  for (auto [i, part] : llvm::enumerate(parts)) {
    Extent size = sizes && sizes->size() == 3 ? f.constant((*sizes)[i]) : third;
    part = splitHeads(f, f.slice(projected, 2, begin, size), heads);
    begin = f.build.math().add(begin, size);
  }
  AttentionSpec spec;
  spec.q = parts[0], spec.k = parts[1], spec.v = parts[2];
  if (node.hasInput(inputs.past)) { // [2, batch, heads, length, size]
    Value past = node.tensor(inputs.past);
    spec.k = appended(f, element(f, past, 0), spec.k);
    spec.v = appended(f, element(f, past, 1), spec.v);
    spec.offset = f.vectorOf(f.dim(past, 3));
  }
  KILN_RETURN_IF_ERROR(f.status());
  KILN_RETURN_IF_ERROR(readScale(f, spec));
  spec.causal = unidirectional;
  Value padding = paddingBias(f, inputs.mask, spec.q, spec.k, filter, f.elementType(projected));
  spec.mask = sumOf(f, padding, inputs.bias ? node.tensorOrNull(*inputs.bias) : Value());
  KILN_RETURN_IF_ERROR(f.output(0, mergeHeads(f, attention(f, spec).result)));
  if (!node.wantsOutput(1))
    return {};
  return f.output(1, f.concat({f.unsqueeze(spec.k, 0), f.unsqueeze(spec.v, 0)}, 0));
}

Status requireProjection(Node &node) {
  if (node.rank(0) != 3 || node.rank(1) != 2)
    return invalid("inputs of rank {0} and {1}; expected 3 and 2", node.rank(0), node.rank(1));
  return {};
}

/// One product for q, k and v of an input, [batch, length, inputs], with merged weights.
Status importContribAttention(Node &node) {
  KILN_RETURN_IF_ERROR(requireProjection(node));
  Formula f(node);
  Value projected = f.matmul(node.tensor(0), node.tensor(1));
  if (node.hasInput(2))
    projected = f.add(projected, node.tensor(2));
  return attend(f, projected, {3, 4, 5});
}

/// The same with input and weights in bytes, and the product's sums in i32.
Status importQAttention(Node &node) {
  enum : unsigned { X, W, Bias, ScaleX, ScaleW, Mask, ZeroX, ZeroW, Past };
  KILN_RETURN_IF_ERROR(requireProjection(node));
  KILN_RETURN_IF_ERROR(requireBytes(node, {X, W}));
  Formula f(node);
  Value sum = f.keep(integerMatmul(f.build, {node.tensor(X), node.tensorOrNull(ZeroX)},
                                   {node.tensor(W), node.tensorOrNull(ZeroW)}));
  Value multiplier = f.keep(
      scaleProduct(f.build, f.keep(lineUp(f.build, node.tensor(ScaleX), 3, 2)), node.tensor(ScaleW), {}));
  KILN_RETURN_IF_ERROR(f.status());
  Value bias = node.tensor(Bias);
  Value projected = f.convert(f.mul(f.convert(sum, f.f32()), multiplier), f.elementType(bias));
  return attend(f, f.add(projected, bias), {Mask, Past, std::nullopt});
}

// ---- MultiHeadAttention
// -------------------------------------------------------------------------------------

/// Part `i` of `count` that are packed along an axis of their own, which goes: [batch, length, heads, count,
/// size].
Value unpacked(Formula &f, Value packed, int64_t i) {
  return f.transpose(f.squeeze(f.slice(packed, 3, f.constant(i), f.constant(1)), 3), {0, 2, 1, 3});
}

/// A third of the bias, added before the heads are split.
Value biased(Formula &f, Value x, int64_t part) {
  if (!f.node.hasInput(3) || !x)
    return x;
  Value bias = f.node.tensor(3);
  Extent size = f.dim(x, 2);
  Extent begin = part < 2 ? f.build.math().mul(f.constant(part), size)
                          : f.build.math().sub(f.dim(bias, 0), size); // that of v comes last
  return f.add(x, f.slice(bias, 0, begin, size));
}

Status importMultiHeadAttention(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t heads, headsAttribute(node));
  KILN_ASSIGN_OR_RETURN(bool unidirectional, node.flagAttribute("unidirectional", false));
  KILN_ASSIGN_OR_RETURN(double filter, node.realAttribute("mask_filter_value", -10000.0));
  for (unsigned i : {8u, 9u})
    if (node.hasInput(i))
      return unsupported("inputs 'past_sequence_length' and 'cache_indirection' are not supported");
  Formula f(node);
  AttentionSpec spec;
  if (node.rank(0) == 5) {
    spec.q = unpacked(f, node.tensor(0), 0);
    spec.k = unpacked(f, node.tensor(0), 1);
    spec.v = unpacked(f, node.tensor(0), 2);
  } else {
    if (!node.hasInput(1))
      return invalid("input 'key' is left out; expected it beside a 'query' of rank {0}", node.rank(0));
    spec.q = splitHeads(f, biased(f, node.tensor(0), 0), heads);
    if (node.rank(1) == 5) {
      spec.k = unpacked(f, node.tensor(1), 0);
      spec.v = unpacked(f, node.tensor(1), 1);
    } else if (node.rank(1) == 4) { // already [batch, heads, length, size]
      spec.k = node.tensor(1);
      spec.v = node.tensor(2);
    } else {
      if (!node.hasInput(2))
        return invalid("input 'value' is left out; expected it beside a 'key' of rank {0}", node.rank(1));
      spec.k = splitHeads(f, biased(f, node.tensor(1), 1), heads);
      spec.v = splitHeads(f, biased(f, node.tensor(2), 2), heads);
    }
  }
  KILN_RETURN_IF_ERROR(f.status());
  KILN_RETURN_IF_ERROR(readScale(f, spec));
  if (node.hasInput(6) && node.hasInput(7)) {
    spec.offset = f.vectorOf(f.dim(node.tensor(6), 2));
    spec.k = appended(f, node.tensor(6), spec.k);
    spec.v = appended(f, node.tensor(7), spec.v);
  }
  spec.causal = unidirectional;
  Value padding = paddingBias(f, 4, spec.q, spec.k, filter, f.elementType(spec.q));
  spec.mask = sumOf(f, padding, node.tensorOrNull(5));
  if (node.wantsOutput(3))
    spec.shows = AttentionStage::Weights;
  AttentionResults results = attention(f, spec);
  KILN_RETURN_IF_ERROR(f.output(0, mergeHeads(f, results.result)));
  KILN_RETURN_IF_ERROR(f.output(1, spec.k));
  KILN_RETURN_IF_ERROR(f.output(2, spec.v));
  return spec.shows ? f.output(3, results.shown) : Status();
}

constexpr OpEntry kContribAttentionOps[] = {
    {"Attention", 1, 2, 7, importContribAttention, "rotary embedding; a shared buffer", kMicrosoftDomain},
    {"MultiHeadAttention", 1, 1, 10, importMultiHeadAttention, "a shared buffer", kMicrosoftDomain},
    {"QAttention", 1, 5, 9, importQAttention, "rotary embedding; a shared buffer", kMicrosoftDomain},
};

} // namespace

llvm::ArrayRef<OpEntry> contribAttentionOps() { return kContribAttentionOps; }

} // namespace kiln::onnx
