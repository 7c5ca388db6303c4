// ImportReduction.cpp: Reduce*, ArgMax and ArgMin, CumSum and CumProd.
#include "frameworks/onnx/DataAxes.h"
#include "frameworks/onnx/Errors.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

Result<Value> reduce(KilnBuilder &build, Value x, ReduceKind kind, ArrayRef<int64_t> axes, bool keepdims) {
  SmallVector<NamedAttribute> attributes{build.named("kind", ReduceKindAttr::get(build.context(), kind)),
                                         build.integers("axes", axes)};
  if (keepdims)
    attributes.push_back(build.flag("keepdims"));
  return build.make<ReduceOp>(x, attributes);
}

/// One axis after the other. `kind` has to give the same when it is split up: the first step may differ from
/// the later ones, and a logarithm comes last.
Status reduceDataAxes(Node &node, ReduceKind kind, bool keepdims) {
  KilnBuilder &build = node.build;
  KILN_ASSIGN_OR_RETURN(DataAxes axes, DataAxes::read(node, 1, node.rank(0), "'axes'"));
  if (static_cast<int64_t>(axes.all().size()) > node.rank(0))
    return invalid("{0} axes of a tensor of rank {1}", axes.all().size(), node.rank(0));
  ReduceKind first = kind == ReduceKind::LogSum ? ReduceKind::Sum : kind;
  ReduceKind later = kind == ReduceKind::SumSquare ? ReduceKind::Sum : first;
  Value x = node.tensor(0);
  Extents shape = node.shape(0);
  for (auto [i, axis] : llvm::enumerate(axes.all())) {
    KILN_ASSIGN_OR_RETURN(x, build.reshape(x, axes.around(shape, axis)));
    KILN_ASSIGN_OR_RETURN(x, reduce(build, x, i == 0 ? first : later, {1}, /*keepdims=*/true));
    shape = axes.replaced(shape, axis, build.math().constant(1));
  }
  if (kind == ReduceKind::LogSum) {
    KILN_ASSIGN_OR_RETURN(x, build.make<LogOp>(x));
  }
  return node.output(build.reshape(x, keepdims ? shape : axes.removed(shape)));
}

/// `axesInputSince`: the opset from which on `axes` is input 1.
template <ReduceKind kind, int axesInputSince> Status importReduce(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool keepdims, node.flagAttribute("keepdims", true));
  bool emptyMeansNone = false;
  if (node.opset() >= axesInputSince) {
    KILN_ASSIGN_OR_RETURN(emptyMeansNone, node.flagAttribute("noop_with_empty_axes", false));
  }
  ReduceKind used = kind;
  if (node.elementType(0).isInteger(1)) { // since opset 20: false < true
    if (kind == ReduceKind::Max)
      used = ReduceKind::Any;
    else if (kind == ReduceKind::Min)
      used = ReduceKind::All;
  }
  if (node.opset() >= axesInputSince && node.isFromData(1))
    return reduceDataAxes(node, used, keepdims);
  KILN_ASSIGN_OR_RETURN(auto given, node.axes(1, axesInputSince));
  SmallVector<int64_t> axes = given.value_or(SmallVector<int64_t>());
  if (axes.empty() && !emptyMeansNone)
    axes = llvm::to_vector(llvm::seq<int64_t>(0, node.rank(0)));
  KILN_ASSIGN_OR_RETURN(axes, Node::normalizeAxes(axes, node.rank(0)));
  return node.output(reduce(node.build, node.tensor(0), used, axes, keepdims));
}

template <ArgReduceKind kind> Status importArgReduce(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t axis, node.axisAttribute(0));
  KILN_ASSIGN_OR_RETURN(bool keepdims, node.flagAttribute("keepdims", true));
  KILN_ASSIGN_OR_RETURN(bool selectLast, node.flagAttribute("select_last_index", false));
  SmallVector<NamedAttribute> attributes{
      node.build.named("kind", ArgReduceKindAttr::get(node.build.context(), kind)),
      node.build.integer("axis", axis)};
  if (keepdims)
    attributes.push_back(node.build.flag("keepdims"));
  if (selectLast)
    attributes.push_back(node.build.flag("select_last"));
  return node.output(node.build.make<ArgReduceOp>(node.tensor(0), attributes));
}

template <CumulativeKind kind> Status importCumulative(Node &node) {
  KilnBuilder &build = node.build;
  SmallVector<NamedAttribute> attributes{build.named("kind", CumulativeKindAttr::get(build.context(), kind))};
  for (StringRef name : {"exclusive", "reverse"}) {
    KILN_ASSIGN_OR_RETURN(bool isSet, node.flagAttribute(name, false));
    if (isSet)
      attributes.push_back(build.flag(name));
  }
  if (node.isFromData(1)) {
    KILN_ASSIGN_OR_RETURN(DataAxes axes, DataAxes::read(node, 1, node.rank(0), "'axis'"));
    if (axes.all().size() != 1)
      return invalid("'axis' has {0} elements; expected one", axes.all().size());
    Extents shape = node.shape(0);
    KILN_ASSIGN_OR_RETURN(Value x, build.reshape(node.tensor(0), axes.around(shape, axes.all().front())));
    attributes.push_back(build.integer("axis", 1));
    KILN_ASSIGN_OR_RETURN(x, build.make<CumulativeOp>(x, attributes));
    return node.output(build.reshape(x, shape));
  }
  KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> axes, node.knownIntegers(1, "'axis'"));
  if (axes.size() != 1)
    return invalid("'axis' has {0} elements; expected one", axes.size());
  KILN_ASSIGN_OR_RETURN(int64_t axis, Node::normalizeAxis(axes.front(), node.rank(0)));
  attributes.push_back(build.integer("axis", axis));
  return node.output(build.make<CumulativeOp>(node.tensor(0), attributes));
}

constexpr OpEntry kReductionOps[] = {
    {"ArgMax", 1, 1, 1, importArgReduce<ArgReduceKind::Max>},
    {"ArgMin", 1, 1, 1, importArgReduce<ArgReduceKind::Min>},
    {"CumProd", 26, 2, 2, importCumulative<CumulativeKind::Prod>},
    {"CumSum", 11, 2, 2, importCumulative<CumulativeKind::Sum>},
    {"ReduceL1", 1, 1, 2, importReduce<ReduceKind::L1, 18>},
    {"ReduceL2", 1, 1, 2, importReduce<ReduceKind::L2, 18>},
    {"ReduceLogSum", 1, 1, 2, importReduce<ReduceKind::LogSum, 18>},
    {"ReduceLogSumExp", 1, 1, 2, importReduce<ReduceKind::LogSumExp, 18>},
    {"ReduceMax", 1, 1, 2, importReduce<ReduceKind::Max, 18>},
    {"ReduceMean", 1, 1, 2, importReduce<ReduceKind::Mean, 18>},
    {"ReduceMin", 1, 1, 2, importReduce<ReduceKind::Min, 18>},
    {"ReduceProd", 1, 1, 2, importReduce<ReduceKind::Prod, 18>},
    {"ReduceSum", 1, 1, 2, importReduce<ReduceKind::Sum, 13>},
    {"ReduceSumSquare", 1, 1, 2, importReduce<ReduceKind::SumSquare, 18>},
};

} // namespace

llvm::ArrayRef<OpEntry> reductionOps() { return kReductionOps; }

} // namespace kiln::onnx
