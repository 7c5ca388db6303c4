// ImportSelection.cpp: elements picked by their order or value; many results have extents that depend on
// data.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Node.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// A tensor of rank 0 or of one element, read when the program runs.
Result<Extent> readBack(Node &node, Value scalar, StringRef what) {
  GraphValue value;
  value.tensor = scalar;
  KILN_ASSIGN_OR_RETURN(ShapeValue read, node.extents(value, what));
  if (read.elements.size() != 1)
    return invalid("{0} has {1} elements; expected one", what, read.elements.size());
  return read.elements.front();
}

/// Attributes and operand of a list of one extent: `static_NAME` and what follows `operands`.
NamedAttribute extentList(KilnBuilder &build, StringRef name, Extent extent,
                          SmallVectorImpl<Value> &operands) {
  std::optional<int64_t> known = IndexMath::known(extent);
  if (!known)
    operands.push_back(build.math().value(extent));
  return build.integers(name, known.value_or(ShapedType::kDynamic));
}

// ---- OneHot ----------------------------------------------------------------------------------------------

/// The depth may have any number type; so may the indices.
Status importOneHot(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.integerAttribute("axis", -1));
  KILN_ASSIGN_OR_RETURN(axis, Node::normalizeAxis(axis, node.rank(0) + 1));
  if (node.rank(2) != 1 || node.type(2).getDimSize(0) != 2)
    return invalid("'values' has the wrong shape; expected two elements, off and on");
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  Type i64 = build.builder().getI64Type();
  Extent depth;
  if (std::optional<double> known = node.knownNumber(1)) {
    depth = math.constant(static_cast<int64_t>(*known));
  } else {
    KILN_ASSIGN_OR_RETURN(Value whole, build.convert(node.tensor(1), i64));
    KILN_ASSIGN_OR_RETURN(depth, readBack(node, whole, "'depth'"));
  }
  KILN_ASSIGN_OR_RETURN(Value indices, build.convert(node.tensor(0), i64));
  SmallVector<Value> operands{indices};
  NamedAttribute list = extentList(build, "static_depth", depth, operands);
  for (int64_t i : {1, 0}) { // on, off
    KILN_ASSIGN_OR_RETURN(Value value,
                          build.sliceAxis(node.tensor(2), 0, math.constant(i), math.constant(1)));
    KILN_ASSIGN_OR_RETURN(value, build.reshape(value, {}));
    operands.push_back(value);
  }
  return node.output(build.make<OneHotOp>(operands, {list, build.integer("axis", axis)}));
}

// ---- TopK ------------------------------------------------------------------------------------------------

Status importTopK(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(-1));
  KilnBuilder &build = node.build;
  bool largest = true;
  Extent k;
  if (node.opset() < 10) {
    KILN_ASSIGN_OR_RETURN(int64_t count, node.integerAttribute("k"));
    k = build.math().constant(count);
  } else {
    if (!node.hasInput(1))
      return invalid("input 1 ('K') is missing");
    KILN_ASSIGN_OR_RETURN(ShapeValue given, node.extents(1, "'K'"));
    if (given.elements.size() != 1)
      return invalid("'K' has {0} elements; expected one", given.elements.size());
    k = given.elements.front();
  }
  if (node.opset() >= 11) {
    KILN_ASSIGN_OR_RETURN(largest, node.flagAttribute("largest", true));
    KILN_ASSIGN_OR_RETURN([[maybe_unused]] bool sorted, node.flagAttribute("sorted", true)); // always is
  }
  SmallVector<Value> operands{node.tensor(0)};
  SmallVector<NamedAttribute> attributes{extentList(build, "static_k", k, operands),
                                         build.integer("axis", axis)};
  if (!largest)
    attributes.push_back(build.flag("smallest"));
  KILN_ASSIGN_OR_RETURN(ResultRange results, build.makeMany<TopKOp>(2, operands, attributes));
  for (unsigned i : {0, 1})
    node.setOutput(i, Value(results[i]));
  return {};
}

// ---- NonZero, Compress -----------------------------------------------------------------------------------

