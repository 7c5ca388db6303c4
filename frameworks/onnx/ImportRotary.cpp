// ImportRotary.cpp: rotary embeddings, the attention of com.microsoft that has them, and the embeddings of
// BERT.
#include "frameworks/onnx/AttentionBuilder.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Quantization.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

// ---- RotaryEmbedding
// ----------------------------------------------------------------------------------------

/// Rows of a table of [positions, half], as [batch or 1, length, half] with an axis of 1 for the heads.
Value rowsAt(Formula &f, Value table, Value positions, int64_t headsAxis) {
  Value rows = f.make<GatherOp>({table, positions}, f.build.integer("axis", 0));
  return f.unsqueeze(rows, headsAxis);
}

/// Positions [batch, length], or one that the first element has, from which the others count.
Value positionsOf(Formula &f, Value given, Extent length) {
  Value wide = f.convert(given, f.i64());
  if (f.rank(wide) == 2)
    return wide;
  Value first = f.reshape(wide, {f.constant(1), f.constant(1)});
  return f.add(first, f.iota(f.i64(), {f.constant(1), length}, 1));
}

/// Of com.microsoft: positions come before the tables.
Status importContribRotaryEmbedding(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool interleaved, node.flagAttribute("interleaved", false));
  KILN_ASSIGN_OR_RETURN(int64_t heads, node.integerAttribute("num_heads", 0));
  KILN_ASSIGN_OR_RETURN(int64_t rotated, node.integerAttribute("rotary_embedding_dim", 0));
  KILN_ASSIGN_OR_RETURN(double scale, node.realAttribute("scale", 1.0));
  node.ignoreAttribute("is_packed_batching");
  if (scale != 1)
    return unsupported("'scale' {0} is not supported; 1 is", scale);
  Formula f(node);
  Value x = node.tensor(0), cos = node.tensor(2), sin = node.tensor(3);
  bool merged = f.rank(x) == 3;
  std::optional<int64_t> half = IndexMath::known(f.dim(cos, 1));
  if (!half)
    return unsupported("the extent of the tables' last axis is not known before the model runs");
  if (merged) {
    if (heads == 0 || rotated == 0) { // the whole head is turned
      std::optional<int64_t> hidden = IndexMath::known(f.dim(x, 2));
      if (!hidden || *half == 0 || *hidden % (2 * *half))
        return invalid("'num_heads' is left out, and heads of {0} do not divide the input", 2 * *half);
      heads = *hidden / (2 * *half);
    }
    x = headsInPlace(f, x, heads);
  }
  int64_t headsAxis = merged ? 2 : 1;
  Value positions = positionsOf(f, node.tensor(1), f.dim(x, 3 - headsAxis));
  Value turned = rotate(f, x, rowsAt(f, cos, positions, headsAxis), rowsAt(f, sin, positions, headsAxis),
                        2 * *half, interleaved);
  return f.output(0, f.reshape(turned, f.shape(node.tensor(0))));
}

/// Of ai.onnx: with positions the tables are [positions, half], else [batch, length, half] already.
Status importRotaryEmbedding(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool interleaved, node.flagAttribute("interleaved", false));
  KILN_ASSIGN_OR_RETURN(int64_t heads, node.integerAttribute("num_heads", 0));
  KILN_ASSIGN_OR_RETURN(int64_t rotated, node.integerAttribute("rotary_embedding_dim", 0));
  Formula f(node);
  Value x = node.tensor(0), cos = node.tensor(1), sin = node.tensor(2);
  bool merged = f.rank(x) == 3;
  if (merged)
    x = headsInPlace(f, x, heads);
  int64_t headsAxis = merged ? 2 : 1;
  std::optional<int64_t> half = IndexMath::known(f.dim(cos, f.rank(cos) - 1));
  if (rotated == 0 && half)
    rotated = 2 * *half;
  KILN_RETURN_IF_ERROR(f.status());
  if (f.rank(x) != 4 || rotated % 2 || rotated < 0 || (half && *half != rotated / 2))
    return invalid(
        "an input of rank {0} and tables of {1} columns to rotate {2} elements; expected rank 3 or 4, half "
        "as many columns",
        node.rank(0), half.value_or(-1), rotated);
  if (!half && rotated == 0)
    return unsupported("the extent of the tables' last axis is not known before the model runs");
  bool hasPositions = node.hasInput(3);
  auto rows = [&](Value table) {
    return hasPositions ? rowsAt(f, table, f.convert(node.tensor(3), f.i64()), headsAxis)
                        : f.unsqueeze(table, headsAxis);
  };
  Value turned = rotate(f, x, rows(cos), rows(sin), rotated, interleaved);
  return f.output(0, f.reshape(turned, f.shape(node.tensor(0))));
}

// ---- GroupQueryAttention
// ------------------------------------------------------------------------------------

