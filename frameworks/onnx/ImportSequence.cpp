// ImportSequence.cpp: sequences and optionals whose contents the importer knows: they never reach the
// program.
#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Node.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

using Elements = std::vector<GraphValue>;

Result<const Elements *> elementsOf(Node &node, unsigned i) {
  GraphValue &value = node.input(i);
  if (!value.sequence)
    return invalid("input {0} is a tensor; expected a sequence", i);
  return value.sequence.get();
}

Status setSequence(Node &node, Elements elements) {
  GraphValue value;
  value.sequence = std::make_shared<const Elements>(std::move(elements));
  node.setOutput(0, std::move(value));
  return {};
}

/// A position that the importer knows; `length` counts for the end.
Result<size_t> positionOf(Node &node, unsigned i, size_t length, bool mayBeEnd) {
  KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> given, node.knownIntegers(i, "'position'"));
  if (given.size() != 1)
    return invalid("'position' has {0} elements; expected one", given.size());
  auto end = static_cast<int64_t>(length), last = mayBeEnd ? end : end - 1;
  int64_t position = given.front() < 0 ? given.front() + end : given.front();
  if (position < 0 || position > last)
    return invalid("position {0} in a sequence of {1}", given.front(), length);
  return static_cast<size_t>(position);
}

Status importConstruct(Node &node) {
  Elements elements;
  for (unsigned i = 0; i < node.numInputs(); ++i) {
    if (!node.hasInput(i))
      return invalid("input {0} is left out; expected a tensor", i);
    elements.push_back(node.input(i));
  }
  return setSequence(node, std::move(elements));
}

Status importEmpty(Node &node) {
  node.ignoreAttribute("dtype");
  return setSequence(node, {});
}

Status importInsert(Node &node) {
  KILN_ASSIGN_OR_RETURN(const Elements *given, elementsOf(node, 0));
  Elements elements = *given;
  size_t position = elements.size();
  if (node.hasInput(2)) {
    KILN_ASSIGN_OR_RETURN(position, positionOf(node, 2, elements.size(), /*mayBeEnd=*/true));
  }
  elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(position), node.input(1));
  return setSequence(node, std::move(elements));
}

Status importErase(Node &node) {
  KILN_ASSIGN_OR_RETURN(const Elements *given, elementsOf(node, 0));
  Elements elements = *given;
  if (elements.empty())
    return invalid("nothing to erase from an empty sequence");
  size_t position = elements.size() - 1;
  if (node.hasInput(1)) {
    KILN_ASSIGN_OR_RETURN(position, positionOf(node, 1, elements.size(), /*mayBeEnd=*/false));
  }
  elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(position));
  return setSequence(node, std::move(elements));
}

Status importAt(Node &node) {
  KILN_ASSIGN_OR_RETURN(const Elements *elements, elementsOf(node, 0));
  KILN_ASSIGN_OR_RETURN(size_t position, positionOf(node, 1, elements->size(), /*mayBeEnd=*/false));
  node.setOutput(0, (*elements)[position]);
  return {};
}

Status importLength(Node &node) {
  KILN_ASSIGN_OR_RETURN(const Elements *elements, elementsOf(node, 0));
  Extent length = node.build.math().constant(static_cast<int64_t>(elements->size()));
  node.setOutput(0, ShapeValue{node.build.builder().getI64Type(), true, {length}});
  return {};
}

/// The parts have known sizes, or there is a known number of equal ones.
Result<Extents> partSizes(Node &node, int64_t axis) {
  IndexMath &math = node.build.math();
  Extent extent = node.dim(0, axis);
  auto known = IndexMath::known(extent);
  if (node.hasInput(1) && node.rank(1) == 1) {
    KILN_ASSIGN_OR_RETURN(ShapeValue sizes, node.extents(1, "'split'"));
    return sizes.elements;
  }
  int64_t size = 1;
  if (node.hasInput(1)) {
    KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> given, node.knownIntegers(1, "'split'"));
    size = given.size() == 1 ? given.front() : 0;
  }
  if (size < 1)
    return invalid("'split' is not a size of 1 or more");
  if (!known)
    return unsupported("axis {0} of dynamic extent: how many parts there are is not known", axis);
  Extents sizes;
  for (int64_t first = 0; first < *known; first += size)
    sizes.push_back(math.constant(std::min(size, *known - first)));
  return sizes;
}

