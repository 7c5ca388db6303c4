// ImportQuantizedElementwise.cpp: the QLinear* operators of com.microsoft that are no products of tensors.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Formula.h"
#include "frameworks/onnx/Quantization.h"
#include "frameworks/onnx/Window.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

Type f32Of(Node &node) { return node.build.builder().getF32Type(); }

/// Input `i` as real numbers, by the scale and zero point behind it.
Result<Value> realInput(Node &node, unsigned i) {
  KILN_ASSIGN_OR_RETURN(Quantization by, readQuantization(node, i + 1, i + 2, node.rank(i)));
  return dequantize(node.build, node.tensor(i), by, f32Of(node));
}

/// Output 0: `x` by the scale of input `scale` and the zero point behind it; of the type of input `like`
/// without one.
Status quantizedOutput(Node &node, Result<Value> x, unsigned scale, unsigned like = 0) {
  KILN_RETURN_IF_ERROR(x.status());
  int64_t rank = cast<RankedTensorType>(x->getType()).getRank();
  KILN_ASSIGN_OR_RETURN(Quantization by, readQuantization(node, scale, scale + 1, rank));
  Type to = node.hasInput(scale + 1) ? node.elementType(scale + 1) : node.elementType(like);
  return node.output(quantize(node.build, *x, by, to));
}

// ---- Elementwise -----------------------------------------------------------------------------------------

/// Whether input `i` has one element for all along the last axis on which the result has several: 0 or 3, the
/// operands.
bool isRepeated(Node &node, unsigned i) {
  ArrayRef<int64_t> own = node.type(i).getShape(), other = node.type(3 - i).getShape();
  size_t common = std::min(own.size(), other.size());
  for (size_t back = 1; back <= common; ++back)
    if (own[own.size() - back] != 1 || other[other.size() - back] != 1)
      return own[own.size() - back] == 1;
  return own.size() < other.size();
}

/// x y + z in f32, rounded once: by way of f64, which holds the product, where the numbers are constants.
Value fusedMultiplyAdd(Formula &f, Value x, Value y, Value z, bool isKnown) {
  if (!isKnown)
    return f.add(f.mul(x, y), z);
  Type f64 = f.build.builder().getF64Type();
  return f.convert(f.add(f.mul(f.convert(x, f64), f.convert(y, f64)), f.convert(z, f64)), f.f32());
}

/// ONNX Runtime's formula, whose halves are thus the same ones where the device fuses multiply-adds: zero
/// points are one number, the second operand is added to it first, or a repeated one, and the result is
/// rounded at the end alone.
Status importAdd(Node &node) {
  Formula f(node);
  unsigned a = 0, b = 3;
  if (isRepeated(node, a))
    std::swap(a, b);
  auto parameter = [&](unsigned i) {
    return node.hasInput(i) ? f.convert(f.keep(lineUp(f.build, node.tensor(i), 1, 0)), f.f32())
                            : f.scalar(f.f32(), 0);
  };
  Value scale = parameter(6), ratioA = f.div(parameter(a + 1), scale),
        ratioB = f.div(parameter(b + 1), scale);
  bool isKnown = llvm::all_of(SmallVector<unsigned>{1, 2, 4, 5, 6}, [&](unsigned i) {
    return !node.hasInput(i) || node.tensor(i).getDefiningOp<ConstantOp>();
  });
  Value zeros = fusedMultiplyAdd(f, ratioA, parameter(a + 2), f.mul(ratioB, parameter(b + 2)), isKnown);
  Value sum = f.add(f.sub(parameter(7), zeros), f.mul(f.convert(node.tensor(b), f.f32()), ratioB));
  sum = f.add(sum, f.mul(f.convert(node.tensor(a), f.f32()), ratioA));
  KILN_RETURN_IF_ERROR(f.status());
  return node.output(quantize(f.build, sum, {f.scalar(f.f32(), 1), {}}, node.elementType(0)));
}

