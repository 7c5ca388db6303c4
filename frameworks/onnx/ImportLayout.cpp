// ImportLayout.cpp: ops that move or repeat elements: Transpose, Expand, Tile, Concat, Pad, DepthToSpace ...
#include "frameworks/onnx/DataAxes.h"
#include "frameworks/onnx/Errors.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

Status importTranspose(Node &node) {
  KILN_ASSIGN_OR_RETURN(auto perm, node.integersAttribute("perm"));
  if (!perm)
    perm = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, node.rank(0))));
  if (static_cast<int64_t>(perm->size()) != node.rank(0))
    return invalid("attribute 'perm' has {0} entries; expected {1}", perm->size(), node.rank(0));
  return node.output(node.build.transpose(node.tensor(0), *perm));
}

/// Broadcasts both ways: an extent of 1 in the asked shape keeps the input's.
Status importExpand(Node &node) {
  KILN_ASSIGN_OR_RETURN(ShapeValue given, node.extents(1, "'shape'"));
  if (given.isScalar)
    return invalid("'shape' has rank 0; expected 1");
  IndexMath &math = node.build.math();
  Extents shape = given.elements, own = node.shape(0);
  while (shape.size() < own.size())
    shape.insert(shape.begin(), math.constant(1));
  for (auto [extent, other] : llvm::zip(llvm::reverse(shape), llvm::reverse(own))) {
    auto asked = IndexMath::known(extent), has = IndexMath::known(other);
    if (asked && *asked < 0)
      return invalid("'shape' holds {0}; expected >= 0", *asked);
    if (has == 1 || extent == other)
      continue;
    if (asked == 1 || (has && !asked))
      extent = other;
    else if (!has && !asked)
      extent = math.select(math.compare(arith::CmpIPredicate::eq, other, math.constant(1)), extent, other);
    else if (has && *asked != *has)
      return invalid("extent {0} does not broadcast to {1}; expected the same or 1", *has, *asked);
  }
  return node.output(node.build.broadcast(node.tensor(0), shape));
}

/// [a, b] repeated [r, s] times is [1, a, 1, b] broadcast to [r, a, s, b], seen as [r * a, s * b].
Status importTile(Node &node) {
  KILN_ASSIGN_OR_RETURN(ShapeValue repeats, node.extents(1, "'repeats'"));
  Extents shape = node.shape(0), apart, spread, together;
  if (repeats.elements.size() != shape.size())
    return invalid("{0} repeats for an input of rank {1}", repeats.elements.size(), shape.size());
  IndexMath &math = node.build.math();
  for (auto [extent, count] : llvm::zip(shape, repeats.elements)) {
    if (auto known = IndexMath::known(count); known && *known < 0)
      return invalid("'repeats' holds {0}; expected >= 0", *known);
    if (!IndexMath::isKnown(count, 1)) {
      apart.push_back(math.constant(1));
      spread.push_back(count);
    }
    apart.push_back(extent);
    spread.push_back(extent);
    together.push_back(math.mul(extent, count));
  }
  KILN_ASSIGN_OR_RETURN(Value x, node.build.reshape(node.tensor(0), apart));
  KILN_ASSIGN_OR_RETURN(x, node.build.broadcast(x, spread));
  return node.output(node.build.reshape(x, together));
}

Status importConcat(Node &node) {
  for (unsigned i = 0; i < node.numInputs(); ++i)
    if (!node.hasInput(i))
      return invalid("input {0} is left out; expected a tensor", i);
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute());
  return node.output(node.build.concat(node.tensors(), axis));
}

Status importSplit(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(0));
  KILN_ASSIGN_OR_RETURN(Extents sizes, node.splitSizes(node.dim(0, axis)));
  IndexMath &math = node.build.math();
  Extent offset = math.constant(0);
  for (auto [i, size] : llvm::enumerate(sizes)) {
    KILN_ASSIGN_OR_RETURN(Value part, node.build.sliceAxis(node.tensor(0), axis, offset, size));
    node.setOutput(static_cast<unsigned>(i), part);
    offset = math.add(offset, size);
  }
  return {};
}

// ---- Pad
// -----------------------------------------------------------------------------------------------------

