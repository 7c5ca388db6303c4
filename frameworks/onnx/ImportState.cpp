// ImportState.cpp: operators that hand a state on from call to call: CausalConvWithState, LinearAttention.
#include "frameworks/onnx/AttentionBuilder.h"
#include "frameworks/onnx/Errors.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// Each step of a LinearAttention becomes ops of its own: more than a decoder takes at once is refused.
constexpr int64_t kMaxSteps = 64;

/// A depthwise convolution of what came before and the input; the last of both is the new state.
Status importCausalConv(Node &node) {
  KILN_RETURN_IF_ERROR(node.requireFloat(0));
  KILN_ASSIGN_OR_RETURN(std::string activation, node.stringAttribute("activation", "none"));
  if (activation != "none" && activation != "silu" && activation != "swish")
    return invalid("attribute 'activation' is '{0}'; expected 'none', 'silu' or 'swish'", activation);
  if (node.rank(0) != 3 || node.rank(1) != 3)
    return invalid("inputs of rank {0} and {1}; expected 3 and 3", node.rank(0), node.rank(1));
  std::optional<int64_t> channels = IndexMath::known(node.dim(1, 0)),
                         window = IndexMath::known(node.dim(1, 2));
  if (!channels || !window || *window < 1)
    return unsupported("the extents of 'weight' are not known before the model runs");
  Formula f(node);
  KilnBuilder &build = f.build;
  Extent before = f.constant(*window - 1);
  Value x = node.tensor(0);
  Value past = node.hasInput(3) ? node.tensor(3)
                                : f.broadcast(f.like(x, 0), {f.dim(x, 0), f.constant(*channels), before});
  Value padded = *window == 1 ? x : f.concat({past, x}, 2);
  SmallVector<Value> operands{padded, node.tensor(1)};
  if (node.hasInput(2))
    operands.push_back(node.tensor(2));
  Value y = f.make<ConvOp>(
      operands, {build.integers("strides", 1), build.integers("pads", {0, 0}), build.integers("dilations", 1),
                 build.integer("groups", *channels),
                 build.named("operandSegmentSizes",
                             build.builder().getDenseI32ArrayAttr({1, 1, node.hasInput(2) ? 1 : 0}))});
  KILN_RETURN_IF_ERROR(f.output(0, activation == "none" ? y : f.make<SiluOp>(y)));
  return f.output(1, f.slice(padded, 2, f.dim(x, 2), before));
}

/// The tensors of one LinearAttention, [batch, heads, steps, ..], in f32.
struct LinearLayer {
  Value q, k, v, decay, beta; // decay, beta: null if there is none
  int64_t group;              // query heads that share a state
};

/// [batch, steps, n] as [batch, heads, steps, n / heads]; n may be 1.
Value perHead(Formula &f, Value x, int64_t heads) {
  bool isShared = IndexMath::isKnown(f.dim(x, 2), 1);
  return splitHeads(f, f.convert(x, f.f32()), isShared ? 1 : heads);
}

/// One step: the new state, [batch, heads, keys, values], and what is read from it.
std::pair<Value, Value> advance(Formula &f, const LinearLayer &layer, Value state, int64_t step) {
  auto at = [&](Value x) { return f.slice(x, 2, f.constant(step), f.constant(1)); };
  Value k = at(layer.k), v = at(layer.v);
  if (layer.decay)
    state = f.mul(state, f.exp(f.transpose(at(layer.decay), {0, 1, 3, 2})));
  if (layer.beta)
    v = f.mul(at(layer.beta), f.sub(v, f.matmul(k, state)));
  state = f.add(state, f.mul(f.transpose(k, {0, 1, 3, 2}), v));
  Value q = at(layer.q);
  Extents grouped = f.shape(q);
  if (!f.ok())
    return {};
  grouped[1] = f.dim(layer.k, 1);
  grouped[2] = f.constant(layer.group);
  return {state, f.matmul(f.reshape(q, grouped), state)};
}

Status importLinearAttention(Node &node) {
  enum : unsigned { Query, Key, Values, Past, Decay, Beta };
  KILN_ASSIGN_OR_RETURN(int64_t heads, headsAttribute(node, "q_num_heads"));
  KILN_ASSIGN_OR_RETURN(int64_t shared, headsAttribute(node, "kv_num_heads"));
  KILN_ASSIGN_OR_RETURN(std::string rule, node.stringAttribute("update_rule", "gated_delta"));
  node.ignoreAttribute("chunk_size"); // a hint
  bool gated = rule == "gated" || rule == "gated_delta", delta = rule == "delta" || rule == "gated_delta";
  if ((!gated && !delta && rule != "linear") || gated != node.hasInput(Decay) ||
      delta != node.hasInput(Beta) || heads % shared)
    return invalid("'update_rule' '{0}' with {1} query and {2} key heads does not fit its inputs", rule,
                   heads, shared);
  std::optional<int64_t> steps = IndexMath::known(node.dim(Query, 1));
  if (node.rank(Query) != 3 || !steps || *steps > kMaxSteps || *steps < 1)
    return unsupported("a sequence that is not known to have 1 to {0} steps is not supported", kMaxSteps);
  Formula f(node);
  Type element = node.elementType(Query);
  auto input = [&](unsigned i, int64_t count) { return perHead(f, node.tensor(i), count); };
  LinearLayer layer{input(Query, heads), input(Key, shared), input(Values, shared), {}, {}, heads / shared};
  if (gated)
    layer.decay = input(Decay, shared);
  if (delta)
    layer.beta = input(Beta, shared);
  AttentionSpec spec;
  spec.q = layer.q;
  KILN_RETURN_IF_ERROR(f.status());
  KILN_RETURN_IF_ERROR(readScale(f, spec));
  Extents shape{f.dim(layer.k, 0), f.constant(shared), f.dim(layer.k, 3), f.dim(layer.v, 3)};
  Value state =
      node.hasInput(Past) ? f.convert(node.tensor(Past), f.f32()) : f.broadcast(f.scalar(f.f32(), 0), shape);
  SmallVector<Value> outputs;
  Extents row{shape[0], f.constant(1), f.build.math().mul(f.constant(heads), shape[3])};
  for (int64_t step = 0; step < *steps; ++step) {
    auto [next, read] = advance(f, layer, state, step);
    state = next;
    outputs.push_back(f.reshape(read, row));
  }
  KILN_RETURN_IF_ERROR(f.output(0, f.convert(f.mul(f.concat(outputs, 1), spec.scale), element)));
  return f.output(1, f.convert(state, node.hasInput(Past) ? node.elementType(Past) : element));
}

constexpr OpEntry kStateOps[] = {
    {"CausalConvWithState", 27, 2, 4, importCausalConv},
    {"LinearAttention", 27, 3, 6, importLinearAttention, "sequences not known to have 1 to 64 steps"},
};

} // namespace

llvm::ArrayRef<OpEntry> stateOps() { return kStateOps; }

} // namespace kiln::onnx
