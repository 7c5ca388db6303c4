// ImportIndexing.cpp: elements read and written at indices that are data.
#include "frameworks/onnx/ElementTypes.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Node.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

constexpr llvm::StringLiteral kOutOfRange =
    "indices out of range that data hold: the nearest element is read";
constexpr llvm::StringLiteral kUpdateNothing = "indices out of range that data hold: they update nothing";

/// Fails if `index` is known not to lie on an axis of the data.
Status checkIndex(Node &node, int64_t axis, int64_t index) {
  auto length = IndexMath::known(node.dim(0, axis));
  if (length && (index < -*length || index >= *length))
    return invalid("index {0} on axis {1} of extent {2}", index, axis, *length);
  return {};
}

/// Checks those of the indices of input 1 that are known at import.
Status checkKnownIndices(Node &node, int64_t axis) {
  if (const ShapeValue *shape = node.shapeValue(1)) {
    for (Extent element : shape->elements)
      if (auto index = IndexMath::known(element))
        KILN_RETURN_IF_ERROR(checkIndex(node, axis, *index));
  } else if (node.input(1).data) {
    if (auto integers = node.input(1).data->integers())
      for (int64_t index : *integers)
        KILN_RETURN_IF_ERROR(checkIndex(node, axis, index));
  }
  return {};
}

/// The same for tuples of indices, whose first is of axis `first`.
Status checkKnownTuples(Node &node, int64_t first) {
  if (!node.input(1).data || node.rank(1) == 0)
    return {};
  int64_t length = node.type(1).getShape().back();
  auto integers = node.input(1).data->integers();
  if (!integers || length == 0 || first + length > node.rank(0))
    return {}; // the op says what is wrong with it
  for (auto [i, index] : llvm::enumerate(*integers))
    KILN_RETURN_IF_ERROR(checkIndex(node, first + static_cast<int64_t>(i) % length, index));
  return {};
}

/// Input `i`, whose indices are i32 or i64.
Result<Value> indexInput(Node &node, unsigned i) {
  Type element = node.elementType(i);
  if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64))
    return invalid("input {0} has element type {1}; expected int32 or int64", i,
                   dataTypeName(toDataType(element)));
  return node.tensor(i);
}

/// Nothing of nothing: no index is there to be out of range. Null if there are indices, or elements.
Result<Value> nothing(Node &node, int64_t axis, ArrayRef<Extent> shape) {
  bool noElements = IndexMath::isKnown(node.dim(0, axis), 0);
  bool noIndices = node.type(1).hasStaticShape() && node.type(1).getNumElements() == 0;
  if (!noElements || !noIndices)
    return Value();
  return node.build.broadcast(node.build.scalar(node.elementType(0), 0), shape);
}

/// Few indices that the importer knows are slices next to each other; they fuse with what reads them.
Result<Value> gatherSlices(Node &node, const ShapeValue &indices, int64_t axis, Extent extent) {
  IndexMath &math = node.build.math();
  Value x = node.tensor(0);
  SmallVector<Value> parts;
  for (Extent index : indices.elements) {
    KILN_ASSIGN_OR_RETURN(Value part,
                          node.build.sliceAxis(x, axis, math.fromFront(index, extent), math.constant(1)));
    parts.push_back(part);
  }
  KILN_ASSIGN_OR_RETURN(Value joined, node.build.concat(parts, axis));
  if (!indices.isScalar)
    return joined;
  Extents shape = node.shape(0);
  shape.erase(shape.begin() + axis);
  return node.build.reshape(joined, shape);
}

Status importGather(Node &node) {
  constexpr size_t kMaxSlices = 4;
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(0));
  Extent extent = node.dim(0, axis);
  KILN_RETURN_IF_ERROR(checkKnownIndices(node, axis));
  const ShapeValue *known = node.shapeValue(1);
  if (known && !known->isFromData && !known->elements.empty() && known->elements.size() <= kMaxSlices)
    return node.output(gatherSlices(node, *known, axis, extent));
  KILN_ASSIGN_OR_RETURN(Value indices, indexInput(node, 1));
  Extents shape = node.shape(0), picked = node.shape(1);
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, picked.begin(), picked.end());
  KILN_ASSIGN_OR_RETURN(Value empty, nothing(node, axis, shape));
  if (empty)
    return node.output(empty);
  return node.output(node.build.make<GatherOp>({node.tensor(0), indices}, node.build.integer("axis", axis)));
}

