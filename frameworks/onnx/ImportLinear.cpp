// ImportLinear.cpp: linear models and support vector machines of ai.onnx.ml.
#include "frameworks/onnx/Classification.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/PairCoupling.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

constexpr int64_t kMaxCoupledClasses = 64; // their loop has a few ops a class
constexpr int64_t kMaxClasses = 512;       // of an SVMClassifier: its table of votes grows with the cube

Result<std::vector<float>> reals(Node &node, StringRef name, std::optional<size_t> count = {}) {
  KILN_ASSIGN_OR_RETURN(auto given, node.realsAttribute(name));
  std::vector<float> list = given.value_or(std::vector<float>());
  if (count && list.size() != *count)
    return invalid("attribute '{0}' has {1} entries; expected {2}", name, list.size(), *count);
  return list;
}

/// x W^T, with W given row by row.
Result<Value> timesRows(Node &node, Value x, ArrayRef<float> matrix, int64_t rows) {
  int64_t features = cast<RankedTensorType>(x.getType()).getDimSize(1);
  auto count = static_cast<int64_t>(matrix.size());
  if (rows < 1 || count % rows != 0 || (!ShapedType::isDynamic(features) && count != rows * features))
    return invalid("{0} coefficients for {1} rows of {2} features", count, rows,
                   ShapedType::isDynamic(features) ? "any number of" : std::to_string(features));
  KILN_ASSIGN_OR_RETURN(Value turned,
                        node.build.transpose(floats(node.build, matrix, {rows, count / rows}), {1, 0}));
  return node.build.make<MatmulOp>({x, turned});
}

Result<Value> linearScores(Node &node, StringRef coefficients, int64_t targets) {
  KILN_ASSIGN_OR_RETURN(std::vector<float> matrix, reals(node, coefficients));
  KILN_ASSIGN_OR_RETURN(std::vector<float> intercepts, reals(node, "intercepts"));
  KILN_ASSIGN_OR_RETURN(Value x, featureRows(node, node.build.builder().getF32Type()));
  KILN_ASSIGN_OR_RETURN(Value scores, timesRows(node, x, matrix, targets));
  if (intercepts.empty())
    return scores;
  if (static_cast<int64_t>(intercepts.size()) != targets)
    return invalid("attribute 'intercepts' has {0} entries; expected {1}", intercepts.size(), targets);
  return node.build.make<AddOp>({scores, floats(node.build, intercepts)});
}

Status importLinearRegressor(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t targets, node.integerAttribute("targets", 1));
  KILN_ASSIGN_OR_RETURN(std::string transform, node.stringAttribute("post_transform", "NONE"));
  KILN_ASSIGN_OR_RETURN(Value scores, linearScores(node, "coefficients", targets));
  return node.output(postTransform(node, scores, transform));
}

Status importLinearClassifier(Node &node) {
  node.ignoreAttribute("multi_class");
  KILN_ASSIGN_OR_RETURN(std::string transform, node.stringAttribute("post_transform", "NONE"));
  KILN_ASSIGN_OR_RETURN(std::vector<int64_t> labels,
                        classLabels(node, "classlabels_ints", "classlabels_strings"));
  KILN_ASSIGN_OR_RETURN(std::vector<float> intercepts, reals(node, "intercepts"));
  auto classes = static_cast<int64_t>(labels.size());
  int64_t targets = intercepts.empty() ? classes : static_cast<int64_t>(intercepts.size());
  KILN_ASSIGN_OR_RETURN(Value scores, linearScores(node, "coefficients", targets));
  if (targets == 1 && classes == 2)
    return setBinaryOutputs(node, scores, labels, transform, BinaryScore::Linear);
  if (targets != classes)
    return invalid("{0} intercepts for {1} classes", targets, classes);
  return setClassOutputs(node, scores, labels, transform);
}

// ---- Support vectors -------------------------------------------------------------------------------------

