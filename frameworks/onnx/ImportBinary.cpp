// ImportBinary.cpp: elementwise ops of several tensors, broadcast as in numpy.
#include "frameworks/onnx/DataBroadcast.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Node.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// One op on the operands, broadcast also where data decide their extents.
template <typename Op> Result<Value> combined(Node &node, std::initializer_list<Value> values) {
  SmallVector<Value> operands(values);
  KILN_RETURN_IF_ERROR(broadcastByData(node, operands));
  return node.build.make<Op>(operands);
}

template <typename Op> Status importBinary(Node &node) {
  return node.output(combined<Op>(node, {node.tensor(0), node.tensor(1)}));
}

/// Max, Min, Sum of any number of tensors, from left to right.
template <typename Op> Status importVariadic(Node &node) {
  Value result = node.tensor(0);
  for (unsigned i = 1; i < node.numInputs(); ++i) {
    if (!node.hasInput(i))
      return invalid("input {0} is left out; expected a tensor", i);
    KILN_ASSIGN_OR_RETURN(result, combined<Op>(node, {result, node.tensor(i)}));
  }
  return node.output(result);
}

Status importMean(Node &node) {
  KILN_RETURN_IF_ERROR(node.requireFloat(0));
  KILN_RETURN_IF_ERROR(importVariadic<AddOp>(node));
  Value count = node.build.scalar(node.elementType(0), node.numInputs());
  return node.output(node.build.make<DivOp>({node.results()[0].tensor, count}));
}

// Directions as kiln.compare spells them.
constexpr char kEq[] = "eq", kLt[] = "lt", kLe[] = "le", kGt[] = "gt", kGe[] = "ge";
template <const char *direction> Status importCompare(Node &node) {
  SmallVector<Value> operands{node.tensor(0), node.tensor(1)};
  KILN_RETURN_IF_ERROR(broadcastByData(node, operands));
  return node.output(node.build.compare(direction, operands[0], operands[1]));
}

Status importMod(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool signOfDividend, node.flagAttribute("fmod", false));
  return signOfDividend ? importBinary<RemOp>(node) : importBinary<ModOp>(node);
}

Status importBitShift(Node &node) {
  KILN_ASSIGN_OR_RETURN(std::string direction, node.stringAttribute("direction"));
  if (direction != "LEFT" && direction != "RIGHT")
    return invalid("attribute 'direction' is '{0}'; expected 'LEFT' or 'RIGHT'", direction);
  return direction == "LEFT" ? importBinary<ShlOp>(node) : importBinary<ShrOp>(node);
}

/// Small whole exponents are products, which are exact; other exponents take the base's type, as the result
/// does.
Status importPow(Node &node) {
  Type base = node.elementType(0), exponent = node.elementType(1);
  Value x = node.tensor(0);
  std::optional<double> known = node.rank(1) <= node.rank(0) ? node.knownNumber(1) : std::nullopt;
  if (known == 1.0)
    return node.output(x);
  if (known == 2.0)
    return node.output(node.build.make<MulOp>({x, x}));
  if (known == 3.0) {
    KILN_ASSIGN_OR_RETURN(Value square, node.build.make<MulOp>({x, x}));
    return node.output(node.build.make<MulOp>({square, x}));
  }
  bool viaFloat = !isa<FloatType>(base) && isa<FloatType>(exponent);
  Type computed = viaFloat ? exponent : base;
  KILN_ASSIGN_OR_RETURN(Value a, node.build.convert(x, computed));
  KILN_ASSIGN_OR_RETURN(Value b, node.build.convert(node.tensor(1), computed));
  KILN_ASSIGN_OR_RETURN(Value power, combined<PowOp>(node, {a, b}));
  return node.output(node.build.convert(power, base));
}

Status importWhere(Node &node) {
  return node.output(combined<SelectOp>(node, {node.tensor(0), node.tensor(1), node.tensor(2)}));
}

constexpr OpEntry kBinaryOps[] = {
    {"Add", 7, 2, 2, importBinary<AddOp>},
    {"And", 7, 2, 2, importBinary<AndOp>},
    {"BitShift", 11, 2, 2, importBitShift},
    {"BitwiseAnd", 18, 2, 2, importBinary<AndOp>},
    {"BitwiseOr", 18, 2, 2, importBinary<OrOp>},
    {"BitwiseXor", 18, 2, 2, importBinary<XorOp>},
    {"Div", 7, 2, 2, importBinary<DivOp>},
    {"Equal", 7, 2, 2, importCompare<kEq>, "strings"},
    {"Greater", 7, 2, 2, importCompare<kGt>},
    {"GreaterOrEqual", 12, 2, 2, importCompare<kGe>},
    {"Less", 7, 2, 2, importCompare<kLt>},
    {"LessOrEqual", 12, 2, 2, importCompare<kLe>},
    {"Max", 6, 1, kAnyNumber, importVariadic<MaxOp>},
    {"Mean", 6, 1, kAnyNumber, importMean},
    {"Min", 6, 1, kAnyNumber, importVariadic<MinOp>},
    {"Mod", 10, 2, 2, importMod},
    {"Mul", 7, 2, 2, importBinary<MulOp>},
    {"Or", 7, 2, 2, importBinary<OrOp>},
    {"Pow", 7, 2, 2, importPow},
    {"Sub", 7, 2, 2, importBinary<SubOp>},
    {"Sum", 6, 1, kAnyNumber, importVariadic<AddOp>},
    {"Where", 9, 3, 3, importWhere, "strings"},
    {"Xor", 7, 2, 2, importBinary<XorOp>},
};

} // namespace

llvm::ArrayRef<OpEntry> binaryOps() { return kBinaryOps; }

} // namespace kiln::onnx