Status importGatherElements(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(0));
  KILN_RETURN_IF_ERROR(checkKnownIndices(node, axis));
  KILN_ASSIGN_OR_RETURN(Value indices, indexInput(node, 1));
  KILN_ASSIGN_OR_RETURN(Value empty, nothing(node, axis, node.shape(1)));
  if (empty)
    return node.output(empty);
  return node.output(
      node.build.make<GatherElementsOp>({node.tensor(0), indices}, node.build.integer("axis", axis)));
}

Status importGatherNd(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t batchDims, node.integerAttribute("batch_dims", 0));
  KILN_RETURN_IF_ERROR(checkKnownTuples(node, std::max<int64_t>(batchDims, 0)));
  KILN_ASSIGN_OR_RETURN(Value indices, indexInput(node, 1));
  return node.output(
      node.build.make<GatherNdOp>({node.tensor(0), indices}, node.build.integer("batch_dims", batchDims)));
}

/// The attribute `reduction`; the first versions have none, and say "none" by leaving it out.
Result<NamedAttribute> scatterKind(Node &node) {
  KILN_ASSIGN_OR_RETURN(std::string name, node.stringAttribute("reduction", "none"));
  std::optional<ScatterKind> kind = name == "none" ? ScatterKind::Replace : symbolizeScatterKind(name);
  if (!kind || name == "replace")
    return invalid("attribute 'reduction' is '{0}'; expected none, add, mul, max or min", name);
  return node.build.named("kind", ScatterKindAttr::get(node.build.context(), *kind));
}

Status importScatterElements(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(0));
  KILN_ASSIGN_OR_RETURN(NamedAttribute kind, scatterKind(node));
  KILN_RETURN_IF_ERROR(checkKnownIndices(node, axis));
  KILN_ASSIGN_OR_RETURN(Value indices, indexInput(node, 1));
  return node.output(node.build.make<ScatterElementsOp>({node.tensor(0), indices, node.tensor(2)},
                                                        {kind, node.build.integer("axis", axis)}));
}

Status importScatterNd(Node &node) {
  KILN_ASSIGN_OR_RETURN(NamedAttribute kind, scatterKind(node));
  KILN_RETURN_IF_ERROR(checkKnownTuples(node, 0));
  KILN_ASSIGN_OR_RETURN(Value indices, indexInput(node, 1));
  return node.output(node.build.make<ScatterNdOp>({node.tensor(0), indices, node.tensor(2)}, kind));
}

/// `line`, a tensor of rank 1, along `axis` of `shape`.
Result<Value> alongAxis(KilnBuilder &build, Value line, int64_t axis, ArrayRef<Extent> shape) {
  Extents ones(shape.size(), build.math().constant(1));
  ones[axis] = build.dim(line, 0);
  return build.reshape(line, ones);
}