/// The kernel of every row with every support vector, [rows, vectors].
Result<Value> kernelValues(Node &node, Value x, ArrayRef<float> vectors, int64_t count) {
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(std::string kind, node.stringAttribute("kernel_type", "LINEAR"));
  KILN_ASSIGN_OR_RETURN(std::vector<float> params, reals(node, "kernel_params"));
  params.resize(3); // gamma, coef0, degree
  Type element = build.builder().getF32Type();
  Value gamma = build.scalar(element, params[0]), coef0 = build.scalar(element, params[1]);
  KILN_ASSIGN_OR_RETURN(Value dot, timesRows(node, x, vectors, count));
  if (kind == "LINEAR")
    return dot;
  if (kind == "RBF") { // |x - v|^2 = |x|^2 - 2 x v + |v|^2
    auto squares = [&](Value rows) {
      return build.make<ReduceOp>(
          rows, {build.named("kind", ReduceKindAttr::get(build.context(), ReduceKind::SumSquare)),
                 build.integers("axes", {1}), build.flag("keepdims")});
    };
    auto features = static_cast<int64_t>(vectors.size()) / count;
    KILN_ASSIGN_OR_RETURN(Value own, squares(x));
    KILN_ASSIGN_OR_RETURN(Value theirs, squares(floats(build, vectors, {count, features})));
    KILN_ASSIGN_OR_RETURN(theirs, build.transpose(theirs, {1, 0}));
    KILN_ASSIGN_OR_RETURN(Value twice, build.make<MulOp>({dot, build.scalar(element, -2)}));
    KILN_ASSIGN_OR_RETURN(Value distance, build.make<AddOp>({own, theirs}));
    KILN_ASSIGN_OR_RETURN(distance, build.make<AddOp>({distance, twice}));
    KILN_ASSIGN_OR_RETURN(Value scaled, build.make<MulOp>({distance, build.scalar(element, -params[0])}));
    return build.make<ExpOp>(scaled);
  }
  KILN_ASSIGN_OR_RETURN(Value affine, build.make<MulOp>({dot, gamma}));
  KILN_ASSIGN_OR_RETURN(affine, build.make<AddOp>({affine, coef0}));
  if (kind == "POLY")
    return build.make<PowOp>({affine, build.scalar(element, params[2])});
  if (kind == "SIGMOID")
    return build.make<TanhOp>(affine);
  return invalid("attribute 'kernel_type' is '{0}'; expected LINEAR, POLY, RBF or SIGMOID", kind);
}

Status importSvmRegressor(Node &node) {
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(int64_t count, node.integerAttribute("n_supports", 0));
  KILN_ASSIGN_OR_RETURN(bool oneClass, node.flagAttribute("one_class", false));
  KILN_ASSIGN_OR_RETURN(std::string transform, node.stringAttribute("post_transform", "NONE"));
  KILN_ASSIGN_OR_RETURN(std::vector<float> coefficients, reals(node, "coefficients"));
  KILN_ASSIGN_OR_RETURN(std::vector<float> vectors, reals(node, "support_vectors"));
  KILN_ASSIGN_OR_RETURN(std::vector<float> rho, reals(node, "rho"));
  if (rho.empty())
    return invalid("attribute 'rho' is missing");
  KILN_ASSIGN_OR_RETURN(Value x, featureRows(node, build.builder().getF32Type()));
  Value scores;
  if (count > 0) {
    if (static_cast<int64_t>(coefficients.size()) != count || vectors.empty())
      return invalid("{0} coefficients for {1} support vectors", coefficients.size(), count);
    KILN_ASSIGN_OR_RETURN(Value kernels, kernelValues(node, x, vectors, count));
    KILN_ASSIGN_OR_RETURN(scores, build.make<MatmulOp>({kernels, floats(build, coefficients, {count, 1})}));
  } else { // the coefficients are those of a plane
    node.ignoreAttribute("kernel_type");
    node.ignoreAttribute("kernel_params");
    KILN_ASSIGN_OR_RETURN(scores, timesRows(node, x, coefficients, 1));
  }
  KILN_ASSIGN_OR_RETURN(scores,
                        build.make<AddOp>({scores, build.scalar(build.builder().getF32Type(), rho[0])}));
  if (!oneClass)
    return node.output(postTransform(node, scores, transform));
  Type element = build.builder().getF32Type();
  KILN_ASSIGN_OR_RETURN(Value inside, build.compare("gt", scores, build.scalar(element, 0)));
  return node.output(build.make<SelectOp>({inside, build.scalar(element, 1), build.scalar(element, -1)}));
}

