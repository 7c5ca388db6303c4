// ImportFused.cpp: operators of com.microsoft that fuse what ai.onnx has apart: products, norms and
// activations.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Formula.h"

#include <cfloat>

using namespace mlir;

namespace kiln::onnx {
namespace {

constexpr int64_t kBaseOpset = 22; // of ai.onnx, whose operators these extend

/// Imports the node as the operator of ai.onnx that it extends; what is read from it then must be the same.
Status importBase(Node &node, StringRef op) { return findOp("", op, kBaseOpset)->import(node); }

// ---- Activations
// --------------------------------------------------------------------------------------------

Value gelu(Formula &f, Value x, GeluApproximation kind = GeluApproximation::None) {
  return f.make<GeluOp>(x, f.build.named("approximate", GeluApproximationAttr::get(f.build.context(), kind)));
}

template <GeluApproximation kind> Status importBiasGelu(Node &node) {
  Formula f(node);
  Value x = node.tensor(0);
  return f.output(0, gelu(f, node.hasInput(1) ? f.add(x, node.tensor(1)) : x, kind));
}

/// x * sigmoid(alpha * x)
Status importQuickGelu(Node &node) {
  KILN_ASSIGN_OR_RETURN(double alpha, node.realAttribute("alpha", 1.702f));
  Formula f(node);
  Value x = node.tensor(0);
  return f.output(0, f.mul(x, f.sigmoid(f.mul(x, alpha))));
}

/// a * sigmoid(alpha * a) * b
Status importSwiGlu(Node &node) {
  KILN_RETURN_IF_ERROR(node.requireFloat(0));
  KILN_ASSIGN_OR_RETURN(double alpha, node.realAttribute("alpha", 1.0));
  Formula f(node);
  Value a = node.tensor(0);
  Value gate = alpha == 1 ? f.make<SiluOp>(a) : f.mul(a, f.sigmoid(f.mul(a, alpha)));
  return f.output(0, f.mul(gate, node.tensor(1)));
}

/// One half of the last axis times gelu of the other.
Status importBiasSplitGelu(Node &node) {
  Formula f(node);
  Value sum = f.add(node.tensor(0), node.tensor(1));
  int64_t axis = f.rank(sum) - 1;
  if (axis < 0)
    return invalid("input of rank 0; expected 1 or more");
  Extent half = f.build.math().div(f.dim(sum, axis), f.constant(2));
  Value left = f.slice(sum, axis, f.constant(0), half), right = f.slice(sum, axis, half, half);
  return f.output(0, f.mul(left, gelu(f, right)));
}

/// The activation that `activation` names, with parameters from `parameters`.
Value activated(Formula &f, Value x, StringRef name, ArrayRef<double> parameters) {
  auto parameter = [&](size_t i, double byDefault) {
    return i < parameters.size() ? parameters[i] : byDefault;
  };
  KilnBuilder &build = f.build;
  if (name.empty())
    return x;
  if (name == "Relu")
    return f.make<ReluOp>(x);
  if (name == "Sigmoid")
    return f.sigmoid(x);
  if (name == "Tanh")
    return f.tanh(x);
  if (name == "Softplus")
    return f.make<SoftplusOp>(x);
  if (name == "LeakyRelu")
    return f.make<LeakyReluOp>(x, build.real("alpha", parameter(0, 0.01f)));
  if (name == "HardSigmoid")
    return f.make<HardSigmoidOp>(
        x, {build.real("alpha", parameter(0, 0.2f)), build.real("beta", parameter(1, 0.5))});
  if (name == "Clip")
    return f.make<ClampOp>(
        x, {build.real("min", parameter(0, -FLT_MAX)), build.real("max", parameter(1, FLT_MAX))});
  return f.fail(unsupported("activation '{0}' is not supported", name));
}

// ---- Products
// -----------------------------------------------------------------------------------------------

/// The batch axes of [batch.., rows] moved behind the row axis: what `transBatchA` undoes.
Value batchFirst(Formula &f, Value x) {
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(1, f.rank(x) - 1));
  permutation.push_back(0);
  permutation.push_back(f.rank(x) - 1);
  return f.transpose(x, permutation);
}

/// alpha * A' * B'
Status importFusedMatMul(Node &node) {
  KILN_ASSIGN_OR_RETURN(double alpha, node.realAttribute("alpha", 1.0));
  Formula f(node);
  Value operands[2];
  bool transposed[2];
  for (unsigned i = 0; i < 2; ++i) {
    KILN_ASSIGN_OR_RETURN(transposed[i], node.flagAttribute(i ? "transB" : "transA", false));
    KILN_ASSIGN_OR_RETURN(bool batch, node.flagAttribute(i ? "transBatchB" : "transBatchA", false));
    operands[i] = node.tensor(i);
    if (batch && f.rank(operands[i]) > 2)
      operands[i] = batchFirst(f, operands[i]);
    transposed[i] &= f.rank(operands[i]) > 1; // of a vector it does nothing
  }
  Value product = f.matmul(operands[0], operands[1], transposed[0], transposed[1]);
  return f.output(0, alpha == 1 ? product : f.mul(product, alpha));
}

Status importFusedGemm(Node &node) {
  KILN_ASSIGN_OR_RETURN(std::string name, node.stringAttribute("activation", ""));
  SmallVector<double> parameters;
  for (StringRef attribute : {"activation_alpha", "activation_beta", "activation_gamma"})
    if (node.hasAttribute(attribute)) {
      KILN_ASSIGN_OR_RETURN(double value, node.realAttribute(attribute));
      parameters.push_back(value);
    }
  KILN_RETURN_IF_ERROR(importBase(node, "Gemm"));
  Formula f(node);
  return f.output(0, activated(f, node.results()[0].tensor, name, parameters));
}

/// Conv, plus Z if it is there, then the activation.
Status importFusedConv(Node &node) {
  KILN_ASSIGN_OR_RETURN(std::string name, node.stringAttribute("activation", ""));
  KILN_ASSIGN_OR_RETURN(auto given, node.realsAttribute("activation_params"));
  SmallVector<double> parameters;
  if (given)
    parameters.assign(given->begin(), given->end());
  KILN_RETURN_IF_ERROR(importBase(node, "Conv"));
  Formula f(node);
  Value sum = node.results()[0].tensor;
  if (node.hasInput(3))
    sum = f.add(sum, node.tensor(3));
  return f.output(0, activated(f, sum, name, parameters));
}

// ---- Norms
// --------------------------------------------------------------------------------------------------

struct Norm {
  Value scale, bias; // bias: null for none
  double epsilon = 0;
  bool centered = true; // layer_norm, else rms_norm
};

Value normalized(Formula &f, Value x, const Norm &norm, int64_t axis = -1) {
  SmallVector<NamedAttribute> attributes{f.build.integer("axis", axis),
                                         f.build.real("epsilon", norm.epsilon)};
  SmallVector<Value> operands{x};
  if (norm.scale)
    operands.push_back(norm.scale);
  if (!norm.centered)
    return f.make<RmsNormOp>(operands, attributes);
  if (norm.bias)
    operands.push_back(norm.bias);
  attributes.push_back(f.build.named("operandSegmentSizes", f.build.builder().getDenseI32ArrayAttr(
                                                                {1, norm.scale ? 1 : 0, norm.bias ? 1 : 0})));
  return f.make<LayerNormOp>(operands, attributes);
}

/// The norm of input + skip + bias; the sum is output 3.
template <bool centered> Status importSkipNorm(Node &node) {
  KILN_ASSIGN_OR_RETURN(double epsilon, node.realAttribute("epsilon", 1e-12f));
  constexpr unsigned biasInput = centered ? 4 : 3;
  Formula f(node);
  Value sum = f.add(node.tensor(0), node.tensor(1));
  if (node.hasInput(biasInput))
    sum = f.add(sum, node.tensor(biasInput));
  Norm norm{node.tensor(2), centered ? node.tensorOrNull(3) : Value(), epsilon, centered};
  KILN_RETURN_IF_ERROR(f.output(0, normalized(f, sum, norm)));
  return node.wantsOutput(3) ? f.output(3, sum) : Status();
}

/// Y, and 1 / sqrt(mean of the squares + epsilon).
Status importSimplifiedLayerNorm(Node &node) {
  KILN_RETURN_IF_ERROR(node.requireFloat(0));
  KILN_ASSIGN_OR_RETURN(double epsilon, node.realAttribute("epsilon", 1e-5f));
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(-1));
  node.ignoreAttribute("stash_type"); // f32 or more, always
  Formula f(node);
  Value x = node.tensor(0);
  KILN_RETURN_IF_ERROR(f.output(0, normalized(f, x, {node.tensor(1), {}, epsilon, false}, axis)));
  if (!node.wantsOutput(1))
    return {};
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(axis, node.rank(0)));
  Value wide = f.convert(x, f.f32());
  return f.output(1, f.rsqrt(f.add(f.reduce(ReduceKind::Mean, f.square(wide), axes), epsilon)));
}

