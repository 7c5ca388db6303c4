// ImportUnary.cpp: elementwise ops of one tensor: math, activations, Cast, Clip.
#include "frameworks/onnx/DataBroadcast.h"
#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Node.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

template <typename Op> Status importUnary(Node &node) {
  return node.output(node.build.make<Op>(node.tensor(0)));
}

/// An op with one float attribute `alpha`, whose default is in millionths.
template <typename Op, int defaultMillionths> Status importWithAlpha(Node &node) {
  KILN_ASSIGN_OR_RETURN(double alpha, node.realAttribute("alpha", defaultMillionths / 1e6));
  return node.output(node.build.make<Op>(node.tensor(0), node.build.real("alpha", alpha)));
}

Status importSelu(Node &node) {
  KILN_ASSIGN_OR_RETURN(double alpha, node.realAttribute("alpha", 1.67326319217681884765625));
  KILN_ASSIGN_OR_RETURN(double gamma, node.realAttribute("gamma", 1.05070102214813232421875));
  return node.output(node.build.make<SeluOp>(
      node.tensor(0), {node.build.real("alpha", alpha), node.build.real("gamma", gamma)}));
}

Status importHardSigmoid(Node &node) {
  KILN_ASSIGN_OR_RETURN(double alpha, node.realAttribute("alpha", 0.2f));
  KILN_ASSIGN_OR_RETURN(double beta, node.realAttribute("beta", 0.5));
  return node.output(node.build.make<HardSigmoidOp>(
      node.tensor(0), {node.build.real("alpha", alpha), node.build.real("beta", beta)}));
}

Status importShrink(Node &node) {
  KILN_ASSIGN_OR_RETURN(double bias, node.realAttribute("bias", 0.0));
  KILN_ASSIGN_OR_RETURN(double lambd, node.realAttribute("lambd", 0.5));
  // Integers are shrunk as numbers with fractions.
  bool isFloat = isa<FloatType>(node.elementType(0));
  Value x = node.tensor(0);
  if (!isFloat) {
    KILN_ASSIGN_OR_RETURN(x, node.build.convert(x, node.build.builder().getF64Type()));
  }
  KILN_ASSIGN_OR_RETURN(
      x, node.build.make<ShrinkOp>(x, {node.build.real("bias", bias), node.build.real("lambd", lambd)}));
  return node.output(node.build.convert(x, node.elementType(0)));
}

Status importGelu(Node &node) {
  KILN_ASSIGN_OR_RETURN(std::string approximate, node.stringAttribute("approximate", "none"));
  std::optional<GeluApproximation> kind = symbolizeGeluApproximation(approximate);
  if (!kind)
    return invalid("attribute 'approximate' is '{0}'; expected 'none' or 'tanh'", approximate);
  auto attribute = GeluApproximationAttr::get(node.build.context(), *kind);
  return node.output(node.build.make<GeluOp>(node.tensor(0), node.build.named("approximate", attribute)));
}

/// x / (1 + |x|)
Status importSoftsign(Node &node) {
  KILN_RETURN_IF_ERROR(node.requireFloat(0));
  Value x = node.tensor(0);
  KILN_ASSIGN_OR_RETURN(Value magnitude, node.build.make<AbsOp>(x));
  KILN_ASSIGN_OR_RETURN(Value divisor,
                        node.build.make<AddOp>({magnitude, node.build.scalar(node.elementType(0), 1)}));
  return node.output(node.build.make<DivOp>({x, divisor}));
}

/// x * sigmoid(alpha * x)
Status importSwish(Node &node) {
  KILN_RETURN_IF_ERROR(node.requireFloat(0));
  KILN_ASSIGN_OR_RETURN(double alpha, node.realAttribute("alpha", 1.0));
  Value x = node.tensor(0);
  if (alpha == 1.0)
    return node.output(node.build.make<SiluOp>(x));
  KILN_ASSIGN_OR_RETURN(Value scaled,
                        node.build.make<MulOp>({x, node.build.scalar(node.elementType(0), alpha)}));
  KILN_ASSIGN_OR_RETURN(Value gate, node.build.make<SigmoidOp>(scaled));
  return node.output(node.build.make<MulOp>({x, gate}));
}

Status importIsInf(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool positive, node.flagAttribute("detect_positive", true));
  KILN_ASSIGN_OR_RETURN(bool negative, node.flagAttribute("detect_negative", true));
  OpBuilder &builder = node.build.builder();
  return node.output(node.build.make<IsInfOp>(
      node.tensor(0), {node.build.named("detect_positive", builder.getBoolAttr(positive)),
                       node.build.named("detect_negative", builder.getBoolAttr(negative))}));
}

// ---- Cast
// ----------------------------------------------------------------------------------------------------

