// ImportTraining.cpp: losses, and the optimizers of ai.onnx.preview.training.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Formula.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

constexpr llvm::StringLiteral kTraining = "ai.onnx.preview.training";

// ---- Losses
// -------------------------------------------------------------------------------------------------

/// -log p of the classes that `target` (input 1) names, weighted by input 2, in the form that `reduction`
/// says. `logarithms` is [batch, classes, ..].
Value likelihoodLoss(Formula &f, Value logarithms) {
  Node &node = f.node;
  Result<std::string> reduction = node.stringAttribute("reduction", "mean");
  if (!reduction.ok())
    return f.fail(reduction.status());
  if (*reduction != "mean" && *reduction != "sum" && *reduction != "none")
    return f.fail(invalid("attribute 'reduction' is '{0}'; expected 'none', 'mean' or 'sum'", *reduction));
  int64_t rank = f.rank(logarithms);
  if (!f.ok() || rank < 2 || node.rank(1) != rank - 1)
    return f.fail(
        invalid("inputs of rank {0} and {1}; expected 2 or more, and one less", rank, node.rank(1)));
  Type element = f.elementType(logarithms);
  Value target = f.unsqueeze(f.convert(node.tensor(1), f.i64()), 1); // [batch, 1, ..]
  Value zero = f.scalar(element, 0);
  Extent count = f.dim(logarithms, 1);
  Value counts;
  if (std::optional<int64_t> known = getConstantIntValue(count); known && *known > 0) {
    // The target's element of each row. What is no class counts nothing.
    counts = f.make<AndOp>({f.compare("ge", target, f.scalar(f.i64(), 0)),
                            f.compare("lt", target, f.scalar(f.i64(), static_cast<double>(*known)))});
    logarithms = f.make<GatherElementsOp>({logarithms, target}, f.build.integer("axis", 1));
  } else {
    // One element for each class, and where the class is the target's.
    Extents classes(static_cast<size_t>(rank), f.constant(1));
    classes[1] = count;
    counts = f.compare("eq", f.iota(f.i64(), classes, 1), target);
  }
  Value weights = f.scalar(element, 1);
  if (node.hasInput(2))
    weights = f.make<GatherOp>({node.tensor(2), target}, f.build.integer("axis", 0));
  weights = f.select(counts, weights, zero);
  if (node.hasAttribute("ignore_index")) {
    Result<int64_t> ignored = node.integerAttribute("ignore_index");
    if (!ignored.ok())
      return f.fail(ignored.status());
    Value others = f.compare("ne", target, f.scalar(f.i64(), static_cast<double>(*ignored)));
    weights = f.select(others, weights, zero);
  }
  // A logarithm may be -inf where its weight is 0.
  Value picked = f.compare("ne", weights, zero);
  Value terms = f.select(picked, f.neg(f.mul(weights, logarithms)), zero);
  if (*reduction == "none")
    return f.reduce(ReduceKind::Sum, terms, 1, /*keepdims=*/false);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  Value sum = f.reduce(ReduceKind::Sum, terms, axes, /*keepdims=*/false);
  if (*reduction == "sum")
    return sum;
  return f.div(sum, f.reduce(ReduceKind::Sum, weights, axes, /*keepdims=*/false));
}

Status importNegativeLogLikelihood(Node &node) {
  Formula f(node);
  return f.output(0, likelihoodLoss(f, node.tensor(0)));
}

Status importSoftmaxCrossEntropy(Node &node) {
  Formula f(node);
  Value logarithms = f.make<LogSoftmaxOp>(node.tensor(0), f.build.integer("axis", 1));
  KILN_RETURN_IF_ERROR(f.output(0, likelihoodLoss(f, logarithms)));
  return node.wantsOutput(1) ? f.output(1, logarithms) : Status();
}

// ---- Optimizers: inputs R, T, then the tensors, their gradients and each kind of state
// --------------------------------------------------------------------------------------

/// The float attributes of a node by name; an optimizer without one is refused.
struct Rates {
  explicit Rates(Formula &f) : f(f) {}
  double operator()(StringRef name, std::optional<double> byDefault = {}) {
    Result<double> value = f.node.realAttribute(name, byDefault);
    if (value.ok())
      return *value;
    f.fail(value.status());
    return 0;
  }
  Formula &f;
};

/// What one optimizer makes of a tensor and its gradient: the new tensor, then its new states.
using Update = llvm::function_ref<SmallVector<Value>(Value x, Value gradient, ArrayRef<Value> states)>;

