// ImportRecurrence.cpp: LSTM, GRU and RNN, and the LSTM of com.microsoft that quantises dynamically.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Formula.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// One of ONNX's activation functions, as kiln calls it, with the defaults of its parameters.
struct ActivationEntry {
  llvm::StringLiteral onnx, kiln;
  bool takesAlpha = false, takesBeta = false;
  double alpha = 0, beta = 0;
};

constexpr ActivationEntry kActivations[] = {
    {"Affine", "affine", true, true, 1, 0},
    {"Elu", "elu", true, false, 1},
    {"HardSigmoid", "hard_sigmoid", true, true, 0.2, 0.5},
    {"LeakyRelu", "leaky_relu", true, false, 0.01},
    {"Relu", "relu"},
    {"ScaledTanh", "scaled_tanh", true, true, 1, 1},
    {"Sigmoid", "sigmoid"},
    {"Softplus", "softplus"},
    {"Softsign", "softsign"},
    {"Tanh", "tanh"},
    {"ThresholdedRelu", "thresholded_relu", true, false, 1},
};

/// The activations of one direction as attributes of the kiln op.
struct Activations {
  SmallVector<StringRef> names;
  SmallVector<double> alpha, beta;
  bool operator==(const Activations &) const = default;
};

/// The attributes that the three layers share.
struct LayerAttributes {
  RecurrenceDirection direction;
  bool batchFirst;
  std::optional<double> clip;
  SmallVector<Activations> activations; // one a direction
  int64_t directions() const { return direction == RecurrenceDirection::Bidirectional ? 2 : 1; }
};

Result<SmallVector<Activations>> readActivations(Node &node, ArrayRef<StringRef> byDefault,
                                                 int64_t directions) {
  KILN_ASSIGN_OR_RETURN(auto given, node.stringsAttribute("activations"));
  KILN_ASSIGN_OR_RETURN(auto alphas, node.realsAttribute("activation_alpha"));
  KILN_ASSIGN_OR_RETURN(auto betas, node.realsAttribute("activation_beta"));
  std::vector<std::string> names;
  if (given)
    names = *given;
  else
    for (int64_t i = 0; i < directions; ++i)
      names.insert(names.end(), byDefault.begin(), byDefault.end());
  size_t each = byDefault.size();
  if (names.size() != each * static_cast<size_t>(directions))
    return invalid("attribute 'activations' has {0} names; expected {1}", names.size(),
                   each * static_cast<size_t>(directions));
  // Parameters belong to those that take one, in order; what is left out has its default.
  size_t nextAlpha = 0, nextBeta = 0;
  auto next = [](const std::optional<std::vector<float>> &values, size_t &at, double byDefault) {
    return values && at < values->size() ? static_cast<double>((*values)[at++]) : byDefault;
  };
  SmallVector<Activations> result(static_cast<size_t>(directions));
  for (auto [i, name] : llvm::enumerate(names)) {
    const auto *entry = llvm::find_if(kActivations, [&, &name = name](const ActivationEntry &entry) {
      return entry.onnx.equals_insensitive(name);
    });
    if (entry == std::end(kActivations))
      return invalid("activation '{0}' is unknown; expected one of {1}", name,
                     llvm::join(llvm::map_range(kActivations, [](auto &entry) { return entry.onnx; }), ", "));
    Activations &list = result[i / each];
    list.names.push_back(entry->kiln);
    list.alpha.push_back(entry->takesAlpha ? next(alphas, nextAlpha, entry->alpha) : 0);
    list.beta.push_back(entry->takesBeta ? next(betas, nextBeta, entry->beta) : 0);
  }
  return result;
}

