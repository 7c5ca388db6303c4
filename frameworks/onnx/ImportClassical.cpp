// ImportClassical.cpp: the plain operators of ai.onnx.ml.
#include "frameworks/onnx/Classification.h"
#include "frameworks/onnx/Errors.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// (x - offset) * scale, in float
Status importScaler(Node &node) {
  KILN_ASSIGN_OR_RETURN(auto offset, node.realsAttribute("offset"));
  KILN_ASSIGN_OR_RETURN(auto scale, node.realsAttribute("scale"));
  if (node.rank(0) == 0)
    return invalid("input 0 has rank 0; expected 1 or more");
  int64_t features = node.type(0).getShape().back();
  for (const auto *list : {&offset, &scale})
    if (list->has_value() && (*list)->size() != 1 &&
        (ShapedType::isDynamic(features) ? (*list)->empty()
                                         : static_cast<int64_t>((*list)->size()) != features))
      return invalid("attribute '{0}' has {1} entries; expected 1 or {2}",
                     list == &offset ? "offset" : "scale", (*list)->size(),
                     ShapedType::isDynamic(features) ? "more" : std::to_string(features));
  KILN_ASSIGN_OR_RETURN(Value x, node.build.convert(node.tensor(0), node.build.builder().getF32Type()));
  if (offset) {
    KILN_ASSIGN_OR_RETURN(x, node.build.make<SubOp>({x, floats(node.build, *offset)}));
  }
  if (scale) {
    KILN_ASSIGN_OR_RETURN(x, node.build.make<MulOp>({x, floats(node.build, *scale)}));
  }
  return node.output(x);
}

/// 1 above the threshold, else 0
Status importBinarizer(Node &node) {
  KILN_ASSIGN_OR_RETURN(double threshold, node.realAttribute("threshold", 0.0));
  KILN_ASSIGN_OR_RETURN(Value isAbove, node.build.compare("gt", node.tensor(0),
                                                          node.build.scalar(node.elementType(0), threshold)));
  return node.output(node.build.convert(isAbove, node.elementType(0)));
}

/// x divided by the norm of its row, in float
Status importNormalizer(Node &node) {
  KILN_ASSIGN_OR_RETURN(std::string norm, node.stringAttribute("norm", "MAX"));
  if (node.rank(0) == 0)
    return invalid("input 0 has rank 0; expected 1 or more");
  std::optional<ReduceKind> kind;
  if (norm == "MAX")
    kind = ReduceKind::Max;
  else if (norm == "L1")
    kind = ReduceKind::L1;
  else if (norm == "L2")
    kind = ReduceKind::L2;
  if (!kind)
    return invalid("attribute 'norm' is '{0}'; expected MAX, L1 or L2", norm);
  KILN_ASSIGN_OR_RETURN(Value x, node.build.convert(node.tensor(0), node.build.builder().getF32Type()));
  KILN_ASSIGN_OR_RETURN(
      Value size, node.build.make<ReduceOp>(
                      x, {node.build.named("kind", ReduceKindAttr::get(node.build.context(), *kind)),
                          node.build.integers("axes", {node.rank(0) - 1}), node.build.flag("keepdims")}));
  KILN_ASSIGN_OR_RETURN(Value quotient, node.build.make<DivOp>({x, size}));
  Value zero = node.build.scalar(node.build.builder().getF32Type(), 0);
  KILN_ASSIGN_OR_RETURN(Value isZero, node.build.compare("eq", size, zero));
  return node.output(node.build.make<SelectOp>({isZero, x, quotient}));
}

constexpr OpEntry kClassicalOps[] = {
    {"Binarizer", 1, 1, 1, importBinarizer, "", kMlDomain},
    {"Normalizer", 1, 1, 1, importNormalizer, "", kMlDomain},
    {"Scaler", 1, 1, 1, importScaler, "", kMlDomain},
};

} // namespace

llvm::ArrayRef<OpEntry> classicalOps() { return kClassicalOps; }

} // namespace kiln::onnx
