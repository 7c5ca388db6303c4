// ImportSequence.cpp: sequences of which the importer knows the elements, or whose elements are a stack, and
// optionals: they never reach the program.
#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Node.h"
#include "frameworks/onnx/Stack.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

using Elements = std::vector<GraphValue>;

/// The sequence that input `i` is.
Result<const GraphValue *> sequenceOf(Node &node, unsigned i) {
  const GraphValue &value = node.input(i);
  if (!value.isSequence())
    return invalid("input {0} is a tensor; expected a sequence", i);
  return &value;
}

Status setSequence(Node &node, Elements elements) {
  GraphValue value;
  value.sequence = std::make_shared<const Elements>(std::move(elements));
  node.setOutput(0, std::move(value));
  return {};
}

Status setStack(Node &node, Result<Value> stack) {
  KILN_RETURN_IF_ERROR(stack.status());
  GraphValue value;
  value.stack = *stack;
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

/// A position among the elements of a stack, counted from the front.
Result<Extent> positionIn(Node &node, unsigned i, Value stack) {
  KILN_ASSIGN_OR_RETURN(ShapeValue given, node.extents(i, "'position'"));
  if (given.elements.size() != 1)
    return invalid("'position' has {0} elements; expected one", given.elements.size());
  return node.build.math().fromFront(given.elements.front(), node.build.dim(stack, 0));
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

/// At the end of a stack: what a loop does, which need not copy the others.
Status insertIntoStack(Node &node, Value stack) {
  if (node.hasInput(2)) {
    KILN_ASSIGN_OR_RETURN(ShapeValue given, node.extents(2, "'position'"));
    if (given.elements.size() != 1 || given.elements.front() != node.build.dim(stack, 0))
      return unsupported("'position' other than the end of a sequence whose length is not known");
  }
  return setStack(node, node.build.make<AppendOp>({stack, node.tensor(1)}));
}

Status importInsert(Node &node) {
  KILN_ASSIGN_OR_RETURN(const GraphValue *given, sequenceOf(node, 0));
  if (given->stack)
    return insertIntoStack(node, given->stack);
  Elements elements = *given->sequence;
  size_t position = elements.size();
  if (node.hasInput(2)) {
    KILN_ASSIGN_OR_RETURN(position, positionOf(node, 2, elements.size(), /*mayBeEnd=*/true));
  }
  elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(position), node.input(1));
  return setSequence(node, std::move(elements));
}

/// All of a stack but the element at `position`, or the last one.
Status eraseFromStack(Node &node, Value stack) {
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  Extent one = math.constant(1), rest = math.sub(build.dim(stack, 0), one);
  if (!node.hasInput(1))
    return setStack(node, build.sliceAxis(stack, 0, math.constant(0), rest));
  KILN_ASSIGN_OR_RETURN(Extent position, positionIn(node, 1, stack));
  KILN_ASSIGN_OR_RETURN(Value before, build.sliceAxis(stack, 0, math.constant(0), position));
  KILN_ASSIGN_OR_RETURN(Value behind,
                        build.sliceAxis(stack, 0, math.add(position, one), math.sub(rest, position)));
  return setStack(node, build.concat({before, behind}, 0));
}

Status importErase(Node &node) {
  KILN_ASSIGN_OR_RETURN(const GraphValue *given, sequenceOf(node, 0));
  if (given->stack)
    return eraseFromStack(node, given->stack);
  Elements elements = *given->sequence;
  if (elements.empty())
    return invalid("nothing to erase from an empty sequence");
  size_t position = elements.size() - 1;
  if (node.hasInput(1)) {
    KILN_ASSIGN_OR_RETURN(position, positionOf(node, 1, elements.size(), /*mayBeEnd=*/false));
  }
  elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(position));
  return setSequence(node, std::move(elements));
}

/// Elements of one shape may be read at a position that data decide.
Status importAt(Node &node) {
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(const GraphValue *given, sequenceOf(node, 0));
  const ShapeValue *position = node.shapeValue(1);
  Value stack = given->stack;
  if (!stack) {
    if (position && position->known()) {
      KILN_ASSIGN_OR_RETURN(size_t at, positionOf(node, 1, given->sequence->size(), /*mayBeEnd=*/false));
      node.setOutput(0, (*given->sequence)[at]);
      return {};
    }
    KILN_ASSIGN_OR_RETURN(RankedTensorType type, stackType(*given));
    if (!type || ShapedType::isDynamicShape(type.getShape().drop_front()))
      return unsupported("a position computed from data, among elements of several or of unknown shapes");
    KILN_ASSIGN_OR_RETURN(stack, asStack(build, *given, type));
  }
  KILN_ASSIGN_OR_RETURN(Extent at, positionIn(node, 1, stack));
  Extents shape = build.shape(stack);
  KILN_ASSIGN_OR_RETURN(Value element, build.sliceAxis(stack, 0, at, build.math().constant(1)));
  return node.output(build.reshape(element, ArrayRef(shape).drop_front()));
}