/// The first sequence_lens[b] elements of each sequence backwards, the others where they are: a gather.
Status importReverseSequence(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t batchAxis, node.axisAttribute(1, "batch_axis"));
  KILN_ASSIGN_OR_RETURN(int64_t timeAxis, node.axisAttribute(0, "time_axis"));
  if (batchAxis == timeAxis || node.rank(0) < 2)
    return invalid("batch_axis {0} and time_axis {1}; expected two axes", batchAxis, timeAxis);
  if (node.rank(1) != 1)
    return invalid("'sequence_lens' has rank {0}; expected 1", node.rank(1));
  KilnBuilder &build = node.build;
  Type i64 = build.builder().getI64Type();
  Extents shape = node.shape(0);
  KILN_ASSIGN_OR_RETURN(Value lengths, build.convert(node.tensor(1), i64));
  KILN_ASSIGN_OR_RETURN(lengths, alongAxis(build, lengths, batchAxis, shape));
  Extents line(shape.size(), build.math().constant(1));
  line[timeAxis] = shape[timeAxis];
  KILN_ASSIGN_OR_RETURN(Value step, build.iota(i64, line, timeAxis));
  KILN_ASSIGN_OR_RETURN(Value left, build.make<SubOp>({lengths, step}));
  KILN_ASSIGN_OR_RETURN(Value backwards, build.make<SubOp>({left, build.scalar(i64, 1)}));
  KILN_ASSIGN_OR_RETURN(Value turns, build.compare("lt", step, lengths));
  KILN_ASSIGN_OR_RETURN(Value from, build.make<SelectOp>({turns, backwards, step}));
  if (batchAxis + timeAxis == 1) { // what is behind them moves as whole rows
    Extents places{shape[0], shape[1]}, tuples{shape[0], shape[1], build.math().constant(1)};
    KILN_ASSIGN_OR_RETURN(from, build.reshape(from, places));
    if (timeAxis == 1)
      return node.output(build.make<GatherOp>({node.tensor(0), from},
                                              {build.integer("axis", 1), build.integer("batch_dims", 1)}));
    KILN_ASSIGN_OR_RETURN(Value own, build.iota(i64, tuples, 1));
    KILN_ASSIGN_OR_RETURN(from, build.reshape(from, tuples));
    KILN_ASSIGN_OR_RETURN(from, build.concat({from, own}, 2));
    return node.output(build.make<GatherNdOp>({node.tensor(0), from}));
  }
  KILN_ASSIGN_OR_RETURN(from, build.broadcast(from, shape));
  return node.output(build.make<GatherElementsOp>({node.tensor(0), from}, build.integer("axis", timeAxis)));
}

/// The cache with each batch's update written from write_indices[b] on.
Status importTensorScatter(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(-2));
  KILN_ASSIGN_OR_RETURN(std::string mode, node.stringAttribute("mode", "linear"));
  if (mode != "linear" && mode != "circular")
    return invalid("attribute 'mode' is '{0}'; expected linear or circular", mode);
  if (axis == 0)
    return invalid("attribute 'axis' is the batch axis; expected another one");
  KilnBuilder &build = node.build;
  Type i64 = build.builder().getI64Type();
  Extents shape = node.shape(1), line(shape.size(), build.math().constant(1));
  line[axis] = shape[axis];
  KILN_ASSIGN_OR_RETURN(Value to, build.iota(i64, line, axis));
  if (node.hasInput(2)) {
    if (node.rank(2) != 1)
      return invalid("'write_indices' has rank {0}; expected 1", node.rank(2));
    KILN_ASSIGN_OR_RETURN(Value begin, build.convert(node.tensor(2), i64));
    KILN_ASSIGN_OR_RETURN(begin, alongAxis(build, begin, 0, shape));
    KILN_ASSIGN_OR_RETURN(to, build.make<AddOp>({to, begin}));
  }
  if (mode == "circular") {
    GraphValue extent;
    extent.shape = ShapeValue{i64, true, {node.dim(0, axis)}};
    KILN_ASSIGN_OR_RETURN(to, build.make<ModOp>({to, materialize(build, extent, "")}));
  }
  KILN_ASSIGN_OR_RETURN(to, build.broadcast(to, shape));
  auto replace = ScatterKindAttr::get(build.context(), ScatterKind::Replace);
  return node.output(build.make<ScatterElementsOp>(
      {node.tensor(0), to, node.tensor(1)}, {build.named("kind", replace), build.integer("axis", axis)}));
}

constexpr OpEntry kIndexingOps[] = {
    {"Gather", 1, 2, 2, importGather, kOutOfRange},
    {"GatherElements", 11, 2, 2, importGatherElements, kOutOfRange},
    {"GatherND", 11, 2, 2, importGatherNd, kOutOfRange},
    {"ReverseSequence", 10, 2, 2, importReverseSequence},
    {"Scatter", 9, 3, 3, importScatterElements, kUpdateNothing},
    {"ScatterElements", 11, 3, 3, importScatterElements, kUpdateNothing},
    {"ScatterND", 11, 3, 3, importScatterNd, kUpdateNothing},
    {"TensorScatter", 24, 2, 3, importTensorScatter},
};

} // namespace

llvm::ArrayRef<OpEntry> indexingOps() { return kIndexingOps; }

} // namespace kiln::onnx
