// ImportRandom.cpp: operators that draw random numbers.
//
// Numbers are those of the indices 0, 1, .. under the node's seed: its attribute, else a number made from the
// node's name. A model thus draws the same numbers in every run.
#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Formula.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// The key of the node's numbers.
Result<int64_t> seedOf(Node &node) {
  if (node.hasAttribute("seed")) {
    if (node.op() == "Dropout") { // the one whose seed is an integer
      return node.integerAttribute("seed");
    }
    KILN_ASSIGN_OR_RETURN(double seed, node.realAttribute("seed"));
    return llvm::bit_cast<int64_t>(seed);
  }
  std::string name;
  llvm::raw_string_ostream stream(name);
  node.build.location().print(stream);
  return static_cast<int64_t>(llvm::xxh3_64bits(name));
}

/// Numbers of `Op`, one for each element of the shape.
template <typename Op> Value draw(Formula &f, ArrayRef<Extent> shape, Type element) {
  Result<int64_t> seed = seedOf(f.node);
  if (!seed.ok())
    return f.fail(seed.status());
  Value index = f.iota(f.i64(), f.build.math().product(shape), 0);
  Value key = f.build.constant(TensorData::fromIntegers(RankedTensorType::get({}, f.i64()), {*seed}), "");
  Value numbers = f.make<Op>({index, key}, f.build.named("element", TypeAttr::get(element)));
  return f.reshape(numbers, shape);
}

/// Uniform in [low, high), or normal with the mean and deviation that the attributes name.
template <typename Op> Status drawScaled(Node &node, ArrayRef<Extent> shape, Type byDefault) {
  constexpr bool isUniform = std::is_same_v<Op, RandomUniformOp>;
  KILN_ASSIGN_OR_RETURN(Type element, node.typeAttribute("dtype", byDefault));
  if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() < 16)
    return invalid("element type '{0}'; expected float16, bfloat16, float or double",
                   dataTypeName(toDataType(element)));
  KILN_ASSIGN_OR_RETURN(double first, node.realAttribute(isUniform ? "low" : "mean", 0.0));
  KILN_ASSIGN_OR_RETURN(double second, node.realAttribute(isUniform ? "high" : "scale", 1.0));
  double factor = isUniform ? second - first : second;
  Formula f(node);
  Value numbers = draw<Op>(f, shape, element);
  if (factor != 1)
    numbers = f.mul(numbers, factor);
  if (first != 0)
    numbers = f.add(numbers, first);
  return f.output(0, numbers);
}

template <typename Op> Status importRandom(Node &node) {
  KILN_ASSIGN_OR_RETURN(auto shape, node.integersAttribute("shape"));
  if (!shape)
    return invalid("attribute 'shape' is missing");
  return drawScaled<Op>(node, node.build.math().constants(*shape), node.build.builder().getF32Type());
}

template <typename Op> Status importRandomLike(Node &node) {
  return drawScaled<Op>(node, node.shape(0), node.elementType(0));
}

/// 1 where a uniform number is below the probability.
Status importBernoulli(Node &node) {
  KILN_RETURN_IF_ERROR(node.requireFloat(0));
  KILN_ASSIGN_OR_RETURN(Type element, node.typeAttribute("dtype", node.elementType(0)));
  Formula f(node);
  Value numbers = draw<RandomUniformOp>(f, node.shape(0), f.f32());
  Value chosen = f.compare("lt", numbers, f.convert(node.tensor(0), f.f32()));
  return f.output(0, f.convert(chosen, element));
}