/// `low` and `high` by axis. A negative pad, if known, cuts instead.
Status pad(Node &node, Extents low, Extents high, StringRef mode, Value value) {
  IndexMath &math = node.build.math();
  Value x = node.tensor(0);
  if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap")
    return invalid("attribute 'mode' is '{0}'; expected constant, reflect, edge or wrap", mode);
  for (int64_t axis = 0, rank = node.rank(0); axis < rank; ++axis) {
    Extent cutLow = math.constant(0), cutHigh = cutLow;
    for (auto [pad, cut] : {std::pair(&low[axis], &cutLow), std::pair(&high[axis], &cutHigh)})
      if (auto known = IndexMath::known(*pad); known && *known < 0) {
        *cut = math.sub(math.constant(0), *pad);
        *pad = math.constant(0);
      }
    if (!IndexMath::isKnown(cutLow, 0) || !IndexMath::isKnown(cutHigh, 0)) {
      Extent size = math.sub(math.sub(node.build.dim(x, axis), cutLow), cutHigh);
      KILN_ASSIGN_OR_RETURN(x, node.build.sliceAxis(x, axis, cutLow, size));
    }
  }
  if (mode != "constant")
    value = {};
  return node.output(node.build.pad(x, low, high, mode, value));
}

Status importPadByAttributes(Node &node) {
  KILN_ASSIGN_OR_RETURN(std::string mode, node.stringAttribute("mode", "constant"));
  KILN_ASSIGN_OR_RETURN(double value, node.realAttribute("value", 0.0));
  KILN_ASSIGN_OR_RETURN(auto pads, node.integersAttribute("pads"));
  if (!pads || static_cast<int64_t>(pads->size()) != 2 * node.rank(0))
    return invalid("attribute 'pads' has {0} entries; expected {1}", pads ? pads->size() : 0,
                   2 * node.rank(0));
  Extents all = node.build.math().constants(*pads);
  auto rank = static_cast<size_t>(node.rank(0));
  return pad(node, Extents(ArrayRef(all).take_front(rank)), Extents(ArrayRef(all).drop_front(rank)), mode,
             node.build.scalar(node.elementType(0), value));
}

/// Pads below and above, axis by axis, from the list of those of the axes that input 3 names.
Result<std::pair<Extents, Extents>> padsByAxis(Node &node, ArrayRef<Extent> pads) {
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, node.rank(0)));
  bool areFromData = node.isFromData(3);
  if (areFromData) {
    axes.resize(static_cast<size_t>(std::max<int64_t>(node.type(3).getNumElements(), 0)));
  } else if (node.hasInput(3)) {
    KILN_ASSIGN_OR_RETURN(axes, node.knownIntegers(3, "'axes'"));
    KILN_RETURN_IF_ERROR(Node::normalizeAxes(axes, node.rank(0)).status());
  }
  size_t count = axes.size();
  if (pads.size() != 2 * count)
    return invalid("'pads' has {0} elements; expected {1}", pads.size(), 2 * count);
  if (areFromData) {
    KILN_ASSIGN_OR_RETURN(DataAxes given, DataAxes::read(node, 3, node.rank(0), "'axes'"));
    return std::pair(given.spread(pads.take_front(count)), given.spread(pads.drop_front(count)));
  }
  Extents low(static_cast<size_t>(node.rank(0)), node.build.math().constant(0)), high = low;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    int64_t normal = axis < 0 ? axis + node.rank(0) : axis;
    low[normal] = pads[i];
    high[normal] = pads[i + count];
  }
  return std::pair(std::move(low), std::move(high));
}

Status importPad(Node &node) {
  KILN_ASSIGN_OR_RETURN(std::string mode, node.stringAttribute("mode", "constant"));
  KILN_ASSIGN_OR_RETURN(ShapeValue pads, node.extents(1, "'pads'"));
  KILN_ASSIGN_OR_RETURN(auto sides, padsByAxis(node, pads.elements));
  auto &[low, high] = sides;
  Value value;
  if (mode == "constant") {
    value = node.build.scalar(node.elementType(0), 0);
    if (node.hasInput(2)) {
      KILN_ASSIGN_OR_RETURN(value, node.build.reshape(node.tensor(2), {}));
    }
  }
  return pad(node, std::move(low), std::move(high), mode, value);
}