/// GroupNorm of stable diffusion: channels first or last, then silu if `activation` is 1.
Status importGroupNorm(Node &node) {
  KILN_ASSIGN_OR_RETURN(double epsilon, node.realAttribute("epsilon", 1e-5f));
  KILN_ASSIGN_OR_RETURN(int64_t groups, node.integerAttribute("groups"));
  KILN_ASSIGN_OR_RETURN(bool activation, node.flagAttribute("activation", false));
  KILN_ASSIGN_OR_RETURN(bool channelsLast, node.flagAttribute("channels_last", true));
  if (node.rank(0) != 4)
    return invalid("input of rank {0}; expected 4", node.rank(0));
  Formula f(node);
  Value x = channelsLast ? f.transpose(node.tensor(0), {0, 3, 1, 2}) : node.tensor(0);
  Value y = f.make<GroupNormOp>(
      {x, node.tensor(1), node.tensor(2)},
      {f.build.integer("groups", groups), f.build.real("epsilon", epsilon),
       f.build.named("operandSegmentSizes", f.build.builder().getDenseI32ArrayAttr({1, 1, 1}))});
  if (activation)
    y = f.make<SiluOp>(y);
  return f.output(0, channelsLast ? f.transpose(y, {0, 2, 3, 1}) : y);
}