/// `past` with `now` written from position `before[b]` on, as long as the cache or the past and now need.
Value written(Formula &f, Value past, Value now, Value before, Extent total) {
  // Rows of [past, now]: those of the past below `before`, then those of now.
  Value both = f.concat({past, now}, 2);
  Extent batch = f.dim(now, 0);
  Value place = f.iota(f.i64(), {f.constant(1), total}, 1);
  Value start = f.reshape(before, {batch, f.constant(1)});
  Value moved = f.add(f.sub(place, start), f.scalarOf(f.dim(past, 2)));
  Value isNew = f.make<AndOp>(
      {f.compare("ge", place, start), f.compare("lt", f.sub(place, start), f.scalarOf(f.dim(now, 2)))});
  Value rows = f.select(isNew, moved, place);
  Value turned = f.transpose(both, {0, 2, 1, 3});
  Value gathered =
      f.make<GatherOp>({turned, rows}, {f.build.integer("axis", 1), f.build.integer("batch_dims", 1)});
  return f.transpose(gathered, {0, 2, 1, 3});
}

Status importGroupQueryAttention(Node &node) {
  enum : unsigned {
    Query,
    Key,
    ValueInput,
    PastKey,
    PastValue,
    Lengths,
    Total,
    Cos,
    Sin,
    Positions,
    Bias,
    Sink
  };
  KILN_ASSIGN_OR_RETURN(int64_t heads, headsAttribute(node));
  KILN_ASSIGN_OR_RETURN(int64_t shared, headsAttribute(node, "kv_num_heads"));
  KILN_ASSIGN_OR_RETURN(bool rotary, node.flagAttribute("do_rotary", false));
  KILN_ASSIGN_OR_RETURN(bool interleaved, node.flagAttribute("rotary_interleaved", false));
  KILN_ASSIGN_OR_RETURN(int64_t window, node.integerAttribute("local_window_size", -1));
  KILN_ASSIGN_OR_RETURN(double softcap, node.realAttribute("softcap", 0.0));
  KILN_ASSIGN_OR_RETURN(int64_t smooth, node.integerAttribute("smooth_softmax", 0));
  if (smooth > 0 || node.hasInput(Sink))
    return unsupported("'smooth_softmax' and input 'head_sink' are not supported");
  for (StringRef name : {"qk_output", "k_quant_type", "v_quant_type", "kv_cache_bit_width"})
    node.ignoreAttribute(name); // outputs and caches that are refused below
  Formula f(node);
  AttentionSpec spec;
  if (node.hasInput(Key)) {
    spec.q = splitHeads(f, node.tensor(Query), heads);
    spec.k = splitHeads(f, node.tensor(Key), shared);
    spec.v = splitHeads(f, node.tensor(ValueInput), shared);
  } else { // packed: all heads of q, k and v along one axis
    Value all = splitHeads(f, node.tensor(Query), heads + 2 * shared);
    spec.q = f.slice(all, 1, f.constant(0), f.constant(heads));
    spec.k = f.slice(all, 1, f.constant(heads), f.constant(shared));
    spec.v = f.slice(all, 1, f.constant(heads + shared), f.constant(shared));
  }
  KILN_RETURN_IF_ERROR(f.status());
  KILN_RETURN_IF_ERROR(readScale(f, spec));
  Extent batch = f.dim(spec.q, 0), queries = f.dim(spec.q, 2);
  // `seqlens_k` is one less than the keys that are seen, those of this call included.
  Value lengths = f.add(f.reshape(f.convert(node.tensor(Lengths), f.i64()), batch), 1);
  Extent total = queries;
  bool hasPast = node.hasInput(PastKey) && node.hasInput(PastValue);
  // How many precede this call; none in a prompt, whose shorter sequences are padded at their end.
  Value before = hasPast ? f.max(f.sub(lengths, f.vectorOf(queries)), f.scalar(f.i64(), 0)) : Value();
  if (rotary) {
    std::optional<int64_t> half = IndexMath::known(f.dim(node.tensor(Cos), 1));
    if (!half)
      return unsupported("the extent of the tables' last axis is not known before the model runs");
    Value positions;
    if (node.hasInput(Positions)) {
      positions = f.convert(node.tensor(Positions), f.i64());
    } else {
      positions = f.iota(f.i64(), {f.constant(1), queries}, 1);
      if (before)
        positions = f.add(f.reshape(before, {batch, f.constant(1)}), positions);
    }
    Value cos = rowsAt(f, node.tensor(Cos), positions, /*headsAxis=*/1),
          sin = rowsAt(f, node.tensor(Sin), positions, /*headsAxis=*/1);
    spec.q = rotate(f, spec.q, cos, sin, 2 * *half, interleaved);
    spec.k = rotate(f, spec.k, cos, sin, 2 * *half, interleaved);
  }
  if (hasPast) {
    KILN_ASSIGN_OR_RETURN(ShapeValue given, node.extents(Total, "'total_sequence_length'"));
    if (given.elements.size() != 1)
      return invalid("'total_sequence_length' has {0} elements; expected one", given.elements.size());
    total = f.build.math().max(f.dim(node.tensor(PastKey), 2), given.elements.front());
    spec.k = written(f, node.tensor(PastKey), spec.k, before, total);
    spec.v = written(f, node.tensor(PastValue), spec.v, before, total);
  }
  spec.lengths = lengths;
  spec.causal = true;
  spec.offset = before;
  if (window > 0)
    spec.leftWindow = window - 1;
  if (softcap > 0)
    spec.softcap = softcap;
  spec.mask = node.tensorOrNull(Bias);
  KILN_RETURN_IF_ERROR(f.output(0, mergeHeads(f, attention(f, spec).result)));
  KILN_RETURN_IF_ERROR(f.output(1, spec.k));
  return f.output(2, spec.v);
}