/// `hiddenAxis`: the axis of `R` that counts the hidden units.
Result<LayerAttributes> readAttributes(Node &node, ArrayRef<StringRef> byDefault, int64_t hiddenAxis) {
  LayerAttributes result;
  KILN_ASSIGN_OR_RETURN(std::string direction, node.stringAttribute("direction", "forward"));
  std::optional<RecurrenceDirection> kind = symbolizeRecurrenceDirection(direction);
  if (!kind)
    return invalid("attribute 'direction' is '{0}'; expected 'forward', 'reverse' or 'bidirectional'",
                   direction);
  result.direction = *kind;
  result.batchFirst = false;
  if (node.opset() >= 14 || !node.isOnnxDomain()) {
    KILN_ASSIGN_OR_RETURN(result.batchFirst, node.flagAttribute("layout", false));
  }
  if (node.hasAttribute("clip")) {
    KILN_ASSIGN_OR_RETURN(double clip, node.realAttribute("clip"));
    if (clip > 0) // exporters write 0 for none
      result.clip = clip;
  }
  node.ignoreAttribute("output_sequence"); // of opset 7: outputs that are not wanted have no name
  KILN_ASSIGN_OR_RETURN(int64_t hidden, node.integerAttribute("hidden_size", -1));
  KILN_ASSIGN_OR_RETURN(result.activations, readActivations(node, byDefault, result.directions()));
  if (node.rank(2) != 3)
    return invalid("input 'R' has rank {0}; expected 3", node.rank(2));
  auto known = IndexMath::known(node.dim(2, hiddenAxis));
  if (hidden >= 0 && known && hidden != *known)
    return invalid("attribute 'hidden_size' is {0}; input 'R' has {1} hidden units", hidden, *known);
  return result;
}

/// The operands of a layer: `states` holds initial_h and what a layer has besides.
struct LayerOperands {
  Value x, w, r, bias, lengths;
  SmallVector<Value> states;
};

/// Builds the kiln op of some directions; results are y and the last states.
template <typename Op>
Result<ResultRange> makeLayer(Node &node, RecurrenceDirection direction, const Activations &activations,
                              const LayerAttributes &attributes, const LayerOperands &operands,
                              unsigned results, StringRef flag) {
  KilnBuilder &build = node.build;
  SmallVector<Value> values{operands.x, operands.w, operands.r};
  SmallVector<int32_t> segments{1, 1, 1};
  auto add = [&](Value value) {
    segments.push_back(value ? 1 : 0);
    if (value)
      values.push_back(value);
  };
  add(operands.bias);
  add(operands.lengths);
  for (Value state : operands.states)
    add(state);
  SmallVector<NamedAttribute> list{
      build.named("direction", RecurrenceDirectionAttr::get(build.context(), direction)),
      build.named("activations", build.builder().getStrArrayAttr(activations.names)),
      build.named("operandSegmentSizes", build.builder().getDenseI32ArrayAttr(segments))};
  auto isSet = [](double value) { return value != 0; };
  if (llvm::any_of(activations.alpha, isSet))
    list.push_back(build.named("alpha", build.builder().getDenseF64ArrayAttr(activations.alpha)));
  if (llvm::any_of(activations.beta, isSet))
    list.push_back(build.named("beta", build.builder().getDenseF64ArrayAttr(activations.beta)));
  if (attributes.clip)
    list.push_back(build.real("clip", *attributes.clip));
  if (!flag.empty())
    list.push_back(build.flag(flag));
  return build.makeMany<Op>(results, values, list);
}

/// One direction of an operand that has an axis of directions.
Value directionOf(Formula &f, Value operand, int64_t direction) {
  return operand ? f.slice(operand, 0, f.constant(direction), f.constant(1)) : operand;
}

/// Both directions at once, or each by itself where their activations differ.
template <typename Op>
Result<SmallVector<Value>> makeLayers(Node &node, const LayerAttributes &attributes,
                                      const LayerOperands &operands, unsigned results, StringRef flag) {
  if (llvm::all_equal(attributes.activations)) {
    KILN_ASSIGN_OR_RETURN(ResultRange range,
                          makeLayer<Op>(node, attributes.direction, attributes.activations[0], attributes,
                                        operands, results, flag));
    return SmallVector<Value>(range);
  }
  Formula f(node);
  SmallVector<SmallVector<Value>> both;
  constexpr RecurrenceDirection directions[] = {RecurrenceDirection::Forward, RecurrenceDirection::Reverse};
  for (auto [i, direction] : llvm::enumerate(directions)) {
    LayerOperands part{operands.x,
                       directionOf(f, operands.w, i),
                       directionOf(f, operands.r, i),
                       directionOf(f, operands.bias, i),
                       operands.lengths,
                       {}};
    for (Value state : operands.states)
      part.states.push_back(directionOf(f, state, i));
    KILN_RETURN_IF_ERROR(f.status());
    KILN_ASSIGN_OR_RETURN(ResultRange range, makeLayer<Op>(node, direction, attributes.activations[i],
                                                           attributes, part, results, flag));
    both.push_back(SmallVector<Value>(range));
  }
  SmallVector<Value> joined;
  for (unsigned i = 0; i < results; ++i)
    joined.push_back(f.concat({both[0][i], both[1][i]}, i == 0 ? 1 : 0));
  KILN_RETURN_IF_ERROR(f.status());
  return joined;
}

