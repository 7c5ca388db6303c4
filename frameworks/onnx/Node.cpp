// Node.cpp: reads a NodeProto with every check that does not depend on the operator.
#include "frameworks/onnx/Node.h"

#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/Errors.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln::onnx {

Value materialize(KilnBuilder &build, GraphValue &value, StringRef name) {
  if (value.tensor)
    return value.tensor;
  if (value.data)
    return value.tensor = build.constant(*value.data, name);
  const ShapeValue &shape = *value.shape;
  if (auto known = shape.known())
    return value.tensor = build.constant(TensorData::fromIntegers(shape.type(), *known), name);
  // Shape and data meet: extents become elements.
  OpBuilder &builder = build.builder();
  SmallVector<Value> elements;
  for (Extent extent : shape.elements) {
    Value index = build.math().value(extent);
    elements.push_back(
        shape.elementType.isInteger(1)
            ? builder
                  .create<arith::CmpIOp>(build.location(), arith::CmpIPredicate::ne, index,
                                         build.math().value(build.math().constant(0)))
                  .getResult()
            : builder.create<arith::IndexCastOp>(build.location(), shape.elementType, index).getResult());
  }
  return value.tensor = builder.create<tensor::FromElementsOp>(build.location(), shape.type(), elements);
}

const ShapeValue *asShapeValue(KilnBuilder &build, GraphValue &value) {
  if (!value.shape && value.data && ShapeValue::canHold(value.data->type))
    value.shape = ShapeValue{value.data->type.getElementType(), value.data->type.getRank() == 0,
                             build.math().constants(*value.data->integers())};
  return value.shape ? &*value.shape : nullptr;
}

// ---- Inputs
// --------------------------------------------------------------------------------------------------

Value Node::tensor(unsigned i) { return materialize(build, input(i), proto.input(static_cast<int>(i))); }

SmallVector<Value> Node::tensors(unsigned first) {
  SmallVector<Value> values;
  for (unsigned i = first; i < numInputs(); ++i)
    values.push_back(tensor(i));
  return values;
}

Extent Node::dim(unsigned i, int64_t axis) {
  RankedTensorType inputType = type(i);
  return inputType.isDynamicDim(axis) ? build.dim(tensor(i), axis)
                                      : build.math().constant(inputType.getDimSize(axis));
}

Extents Node::shape(unsigned i) {
  Extents extents;
  for (int64_t axis = 0, end = rank(i); axis < end; ++axis)
    extents.push_back(dim(i, axis));
  return extents;
}

const ShapeValue *Node::shapeValue(unsigned i) { return asShapeValue(build, input(i)); }

Result<ShapeValue> Node::extents(unsigned i, StringRef what) { return extents(input(i), what); }

Result<ShapeValue> Node::extents(GraphValue &value, StringRef what) {
  if (const ShapeValue *known = asShapeValue(build, value))
    return *known;
  RankedTensorType inputType = value.type();
  if (!inputType.getElementType().isInteger(64) && !inputType.getElementType().isInteger(32))
    return invalid("{0} has element type '{1}'; expected int64", what,
                   dataTypeName(toDataType(inputType.getElementType())));
  if (!ShapeValue::canHold(inputType))
    return unsupported("{0} is computed from data and not a short list of known length", what);
  // From data: each element is read back when the program runs.
  ShapeValue shape{build.builder().getI64Type(), inputType.getRank() == 0, {}, /*isFromData=*/true};
  Value source = materialize(build, value, "");
  for (int64_t k = 0; k < inputType.getNumElements(); ++k) {
    SmallVector<Value> indices;
    if (!shape.isScalar)
      indices.push_back(build.math().value(build.math().constant(k)));
    Value element = build.builder().create<tensor::ExtractOp>(build.location(), source, indices);
    shape.elements.push_back(
        build.builder()
            .create<arith::IndexCastOp>(build.location(), build.builder().getIndexType(), element)
            .getResult());
  }
  return shape;
}

Result<SmallVector<int64_t>> Node::knownIntegers(unsigned i, StringRef what) {
  if (const ShapeValue *shape = shapeValue(i))
    if (auto known = shape->known())
      return *known;
  GraphValue &value = input(i);
  if (value.data)
    if (auto integers = value.data->integers())
      return SmallVector<int64_t>(ArrayRef<int64_t>(*integers));
  if (!isa<IntegerType>(type(i).getElementType()))
    return invalid("{0} has element type '{1}'; expected int64", what,
                   dataTypeName(toDataType(elementType(i))));
  return unsupported("{0} is not known before the model runs", what);
}

