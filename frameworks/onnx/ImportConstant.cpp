// ImportConstant.cpp: tensors from nothing, and ops that hand their input on.
#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Node.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace kiln::onnx {
namespace {

template <typename T> TensorData listOf(Type elementType, ArrayRef<T> values, bool isScalar) {
  SmallVector<int64_t> shape;
  if (!isScalar)
    shape.push_back(static_cast<int64_t>(values.size()));
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return TensorData::fromBytes(RankedTensorType::get(shape, elementType), std::move(bytes));
}

/// Exactly one of the value attributes is there.
Status importConstant(Node &node) {
  OpBuilder &builder = node.build.builder();
  if (node.hasAttribute("value")) {
    KILN_ASSIGN_OR_RETURN(TensorData value, node.tensorAttribute("value"));
    node.setOutput(0, std::move(value));
  } else if (node.hasAttribute("value_float")) {
    KILN_ASSIGN_OR_RETURN(double value, node.realAttribute("value_float"));
    auto element = static_cast<float>(value);
    node.setOutput(0, listOf<float>(builder.getF32Type(), element, true));
  } else if (node.hasAttribute("value_int")) {
    KILN_ASSIGN_OR_RETURN(int64_t value, node.integerAttribute("value_int"));
    node.setOutput(0, listOf<int64_t>(builder.getI64Type(), value, true));
  } else if (node.hasAttribute("value_floats")) {
    KILN_ASSIGN_OR_RETURN(auto values, node.realsAttribute("value_floats"));
    node.setOutput(0, listOf<float>(builder.getF32Type(), *values, false));
  } else if (node.hasAttribute("value_ints")) {
    KILN_ASSIGN_OR_RETURN(auto values, node.integersAttribute("value_ints"));
    node.setOutput(0, listOf<int64_t>(builder.getI64Type(), *values, false));
  } else {
    for (StringRef name : {"value_string", "value_strings", "sparse_value"})
      if (node.hasAttribute(name))
        return unsupported("attribute '{0}' is not supported", name);
    return invalid("no value; expected one of value, value_float, value_int, value_floats, value_ints");
  }
  return {};
}

Status importConstantOfShape(Node &node) {
  KILN_ASSIGN_OR_RETURN(ShapeValue shape, node.extents(0, "'input'"));
  TensorData value = listOf<float>(node.build.builder().getF32Type(), 0.0f, true);
  if (node.hasAttribute("value")) {
    KILN_ASSIGN_OR_RETURN(value, node.tensorAttribute("value"));
    if (value.numElements() != 1)
      return invalid("attribute 'value' has {0} elements; expected one", value.numElements());
  }
  auto known = shape.known();
  for (int64_t extent : known.value_or(SmallVector<int64_t>()))
    if (extent < 0 || extent > kMaxElements)
      return invalid("extent {0}; expected 0 to {1}", extent, kMaxElements);
  // A short integer vector may go into shapes.
  if (known && known->size() <= 1) {
    auto type = RankedTensorType::get(*known, value.type.getElementType());
    if (ShapeValue::canHold(type)) {
      Extent element = node.build.math().constant(value.integers()->front());
      node.setOutput(0, ShapeValue{type.getElementType(), known->empty(),
                                   Extents(static_cast<size_t>(type.getNumElements()), element)});
      return {};
    }
  }
  auto scalarType = RankedTensorType::get({}, value.type.getElementType());
  Value scalar = node.build.constant(TensorData{scalarType, value.bytes, value.owner}, "");
  return node.output(node.build.broadcast(scalar, shape.elements));
}

/// How many floats a Range has whose bounds data decide: ceil((limit - start) / delta), in float at least.
Result<Extent> countOfFloats(Node &node) {
  KilnBuilder &build = node.build;
  Type wide = node.elementType(0).isF64() ? node.elementType(0) : build.builder().getF32Type();
  SmallVector<Value> bounds;
  for (unsigned i = 0; i < 3; ++i) {
    KILN_ASSIGN_OR_RETURN(Value bound, build.reshape(node.tensor(i), {}));
    KILN_ASSIGN_OR_RETURN(bound, build.convert(bound, wide));
    bounds.push_back(bound);
  }
  KILN_ASSIGN_OR_RETURN(Value length, build.make<SubOp>({bounds[1], bounds[0]}));
  KILN_ASSIGN_OR_RETURN(Value steps, build.make<DivOp>({length, bounds[2]}));
  KILN_ASSIGN_OR_RETURN(steps, build.make<CeilOp>(steps));
  GraphValue count;
  KILN_ASSIGN_OR_RETURN(count.tensor, build.convert(steps, build.builder().getI64Type()));
  KILN_ASSIGN_OR_RETURN(ShapeValue read, node.extents(count, "the length"));
  return build.math().max(read.elements.front(), build.math().constant(0));
}

/// start + iota * delta; as many elements as fit before `limit`.
Status importRange(Node &node) {
  node.ignoreAttribute("stash_type"); // float: the elements are computed as products, not by adding up
  Type element = node.elementType(0);
  for (unsigned i = 0; i < 3; ++i)
    if (node.type(i).getRank() > 1 || (node.type(i).getRank() == 1 && node.type(i).getDimSize(0) != 1))
      return invalid("input {0} has rank {1}; expected a scalar", i, node.rank(i));
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  Extent count;
  std::optional<double> start = node.knownNumber(0), limit = node.knownNumber(1), delta = node.knownNumber(2);
  if (delta == 0.0)
    return invalid("'delta' is 0; expected another number");
  if (start && limit && delta) {
    double exact = std::ceil((*limit - *start) / *delta);
    if (!(exact <= static_cast<double>(kMaxElements)))
      return invalid("a range of {0} elements; expected at most {1}", exact, kMaxElements);
    count = math.constant(static_cast<int64_t>(std::max(0.0, exact)));
  } else if (isa<IntegerType>(element)) {
    KILN_ASSIGN_OR_RETURN(ShapeValue first, node.extents(0, "'start'"));
    KILN_ASSIGN_OR_RETURN(ShapeValue last, node.extents(1, "'limit'"));
    KILN_ASSIGN_OR_RETURN(ShapeValue step, node.extents(2, "'delta'"));
    // ceil(length / step) = (length + step - sign(step)) / step, rounded towards zero
    Extent one = math.constant(1), by = step.elements[0];
    Extent sign =
        math.select(math.compare(arith::CmpIPredicate::sgt, by, math.constant(0)), one, math.constant(-1));
    Extent length = math.sub(last.elements[0], first.elements[0]);
    count = math.max(math.div(math.add(length, math.sub(by, sign)), by), math.constant(0));
  } else {
    KILN_ASSIGN_OR_RETURN(count, countOfFloats(node));
  }
  KILN_ASSIGN_OR_RETURN(Value steps, build.iota(element, count, 0));
  SmallVector<Value> scalars;
  for (unsigned i : {0u, 2u}) {
    KILN_ASSIGN_OR_RETURN(Value scalar, build.reshape(node.tensor(i), {}));
    scalars.push_back(scalar);
  }
  KILN_ASSIGN_OR_RETURN(Value scaled, build.make<MulOp>({steps, scalars[1]}));
  return node.output(build.make<AddOp>({scaled, scalars[0]}));
}

/// The value itself, whatever it is: names only.
Status importIdentity(Node &node) {
  node.setOutput(0, node.input(0));
  return {};
}

/// 1 where the column is the row plus `k`, in the shape of the input.
Status importEyeLike(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t k, node.integerAttribute("k", 0));
  KILN_ASSIGN_OR_RETURN(int64_t dtype, node.integerAttribute("dtype", toDataType(node.elementType(0))));
  KILN_ASSIGN_OR_RETURN(Type element, toElementType(node.build.context(), static_cast<int>(dtype)));
  if (node.rank(0) != 2)
    return invalid("input 0 has rank {0}; expected 2", node.rank(0));
  KilnBuilder &build = node.build;
  Type i64 = build.builder().getI64Type();
  IndexMath &math = build.math();
  KILN_ASSIGN_OR_RETURN(Value rows, build.iota(i64, {node.dim(0, 0), math.constant(1)}, 0));
  KILN_ASSIGN_OR_RETURN(Value columns, build.iota(i64, {math.constant(1), node.dim(0, 1)}, 1));
  Value shift = build.constant(TensorData::fromIntegers(RankedTensorType::get({}, i64), {k}), "");
  KILN_ASSIGN_OR_RETURN(Value diagonal, build.make<AddOp>({rows, shift}));
  KILN_ASSIGN_OR_RETURN(Value isOn, build.compare("eq", columns, diagonal));
  return node.output(build.convert(isOn, element));
}