/// The product of integers, times the quotient of the scales. The zero point is added before the sum is
/// rounded: a half goes to the even result, not to the even number of steps from the zero point.
Status importMul(Node &node) {
  KilnBuilder &build = node.build;
  Type f32 = f32Of(node), i32 = build.builder().getI32Type();
  SmallVector<Value> factors;
  for (unsigned i : {0, 3}) {
    KILN_ASSIGN_OR_RETURN(Value zero, lineUp(build, node.tensorOrNull(i + 2), node.rank(i), 1));
    KILN_ASSIGN_OR_RETURN(Value numbers, centered(build, node.tensor(i), zero));
    KILN_ASSIGN_OR_RETURN(numbers, build.convert(numbers, i32));
    factors.push_back(numbers);
  }
  KILN_ASSIGN_OR_RETURN(Value product, build.make<MulOp>(factors));
  KILN_ASSIGN_OR_RETURN(Value multiplier,
                        scaleProduct(build, node.tensor(1), node.tensor(4), node.tensor(6)));
  KILN_ASSIGN_OR_RETURN(product, dequantize(build, product, {multiplier, {}}, f32));
  if (node.hasInput(7)) {
    KILN_ASSIGN_OR_RETURN(Value zero, lineUp(build, node.tensor(7), node.rank(0), 1));
    KILN_ASSIGN_OR_RETURN(zero, build.convert(zero, f32));
    KILN_ASSIGN_OR_RETURN(product, build.make<AddOp>({product, zero}));
  }
  return node.output(quantize(build, product, {build.scalar(f32, 1), {}}, node.elementType(0)));
}

Status importLeakyRelu(Node &node) {
  KILN_ASSIGN_OR_RETURN(double alpha, node.realAttribute("alpha", 0.01f));
  KILN_ASSIGN_OR_RETURN(Value x, realInput(node, 0));
  return quantizedOutput(node, node.build.make<LeakyReluOp>(x, node.build.real("alpha", alpha)), 3);
}

Status importSigmoid(Node &node) {
  KILN_ASSIGN_OR_RETURN(Value x, realInput(node, 0));
  return quantizedOutput(node, node.build.make<SigmoidOp>(x), 3);
}

Status importQLinearSoftmax(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(-1));
  KILN_ASSIGN_OR_RETURN(int64_t opset, node.integerAttribute("opset", 13));
  if (opset < 13 && axis != node.rank(0) - 1)
    return unsupported("'opset' {0} with an axis other than the last is not supported", opset);
  KILN_ASSIGN_OR_RETURN(Value x, realInput(node, 0));
  return quantizedOutput(node, node.build.make<SoftmaxOp>(x, node.build.integer("axis", axis)), 3);
}

/// Inputs: condition, X and Y with their parameters, those of the result.
Status importQLinearWhere(Node &node) {
  KILN_ASSIGN_OR_RETURN(Value x, realInput(node, 1));
  KILN_ASSIGN_OR_RETURN(Value y, realInput(node, 4));
  return quantizedOutput(node, node.build.make<SelectOp>({node.tensor(0), x, y}), 7, /*like=*/1);
}

/// Inputs: scale and zero point of the result, then each tensor with its own.
Status importQLinearConcat(Node &node) {
  if (node.numInputs() < 5 || (node.numInputs() - 2) % 3)
    return invalid("{0} inputs; expected 2 and 3 for each tensor", node.numInputs());
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.integerAttribute("axis"));
  KILN_ASSIGN_OR_RETURN(axis, Node::normalizeAxis(axis, node.rank(2)));
  SmallVector<Value> parts;
  for (unsigned i = 2; i < node.numInputs(); i += 3) {
    KILN_ASSIGN_OR_RETURN(Value part, realInput(node, i));
    parts.push_back(part);
  }
  return quantizedOutput(node, node.build.concat(parts, axis), 0, /*like=*/2);
}

// ---- Pooling ---------------------------------------------------------------------------------------------

