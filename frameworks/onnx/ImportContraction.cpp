// ImportContraction.cpp: MatMul, Gemm and Conv.
#include "frameworks/onnx/DataBroadcast.h"
#include "frameworks/onnx/Errors.h"
#include "frameworks/onnx/Node.h"
#include "frameworks/onnx/Window.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

Status importMatMul(Node &node) {
  SmallVector<Value> factors{node.tensor(0), node.tensor(1)};
  KILN_RETURN_IF_ERROR(broadcastByData(node, factors, /*trailing=*/2));
  KILN_ASSIGN_OR_RETURN(Value product, node.build.make<MatmulOp>(factors));
  return node.output(node.build.convert(product, node.elementType(0)));
}

Result<Value> scale(Node &node, Value x, double factor) {
  Type element = cast<RankedTensorType>(x.getType()).getElementType();
  if (factor == 1.0)
    return x;
  if (!isa<FloatType>(element))
    return unsupported("'alpha' or 'beta' {0} is not supported for integers", factor);
  return node.build.make<MulOp>({x, node.build.scalar(element, factor)});
}

/// alpha * A' * B' + beta * C
Status importGemm(Node &node) {
  KILN_ASSIGN_OR_RETURN(bool transA, node.flagAttribute("transA", false));
  KILN_ASSIGN_OR_RETURN(bool transB, node.flagAttribute("transB", false));
  KILN_ASSIGN_OR_RETURN(double alpha, node.realAttribute("alpha", 1.0));
  KILN_ASSIGN_OR_RETURN(double beta, node.realAttribute("beta", 1.0));
  if (node.rank(0) != 2 || node.rank(1) != 2)
    return invalid("inputs of rank {0} and {1}; expected matrices", node.rank(0), node.rank(1));
  SmallVector<NamedAttribute> flags;
  if (transA)
    flags.push_back(node.build.flag("transA"));
  if (transB)
    flags.push_back(node.build.flag("transB"));
  KILN_ASSIGN_OR_RETURN(Value product, node.build.make<MatmulOp>({node.tensor(0), node.tensor(1)}, flags));
  KILN_ASSIGN_OR_RETURN(product, node.build.convert(product, node.elementType(0)));
  KILN_ASSIGN_OR_RETURN(product, scale(node, product, alpha));
  if (!node.hasInput(2) || beta == 0.0)
    return node.output(product);
  if (node.rank(2) > 2)
    return invalid("'C' has rank {0}; expected at most 2", node.rank(2));
  KILN_ASSIGN_OR_RETURN(Value addend, scale(node, node.tensor(2), beta));
  SmallVector<Value> terms{product, addend};
  KILN_RETURN_IF_ERROR(broadcastByData(node, terms));
  return node.output(node.build.make<AddOp>(terms));
}

Status importConv(Node &node) {
  return node.output(convolve(node, node.tensor(0), node.tensor(1), node.tensorOrNull(2)));
}

constexpr OpEntry kContractionOps[] = {
    {"Conv", 1, 2, 3, importConv, "weights whose kernel extents are dynamic"},
    {"Gemm", 7, 3, 3, importGemm, "`alpha`, `beta` other than 1 for integers"},
    {"Gemm", 11, 2, 3, importGemm, "`alpha`, `beta` other than 1 for integers"},
    {"MatMul", 1, 2, 2, importMatMul},
};

} // namespace

Result<Value> convolve(Node &node, Value x, Value w, Value bias) {
  auto input = cast<RankedTensorType>(x.getType()), weights = cast<RankedTensorType>(w.getType());
  if (weights.getRank() != input.getRank() || weights.getRank() < 3)
    return invalid("input of rank {0}, weights of rank {1}; expected the same, 3 or more", input.getRank(),
                   weights.getRank());
  ArrayRef<int64_t> kernel = weights.getShape().drop_front(2);
  if (llvm::any_of(kernel, ShapedType::isDynamic))
    return unsupported("weights with a kernel of dynamic extent are not supported");
  KILN_ASSIGN_OR_RETURN(Window window, readWindow(node, kernel, x));
  KILN_ASSIGN_OR_RETURN(int64_t groups, node.integerAttribute("group", 1));

  std::optional<SmallVector<int64_t>> pads = window.knownPads();
  if (!pads) { // SAME of a dynamic extent: padded apart
    size_t spatial = window.kernel.size();
    Extents low = node.build.math().constants({0, 0}), high = low;
    llvm::append_range(low, ArrayRef(window.pads).take_front(spatial));
    llvm::append_range(high, ArrayRef(window.pads).drop_front(spatial));
    Value zero = node.build.scalar(input.getElementType(), 0);
    KILN_ASSIGN_OR_RETURN(x, node.build.pad(x, low, high, "constant", zero));
    pads.emplace(2 * spatial, 0);
  }
  SmallVector<Value> operands{x, w};
  if (bias)
    operands.push_back(bias);
  SmallVector<NamedAttribute> attributes = window.attributes(node.build, *pads);
  attributes.push_back(node.build.integer("groups", groups));
  return node.build.make<ConvOp>(operands, attributes);
}

llvm::ArrayRef<OpEntry> contractionOps() { return kContractionOps; }

} // namespace kiln::onnx