Result<std::optional<SmallVector<int64_t>>> Node::axes(unsigned i, int inputSince) {
  if (theOpset < inputSince)
    return integersAttribute("axes");
  if (!hasInput(i))
    return std::optional<SmallVector<int64_t>>();
  KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> axes, knownIntegers(i, "'axes'"));
  return std::optional(std::move(axes));
}

Result<SmallVector<int64_t>> Node::splitSizes(int64_t extent) {
  std::optional<SmallVector<int64_t>> sizes;
  if (theOpset < 13) {
    KILN_ASSIGN_OR_RETURN(sizes, integersAttribute("split"));
  } else if (hasInput(1)) {
    KILN_ASSIGN_OR_RETURN(sizes, knownIntegers(1, "'split'"));
  }
  int64_t parts = numOutputs();
  if (parts == 0)
    return invalid("no outputs; expected one or more");
  KILN_ASSIGN_OR_RETURN(int64_t declared, integerAttribute("num_outputs", parts));
  if (declared != parts)
    return invalid("attribute 'num_outputs' is {0}; the node has {1} outputs", declared, parts);
  if (!sizes) { // equal parts; the last one may be smaller
    sizes.emplace();
    int64_t size = (extent + parts - 1) / parts;
    for (int64_t i = 0; i < parts; ++i)
      sizes->push_back(std::max<int64_t>(0, std::min(size, extent - i * size)));
  }
  int64_t sum = 0;
  for (int64_t size : *sizes)
    if (size < 0 || llvm::AddOverflow(sum, size, sum))
      return invalid("split size {0}; expected >= 0", size);
  if (static_cast<int64_t>(sizes->size()) != parts || sum != extent)
    return invalid("{0} split sizes for {1} outputs, {2} elements together; expected {3}", sizes->size(),
                   parts, sum, extent);
  return std::move(*sizes);
}

std::optional<double> Node::knownNumber(unsigned i) {
  GraphValue &value = input(i);
  if (value.data && value.data->numElements() == 1)
    return value.data->doubles().front();
  if (value.shape && value.shape->elements.size() == 1)
    if (auto known = IndexMath::known(value.shape->elements.front()))
      return static_cast<double>(*known);
  return std::nullopt;
}

Status Node::requireFloat(unsigned i) {
  if (isa<FloatType>(elementType(i)))
    return {};
  return invalid("input {0} ('{1}') has element type '{2}'; expected a float type", i,
                 proto.input(static_cast<int>(i)), dataTypeName(toDataType(elementType(i))));
}

// ---- Attributes
// ----------------------------------------------------------------------------------------------

namespace {

StringRef attributeTypeName(int type) {
  switch (type) {
  case AttributeProto::FLOAT:
    return "a float";
  case AttributeProto::INT:
    return "an integer";
  case AttributeProto::STRING:
    return "a string";
  case AttributeProto::TENSOR:
    return "a tensor";
  case AttributeProto::FLOATS:
    return "floats";
  case AttributeProto::INTS:
    return "integers";
  case AttributeProto::STRINGS:
    return "strings";
  default:
    return "something else";
  }
}

/// The type of an attribute; models of IR version 1 leave it out.
int typeOf(const AttributeProto &attribute) {
  if (attribute.type() != AttributeProto::UNDEFINED)
    return attribute.type();
  if (attribute.has_f())
    return AttributeProto::FLOAT;
  if (attribute.has_i())
    return AttributeProto::INT;
  if (attribute.has_s())
    return AttributeProto::STRING;
  if (attribute.has_t())
    return AttributeProto::TENSOR;
  if (attribute.floats_size())
    return AttributeProto::FLOATS;
  if (attribute.strings_size())
    return AttributeProto::STRINGS;
  return attribute.ints_size() ? AttributeProto::INTS : AttributeProto::UNDEFINED;
}

} // namespace