/// Output 0: `x` by the scale of input 3, and the zero point behind it, rounded together.
Status roundedOutput(Node &node, Value x) {
  Formula f(node);
  Value scale = f.convert(f.keep(lineUp(f.build, node.tensor(3), 1, 0)), f.f32());
  x = f.div(x, scale);
  if (node.hasInput(4))
    x = f.add(x, f.convert(f.keep(lineUp(f.build, node.tensor(4), 1, 0)), f.f32()));
  KILN_RETURN_IF_ERROR(f.status());
  return node.output(quantize(f.build, x, {f.scalar(f.f32(), 1), {}}, node.elementType(0)));
}

/// Means of real numbers, with the channels where ONNX has them whatever `channels_last` says.
Status importQLinearAveragePool(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool channelsAreLast, node.flagAttribute("channels_last", false));
  if (node.rank(0) < 3)
    return invalid("input 0 has rank {0}; expected 3 or more", node.rank(0));
  KILN_ASSIGN_OR_RETURN(Value x, realInput(node, 0));
  if (channelsAreLast) {
    KILN_ASSIGN_OR_RETURN(x, channelsFirst(node.build, x));
  }
  KILN_ASSIGN_OR_RETURN(x, averagePool(node, x));
  if (channelsAreLast) {
    KILN_ASSIGN_OR_RETURN(x, channelsLast(node.build, x));
  }
  return roundedOutput(node, x);
}

/// The sum of integers, times one multiplier, the scale over that of the result times the number of elements:
/// exact up to there.
Status importGlobalAveragePool(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool channelsLast, node.flagAttribute("channels_last", false));
  if (node.rank(0) < 3)
    return invalid("input 0 has rank {0}; expected 3 or more", node.rank(0));
  Formula f(node);
  auto parameter = [&](unsigned i) { return f.keep(lineUp(f.build, node.tensorOrNull(i), 1, 0)); };
  Value x = f.keep(centered(f.build, node.tensor(0), parameter(2)));
  x = f.convert(x, f.build.builder().getI32Type());
  int64_t first = channelsLast ? 1 : 2;
  SmallVector<int64_t> spatial = llvm::to_vector(llvm::seq<int64_t>(first, first + node.rank(0) - 2));
  Extent count = f.constant(1);
  for (int64_t axis : spatial)
    count = f.build.math().mul(count, node.dim(0, axis));
  x = f.reduce(ReduceKind::Sum, x, spatial);
  Value divisor = f.mul(f.convert(parameter(3), f.f32()), f.convert(f.scalarOf(count), f.f32()));
  Value multiplier = f.div(f.convert(parameter(1), f.f32()), divisor);
  KILN_RETURN_IF_ERROR(f.status());
  return node.output(requantize(f.build, x, multiplier, parameter(4), node.elementType(0)));
}

constexpr OpEntry kQuantizedElementwiseOps[] = {
    {"QLinearAdd", 1, 7, 8, importAdd, "", kMicrosoftDomain},
    {"QLinearAveragePool", 1, 4, 5, importQLinearAveragePool, "", kMicrosoftDomain},
    {"QLinearConcat", 1, 5, kAnyNumber, importQLinearConcat, "", kMicrosoftDomain},
    {"QLinearGlobalAveragePool", 1, 4, 5, importGlobalAveragePool, "", kMicrosoftDomain},
    {"QLinearLeakyRelu", 1, 4, 5, importLeakyRelu, "", kMicrosoftDomain},
    {"QLinearMul", 1, 7, 8, importMul, "", kMicrosoftDomain},
    {"QLinearSigmoid", 1, 4, 5, importSigmoid, "", kMicrosoftDomain},
    {"QLinearSoftmax", 1, 4, 5, importQLinearSoftmax, "`opset` below 13 with an axis other than the last",
     kMicrosoftDomain},
    {"QLinearWhere", 1, 8, 9, importQLinearWhere, "", kMicrosoftDomain},
};

} // namespace

llvm::ArrayRef<OpEntry> quantizedElementwiseOps() { return kQuantizedElementwiseOps; }

} // namespace kiln::onnx