Status castTo(Node &node, Type type) {
  KILN_ASSIGN_OR_RETURN(bool saturate, node.flagAttribute("saturate", true));
  node.ignoreAttribute("round_mode"); // of float8e8m0, which is refused
  KilnBuilder &build = node.build;
  if (type.isInteger(4) && isa<FloatType>(node.elementType(0))) { // the low bits of the whole number
    KILN_ASSIGN_OR_RETURN(Value whole, build.convert(node.tensor(0), build.builder().getI32Type()));
    return node.output(build.convert(whole, type));
  }
  bool isFp8 = type.isFloat8E4M3FN() || type.isFloat8E5M2();
  if (saturate || !isFp8 || node.elementType(0) == type)
    return node.output(build.convert(node.tensor(0), type));
  return node.output(build.make<ConvertOp>(
      node.tensor(0), {build.named("to", TypeAttr::get(type)), build.flag("unsaturated")}));
}

/// The element type that attribute `to` names.
Result<Type> wantedType(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t to, node.integerAttribute("to"));
  if (to < 0 || to > INT32_MAX)
    return invalid("attribute 'to' is {0}; expected a TensorProto.DataType", to);
  Result<Type> type = toElementType(node.build.context(), static_cast<int>(to));
  if (!type.ok())
    return at("attribute 'to'", type.status());
  return type;
}

Status importCast(Node &node) {
  KILN_ASSIGN_OR_RETURN(Type type, wantedType(node));
  return castTo(node, type);
}

Status importBitCast(Node &node) {
  KILN_ASSIGN_OR_RETURN(Type type, wantedType(node));
  KilnBuilder &build = node.build;
  // A boolean is a byte that is 0 or 1.
  Type byte = build.builder().getIntegerType(8, /*isSigned=*/false);
  Value x = node.tensor(0);
  if (node.elementType(0).isInteger(1)) {
    KILN_ASSIGN_OR_RETURN(x, build.convert(x, byte));
  }
  bool isBool = type.isInteger(1);
  KILN_ASSIGN_OR_RETURN(x, build.make<BitcastOp>(x, build.named("to", TypeAttr::get(isBool ? byte : type))));
  return node.output(isBool ? build.convert(x, type) : Result<Value>(x));
}

Status importCastLike(Node &node) { return castTo(node, node.elementType(1)); }

// ---- Clip
// ----------------------------------------------------------------------------------------------------

/// A bound known at import, as kiln.clamp takes it; null if it has to stay a tensor.
Attribute knownBound(Node &node, unsigned i) {
  GraphValue &value = node.input(i);
  OpBuilder &builder = node.build.builder();
  if (node.elementType(0).isUnsignedInteger(64) || node.elementType(0) != node.elementType(i))
    return {};
  if (!isa<FloatType>(node.elementType(0))) {
    Result<SmallVector<int64_t>> known = node.knownIntegers(i, "bound");
    return known.ok() && known->size() == 1 ? builder.getI64IntegerAttr(known->front()) : Attribute();
  }
  std::optional<double> number = value.data ? node.knownNumber(i) : std::nullopt;
  return number ? builder.getF64FloatAttr(*number) : Attribute();
}

/// Whether `bound` limits nothing: -inf from below, inf from above.
bool limitsNothing(double bound, StringRef side) {
  return std::isinf(bound) && std::signbit(bound) == (side == "min");
}

/// Takes `bound`, a tensor of one element, for a limit of `x`. kiln.clamp's bounds are known and finite.
Result<Value> limited(Node &node, Value x, Value bound, StringRef side) {
  return side == "min" ? node.build.make<MaxOp>({x, bound}) : node.build.make<MinOp>({x, bound});
}

Status importClipByAttributes(Node &node) {
  Value x = node.tensor(0);
  SmallVector<std::pair<StringRef, double>> bounds;
  for (StringRef name : {"min", "max"})
    if (node.hasAttribute(name)) {
      KILN_ASSIGN_OR_RETURN(double bound, node.realAttribute(name));
      if (!limitsNothing(bound, name))
        bounds.emplace_back(name, bound);
    }
  if (llvm::all_of(bounds, [](const auto &bound) { return std::isfinite(bound.second); })) {
    SmallVector<NamedAttribute> attributes;
    for (auto [name, bound] : bounds)
      attributes.push_back(node.build.real(name, bound));
    return node.output(node.build.make<ClampOp>(x, attributes));
  }
  for (auto [name, bound] : bounds) {
    Value side = node.build.scalar(node.elementType(0), bound);
    KILN_ASSIGN_OR_RETURN(x, limited(node, x, side, name));
  }
  return node.output(x);
}

Status importClip(Node &node) {
  SmallVector<NamedAttribute> bounds;
  SmallVector<std::pair<unsigned, StringRef>> inputs; // that limit anything
  for (auto [i, name] : {std::pair<unsigned, StringRef>(1, "min"), {2, "max"}}) {
    if (!node.hasInput(i))
      continue;
    Attribute bound = knownBound(node, i);
    auto number = dyn_cast_or_null<FloatAttr>(bound);
    if (number && limitsNothing(number.getValueAsDouble(), name))
      continue;
    inputs.emplace_back(i, name);
    if (bound && (!number || number.getValue().isFinite()))
      bounds.push_back(node.build.named(name, bound));
  }
  Value x = node.tensor(0);
  if (bounds.size() == inputs.size())
    return node.output(node.build.make<ClampOp>(x, bounds));
  for (auto [i, name] : inputs) {
    if (node.type(i).getRank() > 1 || (node.type(i).getRank() == 1 && node.type(i).getDimSize(0) != 1))
      return invalid("'{0}' has rank {1}; expected a scalar", name, node.rank(i));
    KILN_ASSIGN_OR_RETURN(Value bound, node.build.reshape(node.tensor(i), {}));
    KILN_ASSIGN_OR_RETURN(x, limited(node, x, bound, name));
  }
  return node.output(x);
}

