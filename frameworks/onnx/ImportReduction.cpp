// ImportReduction.cpp: Reduce*, ArgMax and ArgMin, CumSum and CumProd.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Node.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// `axesInputSince`: the opset from which on `axes` is input 1.
template <ReduceKind kind, int axesInputSince> Status importReduce(Node &node) {
  KILN_ASSIGN_OR_RETURN(auto given, node.axes(1, axesInputSince));
  KILN_ASSIGN_OR_RETURN(bool keepdims, node.flagAttribute("keepdims", true));
  bool emptyMeansNone = false;
  if (node.opset() >= axesInputSince) {
    KILN_ASSIGN_OR_RETURN(emptyMeansNone, node.flagAttribute("noop_with_empty_axes", false));
  }
  SmallVector<int64_t> axes = given.value_or(SmallVector<int64_t>());
  if (axes.empty() && !emptyMeansNone)
    axes = llvm::to_vector(llvm::seq<int64_t>(0, node.rank(0)));
  KILN_ASSIGN_OR_RETURN(axes, Node::normalizeAxes(axes, node.rank(0)));

  ReduceKind used = kind;
  if (node.elementType(0).isInteger(1)) { // since opset 20: false < true
    if (kind == ReduceKind::Max)
      used = ReduceKind::Any;
    else if (kind == ReduceKind::Min)
      used = ReduceKind::All;
  }
  SmallVector<NamedAttribute> attributes{
      node.build.named("kind", ReduceKindAttr::get(node.build.context(), used)),
      node.build.integers("axes", axes)};
  if (keepdims)
    attributes.push_back(node.build.flag("keepdims"));
  return node.output(node.build.make<ReduceOp>(node.tensor(0), attributes));
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
  KILN_ASSIGN_OR_RETURN(SmallVector<int64_t> axes, node.knownIntegers(1, "'axis'"));
  if (axes.size() != 1)
    return invalid("'axis' has {0} elements; expected one", axes.size());
  KILN_ASSIGN_OR_RETURN(int64_t axis, Node::normalizeAxis(axes.front(), node.rank(0)));
  SmallVector<NamedAttribute> attributes{
      node.build.named("kind", CumulativeKindAttr::get(node.build.context(), kind)),
      node.build.integer("axis", axis)};
  for (StringRef name : {"exclusive", "reverse"}) {
    KILN_ASSIGN_OR_RETURN(bool isSet, node.flagAttribute(name, false));
    if (isSet)
      attributes.push_back(node.build.flag(name));
  }
  return node.output(node.build.make<CumulativeOp>(node.tensor(0), attributes));
}

constexpr llvm::StringLiteral kKnownAxes = "axes computed from data";

constexpr OpEntry kOps[] = {
    {"ArgMax", 1, 1, 1, importArgReduce<ArgReduceKind::Max>},
    {"ArgMin", 1, 1, 1, importArgReduce<ArgReduceKind::Min>},
    {"CumProd", 26, 2, 2, importCumulative<CumulativeKind::Prod>, "an axis computed from data"},
    {"CumSum", 11, 2, 2, importCumulative<CumulativeKind::Sum>, "an axis computed from data"},
    {"ReduceL1", 1, 1, 2, importReduce<ReduceKind::L1, 18>, kKnownAxes},
    {"ReduceL2", 1, 1, 2, importReduce<ReduceKind::L2, 18>, kKnownAxes},
    {"ReduceLogSum", 1, 1, 2, importReduce<ReduceKind::LogSum, 18>, kKnownAxes},
    {"ReduceLogSumExp", 1, 1, 2, importReduce<ReduceKind::LogSumExp, 18>, kKnownAxes},
    {"ReduceMax", 1, 1, 2, importReduce<ReduceKind::Max, 18>, kKnownAxes},
    {"ReduceMean", 1, 1, 2, importReduce<ReduceKind::Mean, 18>, kKnownAxes},
    {"ReduceMin", 1, 1, 2, importReduce<ReduceKind::Min, 18>, kKnownAxes},
    {"ReduceProd", 1, 1, 2, importReduce<ReduceKind::Prod, 18>, kKnownAxes},
    {"ReduceSum", 1, 1, 2, importReduce<ReduceKind::Sum, 13>, kKnownAxes},
    {"ReduceSumSquare", 1, 1, 2, importReduce<ReduceKind::SumSquare, 18>, kKnownAxes},
};

} // namespace

llvm::ArrayRef<OpEntry> reductionOps() { return kOps; }

} // namespace kiln::onnx