const AttributeProto *Node::find(StringRef name) const {
  for (const AttributeProto &attribute : proto.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

Result<const AttributeProto *> Node::attribute(StringRef name, int type, bool required) {
  read.insert(name);
  const AttributeProto *attribute = find(name);
  if (!attribute) {
    if (required)
      return invalid("attribute '{0}' is missing", name);
    return attribute;
  }
  if (!attribute->ref_attr_name().empty())
    return invalid("attribute '{0}' refers to '{1}' of a function; expected a value", name,
                   attribute->ref_attr_name());
  if (typeOf(*attribute) != type)
    return invalid("attribute '{0}' is {1}; expected {2}", name, attributeTypeName(typeOf(*attribute)),
                   attributeTypeName(type));
  return attribute;
}

Result<int64_t> Node::integerAttribute(StringRef name, std::optional<int64_t> byDefault) {
  KILN_ASSIGN_OR_RETURN(const AttributeProto *found, attribute(name, AttributeProto::INT, !byDefault));
  return found ? found->i() : *byDefault;
}

Result<bool> Node::flagAttribute(StringRef name, bool byDefault) {
  KILN_ASSIGN_OR_RETURN(int64_t value, integerAttribute(name, byDefault));
  if (value != 0 && value != 1)
    return invalid("attribute '{0}' is {1}; expected 0 or 1", name, value);
  return value == 1;
}

Result<double> Node::realAttribute(StringRef name, std::optional<double> byDefault) {
  KILN_ASSIGN_OR_RETURN(const AttributeProto *found, attribute(name, AttributeProto::FLOAT, !byDefault));
  return found ? static_cast<double>(found->f()) : *byDefault;
}

Result<std::string> Node::stringAttribute(StringRef name, std::optional<std::string> byDefault) {
  KILN_ASSIGN_OR_RETURN(const AttributeProto *found, attribute(name, AttributeProto::STRING, !byDefault));
  return found ? found->s() : *byDefault;
}

Result<std::optional<SmallVector<int64_t>>> Node::integersAttribute(StringRef name) {
  KILN_ASSIGN_OR_RETURN(const AttributeProto *found, attribute(name, AttributeProto::INTS, false));
  if (!found)
    return std::optional<SmallVector<int64_t>>();
  return std::optional(SmallVector<int64_t>(found->ints().begin(), found->ints().end()));
}

Result<std::optional<std::vector<float>>> Node::realsAttribute(StringRef name) {
  KILN_ASSIGN_OR_RETURN(const AttributeProto *found, attribute(name, AttributeProto::FLOATS, false));
  if (!found)
    return std::optional<std::vector<float>>();
  return std::optional(std::vector<float>(found->floats().begin(), found->floats().end()));
}

Result<std::optional<std::vector<std::string>>> Node::stringsAttribute(StringRef name) {
  KILN_ASSIGN_OR_RETURN(const AttributeProto *found, attribute(name, AttributeProto::STRINGS, false));
  if (!found)
    return std::optional<std::vector<std::string>>();
  return std::optional(std::vector<std::string>(found->strings().begin(), found->strings().end()));
}

Result<TensorData> Node::tensorAttribute(StringRef name) {
  KILN_ASSIGN_OR_RETURN(const AttributeProto *found, attribute(name, AttributeProto::TENSOR, true));
  Result<TensorData> tensor = readTensor(build.context(), found->t(), std::nullopt, owner, files);
  if (!tensor.ok())
    return at(("attribute '" + name + "'").str(), tensor.status());
  return tensor;
}

Status Node::checkAttributes() const {
  llvm::StringSet<> seen;
  for (const AttributeProto &attribute : proto.attribute()) {
    if (!seen.insert(attribute.name()).second)
      return invalid("attribute '{0}' comes twice", attribute.name());
    if (!read.contains(attribute.name()))
      return invalid("attribute '{0}' is unknown to {1} of opset {2}", attribute.name(), op(), theOpset);
  }
  return {};
}

Result<int64_t> Node::normalizeAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return invalid("axis {0}; expected one in [{1}, {2})", axis, -rank, rank);
  return axis < 0 ? axis + rank : axis;
}

Result<SmallVector<int64_t>> Node::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    KILN_ASSIGN_OR_RETURN(int64_t normal, normalizeAxis(axis, rank));
    if (llvm::is_contained(result, normal))
      return invalid("axis {0} comes twice", axis);
    result.push_back(normal);
  }
  llvm::sort(result);
  return result;
}

Result<int64_t> Node::axisAttribute(std::optional<int64_t> byDefault, StringRef name) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, integerAttribute(name, byDefault));
  return normalizeAxis(axis, rank(0));
}

// ---- Outputs
// -------------------------------------------------------------------------------------------------

Status Node::output(Result<Value> value) {
  KILN_RETURN_IF_ERROR(value.status());
  setOutput(0, *value);
  return {};
}

} // namespace kiln::onnx