Status importLength(Node &node) {
  KILN_ASSIGN_OR_RETURN(const GraphValue *given, sequenceOf(node, 0));
  Extent length = given->stack ? node.build.dim(given->stack, 0)
                               : node.build.math().constant(static_cast<int64_t>(given->sequence->size()));
  node.setOutput(0, ShapeValue{node.build.builder().getI64Type(), true, {length}});
  return {};
}

constexpr int64_t kMaxParts = 4096; // each is an op

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
  if (*known > kMaxParts * size)
    return unsupported("{0} parts of {1} of axis {2} are not supported; at most {3} are", *known / size, size,
                       axis, kMaxParts);
  Extents sizes;
  for (int64_t first = 0; first < *known; first += size)
    sizes.push_back(math.constant(std::min(size, *known - first)));
  return sizes;
}

/// Slices of extent 1 along an axis of unknown or large extent.
Status splitIntoStack(Node &node, int64_t axis, bool keepdims) {
  KilnBuilder &build = node.build;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, node.rank(0)));
  order.erase(order.begin() + axis);
  order.insert(order.begin(), axis);
  KILN_ASSIGN_OR_RETURN(Value stack, build.transpose(node.tensor(0), order));
  if (!keepdims)
    return setStack(node, stack);
  Extents shape = build.shape(stack);
  shape.insert(shape.begin() + axis + 1, build.math().constant(1));
  return setStack(node, build.reshape(stack, shape));
}

Status importSplitToSequence(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(0));
  KILN_ASSIGN_OR_RETURN(bool keepdims, node.flagAttribute("keepdims", true));
  auto extent = IndexMath::known(node.dim(0, axis));
  if (!node.hasInput(1) && (!extent || *extent > kMaxParts))
    return splitIntoStack(node, axis, keepdims);
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

/// The first axis of a stack moved to where its elements are joined.
Result<Value> joined(KilnBuilder &build, Value stack, int64_t axis, bool isNew) {
  int64_t rank = tensorType(stack).getRank();
  KILN_ASSIGN_OR_RETURN(axis, Node::normalizeAxis(axis, rank - !isNew));
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(1, rank));
  order.insert(order.begin() + axis, 0);
  KILN_ASSIGN_OR_RETURN(Value x, build.transpose(stack, order));
  if (isNew)
    return x;
  Extents shape = build.shape(x);
  shape[axis] = build.math().mul(shape[axis], shape[axis + 1]);
  shape.erase(shape.begin() + axis + 1);
  return build.reshape(x, shape);
}

Status importConcatFromSequence(Node &node) {
  KILN_ASSIGN_OR_RETURN(const GraphValue *given, sequenceOf(node, 0));
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.integerAttribute("axis"));
  KILN_ASSIGN_OR_RETURN(bool isNew, node.flagAttribute("new_axis", false));
  if (given->stack)
    return node.output(joined(node.build, given->stack, axis, isNew));
  const Elements *elements = given->sequence.get();
  if (elements->empty())
    return invalid("an empty sequence; expected tensors to join");
  SmallVector<Value> parts;
  for (GraphValue element : *elements) {
    if (element.isSequence())
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

constexpr llvm::StringLiteral kKnown =
    "sequences that the model is given or returns; elements of several shapes in loops";
constexpr OpEntry kSequenceOps[] = {
    {"ConcatFromSequence", 11, 1, 1, importConcatFromSequence, kKnown, "", Sequences::First},
    {"Optional", 15, 0, 1, importOptional, "optionals without contents", "", Sequences::First},
    {"OptionalGetElement", 15, 1, 1, importGetElement, "optionals that the model is given", "",
     Sequences::First},
    {"OptionalHasElement", 15, 0, 1, importHasElement, "optionals that the model is given", "",
     Sequences::First},
    {"SequenceAt", 11, 2, 2, importAt, "positions computed from data among elements of several shapes", "",
     Sequences::First},
    {"SequenceConstruct", 11, 1, kAnyNumber, importConstruct, kKnown},
    {"SequenceEmpty", 11, 0, 0, importEmpty, kKnown},
    {"SequenceErase", 11, 1, 2, importErase, "positions computed from data, unless elements have one shape",
     "", Sequences::First},
    {"SequenceInsert", 11, 2, 3, importInsert, "positions computed from data", "", Sequences::First},
    {"SequenceLength", 11, 1, 1, importLength, kKnown, "", Sequences::First},
    {"SplitToSequence", 11, 1, 2, importSplitToSequence,
     "parts of a dynamic extent, unless their sizes are listed or 1"},
};

} // namespace

llvm::ArrayRef<OpEntry> sequenceOps() { return kSequenceOps; }

} // namespace kiln::onnx