// ---- EmbedLayerNormalization
// --------------------------------------------------------------------------------

/// The norm of the sum of word, position and segment embeddings; output 1 counts the words that are no
/// padding. A quantized one has a scale and a zero point for each table, `gamma` and `beta` behind the mask.
template <bool quantized> Status importEmbedLayerNorm(Node &node) {
  enum : unsigned { Ids, Segments, Words, PositionTable, SegmentTable, Scale, Bias, Mask, Positions };
  constexpr unsigned toScale = 6, toZeroPoint = 11; // from a table's input to those of its parameters
  KILN_ASSIGN_OR_RETURN(double epsilon, node.realAttribute("epsilon", 1e-12f));
  node.ignoreAttribute("mask_index_type");               // the output tells whether it is wanted
  for (unsigned i : {Words, PositionTable, Scale, Bias}) // segments may be left out
    if (!node.hasInput(i) || (quantized && !node.hasInput(i + toScale)))
      return invalid("input {0} is missing; expected embeddings of words and positions, 'gamma' and 'beta'",
                     node.hasInput(i) ? i + toScale : i);
  Formula f(node);
  auto real = [&](unsigned table, Value numbers) {
    if (!quantized || !f.ok())
      return numbers;
    Result<Quantization> by = readQuantization(node, table + toScale, table + toZeroPoint, f.rank(numbers));
    return by.ok() ? f.keep(dequantize(f.build, numbers, *by, f.f32())) : f.fail(by.status());
  };
  auto rows = [&](unsigned table, Value ids) {
    return real(table, f.make<GatherOp>({node.tensor(table), ids}, f.build.integer("axis", 0)));
  };
  Value ids = node.tensor(Ids);
  if (node.rank(Ids) != 2)
    return invalid("'input_ids' of rank {0}; expected 2", node.rank(Ids));
  Value positions = !quantized && node.hasInput(Positions)
                        ? node.tensor(Positions)
                        : f.iota(f.i64(), {f.constant(1), f.dim(ids, 1)}, 1);
  Value sum = f.add(rows(Words, ids), rows(PositionTable, positions));
  bool hasSegments = node.hasInput(Segments) && node.hasInput(SegmentTable);
  if (hasSegments && quantized && !node.hasInput(SegmentTable + toScale))
    return invalid("input {0} is missing; expected the scale of input {1}", SegmentTable + toScale,
                   +SegmentTable);
  if (hasSegments)
    sum = f.add(sum, rows(SegmentTable, node.tensor(Segments)));
  Value y = f.make<LayerNormOp>(
      {sum, real(Scale, node.tensor(Scale)), real(Bias, node.tensor(Bias))},
      {f.build.integer("axis", -1), f.build.real("epsilon", epsilon),
       f.build.named("operandSegmentSizes", f.build.builder().getDenseI32ArrayAttr({1, 1, 1}))});
  KILN_RETURN_IF_ERROR(f.output(0, y));
  if (node.wantsOutput(1)) {
    Type i32 = f.build.builder().getI32Type();
    Value counts = node.hasInput(Mask)
                       ? f.reduce(ReduceKind::Sum, f.convert(node.tensor(Mask), i32), 1, /*keepdims=*/false)
                       : f.broadcast(f.scalar(i32, 0), {f.dim(ids, 0)});
    KILN_RETURN_IF_ERROR(f.output(1, counts));
  }
  return node.wantsOutput(2) ? f.output(2, sum) : Status();
}

constexpr OpEntry kRotaryOps[] = {
    {"EmbedLayerNormalization", 1, 1, 9, importEmbedLayerNorm<false>, "", kMicrosoftDomain},
    {"GroupQueryAttention", 1, 1, 14, importGroupQueryAttention,
     "`smooth_softmax`, `head_sink`; quantised caches", kMicrosoftDomain},
    {"QEmbedLayerNormalization", 1, 1, 18, importEmbedLayerNorm<true>, "", kMicrosoftDomain},
    {"RotaryEmbedding", 1, 4, 4, importContribRotaryEmbedding, "`scale` other than 1", kMicrosoftDomain},
    {"RotaryEmbedding", 23, 3, 4, importRotaryEmbedding},
};

} // namespace

llvm::ArrayRef<OpEntry> rotaryOps() { return kRotaryOps; }

} // namespace kiln::onnx