/// Applies the update to each tensor; outputs are the tensors, then each kind of state. The gradient has that
/// of the squared norm added.
Status updateAll(Formula &f, unsigned states, double norm, Update update) {
  Node &node = f.node;
  unsigned kinds = states + 2;
  if (node.numInputs() < 2 + kinds || (node.numInputs() - 2) % kinds)
    return invalid("{0} inputs; expected R, T and {1} for each tensor", node.numInputs(), kinds);
  unsigned count = (node.numInputs() - 2) / kinds;
  for (unsigned i = 0; i < count; ++i) {
    SmallVector<Value> inputs;
    for (unsigned kind = 0; kind < kinds; ++kind) {
      unsigned index = 2 + kind * count + i;
      if (!node.hasInput(index))
        return invalid("input {0} is left out; expected a tensor", index);
      inputs.push_back(node.tensor(index));
    }
    Value gradient = norm == 0 ? inputs[1] : f.add(f.mul(inputs[0], norm), inputs[1]);
    SmallVector<Value> results = update(inputs[0], gradient, ArrayRef(inputs).drop_front(2));
    for (auto [kind, result] : llvm::enumerate(results))
      KILN_RETURN_IF_ERROR(f.output(static_cast<unsigned>(kind) * count + i, result));
  }
  return {};
}

Status importAdagrad(Node &node) {
  Formula f(node);
  Rates rate(f);
  double decay = rate("decay_factor", 0), epsilon = rate("epsilon", 0), norm = rate("norm_coefficient", 0);
  Value r = node.tensor(0), t = f.convert(node.tensor(1), f.elementType(r));
  Value step = decay == 0 ? r : f.div(r, f.add(f.mul(t, decay), 1));
  return updateAll(f, 1, norm, [&](Value x, Value gradient, ArrayRef<Value> states) -> SmallVector<Value> {
    Value h = f.add(states[0], f.square(gradient));
    return {f.sub(x, f.div(f.mul(step, gradient), f.add(f.sqrt(h), epsilon))), h};
  });
}

Status importAdam(Node &node) {
  Formula f(node);
  Rates rate(f);
  double alpha = rate("alpha", 0.9f), beta = rate("beta", 0.999f), epsilon = rate("epsilon", 0);
  double norm = rate("norm_coefficient", 0), after = rate("norm_coefficient_post", 0);
  Value r = node.tensor(0), t = f.convert(node.tensor(1), f.elementType(r));
  // Corrects the bias of the first steps; at step 0 there is none.
  auto remaining = [&](double base) {
    Value power = f.make<PowOp>({f.like(t, base), t});
    return f.sub(f.like(t, 1), power);
  };
  Value corrected = f.div(f.mul(r, f.sqrt(remaining(beta))), remaining(alpha));
  Value step = f.select(f.compare("gt", t, f.like(t, 0)), corrected, r);
  return updateAll(f, 2, norm, [&](Value x, Value gradient, ArrayRef<Value> states) -> SmallVector<Value> {
    Value v = f.add(f.mul(states[0], alpha), f.mul(gradient, 1 - alpha));
    Value h = f.add(f.mul(states[1], beta), f.mul(f.square(gradient), 1 - beta));
    Value next = f.sub(x, f.mul(step, f.div(v, f.add(f.sqrt(h), epsilon))));
    return {after == 0 ? next : f.mul(next, 1 - after), v, h};
  });
}

Status importMomentum(Node &node) {
  Formula f(node);
  Rates rate(f);
  double alpha = rate("alpha"), beta = rate("beta"), norm = rate("norm_coefficient");
  KILN_ASSIGN_OR_RETURN(std::string mode, node.stringAttribute("mode"));
  if (mode != "standard" && mode != "nesterov")
    return invalid("attribute 'mode' is '{0}'; expected 'standard' or 'nesterov'", mode);
  Value r = node.tensor(0), t = node.tensor(1);
  // The first gradient counts in full.
  Value share = f.select(f.compare("gt", t, f.like(t, 0)), f.like(r, beta), f.like(r, 1));
  return updateAll(f, 1, norm, [&](Value x, Value gradient, ArrayRef<Value> states) -> SmallVector<Value> {
    Value v = f.add(f.mul(states[0], alpha), f.mul(share, gradient));
    Value direction = mode == "standard" ? v : f.add(gradient, f.mul(v, alpha));
    return {f.sub(x, f.mul(r, direction)), v};
  });
}

constexpr OpEntry kTrainingOps[] = {
    {"Adagrad", 1, 2, kAnyNumber, importAdagrad, "", kTraining},
    {"Adam", 1, 2, kAnyNumber, importAdam, "", kTraining},
    {"Momentum", 1, 2, kAnyNumber, importMomentum, "", kTraining},
    {"NegativeLogLikelihoodLoss", 12, 2, 3, importNegativeLogLikelihood},
    {"SoftmaxCrossEntropyLoss", 12, 2, 3, importSoftmaxCrossEntropy},
};

} // namespace

llvm::ArrayRef<OpEntry> trainingOps() { return kTrainingOps; }

} // namespace kiln::onnx
