// ImportQuantizedElementwise.cpp: the QLinear* operators of com.microsoft that are no products of tensors.
#include "frameworks/onnx/Errors.h"
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

/// Input `i` less its zero point, as f32: exact.
Result<Value> centeredInput(Node &node, unsigned i, unsigned zeroPoint) {
  Type f32 = f32Of(node);
  KILN_ASSIGN_OR_RETURN(Value zero, lineUp(node.build, node.tensorOrNull(zeroPoint), node.rank(i), 1));
  return dequantize(node.build, node.tensor(i), {node.build.scalar(f32, 1), zero}, f32);
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

/// Output 0: integers in f32 times scale `from` / scale `to`.
Status rescaledOutput(Node &node, Result<Value> x, unsigned from, unsigned to) {
  KILN_RETURN_IF_ERROR(x.status());
  KilnBuilder &build = node.build;
  int64_t rank = cast<RankedTensorType>(x->getType()).getRank();
  KILN_ASSIGN_OR_RETURN(Quantization own, readQuantization(node, from, from + 1, rank));
  KILN_ASSIGN_OR_RETURN(Quantization by, readQuantization(node, to, to + 1, rank));
  KILN_ASSIGN_OR_RETURN(Value multiplier, scaleProduct(build, own.scale, {}, by.scale));
  return node.output(requantize(build, *x, multiplier, by.zeroPoint, node.elementType(0)));
}

// ---- Elementwise -----------------------------------------------------------------------------------------

Status importAdd(Node &node) {
  KILN_ASSIGN_OR_RETURN(Value a, realInput(node, 0));
  KILN_ASSIGN_OR_RETURN(Value b, realInput(node, 3));
  return quantizedOutput(node, node.build.make<AddOp>({a, b}), 6);
}

/// The product of integers, times the quotient of the scales.
Status importMul(Node &node) {
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(Value a, centeredInput(node, 0, 2));
  KILN_ASSIGN_OR_RETURN(Value b, centeredInput(node, 3, 5));
  KILN_ASSIGN_OR_RETURN(Value product, build.make<MulOp>({a, b}));
  KILN_ASSIGN_OR_RETURN(Value multiplier,
                        scaleProduct(build, node.tensor(1), node.tensor(4), node.tensor(6)));
  return node.output(requantize(build, product, multiplier, node.tensorOrNull(7), node.elementType(0)));
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

Status importSoftmax(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(-1));
  KILN_ASSIGN_OR_RETURN(int64_t opset, node.integerAttribute("opset", 13));
  if (opset < 13 && axis != node.rank(0) - 1)
    return unsupported("'opset' {0} with an axis other than the last is not supported", opset);
  KILN_ASSIGN_OR_RETURN(Value x, realInput(node, 0));
  return quantizedOutput(node, node.build.make<SoftmaxOp>(x, node.build.integer("axis", axis)), 3);
}

/// Inputs: scale and zero point of the result, then each tensor with its own.
Status importConcat(Node &node) {
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

Status refuseChannelsLast(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool channelsLast, node.flagAttribute("channels_last", false));
  return channelsLast ? unsupported("attribute 'channels_last' 1 is not supported") : Status();
}

Status importAveragePool(Node &node) {
  KILN_RETURN_IF_ERROR(refuseChannelsLast(node));
  KILN_ASSIGN_OR_RETURN(Value x, centeredInput(node, 0, 2));
  return rescaledOutput(node, averagePool(node, x), 1, 3);
}

Status importGlobalAveragePool(Node &node) {
  KILN_RETURN_IF_ERROR(refuseChannelsLast(node));
  if (node.rank(0) < 3)
    return invalid("input 0 has rank {0}; expected 3 or more", node.rank(0));
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(Value x, centeredInput(node, 0, 2));
  SmallVector<int64_t> spatial = llvm::to_vector(llvm::seq<int64_t>(2, node.rank(0)));
  return rescaledOutput(
      node,
      build.make<ReduceOp>(x, {build.named("kind", ReduceKindAttr::get(build.context(), ReduceKind::Mean)),
                               build.integers("axes", spatial), build.flag("keepdims")}),
      1, 3);
}

constexpr StringLiteral kMicrosoft = "com.microsoft";
constexpr OpEntry kOps[] = {
    {"QLinearAdd", 1, 7, 8, importAdd, "", kMicrosoft},
    {"QLinearAveragePool", 1, 4, 5, importAveragePool, "`channels_last`", kMicrosoft},
    {"QLinearConcat", 1, 5, kAnyNumber, importConcat, "", kMicrosoft},
    {"QLinearGlobalAveragePool", 1, 4, 5, importGlobalAveragePool, "`channels_last`", kMicrosoft},
    {"QLinearLeakyRelu", 1, 4, 5, importLeakyRelu, "", kMicrosoft},
    {"QLinearMul", 1, 7, 8, importMul, "", kMicrosoft},
    {"QLinearSigmoid", 1, 4, 5, importSigmoid, "", kMicrosoft},
    {"QLinearSoftmax", 1, 4, 5, importSoftmax, "`opset` below 13 with an axis other than the last",
     kMicrosoft},
};

} // namespace

llvm::ArrayRef<OpEntry> quantizedElementwiseOps() { return kOps; }

} // namespace kiln::onnx
