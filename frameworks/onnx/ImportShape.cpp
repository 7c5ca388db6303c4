// ImportShape.cpp: what a tensor's shape is, and other shapes for the same elements.
#include "frameworks/onnx/DataAxes.h"
#include "frameworks/onnx/Errors.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

Status importShape(Node &node) {
  int64_t rank = node.rank(0), start = 0, end = rank;
  if (node.opset() >= 15) {
    KILN_ASSIGN_OR_RETURN(start, node.integerAttribute("start", 0));
    KILN_ASSIGN_OR_RETURN(end, node.integerAttribute("end", rank));
    start = std::clamp<int64_t>(start < 0 ? start + rank : start, 0, rank);
    end = std::clamp<int64_t>(end < 0 ? end + rank : end, 0, rank);
  }
  ShapeValue shape{node.build.builder().getI64Type(), false, {}};
  for (int64_t axis = start; axis < end; ++axis)
    shape.elements.push_back(node.dim(0, axis));
  node.setOutput(0, std::move(shape));
  return {};
}

Status importSize(Node &node) {
  Extent count = node.build.math().product(node.shape(0));
  node.setOutput(0, ShapeValue{node.build.builder().getI64Type(), true, {count}});
  return {};
}

/// Sets output 0 to input 0 in another shape; a constant stays one, with the same bytes.
Status reshapeTo(Node &node, ArrayRef<Extent> shape) {
  GraphValue &input = node.input(0);
  SmallVector<int64_t> known;
  for (Extent extent : shape) {
    std::optional<int64_t> value = IndexMath::known(extent);
    if (value && (*value < 0 || *value > kMaxElements))
      return invalid("extent {0}; expected 0 to {1}", *value, kMaxElements);
    if (value)
      known.push_back(*value);
  }
  if (input.data && known.size() == shape.size()) {
    int64_t count = 1;
    for (int64_t extent : known)
      if (llvm::MulOverflow(count, extent, count))
        return invalid("a shape of more elements than the {0} of the input", input.data->numElements());
    if (count != input.data->numElements())
      return invalid("a shape of {0} elements for an input of {1}", count, input.data->numElements());
    node.setOutput(0, TensorData{RankedTensorType::get(known, input.data->type.getElementType()),
                                 input.data->bytes, input.data->owner});
    return {};
  }
  return node.output(node.build.reshape(node.tensor(0), shape));
}

/// Reshape's rules for a shape that comes from data, as arithmetic: a 0 is the input's extent, a -1 what is
/// left.
Extents resolveFromData(Node &node, const ShapeValue &given, bool allowZero) {
  IndexMath &math = node.build.math();
  using Predicate = arith::CmpIPredicate;
  Extent one = math.constant(1), others = one;
  Extents shape, isOpen;
  for (auto [axis, element] : llvm::enumerate(given.elements)) {
    Extent extent = element;
    if (!allowZero && static_cast<int64_t>(axis) < node.rank(0))
      extent = math.select(math.compare(Predicate::eq, extent, math.constant(0)),
                           node.dim(0, static_cast<int64_t>(axis)), extent);
    isOpen.push_back(math.compare(Predicate::slt, extent, math.constant(0)));
    others = math.mul(others, math.select(isOpen.back(), one, extent));
    shape.push_back(extent);
  }
  Extent divisor = math.select(math.compare(Predicate::eq, others, math.constant(0)), one, others);
  Extent rest = math.div(math.product(node.shape(0)), divisor);
  for (auto [extent, open] : llvm::zip(shape, isOpen))
    extent = math.select(open, rest, extent);
  return shape;
}