Status importSplitToSequence(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(0));
  KILN_ASSIGN_OR_RETURN(bool keepdims, node.flagAttribute("keepdims", true));
  KILN_ASSIGN_OR_RETURN(Extents sizes, partSizes(node, axis));
  IndexMath &math = node.build.math();
  Extent first = math.constant(0);
  Elements elements;
  for (Extent size : sizes) {
    GraphValue part;
    KILN_ASSIGN_OR_RETURN(part.tensor, node.build.sliceAxis(node.tensor(0), axis, first, size));
    if (!keepdims && !node.hasInput(1)) {
      Extents shape = node.shape(0);
      shape.erase(shape.begin() + axis);
      KILN_ASSIGN_OR_RETURN(part.tensor, node.build.reshape(part.tensor, shape));
    }
    elements.push_back(std::move(part));
    first = math.add(first, size);
  }
  return setSequence(node, std::move(elements));
}

Status importConcatFromSequence(Node &node) {
  KILN_ASSIGN_OR_RETURN(const Elements *elements, elementsOf(node, 0));
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.integerAttribute("axis"));
  KILN_ASSIGN_OR_RETURN(bool isNew, node.flagAttribute("new_axis", false));
  if (elements->empty())
    return invalid("an empty sequence; expected tensors to join");
  SmallVector<Value> parts;
  for (GraphValue element : *elements) {
    if (element.sequence)
      return invalid("a sequence among the elements; expected tensors");
    Value part = materialize(node.build, element, "");
    int64_t rank = cast<RankedTensorType>(part.getType()).getRank() + isNew;
    KILN_ASSIGN_OR_RETURN(int64_t along, Node::normalizeAxis(axis, rank));
    if (isNew) {
      Extents shape = node.build.shape(part);
      shape.insert(shape.begin() + along, node.build.math().constant(1));
      KILN_ASSIGN_OR_RETURN(part, node.build.reshape(part, shape));
    }
    parts.push_back(part);
  }
  return node.output(node.build.concat(parts, axis));
}

/// An optional with contents is its contents.
Status importOptional(Node &node) {
  node.ignoreAttribute("type");
  if (!node.hasInput(0))
    return unsupported("an optional without contents is not supported");
  node.setOutput(0, node.input(0));
  return {};
}

Status importGetElement(Node &node) {
  node.setOutput(0, node.input(0));
  return {};
}

Status importHasElement(Node &node) {
  Extent has = node.build.math().constant(node.hasInput(0));
  node.setOutput(0, ShapeValue{node.build.builder().getI1Type(), true, {has}});
  return {};
}

constexpr llvm::StringLiteral kKnown = "sequences that the model is given, returns or carries through loops";
constexpr OpEntry kSequenceOps[] = {
    {"ConcatFromSequence", 11, 1, 1, importConcatFromSequence, kKnown, "", true},
    {"Optional", 15, 0, 1, importOptional, "optionals without contents", "", true},
    {"OptionalGetElement", 15, 1, 1, importGetElement, "optionals that the model is given", "", true},
    {"OptionalHasElement", 15, 0, 1, importHasElement, "optionals that the model is given", "", true},
    {"SequenceAt", 11, 2, 2, importAt, "positions computed from data", "", true},
    {"SequenceConstruct", 11, 1, kAnyNumber, importConstruct, kKnown},
    {"SequenceEmpty", 11, 0, 0, importEmpty, kKnown},
    {"SequenceErase", 11, 1, 2, importErase, "positions computed from data", "", true},
    {"SequenceInsert", 11, 2, 3, importInsert, "positions computed from data", "", true},
    {"SequenceLength", 11, 1, 1, importLength, kKnown, "", true},
    {"SplitToSequence", 11, 1, 2, importSplitToSequence,
     "parts of a dynamic extent, unless their sizes are listed"},
};

} // namespace

llvm::ArrayRef<OpEntry> sequenceOps() { return kSequenceOps; }

} // namespace kiln::onnx
