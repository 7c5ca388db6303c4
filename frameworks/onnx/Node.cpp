// Node.cpp: reads a NodeProto with every check that does not depend on the operator.
#include "frameworks/onnx/Node.h"

#include "frameworks/onnx/ConstantTrace.h"
#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/Errors.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>

using namespace mlir;

namespace kiln::onnx {

Value materialize(KilnBuilder &build, GraphValue &value, StringRef name) {
  if (value.tensor)
    return value.tensor;
  KilnBuilder::InBlock where(build, value.home ? value.home : build.currentBlock());
  if (value.data)
    return value.tensor = build.constant(*value.data, name);
  const ShapeValue &shape = *value.shape;
  if (auto known = shape.known())
    return value.tensor = build.constant(TensorData::fromIntegers(shape.type(), *known), name);
  // Shape and data meet: extents become elements.
  value.tensor = build.fromElements(shape.elements, shape.isScalar, shape.elementType);
  if (shape.columns != 0)
    value.tensor =
        *build.reshape(value.tensor, build.math().constants(shape.type().getShape())); // never refused
  return value.tensor;
}

const ShapeValue *asShapeValue(KilnBuilder &build, GraphValue &value) {
  if (!value.shape && value.data && ShapeValue::canHold(value.data->type))
    value.shape = ShapeValue{value.data->type.getElementType(), value.data->type.getRank() == 0,
                             build.math().constants(*value.data->integers())};
  if (!value.shape && value.tensor)
    if (auto elements = traceConstant(value.tensor))
      value.shape = ShapeValue{value.type().getElementType(), value.type().getRank() == 0,
                               build.math().constants(*elements)};
  return value.shape && value.shape->columns == 0 ? &*value.shape : nullptr;
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

const ShapeValue *Node::shapeMatrix(unsigned i) {
  GraphValue &value = input(i);
  return value.shape && value.shape->columns != 0 ? &*value.shape : nullptr;
}

Result<ShapeValue> Node::extents(unsigned i, StringRef what) { return extents(input(i), what); }

Result<ShapeValue> Node::extents(GraphValue &value, StringRef what) {
  if (const ShapeValue *known = asShapeValue(build, value))
    return *known;
  RankedTensorType inputType = value.type();
  bool isFlag = inputType.getElementType().isInteger(1);
  if (!isFlag && !inputType.getElementType().isInteger(64) && !inputType.getElementType().isInteger(32))
    return invalid("{0} has element type '{1}'; expected int64", what,
                   dataTypeName(toDataType(inputType.getElementType())));
  if (!ShapeValue::canHold(inputType))
    return unsupported("{0} is computed from data and not a short list of known length", what);
  // From data: each element is read back when the program runs.
  ShapeValue shape{inputType.getElementType(), inputType.getRank() == 0, {}, /*isFromData=*/true};
  Value source = materialize(build, value, "");
  for (int64_t k = 0; k < inputType.getNumElements(); ++k) {
    SmallVector<Value> indices;
    if (!shape.isScalar)
      indices.push_back(build.math().value(build.math().constant(k)));
    OpBuilder &builder = build.builder();
    Value element = builder.create<tensor::ExtractOp>(build.location(), source, indices);
    Type index = builder.getIndexType();
    shape.elements.push_back(
        isFlag ? builder.create<arith::IndexCastUIOp>(build.location(), index, element).getResult()
               : builder.create<arith::IndexCastOp>(build.location(), index, element).getResult());
  }
  return shape;
}

Result<Extent> Node::condition(GraphValue &value, StringRef what) {
  Type element = value.type().getElementType();
  if (!element.isInteger(1))
    return invalid("{0} has element type '{1}'; expected bool", what, dataTypeName(toDataType(element)));
  KILN_ASSIGN_OR_RETURN(ShapeValue flags, extents(value, what));
  if (flags.elements.size() != 1)
    return invalid("{0} has {1} elements; expected one", what, flags.elements.size());
  return flags.elements.front();
}

Result<SmallVector<int64_t>> Node::knownIntegers(unsigned i, StringRef what) {
  if (const ShapeValue *shape = shapeValue(i))
    if (auto known = shape->known())
      return *known;
  GraphValue &value = input(i);
  if (value.type().hasStaticShape() && value.type().getNumElements() == 0)
    return SmallVector<int64_t>();
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

Result<Extents> Node::splitSizes(Extent extent) {
  IndexMath &math = build.math();
  std::optional<Extents> sizes;
  if (theOpset < 13) {
    KILN_ASSIGN_OR_RETURN(auto given, integersAttribute("split"));
    if (given)
      sizes = math.constants(*given);
  } else if (hasInput(1)) {
    KILN_ASSIGN_OR_RETURN(ShapeValue given, extents(1, "'split'"));
    sizes = std::move(given.elements);
  }
  int64_t parts = numOutputs();
  if (parts == 0)
    return invalid("no outputs; expected one or more");
  KILN_ASSIGN_OR_RETURN(int64_t declared, integerAttribute("num_outputs", parts));
  if (declared != parts)
    return invalid("attribute 'num_outputs' is {0}; the node has {1} outputs", declared, parts);
  if (!sizes) { // equal parts; the last ones may be smaller
    sizes.emplace();
    Extent size = math.ceilDiv(extent, parts), zero = math.constant(0);
    for (int64_t i = 0; i < parts; ++i) {
      Extent rest = math.sub(extent, math.mul(math.constant(i), size));
      sizes->push_back(i == 0 ? size : math.max(math.min(size, rest), zero));
    }
  }
  int64_t sum = 0;
  bool isKnown = IndexMath::known(extent).has_value();
  for (Extent size : *sizes) {
    auto known = IndexMath::known(size);
    isKnown &= known.has_value();
    if (known && (*known < 0 || llvm::AddOverflow(sum, *known, sum)))
      return invalid("split size {0}; expected >= 0", *known);
  }
  if (static_cast<int64_t>(sizes->size()) != parts || (isKnown && sum != *IndexMath::known(extent)))
    return invalid("{0} split sizes for {1} outputs, {2} elements together; expected {3}", sizes->size(),
                   parts, sum, isKnown ? std::to_string(*IndexMath::known(extent)) : "the axis's extent");
  return std::move(*sizes);
}

bool Node::isFromData(unsigned i) {
  const ShapeValue *known = hasInput(i) ? shapeValue(i) : nullptr;
  return hasInput(i) && !(known && known->known()) && !input(i).data &&
         !(type(i).hasStaticShape() && type(i).getNumElements() == 0);
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
  case AttributeProto::GRAPH:
    return "a graph";
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
  if (attribute.has_g())
    return AttributeProto::GRAPH;
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

Result<Type> Node::typeAttribute(StringRef name, Type byDefault) {
  KILN_ASSIGN_OR_RETURN(int64_t number, integerAttribute(name, 0));
  if (number == 0)
    return byDefault;
  Result<Type> type =
      toElementType(build.context(), static_cast<int>(std::clamp<int64_t>(number, -1, 1 << 30)));
  if (!type.ok())
    return at(("attribute '" + name + "'").str(), type.status());
  return type;
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
  Result<TensorData> tensor = readTensor(build.context(), found->t(), std::nullopt, frame.owner, files);
  if (!tensor.ok())
    return at(("attribute '" + name + "'").str(), tensor.status());
  return tensor;
}

Result<const GraphProto *> Node::graphAttribute(StringRef name) {
  KILN_ASSIGN_OR_RETURN(const AttributeProto *found, attribute(name, AttributeProto::GRAPH, true));
  return &found->g();
}

Result<std::vector<GraphValue>> Node::importGraph(StringRef attribute, ArrayRef<GraphValue> inputs,
                                                  Block *block) {
  KILN_ASSIGN_OR_RETURN(const GraphProto *graph, graphAttribute(attribute));
  Location here = build.location();
  auto outputs = subgraphs.importSubgraph(*graph, frame, inputs, block);
  build.setLocation(here);
  if (!outputs.ok())
    return at(("attribute '" + attribute + "'").str(), outputs.status());
  return outputs;
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

void Node::setOutputsUnsupported() {
  for (unsigned i = 0; i < numOutputs(); ++i)
    outputs[i].unsupported = true;
}

Status Node::output(Result<Value> value) {
  KILN_RETURN_IF_ERROR(value.status());
  setOutput(0, *value);
  return {};
}

} // namespace kiln::onnx
