// Canonicalize.cpp: canonicalizations that hold for all kiln ops: extents, types, constants.
#include "dialects/IR/Evaluate.h"
#include "dialects/IR/Gather.h"
#include "dialects/IR/Identities.h"
#include "kiln/Transforms/ComposeReshapes.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace kiln {

FailureOr<SmallVector<Type>> sharpenedTypes(Operation *op, ValueRange operands,
                                            std::optional<Location> location) {
  SmallVector<Type> types;
  if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(
          op->getContext(), location, operands, op->getDiscardableAttrDictionary(),
          op->getPropertiesStorage(), op->getRegions(), types)))
    return failure();
  for (auto [inferred, declared] : llvm::zip_equal(types, op->getResultTypes())) {
    auto type = cast<RankedTensorType>(inferred);
    if (!compatibleTypes(inferred, declared))
      return emitOptionalError(location, "'", op->getName(), "' op has result type ", declared, "; expected ",
                               inferred);
    SmallVector<int64_t> shape(type.getShape());
    for (auto [extent, known] : llvm::zip_equal(shape, cast<RankedTensorType>(declared).getShape()))
      extent = ShapedType::isDynamic(extent) ? known : extent;
    inferred = type.clone(shape);
  }
  return types;
}

bool hasInferredTypes(Operation *op) {
  return isa_and_nonnull<KilnDialect>(op->getDialect()) && isa<InferTypeOpInterface>(op);
}

Value withoutCast(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>()) {
    if (!tensor::preservesStaticInformation(cast.getType(), cast.getSource().getType()))
      break;
    value = cast.getSource();
  }
  return value;
}

namespace {

/// tensor.dim of a kiln op's result -> arithmetic on the op's operands
struct ResolveDim final : OpRewritePattern<tensor::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::DimOp op, PatternRewriter &rewriter) const override {
    Operation *producer = op.getSource().getDefiningOp();
    std::optional<int64_t> axis = op.getConstantIndex();
    if (!producer || !isa_and_nonnull<KilnDialect>(producer->getDialect()) || !axis)
      return rewriter.notifyMatchFailure(op, "not a known extent of a kiln op");
    auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
    if (!type || *axis < 0 || *axis >= type.getRank() || !type.isDynamicDim(*axis))
      return rewriter.notifyMatchFailure(op, "not a dynamic extent");
    auto reifiable = dyn_cast<ReifyRankedShapedTypeOpInterface>(producer);
    ReifiedRankedShapedTypeDims shapes;
    if (!reifiable || failed(reifiable.reifyResultShapes(rewriter, shapes)))
      return rewriter.notifyMatchFailure(op, "its op does not know its extents");
    OpFoldResult extent = shapes[cast<OpResult>(op.getSource()).getResultNumber()][*axis];
    rewriter.replaceOp(op, getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), extent));
    return success();
  }
};

/// Operands lose casts to less precise types, results get the types that follow, behind a cast back.
struct SharpenTypes final : RewritePattern {
  explicit SharpenTypes(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!hasInferredTypes(op))
      return rewriter.notifyMatchFailure(op, "its types are not inferred");
    SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), withoutCast);
    FailureOr<SmallVector<Type>> types = sharpenedTypes(op, operands, std::nullopt);
    if (failed(types))
      return rewriter.notifyMatchFailure(op, "its operands do not fit together");
    if (llvm::equal(operands, op->getOperands()) && llvm::equal(*types, op->getResultTypes()))
      return rewriter.notifyMatchFailure(op, "its types are as precise as they can be");
    Operation *sharpened = rewriter.clone(*op);
    sharpened->setOperands(operands);
    SmallVector<Value> results;
    for (auto [result, type, old] : llvm::zip_equal(sharpened->getResults(), *types, op->getResultTypes())) {
      result.setType(type);
      results.push_back(type == old ? Value(result)
                                    : rewriter.create<tensor::CastOp>(op->getLoc(), old, result));
    }
    cast<KilnDialect>(op->getDialect())->count("sharpen-types.sharpened");
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// An elementwise op on constants -> a constant
struct FoldElementwise final : OpInterfaceRewritePattern<ElementwiseOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(ElementwiseOpInterface op, PatternRewriter &rewriter) const override {
    SmallVector<DenseElementsAttr> operands;
    for (Value operand : op->getOperands())
      if (DenseElementsAttr constant; matchPattern(operand, m_Constant(&constant)))
        operands.push_back(constant);
      else
        return rewriter.notifyMatchFailure(op, "an operand is not constant");
    DenseElementsAttr value = evaluateElementwise(op, operands);
    if (!value)
      return rewriter.notifyMatchFailure(op, "too large, or an op of its formula does not fold");
    rewriter.replaceOpWithNewOp<ConstantOp>(op, op->getResult(0).getType(), value);
    return success();
  }
};

} // namespace

void KilnDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<ResolveDim, SharpenTypes, FoldElementwise>(getContext());
  populateIdentities(patterns);
  populateComposeReshapes(patterns);
}

} // namespace kiln