/// The indices of the elements that are not zero: [rank, count].
Result<Value> nonzero(Node &node, Value x) {
  KilnBuilder &build = node.build;
  Type i64 = build.builder().getI64Type();
  auto type = cast<RankedTensorType>(x.getType());
  Value isOn = x;
  if (!type.getElementType().isInteger(1)) {
    KILN_ASSIGN_OR_RETURN(isOn, build.compare("ne", x, build.scalar(type.getElementType(), 0)));
  }
  KILN_ASSIGN_OR_RETURN(Value ones, build.convert(isOn, i64));
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  KILN_ASSIGN_OR_RETURN(
      Value sum,
      build.make<ReduceOp>(ones, {build.named("kind", ReduceKindAttr::get(build.context(), ReduceKind::Sum)),
                                  build.integers("axes", axes)}));
  KILN_ASSIGN_OR_RETURN(Extent count, readBack(node, sum, "the number of elements"));
  SmallVector<Value> operands{x};
  NamedAttribute list = extentList(build, "static_count", count, operands);
  return build.make<NonzeroOp>(operands, list);
}

Status importNonZero(Node &node) { return node.output(nonzero(node, node.tensor(0))); }

Status importCompress(Node &node) {
  KilnBuilder &build = node.build;
  Value x = node.tensor(0), condition = node.tensor(1);
  int64_t axis = 0;
  if (node.hasAttribute("axis")) {
    KILN_ASSIGN_OR_RETURN(axis, node.axisAttribute());
  } else {
    KILN_ASSIGN_OR_RETURN(x, build.reshape(x, {build.math().product(node.shape(0))}));
  }
  if (node.rank(1) != 1 || !node.elementType(1).isInteger(1))
    return invalid("'condition' is {0}; expected booleans of rank 1", node.type(1));
  int64_t extent = cast<RankedTensorType>(x.getType()).getDimSize(axis), given = node.type(1).getDimSize(0);
  if (!ShapedType::isDynamic(extent) && !ShapedType::isDynamic(given) && given > extent)
    return invalid("'condition' has {0} elements for an axis of extent {1}", given, extent);
  if (extent == 0) // there is nothing to choose from
    return node.output(x);
  KILN_ASSIGN_OR_RETURN(Value places, nonzero(node, condition));
  KILN_ASSIGN_OR_RETURN(Value line, build.reshape(places, {build.dim(places, 1)}));
  return node.output(build.make<GatherOp>({x, line}, build.integer("axis", axis)));
}

// ---- Unique ----------------------------------------------------------------------------------------------

Status importUnique(Node &node) {
  KilnBuilder &build = node.build;
  Value x = node.tensor(0);
  int64_t axis = 0;
  if (node.hasAttribute("axis")) {
    KILN_ASSIGN_OR_RETURN(axis, node.axisAttribute());
  } else {
    KILN_ASSIGN_OR_RETURN(x, build.reshape(x, {build.math().product(node.shape(0))}));
  }
  KILN_ASSIGN_OR_RETURN(bool sorted, node.flagAttribute("sorted", true));
  SmallVector<NamedAttribute> attributes{build.integer("axis", axis)};
  if (sorted)
    attributes.push_back(build.flag("sorted"));
  KILN_ASSIGN_OR_RETURN(ResultRange found, build.makeMany<UniqueOp>(4, x, attributes));
  KILN_ASSIGN_OR_RETURN(Extent count, readBack(node, found[3], "the number of distinct elements"));
  Extent zero = build.math().constant(0);
  KILN_ASSIGN_OR_RETURN(Value first, build.sliceAxis(found[0], 0, zero, count));
  KILN_ASSIGN_OR_RETURN(Value counts, build.sliceAxis(found[2], 0, zero, count));
  KILN_ASSIGN_OR_RETURN(Value distinct, build.make<GatherOp>({x, first}, build.integer("axis", axis)));
  Value outputs[] = {distinct, first, found[1], counts};
  for (unsigned i = 0; i < 4; ++i)
    if (node.wantsOutput(i))
      node.setOutput(i, outputs[i]);
  return {};
}