// ---- Others
// -------------------------------------------------------------------------------------------------

/// All inputs added up.
Status importBiasAdd(Node &node) {
  Formula f(node);
  return f.output(0, f.add(f.add(node.tensor(0), node.tensor(1)), node.tensor(2)));
}

/// softmax(data + bias)
Status importBiasSoftmax(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(1));
  KILN_ASSIGN_OR_RETURN(bool inner, node.flagAttribute("is_inner_broadcast", true));
  if (axis != node.rank(0) - 1 || !inner)
    return unsupported("'axis' {0} with 'is_inner_broadcast' {1} is not supported; the last axis with 1 is",
                       axis, inner ? 1 : 0);
  Formula f(node);
  return f.output(0, f.softmax(f.add(node.tensor(0), node.tensor(1)), axis));
}

Status importExpandDims(Node &node) {
  KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> axes, node.knownIntegers(1, "'axis'"));
  if (axes.size() != 1)
    return invalid("'axis' has {0} elements; expected one", axes.size());
  KILN_ASSIGN_OR_RETURN(int64_t axis, Node::normalizeAxis(axes.front(), node.rank(0) + 1));
  Formula f(node);
  return f.output(0, f.unsqueeze(node.tensor(0), axis));
}

/// Distances of the rows of A and B: the differences are squared, not multiplied out, which loses no digits.
Status importCDist(Node &node) {
  KILN_ASSIGN_OR_RETURN(std::string metric, node.stringAttribute("metric", "sqeuclidean"));
  if (metric != "sqeuclidean" && metric != "euclidean")
    return invalid("attribute 'metric' is '{0}'; expected 'sqeuclidean' or 'euclidean'", metric);
  if (node.rank(0) != 2 || node.rank(1) != 2)
    return invalid("inputs of rank {0} and {1}; expected matrices", node.rank(0), node.rank(1));
  Formula f(node);
  Value difference = f.sub(f.unsqueeze(node.tensor(0), 1), f.unsqueeze(node.tensor(1), 0));
  Value squares = f.reduce(ReduceKind::SumSquare, difference, 2, /*keepdims=*/false);
  return f.output(0, metric == "euclidean" ? f.sqrt(squares) : squares);
}

/// ai.onnx's operator under a second name.
template <const char *name> Status importAlias(Node &node) { return importBase(node, name); }
constexpr char kGatherND[] = "GatherND", kGridSample[] = "GridSample", kTrilu[] = "Trilu";

constexpr OpEntry kFusedOps[] = {
    {"BiasAdd", 1, 3, 3, importBiasAdd, "", kMicrosoftDomain},
    {"BiasGelu", 1, 2, 2, importBiasGelu<GeluApproximation::None>, "", kMicrosoftDomain},
    {"BiasSoftmax", 1, 2, 2, importBiasSoftmax, "another axis than the last", kMicrosoftDomain},
    {"BiasSplitGelu", 1, 2, 2, importBiasSplitGelu, "", kMicrosoftDomain},
    {"CDist", 1, 2, 2, importCDist, "", kMicrosoftDomain},
    {"ExpandDims", 1, 2, 2, importExpandDims, "an axis computed from data", kMicrosoftDomain},
    {"FastGelu", 1, 1, 2, importBiasGelu<GeluApproximation::Tanh>, "", kMicrosoftDomain},
    {"FusedConv", 1, 2, 4, importFusedConv, "", kMicrosoftDomain},
    {"FusedGemm", 1, 2, 3, importFusedGemm, "", kMicrosoftDomain},
    {"FusedMatMul", 1, 2, 2, importFusedMatMul, "", kMicrosoftDomain},
    {"GatherND", 1, 2, 2, importAlias<kGatherND>, "", kMicrosoftDomain},
    {"Gelu", 1, 1, 1, importBiasGelu<GeluApproximation::None>, "", kMicrosoftDomain},
    {"GridSample", 1, 2, 2, importAlias<kGridSample>, "", kMicrosoftDomain},
    {"GroupNorm", 1, 3, 3, importGroupNorm, "", kMicrosoftDomain},
    {"QuickGelu", 1, 1, 1, importQuickGelu, "", kMicrosoftDomain},
    {"SimplifiedLayerNormalization", 1, 2, 2, importSimplifiedLayerNorm},
    {"SkipLayerNormalization", 1, 3, 5, importSkipNorm<true>, "outputs `mean` and `inv_std_var`",
     kMicrosoftDomain},
    {"SkipSimplifiedLayerNormalization", 1, 3, 4, importSkipNorm<false>, "output `inv_std_var`",
     kMicrosoftDomain},
    {"SwiGLU", 28, 2, 2, importSwiGlu},
    {"TransposeMatMul", 1, 2, 2, importFusedMatMul, "", kMicrosoftDomain},
    {"Trilu", 1, 1, 2, importAlias<kTrilu>, "", kMicrosoftDomain},
};

} // namespace

llvm::ArrayRef<OpEntry> fusedOps() { return kFusedOps; }

} // namespace kiln::onnx
