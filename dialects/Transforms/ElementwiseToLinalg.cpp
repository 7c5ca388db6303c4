// ElementwiseToLinalg.cpp: every elementwise op as one linalg.generic.
#include "dialects/IR/Checks.h"
#include "dialects/Transforms/LinalgBuilder.h"
#include "kiln/Transforms/ToLinalg.h"

using namespace mlir;

namespace kiln {

namespace {

/// The one element of a splat constant, signless; null for other values.
TypedAttr splatElement(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  if (!splat)
    return {};
  auto element = splat.getSplatValue<Attribute>();
  if (auto integer = dyn_cast<IntegerAttr>(element))
    return IntegerAttr::get(signless(integer.getType()), integer.getValue());
  return cast<TypedAttr>(element);
}

struct ElementwiseToLinalg final : OpInterfaceConversionPattern<ElementwiseOpInterface> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult matchAndRewrite(ElementwiseOpInterface op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    LinalgBuilder linalg(rewriter, loc);
    auto type =
        dyn_cast_or_null<RankedTensorType>(getTypeConverter()->convertType(op->getResult(0).getType()));
    if (!type)
      return rewriter.notifyMatchFailure(op, "its type does not convert");
    SmallVector<OpFoldResult> sizes = broadcastExtents(rewriter, loc, operands, type);
    // Splat constants go into the body, all else becomes an input.
    SmallVector<TypedAttr> splats;
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (auto [original, operand] : llvm::zip_equal(op->getOperands(), operands)) {
      splats.push_back(splatElement(original));
      if (splats.back())
        continue;
      auto [input, map] = linalg.broadcastInput(operand, type.getShape());
      inputs.push_back(input);
      maps.push_back(map);
    }
    auto body = [&](OpBuilder &builder, Location loc, ValueRange elements) {
      SmallVector<Value> scalars;
      for (TypedAttr splat : splats) {
        if (splat) {
          scalars.push_back(builder.create<arith::ConstantOp>(loc, splat));
        } else {
          scalars.push_back(elements.front());
          elements = elements.drop_front();
        }
      }
      return op.buildScalar(builder, loc, scalars);
    };
    Value result = linalg.elementwise(inputs, maps, sizes, type.getElementType(), body);
    rewriter.replaceOp(op, linalg.cast(result, type));
    return success();
  }
};

} // namespace

void populateElementwiseToLinalg(const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ElementwiseToLinalg>(converter, patterns.getContext());
}

} // namespace kiln