// ---- NonMaxSuppression -----------------------------------------------------------------------------------

/// Input `i`, one number, as a tensor of rank 0.
Result<Value> scalarInput(Node &node, unsigned i) {
  if (!node.type(i).hasStaticShape() || node.type(i).getNumElements() != 1)
    return invalid("input {0} is {1}; expected one number", i, node.type(i));
  return node.build.reshape(node.tensor(i), {});
}

/// kiln.nms lists the boxes of each class; their places in those lists are its nonzero elements.
Status importNonMaxSuppression(Node &node) {
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  Type i64 = build.builder().getI64Type();
  KILN_ASSIGN_OR_RETURN(bool centerPointBox, node.flagAttribute("center_point_box", false));
  if (node.rank(0) != 3 || node.rank(1) != 3)
    return invalid("boxes of rank {0} and scores of rank {1}; expected 3 and 3", node.rank(0), node.rank(1));
  Extent limit = math.constant(0);
  if (node.hasInput(2)) {
    KILN_ASSIGN_OR_RETURN(ShapeValue given, node.extents(2, "'max_output_boxes_per_class'"));
    if (given.elements.size() != 1)
      return invalid("'max_output_boxes_per_class' has {0} elements; expected one", given.elements.size());
    limit = math.max(math.min(given.elements.front(), node.dim(1, 2)), math.constant(0));
  }
  Value iou = build.scalar(build.builder().getF32Type(), 0);
  if (node.hasInput(3)) {
    KILN_ASSIGN_OR_RETURN(iou, scalarInput(node, 3));
  }
  SmallVector<Value> operands{node.tensor(0), node.tensor(1)};
  NamedAttribute list = extentList(build, "static_limit", limit, operands);
  int32_t limits = static_cast<int32_t>(operands.size()) - 2, thresholds = node.hasInput(4);
  operands.push_back(iou);
  if (node.hasInput(4)) {
    KILN_ASSIGN_OR_RETURN(Value least, scalarInput(node, 4));
    operands.push_back(least);
  }
  SmallVector<NamedAttribute> attributes{
      list, build.named("operandSegmentSizes",
                        build.builder().getDenseI32ArrayAttr({1, 1, limits, 1, thresholds}))};
  if (centerPointBox)
    attributes.push_back(build.flag("center_point_box"));
  KILN_ASSIGN_OR_RETURN(ResultRange found, build.makeMany<NmsOp>(2, operands, attributes));

  Extents lists = node.shape(1);
  lists.back() = math.constant(1);
  KILN_ASSIGN_OR_RETURN(Value counts, build.reshape(found[1], lists));
  KILN_ASSIGN_OR_RETURN(Value position, build.iota(i64, {math.constant(1), math.constant(1), limit}, 2));
  KILN_ASSIGN_OR_RETURN(Value isThere, build.compare("lt", position, counts));
  KILN_ASSIGN_OR_RETURN(Value places, nonzero(node, isThere));
  KILN_ASSIGN_OR_RETURN(places, build.transpose(places, {1, 0}));
  KILN_ASSIGN_OR_RETURN(Value boxes, build.make<GatherNdOp>({found[0], places}));
  Extent count = build.dim(places, 0);
  KILN_ASSIGN_OR_RETURN(boxes, build.reshape(boxes, {count, math.constant(1)}));
  KILN_ASSIGN_OR_RETURN(Value classes, build.sliceAxis(places, 1, math.constant(0), math.constant(2)));
  return node.output(build.concat({classes, boxes}, 1));
}

constexpr OpEntry kSelectionOps[] = {
    {"Compress", 9, 2, 2, importCompress}, {"NonMaxSuppression", 10, 2, 5, importNonMaxSuppression},
    {"NonZero", 9, 1, 1, importNonZero},   {"OneHot", 9, 3, 3, importOneHot, "strings"},
    {"TopK", 1, 1, 2, importTopK},         {"Unique", 11, 1, 1, importUnique},
};

} // namespace

llvm::ArrayRef<OpEntry> selectionOps() { return kSelectionOps; }

} // namespace kiln::onnx