/// How many classes end below a uniform number: input holds the logarithms of the classes' weights.
Status importMultinomial(Node &node) {
  KILN_RETURN_IF_ERROR(node.requireFloat(0));
  KILN_ASSIGN_OR_RETURN(Type element, node.typeAttribute("dtype", node.build.builder().getI32Type()));
  KILN_ASSIGN_OR_RETURN(int64_t samples, node.integerAttribute("sample_size", 1));
  if (node.rank(0) != 2 || samples < 0)
    return invalid("input of rank {0}, 'sample_size' {1}; expected rank 2, 0 or more", node.rank(0), samples);
  Formula f(node);
  Value weights = f.softmax(f.convert(node.tensor(0), f.f32()), 1);
  Value ends = f.make<CumulativeOp>(
      weights, {f.build.named("kind", CumulativeKindAttr::get(f.build.context(), CumulativeKind::Sum)),
                f.build.integer("axis", 1)});
  Extent batch = node.dim(0, 0), classes = node.dim(0, 1);
  // The last end is left out: it may be a little below 1.
  ends = f.slice(ends, 1, f.constant(0), f.build.math().sub(classes, f.constant(1)));
  Value numbers = draw<RandomUniformOp>(f, {batch, f.constant(samples), f.constant(1)}, f.f32());
  Value passed = f.compare("le", f.unsqueeze(ends, 1), numbers);
  return f.output(0, f.reduce(ReduceKind::Sum, f.convert(passed, element), 2, /*keepdims=*/false));
}

/// The input, and in training a number kept with probability 1 - ratio and scaled to the same mean.
Status importDropout(Node &node) {
  std::optional<double> ratio = 0.5;
  Value mode; // whether it trains, if only the data tells
  bool training = false;
  if (node.opset() < 12) {
    KILN_ASSIGN_OR_RETURN(ratio, node.realAttribute("ratio", 0.5));
  } else {
    if (node.hasInput(1))
      ratio = node.knownNumber(1);
    if (node.hasInput(2)) {
      std::optional<double> known = node.knownNumber(2);
      if (!known)
        mode = node.tensor(2);
      training = known.value_or(1) != 0;
    }
  }
  Formula f(node);
  Value x = node.tensor(0), kept;
  if (!training || ratio == 0.0) {
    node.ignoreAttribute("seed");
    node.setOutput(0, node.input(0));
    if (node.wantsOutput(1)) { // before opset 12 left open: ONNX Runtime gives zeros; before 10 numbers
      Type flags = node.opset() < 10 ? node.elementType(0) : Type(f.build.builder().getI1Type());
      kept = f.broadcast(f.scalar(flags, node.opset() < 12 ? 0 : 1), node.shape(0));
    }
    return node.wantsOutput(1) ? f.output(1, kept) : Status();
  }
  Value rate = ratio ? f.scalar(f.f32(), *ratio) : f.convert(node.tensor(1), f.f32());
  kept = f.compare("ge", draw<RandomUniformOp>(f, node.shape(0), f.f32()), rate);
  Value factor =
      f.convert(f.div(f.scalar(f.f32(), 1), f.sub(f.scalar(f.f32(), 1), rate)), node.elementType(0));
  Value y = f.select(kept, f.mul(x, factor), f.like(x, 0));
  if (mode) {
    y = f.select(mode, y, x);
    kept = f.make<OrOp>({kept, f.make<NotOp>(mode)});
  }
  KILN_RETURN_IF_ERROR(f.output(0, y));
  return node.wantsOutput(1) ? f.output(1, kept) : Status();
}

constexpr OpEntry kRandomOps[] = {
    {"Bernoulli", 15, 1, 1, importBernoulli},
    {"Dropout", 7, 1, 3, importDropout},
    {"Multinomial", 7, 1, 1, importMultinomial},
    {"RandomNormal", 1, 0, 0, importRandom<RandomNormalOp>},
    {"RandomNormalLike", 1, 1, 1, importRandomLike<RandomNormalOp>},
    {"RandomUniform", 1, 0, 0, importRandom<RandomUniformOp>},
    {"RandomUniformLike", 1, 1, 1, importRandomLike<RandomUniformOp>},
};

} // namespace

llvm::ArrayRef<OpEntry> randomOps() { return kRandomOps; }

} // namespace kiln::onnx
