// Classification.cpp: labels are gathered by the position of the highest score.
#include "frameworks/onnx/Classification.h"

#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Formula.h"

#include <cstring>
#include <numbers>

using namespace mlir;

namespace kiln::onnx {
namespace {

/// sqrt(2) * the inverse of erf at 2 x - 1, by Winitzki's formula with a = 0.147.
Value probit(Formula &f, Value x) {
  Value y = f.sub(f.mul(x, 2), 1);
  Value log = f.log(f.sub(f.like(x, 1), f.square(y)));
  Value v = f.add(f.mul(log, 0.5), 2 / (std::numbers::pi * 0.147));
  Value root = f.sqrt(f.sub(f.sqrt(f.sub(f.square(v), f.mul(log, 1 / 0.147))), v));
  return f.mul(f.mul(f.make<SignOp>(y), root), std::numbers::sqrt2);
}

/// Softmax over the scores that are not (almost) 0; the others stay, divided by the same sum.
Value softmaxZero(Formula &f, Value x) {
  Value counts = f.compare("gt", f.make<AbsOp>(x), f.like(x, 1e-7));
  Value most = f.reduce(ReduceKind::Max, x, {1});
  Value e = f.exp(f.sub(x, most)), small = f.mul(x, f.exp(f.neg(most)));
  Value sum = f.reduce(ReduceKind::Sum, f.select(counts, e, f.like(x, 0)), {1});
  return f.div(f.select(counts, e, small), sum);
}

Status checkTransform(StringRef name) {
  if (llvm::is_contained(
          std::initializer_list<StringRef>{"NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"}, name))
    return {};
  return invalid(
      "attribute 'post_transform' is '{0}'; expected NONE, LOGISTIC, SOFTMAX, SOFTMAX_ZERO or PROBIT", name);
}

} // namespace

Value floats(KilnBuilder &build, ArrayRef<float> values, ArrayRef<int64_t> shape) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  auto type = RankedTensorType::get(shape, build.builder().getF32Type());
  return build.constant(TensorData::fromBytes(type, std::move(bytes)), "");
}

Value floats(KilnBuilder &build, ArrayRef<float> values) {
  if (values.size() == 1)
    return floats(build, values, ArrayRef<int64_t>());
  return floats(build, values, static_cast<int64_t>(values.size()));
}

Result<Value> featureRows(Node &node, Type element) {
  if (node.rank(0) != 2 && node.rank(0) != 1)
    return invalid("input 0 has rank {0}; expected [rows, features]", node.rank(0));
  Value x = node.tensor(0);
  if (node.rank(0) == 1) {
    KILN_ASSIGN_OR_RETURN(x, node.build.reshape(x, {node.build.math().constant(1), node.dim(0, 0)}));
  }
  return node.build.convert(x, element);
}

Result<Value> postTransform(Node &node, Value scores, StringRef name) {
  KILN_RETURN_IF_ERROR(checkTransform(name));
  Formula f(node);
  if (name == "LOGISTIC")
    scores = f.sigmoid(scores);
  else if (name == "SOFTMAX")
    scores = f.softmax(scores, 1);
  else if (name == "SOFTMAX_ZERO")
    scores = softmaxZero(f, scores);
  else if (name == "PROBIT")
    scores = probit(f, scores);
  KILN_RETURN_IF_ERROR(f.status());
  return scores;
}

Result<std::vector<int64_t>> classLabels(Node &node, StringRef integers, StringRef strings) {
  KILN_ASSIGN_OR_RETURN(auto numbers, node.integersAttribute(integers));
  if (numbers && !numbers->empty())
    return std::vector<int64_t>(numbers->begin(), numbers->end());
  if (node.hasAttribute(strings))
    return unsupported("attribute '{0}': labels that are strings are not supported", strings);
  return invalid("attribute '{0}' is missing", integers);
}

Status setClassOutputs(Node &node, Value scores, ArrayRef<int64_t> labels, StringRef transform) {
  KilnBuilder &build = node.build;
  auto kind = ArgReduceKindAttr::get(build.context(), ArgReduceKind::Max);
  KILN_ASSIGN_OR_RETURN(
      Value best, build.make<ArgReduceOp>(scores, {build.named("kind", kind), build.integer("axis", 1)}));
  KILN_RETURN_IF_ERROR(
      node.output(build.make<GatherOp>({build.vector(labels), best}, build.integer("axis", 0))));
  KILN_ASSIGN_OR_RETURN(Value transformed, postTransform(node, scores, transform));
  node.setOutput(1, transformed);
  return {};
}

Result<Value> binaryScores(Node &node, Value score, StringRef transform, BinaryScore meaning) {
  KILN_RETURN_IF_ERROR(checkTransform(transform));
  if (transform == "PROBIT")
    return unsupported("'post_transform' PROBIT of one score for two classes is not supported");
  Formula f(node);
  bool isLogistic = transform == "LOGISTIC";
  Value first = isLogistic || meaning == BinaryScore::Margin ? f.neg(score) : f.sub(f.like(score, 1), score);
  Value second = score;
  if (isLogistic) {
    first = f.sigmoid(first);
    second = f.sigmoid(second);
  }
  Value both = f.concat({first, second}, 1);
  KILN_RETURN_IF_ERROR(f.status());
  return both;
}

Status setBinaryOutputs(Node &node, Value score, ArrayRef<int64_t> labels, StringRef transform,
                        BinaryScore meaning) {
  KILN_ASSIGN_OR_RETURN(Value both, binaryScores(node, score, transform, meaning));
  KilnBuilder &build = node.build;
  Formula f(node);
  Value isSecond = f.compare("gt", score, f.like(score, meaning == BinaryScore::Probability ? 0.5 : 0));
  isSecond = f.reshape(isSecond, build.shape(score)[0]);
  auto label = [&](int64_t value) {
    return build.constant(TensorData::fromIntegers(RankedTensorType::get({}, f.i64()), value), "");
  };
  KILN_RETURN_IF_ERROR(f.output(0, f.select(isSecond, label(labels[1]), label(labels[0]))));
  return f.output(1, both);
}

} // namespace kiln::onnx