/// kiln.leaky_relu with a slope by element: x < 0 ? slope * x : x.
Status importPRelu(Node &node) {
  SmallVector<Value> operands{node.tensor(0), node.tensor(1)};
  KILN_RETURN_IF_ERROR(broadcastByData(node, operands));
  Value x = operands[0], slope = operands[1];
  KILN_ASSIGN_OR_RETURN(Value negative,
                        node.build.compare("lt", x, node.build.scalar(node.elementType(0), 0)));
  KILN_ASSIGN_OR_RETURN(Value scaled, node.build.make<MulOp>({x, slope}));
  return node.output(node.build.make<SelectOp>({negative, scaled, x}));
}

constexpr OpEntry kUnaryOps[] = {
    {"Abs", 6, 1, 1, importUnary<AbsOp>},
    {"Acos", 7, 1, 1, importUnary<AcosOp>},
    {"Acosh", 9, 1, 1, importUnary<AcoshOp>},
    {"Asin", 7, 1, 1, importUnary<AsinOp>},
    {"Asinh", 9, 1, 1, importUnary<AsinhOp>},
    {"Atan", 7, 1, 1, importUnary<AtanOp>},
    {"Atanh", 9, 1, 1, importUnary<AtanhOp>},
    {"BitwiseNot", 18, 1, 1, importUnary<NotOp>},
    {"BitCast", 26, 1, 1, importBitCast, "strings"},
    {"Cast", 6, 1, 1, importCast, "strings"},
    {"CastLike", 15, 2, 2, importCastLike, "strings"},
    {"Ceil", 6, 1, 1, importUnary<CeilOp>},
    {"Celu", 12, 1, 1, importWithAlpha<CeluOp, 1000000>},
    {"Clip", 6, 1, 1, importClipByAttributes},
    {"Clip", 11, 1, 3, importClip},
    {"Cos", 7, 1, 1, importUnary<CosOp>},
    {"Cosh", 9, 1, 1, importUnary<CoshOp>},
    {"Elu", 6, 1, 1, importWithAlpha<EluOp, 1000000>},
    {"Erf", 9, 1, 1, importUnary<ErfOp>, "integers"},
    {"Exp", 6, 1, 1, importUnary<ExpOp>},
    {"Floor", 6, 1, 1, importUnary<FloorOp>},
    {"Gelu", 20, 1, 1, importGelu},
    {"HardSigmoid", 6, 1, 1, importHardSigmoid},
    {"HardSwish", 14, 1, 1, importUnary<HardSwishOp>},
    {"IsInf", 10, 1, 1, importIsInf},
    {"IsNaN", 9, 1, 1, importUnary<IsNanOp>},
    {"LeakyRelu", 6, 1, 1, importWithAlpha<LeakyReluOp, 10000>},
    {"Log", 6, 1, 1, importUnary<LogOp>},
    {"Mish", 18, 1, 1, importUnary<MishOp>},
    {"Neg", 6, 1, 1, importUnary<NegOp>},
    {"Not", 1, 1, 1, importUnary<NotOp>},
    {"PRelu", 7, 2, 2, importPRelu},
    {"Reciprocal", 6, 1, 1, importUnary<ReciprocalOp>},
    {"Relu", 6, 1, 1, importUnary<ReluOp>},
    {"Round", 11, 1, 1, importUnary<RoundOp>},
    {"Selu", 6, 1, 1, importSelu},
    {"Shrink", 9, 1, 1, importShrink},
    {"Sigmoid", 6, 1, 1, importUnary<SigmoidOp>},
    {"Sign", 9, 1, 1, importUnary<SignOp>},
    {"Sin", 7, 1, 1, importUnary<SinOp>},
    {"Sinh", 9, 1, 1, importUnary<SinhOp>},
    {"Softplus", 1, 1, 1, importUnary<SoftplusOp>},
    {"Softsign", 1, 1, 1, importSoftsign},
    {"Sqrt", 6, 1, 1, importUnary<SqrtOp>},
    {"Swish", 24, 1, 1, importSwish},
    {"Tan", 7, 1, 1, importUnary<TanOp>},
    {"Tanh", 6, 1, 1, importUnary<TanhOp>},
    {"ThresholdedRelu", 1, 1, 1, importWithAlpha<ThresholdedReluOp, 1000000>},
};

} // namespace

llvm::ArrayRef<OpEntry> unaryOps() { return kUnaryOps; }

} // namespace kiln::onnx
