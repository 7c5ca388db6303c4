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

constexpr OpEntry kOps[] = {
    {"AveragePool", 7, 1, 1, importAveragePool, "SAME pads with strides over a dynamic extent"},
    {"GlobalAveragePool", 1, 1, 1, importGlobalPool<ReduceKind::Mean>},
    {"GlobalLpPool", 2, 1, 1, importGlobalLpPool, "`p` other than 1 and 2"},
    {"GlobalMaxPool", 1, 1, 1, importGlobalPool<ReduceKind::Max>},
    {"MaxPool", 1, 1, 1, importMaxPool, "output `Indices`; SAME pads with strides over a dynamic extent"},
};

} // namespace

llvm::ArrayRef<OpEntry> poolingOps() { return kOps; }

} // namespace kiln::onnx