/// Keeps the elements on one side of diagonal `k`.
Status importTrilu(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool upper, node.flagAttribute("upper", true));
  if (node.rank(0) < 2)
    return invalid("input 0 has rank {0}; expected 2 or more", node.rank(0));
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  Type i64 = build.builder().getI64Type();
  int64_t last = node.rank(0) - 1;
  KILN_ASSIGN_OR_RETURN(Value rows, build.iota(i64, {node.dim(0, last - 1), math.constant(1)}, 0));
  KILN_ASSIGN_OR_RETURN(Value columns, build.iota(i64, {math.constant(1), node.dim(0, last)}, 1));
  if (node.hasInput(1)) {
    if (!node.elementType(1).isInteger(64))
      return invalid("'k' has element type '{0}'; expected int64",
                     dataTypeName(toDataType(node.elementType(1))));
    KILN_ASSIGN_OR_RETURN(Value shift, build.reshape(node.tensor(1), {}));
    KILN_ASSIGN_OR_RETURN(rows, build.make<AddOp>({rows, shift}));
  }
  KILN_ASSIGN_OR_RETURN(Value keeps, build.compare(upper ? "ge" : "le", columns, rows));
  Value x = node.tensor(0);
  if (node.elementType(0).isInteger(1))
    return node.output(build.make<AndOp>({x, keeps}));
  return node.output(build.make<SelectOp>({keeps, x, build.scalar(node.elementType(0), 0)}));
}

constexpr OpEntry kConstantOps[] = {
    {"Constant", 1, 0, 0, importConstant, "strings; sparse tensors"},
    {"ConstantOfShape", 9, 1, 1, importConstantOfShape},
    {"EyeLike", 9, 1, 1, importEyeLike},
    {"Identity", 1, 1, 1, importIdentity, "", "", Sequences::First},
    {"Range", 11, 3, 3, importRange},
    {"Trilu", 14, 1, 2, importTrilu},
};

} // namespace

llvm::ArrayRef<OpEntry> constantOps() { return kConstantOps; }

} // namespace kiln::onnx