/// `states`: the inputs that are initial states (transposed if the batch comes first) and the others.
template <typename Op>
Status importLayer(Node &node, ArrayRef<StringRef> activations, ArrayRef<unsigned> states,
                   ArrayRef<unsigned> others, unsigned results, StringRef flag,
                   bool transposedWeights = false) {
  KILN_ASSIGN_OR_RETURN(LayerAttributes attributes,
                        readAttributes(node, activations, transposedWeights ? 1 : 2));
  Formula f(node);
  auto stateInput = [&](unsigned i) {
    Value state = node.tensorOrNull(i);
    return state && attributes.batchFirst && f.rank(state) == 3 ? f.transpose(state, {1, 0, 2}) : state;
  };
  Value x = node.tensor(0);
  if (attributes.batchFirst && f.rank(x) == 3)
    x = f.transpose(x, {1, 0, 2});
  auto weights = [&](unsigned i) {
    return transposedWeights ? f.transpose(node.tensor(i), {0, 2, 1}) : node.tensor(i);
  };
  LayerOperands operands{x, weights(1), weights(2), node.tensorOrNull(3), node.tensorOrNull(4), {}};
  for (unsigned i : states)
    operands.states.push_back(stateInput(i));
  for (unsigned i : others)
    operands.states.push_back(node.tensorOrNull(i));
  KILN_RETURN_IF_ERROR(f.status());
  KILN_ASSIGN_OR_RETURN(SmallVector<Value> values, makeLayers<Op>(node, attributes, operands, results, flag));
  for (auto [i, value] : llvm::enumerate(values)) {
    if (attributes.batchFirst) // [steps, directions, batch, hidden] and [directions, batch, hidden]
      value = i == 0 ? f.transpose(value, {2, 0, 1, 3}) : f.transpose(value, {1, 0, 2});
    KILN_RETURN_IF_ERROR(f.output(static_cast<unsigned>(i), value));
  }
  return {};
}

Status importLstm(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool inputForget, node.flagAttribute("input_forget", false));
  return importLayer<LstmOp>(node, {"Sigmoid", "Tanh", "Tanh"}, {5, 6}, {7, 8, 9, 10, 11}, 3,
                             inputForget ? "input_forget" : "");
}

/// Weights come as [directions, rows, 4 * hidden], with scales and zeros.
Status importDynamicQuantizeLstm(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool inputForget, node.flagAttribute("input_forget", false));
  for (unsigned i : {1u, 2u})
    if (node.rank(i) != 3)
      return invalid("input {0} has rank {1}; expected 3", i, node.rank(i));
  return importLayer<LstmOp>(node, {"Sigmoid", "Tanh", "Tanh"}, {5, 6}, {7, 8, 9, 10, 11}, 3,
                             inputForget ? "input_forget" : "", /*transposedWeights=*/true);
}

Status importGru(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool linear, node.flagAttribute("linear_before_reset", false));
  return importLayer<GruOp>(node, {"Sigmoid", "Tanh"}, {5}, {}, 2, linear ? "linear_before_reset" : "");
}

Status importRnn(Node &node) { return importLayer<RnnOp>(node, {"Tanh"}, {5}, {}, 2, ""); }

constexpr OpEntry kRecurrenceOps[] = {
    {"DynamicQuantizeLSTM", 1, 3, 12, importDynamicQuantizeLstm, "", "com.microsoft"},
    {"GRU", 3, 3, 6, importGru},
    {"LSTM", 1, 3, 8, importLstm},
    {"RNN", 1, 3, 6, importRnn},
};

} // namespace

llvm::ArrayRef<OpEntry> recurrenceOps() { return kRecurrenceOps; }

} // namespace kiln::onnx
