// ImportPooling.cpp: pools over windows and over whole images.
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Node.h"
#include "frameworks/onnx/Window.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

template <typename Op> Result<Value> pool(Node &node, SmallVector<NamedAttribute> more) {
  KILN_ASSIGN_OR_RETURN(Window window, readWindow(node, {}));
  KILN_ASSIGN_OR_RETURN(bool ceilMode, node.flagAttribute("ceil_mode", false));
  std::optional<SmallVector<int64_t>> pads = window.knownPads();
  if (!pads)
    return unsupported("'auto_pad' SAME with strides over a dynamic extent is not supported");
  llvm::append_range(more, window.attributes(node.build, *pads));
  more.push_back(node.build.integers("kernel", window.kernel));
  if (ceilMode)
    more.push_back(node.build.flag("ceil_mode"));
  return node.build.make<Op>(node.tensor(0), more);
}

Status importMaxPool(Node &node) {
  node.ignoreAttribute("storage_order"); // of the indices, which are refused
  return node.output(pool<MaxPoolOp>(node, {}));
}

Status importAveragePool(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool countPad, node.flagAttribute("count_include_pad", false));
  SmallVector<NamedAttribute> flags;
  if (countPad)
    flags.push_back(node.build.flag("count_include_pad"));
  return node.output(pool<AvgPoolOp>(node, flags));
}

template <ReduceKind kind> Status importGlobalPool(Node &node) {
  if (node.rank(0) < 3)
    return invalid("input 0 has rank {0}; expected 3 or more", node.rank(0));
  SmallVector<int64_t> spatial = llvm::to_vector(llvm::seq<int64_t>(2, node.rank(0)));
  return node.output(node.build.make<ReduceOp>(
      node.tensor(0), {node.build.named("kind", ReduceKindAttr::get(node.build.context(), kind)),
                       node.build.integers("axes", spatial), node.build.flag("keepdims")}));
}

Status importGlobalLpPool(Node &node) {
  KILN_ASSIGN_OR_RETURN(int64_t p, node.integerAttribute("p", 2));
  if (p != 1 && p != 2)
    return unsupported("'p' {0} is not supported; 1 and 2 are", p);
  return p == 1 ? importGlobalPool<ReduceKind::L1>(node) : importGlobalPool<ReduceKind::L2>(node);
}

/// Zeros with the elements at the flat places that the pool had them from; room behind them if `output_shape`
/// asks for more.
Status importMaxUnpool(Node &node) {
  KILN_ASSIGN_OR_RETURN(Window window, readWindow(node, {}));
  KilnBuilder &build = node.build;
  IndexMath &math = build.math();
  Extents shape = node.shape(0);
  for (auto [i, kernel] : llvm::enumerate(window.kernel)) {
    Extent pads = math.add(window.pads[i], window.pads[i + window.kernel.size()]);
    Extent moved = math.mul(math.sub(shape[i + 2], math.constant(1)), math.constant(window.strides[i]));
    shape[i + 2] = math.add(math.sub(moved, pads), math.constant(kernel));
  }
  Type element = node.elementType(0);
  Value zero = build.scalar(element, 0);
  KILN_ASSIGN_OR_RETURN(Value line, build.broadcast(zero, {math.product(shape)}));
  KILN_ASSIGN_OR_RETURN(Value places, build.reshape(node.tensor(1), {math.product(node.shape(1))}));
  KILN_ASSIGN_OR_RETURN(Value values, build.reshape(node.tensor(0), {math.product(node.shape(0))}));
  auto replace = ScatterKindAttr::get(build.context(), ScatterKind::Replace);
  KILN_ASSIGN_OR_RETURN(
      line, build.make<ScatterElementsOp>({line, places, values},
                                          {build.named("kind", replace), build.integer("axis", 0)}));
  KILN_ASSIGN_OR_RETURN(Value result, build.reshape(line, shape));
  if (node.hasInput(2)) {
    KILN_ASSIGN_OR_RETURN(ShapeValue wanted, node.extents(2, "'output_shape'"));
    if (wanted.elements.size() != shape.size())
      return invalid("'output_shape' has {0} elements; expected {1}", wanted.elements.size(), shape.size());
    Extents low(shape.size(), math.constant(0)), high;
    for (auto [extent, there] : llvm::zip_equal(wanted.elements, shape))
      high.push_back(math.sub(extent, there));
    KILN_ASSIGN_OR_RETURN(result, build.pad(result, low, high, "constant", zero));
  }
  node.setOutput(0, result);
  return {};
}

constexpr OpEntry kOps[] = {
    {"AveragePool", 7, 1, 1, importAveragePool, "SAME pads with strides over a dynamic extent"},
    {"GlobalAveragePool", 1, 1, 1, importGlobalPool<ReduceKind::Mean>},
    {"GlobalLpPool", 2, 1, 1, importGlobalLpPool, "`p` other than 1 and 2"},
    {"GlobalMaxPool", 1, 1, 1, importGlobalPool<ReduceKind::Max>},
    {"MaxPool", 1, 1, 1, importMaxPool, "output `Indices`; SAME pads with strides over a dynamic extent"},
    {"MaxUnpool", 9, 2, 3, importMaxUnpool},
};

} // namespace

llvm::ArrayRef<OpEntry> poolingOps() { return kOps; }

} // namespace kiln::onnx