Status importReshape(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool allowZero, node.flagAttribute("allowzero", false));
  KILN_ASSIGN_OR_RETURN(ShapeValue given, node.extents(1, "'shape'"));
  if (given.isScalar)
    return invalid("'shape' has rank 0; expected 1");
  if (given.isFromData)
    return reshapeTo(node, resolveFromData(node, given, allowZero));
  IndexMath &math = node.build.math();
  Extents shape;
  std::optional<size_t> inferred;
  for (auto [axis, extent] : llvm::enumerate(given.elements)) {
    if (IndexMath::isKnown(extent, -1)) {
      if (inferred)
        return invalid("'shape' holds -1 twice; expected it once");
      inferred = axis;
    } else if (IndexMath::isKnown(extent, 0) && !allowZero) {
      if (static_cast<int64_t>(axis) >= node.rank(0))
        return invalid("'shape' copies axis {0} of an input of rank {1}", axis, node.rank(0));
      extent = node.dim(0, static_cast<int64_t>(axis));
    }
    shape.push_back(extent);
  }
  if (inferred) {
    Extents others = shape;
    others.erase(others.begin() + static_cast<int64_t>(*inferred));
    Extent rest = math.product(others);
    if (IndexMath::isKnown(rest, 0))
      return invalid("'shape' holds -1 beside an extent of 0: it could be anything");
    Extents all = node.shape(0);
    auto total = IndexMath::known(math.product(all)), divisor = IndexMath::known(rest);
    if (total && divisor && *total % *divisor != 0)
      return invalid("'shape': {0} elements are no multiple of {1}", *total, *divisor);
    shape[*inferred] = math.quotientOfProducts(all, others);
  }
  return reshapeTo(node, shape);
}

Status importFlatten(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.integerAttribute("axis", 1));
  int64_t rank = node.rank(0);
  if (axis < -rank || axis > rank)
    return invalid("axis {0}; expected one in [{1}, {2}]", axis, -rank, rank);
  axis = axis < 0 ? axis + rank : axis;
  Extents shape = node.shape(0);
  IndexMath &math = node.build.math();
  return reshapeTo(
      node, {math.product(ArrayRef(shape).take_front(axis)), math.product(ArrayRef(shape).drop_front(axis))});
}

Status importSqueeze(Node &node) {
  if (node.isFromData(1)) {
    KILN_ASSIGN_OR_RETURN(DataAxes from, DataAxes::read(node, 1, node.rank(0), "'axes'"));
    if (static_cast<int64_t>(from.all().size()) > node.rank(0))
      return invalid("{0} axes of a tensor of rank {1}", from.all().size(), node.rank(0));
    return reshapeTo(node, from.removed(node.shape(0)));
  }
  KILN_ASSIGN_OR_RETURN(auto given, node.axes(1, 13));
  Extents shape = node.shape(0), kept;
  SmallVector<int64_t> axes;
  if (given) {
    KILN_ASSIGN_OR_RETURN(axes, Node::normalizeAxes(*given, node.rank(0)));
  } else {
    for (auto [axis, extent] : llvm::enumerate(shape)) {
      if (!IndexMath::known(extent))
        return unsupported("without 'axes', axis {0} of dynamic extent may or may not go", axis);
      if (IndexMath::isKnown(extent, 1))
        axes.push_back(static_cast<int64_t>(axis));
    }
  }
  for (auto [axis, extent] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      kept.push_back(extent);
    else if (auto known = IndexMath::known(extent); known && *known != 1)
      return invalid("axis {0} has extent {1}; expected 1", axis, *known);
  }
  return reshapeTo(node, kept);
}

Status importUnsqueeze(Node &node) {
  if (node.isFromData(1)) {
    KILN_ASSIGN_OR_RETURN(ShapeValue axes, node.extents(1, "'axes'"));
    int64_t result = node.rank(0) + static_cast<int64_t>(axes.elements.size());
    KILN_ASSIGN_OR_RETURN(DataAxes from, DataAxes::read(node, 1, result, "'axes'"));
    return reshapeTo(node, from.inserted(node.shape(0)));
  }
  KILN_ASSIGN_OR_RETURN(auto given, node.axes(1, 13));
  if (!given)
    return invalid("'axes' is missing");
  int64_t rank = node.rank(0) + static_cast<int64_t>(given->size());
  KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> axes, Node::normalizeAxes(*given, rank));
  Extents shape = node.shape(0);
  for (int64_t axis : axes) // ascending
    shape.insert(shape.begin() + axis, node.build.math().constant(1));
  return reshapeTo(node, shape);
}

constexpr OpEntry kShapeOps[] = {
    {"Flatten", 1, 1, 1, importFlatten},
    {"Reshape", 5, 2, 2, importReshape},
    {"Shape", 1, 1, 1, importShape},
    {"Size", 1, 1, 1, importSize},
    {"Squeeze", 1, 1, 2, importSqueeze, "no axes, but extents that data decide"},
    {"Unsqueeze", 1, 1, 2, importUnsqueeze},
};

} // namespace

llvm::ArrayRef<OpEntry> shapeOps() { return kShapeOps; }

} // namespace kiln::onnx