/// The scores of each pair of classes, [rows, pairs]: only the vectors of the two count.
Result<Value> pairScores(Node &node, Value kernels, ArrayRef<int64_t> perClass, ArrayRef<float> coefficients,
                         ArrayRef<float> rho) {
  KilnBuilder &build = node.build;
  auto classes = static_cast<int64_t>(perClass.size());
  int64_t vectors = 0;
  std::vector<int64_t> first;
  for (int64_t count : perClass) {
    first.push_back(vectors);
    vectors += count;
  }
  int64_t pairs = classes * (classes - 1) / 2;
  if (static_cast<int64_t>(coefficients.size()) != (classes - 1) * vectors ||
      static_cast<int64_t>(rho.size()) < pairs)
    return invalid("{0} coefficients and {1} entries of 'rho' for {2} classes with {3} support vectors",
                   coefficients.size(), rho.size(), classes, vectors);
  std::vector<float> matrix(static_cast<size_t>(vectors * pairs));
  int64_t pair = 0;
  for (int64_t i = 0; i < classes; ++i)
    for (int64_t j = i + 1; j < classes; ++j, ++pair) {
      for (int64_t k = first[i]; k < first[i] + perClass[i]; ++k)
        matrix[k * pairs + pair] = coefficients[(j - 1) * vectors + k];
      for (int64_t k = first[j]; k < first[j] + perClass[j]; ++k)
        matrix[k * pairs + pair] = coefficients[i * vectors + k];
    }
  KILN_ASSIGN_OR_RETURN(Value scores,
                        build.make<MatmulOp>({kernels, floats(build, matrix, {vectors, pairs})}));
  return build.make<AddOp>({scores, floats(build, rho.take_front(pairs), {pairs})});
}

/// How many pairs each class wins, [rows, classes].
Result<Value> votes(KilnBuilder &build, Value scores, int64_t classes) {
  int64_t pairs = classes * (classes - 1) / 2, pair = 0;
  std::vector<float> winner(static_cast<size_t>(pairs * classes)), loser = winner;
  for (int64_t i = 0; i < classes; ++i)
    for (int64_t j = i + 1; j < classes; ++j, ++pair) {
      winner[pair * classes + i] = 1;
      loser[pair * classes + j] = 1;
    }
  Type element = build.builder().getF32Type();
  KILN_ASSIGN_OR_RETURN(Value isFirst, build.compare("gt", scores, build.scalar(element, 0)));
  KILN_ASSIGN_OR_RETURN(Value won, build.convert(isFirst, element));
  KILN_ASSIGN_OR_RETURN(Value lost, build.make<SubOp>({build.scalar(element, 1), won}));
  KILN_ASSIGN_OR_RETURN(Value a, build.make<MatmulOp>({won, floats(build, winner, {pairs, classes})}));
  KILN_ASSIGN_OR_RETURN(Value b, build.make<MatmulOp>({lost, floats(build, loser, {pairs, classes})}));
  return build.make<AddOp>({a, b});
}

