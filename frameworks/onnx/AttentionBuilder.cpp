// AttentionBuilder.cpp: heads, caches and rotary embeddings as kiln ops.
#include "frameworks/onnx/AttentionBuilder.h"

#include "frameworks/onnx/Errors.h"

#include <cmath>

using namespace mlir;

namespace kiln::onnx {

AttentionResults attention(Formula &f, const AttentionSpec &spec) {
  if (!f.ok())
    return {};
  KilnBuilder &build = f.build;
  SmallVector<Value> operands{spec.q, spec.k, spec.v};
  SmallVector<int32_t> segments{1, 1, 1};
  for (Value operand : {spec.mask, spec.lengths, spec.offset}) {
    segments.push_back(operand ? 1 : 0);
    if (operand)
      operands.push_back(operand);
  }
  SmallVector<NamedAttribute> attributes{
      build.real("scale", spec.scale),
      build.named("operandSegmentSizes", build.builder().getDenseI32ArrayAttr(segments))};
  if (spec.causal)
    attributes.push_back(build.flag("causal"));
  if (spec.leftWindow)
    attributes.push_back(build.integer("left_window", *spec.leftWindow));
  if (spec.rightWindow)
    attributes.push_back(build.integer("right_window", *spec.rightWindow));
  if (spec.softcap)
    attributes.push_back(build.real("softcap", *spec.softcap));
  if (spec.shows)
    attributes.push_back(build.named("shows", AttentionStageAttr::get(build.context(), *spec.shows)));
  Result<ResultRange> results = build.makeMany<AttentionOp>(spec.shows ? 2 : 1, operands, attributes);
  if (!results.ok())
    return {f.fail(results.status()), {}};
  return {results->front(), spec.shows ? results->back() : Value()};
}

Value headsInPlace(Formula &f, Value x, int64_t heads) {
  if (!f.ok())
    return {};
  if (f.rank(x) != 3 || heads < 1)
    return f.fail(
        invalid("a tensor of rank {0} for {1} heads; expected rank 3, 1 head or more", f.rank(x), heads));
  Extent count = f.constant(heads), hidden = f.dim(x, 2);
  if (auto known = IndexMath::known(hidden); known && *known % heads)
    return f.fail(invalid("{0} hidden units do not divide into {1} heads", *known, heads));
  return f.reshape(x, {f.dim(x, 0), f.dim(x, 1), count, f.build.math().div(hidden, count)});
}

Value splitHeads(Formula &f, Value x, int64_t heads) {
  return f.transpose(headsInPlace(f, x, heads), {0, 2, 1, 3});
}

Value mergeHeads(Formula &f, Value x) {
  Value rows = f.transpose(x, {0, 2, 1, 3});
  return f.reshape(rows,
                   {f.dim(rows, 0), f.dim(rows, 1), f.build.math().mul(f.dim(rows, 2), f.dim(rows, 3))});
}

Value appended(Formula &f, Value past, Value now) { return past ? f.concat({past, now}, 2) : now; }

Value rotate(Formula &f, Value x, Value cos, Value sin, int64_t rotated, bool interleaved) {
  if (!f.ok())
    return {};
  Value turned = f.slice(x, 3, f.constant(0), f.constant(rotated));
  int64_t half = rotated / 2;
  Extents shape = f.shape(turned), pairs(shape);
  if (interleaved) { // [.., half, 2]
    pairs.back() = f.constant(half);
    pairs.push_back(f.constant(2));
    Value split = f.reshape(turned, pairs);
    Value first = f.squeeze(f.slice(split, 4, f.constant(0), f.constant(1)), 4);
    Value second = f.squeeze(f.slice(split, 4, f.constant(1), f.constant(1)), 4);
    Value real = f.sub(f.mul(first, cos), f.mul(second, sin));
    Value imaginary = f.add(f.mul(first, sin), f.mul(second, cos));
    turned = f.reshape(f.concat({f.unsqueeze(real, 4), f.unsqueeze(imaginary, 4)}, 4), shape);
  } else { // [.., 2, half]: both halves by the same formula, so that it is one kernel
    pairs.back() = f.constant(2);
    pairs.push_back(f.constant(half));
    Value split = f.reshape(turned, pairs), swapped = f.reverse(split, {3});
    Value index = f.iota(f.elementType(x), {f.constant(2), f.constant(1)}, 0);
    Value sign = f.sub(f.mul(index, 2), 1); // -1 for the first half
    Value part = f.mul(f.mul(swapped, sign), f.unsqueeze(sin, 3));
    turned = f.reshape(f.add(f.mul(split, f.unsqueeze(cos, 3)), part), shape);
  }
  Extent rest = f.build.math().sub(f.dim(x, 3), f.constant(rotated));
  if (IndexMath::isKnown(rest, 0))
    return turned;
  return f.concat({turned, f.slice(x, 3, f.constant(rotated), rest)}, 3);
}

Result<double> defaultScale(Formula &f, Value q) {
  KILN_RETURN_IF_ERROR(f.status());
  std::optional<int64_t> size = IndexMath::known(f.dim(q, f.rank(q) - 1));
  if (!size || *size == 0)
    return unsupported("no 'scale', and the size of a head is not known");
  return 1 / std::sqrt(static_cast<double>(*size));
}

Result<int64_t> headsAttribute(Node &node, StringRef name) {
  KILN_ASSIGN_OR_RETURN(int64_t heads, node.integerAttribute(name));
  if (heads < 1)
    return invalid("attribute '{0}' is {1}; expected 1 or more", name, heads);
  return heads;
}

Status readScale(Formula &f, AttentionSpec &spec) {
  KILN_ASSIGN_OR_RETURN(double scale, f.node.realAttribute("scale", 0.0));
  if (scale != 0) {
    spec.scale = scale;
    return {};
  }
  KILN_ASSIGN_OR_RETURN(spec.scale, defaultScale(f, spec.q));
  return {};
}

} // namespace kiln::onnx