// ---- Between depth and space
// -----------------------------------------------------------------------------------

/// [n, c, h, w] with blocks: a reshape to rank 6, a transpose, a reshape back.
Status importDepthToSpace(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t block, node.integerAttribute("blocksize"));
  KILN_ASSIGN_OR_RETURN(std::string mode, node.stringAttribute("mode", "DCR"));
  if (node.rank(0) != 4 || block < 1)
    return invalid("input of rank {0}, 'blocksize' {1}; expected rank 4, 1 or more", node.rank(0), block);
  if (mode != "DCR" && mode != "CRD")
    return invalid("attribute 'mode' is '{0}'; expected DCR or CRD", mode);
  IndexMath &math = node.build.math();
  Extents s = node.shape(0);
  Extent b = math.constant(block);
  if (auto channels = IndexMath::known(s[1]); channels && *channels % (block * block) != 0)
    return invalid("{0} channels are no multiple of the square of 'blocksize' {1}", *channels, block);
  Extent depth = math.div(s[1], math.constant(block * block));
  bool depthFirst = mode == "CRD";
  KILN_ASSIGN_OR_RETURN(
      Value x, node.build.reshape(node.tensor(0), depthFirst ? Extents{s[0], depth, b, b, s[2], s[3]}
                                                             : Extents{s[0], b, b, depth, s[2], s[3]}));
  KILN_ASSIGN_OR_RETURN(x, node.build.transpose(x, depthFirst ? ArrayRef<int64_t>{0, 1, 4, 2, 5, 3}
                                                              : ArrayRef<int64_t>{0, 3, 4, 1, 5, 2}));
  return node.output(node.build.reshape(x, {s[0], depth, math.mul(s[2], b), math.mul(s[3], b)}));
}

Status importSpaceToDepth(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t block, node.integerAttribute("blocksize"));
  KILN_ASSIGN_OR_RETURN(std::string mode, node.stringAttribute("mode", "DCR")); // since opset 28
  if (node.rank(0) != 4 || block < 1)
    return invalid("input of rank {0}, 'blocksize' {1}; expected rank 4, 1 or more", node.rank(0), block);
  if (mode != "DCR" && mode != "CRD")
    return invalid("attribute 'mode' is '{0}'; expected DCR or CRD", mode);
  IndexMath &math = node.build.math();
  Extents s = node.shape(0);
  Extent b = math.constant(block);
  for (int axis : {2, 3})
    if (auto extent = IndexMath::known(s[axis]); extent && *extent % block != 0)
      return invalid("extent {0} of axis {1} is no multiple of 'blocksize' {2}", *extent, axis, block);
  Extent height = math.div(s[2], b), width = math.div(s[3], b);
  KILN_ASSIGN_OR_RETURN(Value x, node.build.reshape(node.tensor(0), {s[0], s[1], height, b, width, b}));
  KILN_ASSIGN_OR_RETURN(x, node.build.transpose(x, mode == "CRD" ? ArrayRef<int64_t>{0, 1, 3, 5, 2, 4}
                                                                 : ArrayRef<int64_t>{0, 3, 5, 1, 2, 4}));
  return node.output(
      node.build.reshape(x, {s[0], math.mul(s[1], math.constant(block * block)), height, width}));
}

constexpr OpEntry kLayoutOps[] = {
    {"Concat", 4, 1, kAnyNumber, importConcat},
    {"DepthToSpace", 1, 1, 1, importDepthToSpace},
    {"Expand", 8, 2, 2, importExpand},
    {"Pad", 2, 1, 1, importPadByAttributes},
    {"Pad", 11, 2, 4, importPad},
    {"SpaceToDepth", 1, 1, 1, importSpaceToDepth},
    {"Split", 2, 1, 2, importSplit},
    {"Tile", 6, 2, 2, importTile},
    {"Transpose", 1, 1, 1, importTranspose},
};

} // namespace

llvm::ArrayRef<OpEntry> layoutOps() { return kLayoutOps; }

} // namespace kiln::onnx