Status importSvmClassifier(Node &node) {
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(std::string transform, node.stringAttribute("post_transform", "NONE"));
  KILN_ASSIGN_OR_RETURN(std::vector<int64_t> labels,
                        classLabels(node, "classlabels_ints", "classlabels_strings"));
  KILN_ASSIGN_OR_RETURN(auto perClass, node.integersAttribute("vectors_per_class"));
  KILN_ASSIGN_OR_RETURN(std::vector<float> coefficients, reals(node, "coefficients"));
  KILN_ASSIGN_OR_RETURN(std::vector<float> vectors, reals(node, "support_vectors"));
  KILN_ASSIGN_OR_RETURN(std::vector<float> rho, reals(node, "rho"));
  KILN_ASSIGN_OR_RETURN(std::vector<float> slopes, reals(node, "prob_a"));
  KILN_ASSIGN_OR_RETURN(std::vector<float> offsets, reals(node, "prob_b"));
  auto classes = static_cast<int64_t>(labels.size());
  if (!perClass || static_cast<int64_t>(perClass->size()) != classes || classes < 2)
    return unsupported("a classifier without support vectors for each class is not supported");
  if (classes > kMaxClasses)
    return unsupported("{0} classes; at most {1} are supported", classes, kMaxClasses);
  auto pairs = static_cast<size_t>(classes * (classes - 1) / 2);
  if (slopes.size() != offsets.size() || (!slopes.empty() && slopes.size() != pairs))
    return invalid("{0} entries of 'prob_a' and {1} of 'prob_b'; expected {2} of each, one a pair of classes",
                   slopes.size(), offsets.size(), pairs);
  if (!slopes.empty() && classes > kMaxCoupledClasses)
    return unsupported("calibrated probabilities of {0} classes; at most {1} are supported", classes,
                       kMaxCoupledClasses);
  int64_t count = 0;
  for (int64_t each : *perClass)
    if (each < 0 || llvm::AddOverflow(count, each, count))
      return invalid("attribute 'vectors_per_class' holds {0}; expected >= 0", each);
  KILN_ASSIGN_OR_RETURN(Value x, featureRows(node, build.builder().getF32Type()));
  KILN_ASSIGN_OR_RETURN(Value kernels, kernelValues(node, x, vectors, count));
  KILN_ASSIGN_OR_RETURN(Value scores, pairScores(node, kernels, *perClass, coefficients, rho));
  KILN_ASSIGN_OR_RETURN(Value counted, votes(build, scores, classes));
  KILN_RETURN_IF_ERROR(setClassOutputs(node, counted, labels, "NONE"));
  if (!slopes.empty()) {
    KILN_ASSIGN_OR_RETURN(scores, coupledProbabilities(node, scores, classes, slopes, offsets));
    KILN_ASSIGN_OR_RETURN(scores, postTransform(node, scores, transform));
    node.setOutput(1, scores);
    return {};
  }
  // Two classes share one score; without a transform ONNX Runtime gives it with both signs.
  BinaryScore meaning = transform == "NONE" ? BinaryScore::Margin : BinaryScore::Linear;
  KILN_ASSIGN_OR_RETURN(Value transformed, classes == 2 ? binaryScores(node, scores, transform, meaning)
                                                        : postTransform(node, scores, transform));
  node.setOutput(1, transformed);
  return {};
}

constexpr OpEntry kLinearOps[] = {
    {"LinearClassifier", 1, 1, 1, importLinearClassifier, "labels that are strings; PROBIT of one score",
     kMlDomain},
    {"LinearRegressor", 1, 1, 1, importLinearRegressor, "", kMlDomain},
    {"SVMClassifier", 1, 1, 1, importSvmClassifier,
     "labels that are strings; calibrated probabilities of more than 64 classes; PROBIT of two classes",
     kMlDomain},
    {"SVMRegressor", 1, 1, 1, importSvmRegressor, "", kMlDomain},
};

} // namespace

llvm::ArrayRef<OpEntry> linearOps() { return kLinearOps; }

} // namespace kiln::onnx
