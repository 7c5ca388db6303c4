// LinalgBuilder.cpp: short forms for the linalg ops that the reference lowerings build; the signless types.
#include "dialects/Transforms/LinalgBuilder.h"

#include "kiln/Transforms/ToLinalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace kiln {

Type signless(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}

Type accumulatorType(Type element) {
  if (element.isF16() || element.isBF16())
    return Float32Type::get(element.getContext());
  return signless(element);
}

SignlessTypeConverter::SignlessTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](RankedTensorType type) -> Type { return type.clone(signless(type.getElementType())); });
  auto bridge = [](OpBuilder &builder, Type type, ValueRange inputs, Location loc) -> Value {
    return builder.create<UnrealizedConversionCastOp>(loc, type, inputs).getResult(0);
  };
  addSourceMaterialization(bridge);
  addTargetMaterialization(bridge);
  addArgumentMaterialization(bridge);
}

Value LinalgBuilder::empty(Sizes sizes, Type element) {
  return builder.create<tensor::EmptyOp>(loc, sizes, element);
}

Value LinalgBuilder::filled(Sizes sizes, TypedAttr value) {
  Value scalar = builder.create<arith::ConstantOp>(loc, value);
  return builder.create<linalg::FillOp>(loc, scalar, empty(sizes, value.getType())).getResult(0);
}

TypedAttr LinalgBuilder::zero(Type element) { return builder.getZeroAttr(element); }

TypedAttr LinalgBuilder::one(Type element) { return builder.getOneAttr(element); }

TypedAttr LinalgBuilder::lowest(Type element, bool isUnsigned) {
  if (auto type = dyn_cast<FloatType>(element))
    return builder.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/true));
  unsigned width = element.getIntOrFloatBitWidth();
  return builder.getIntegerAttr(element,
                                isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width));
}

TypedAttr LinalgBuilder::highest(Type element, bool isUnsigned) {
  if (auto type = dyn_cast<FloatType>(element))
    return builder.getFloatAttr(type, APFloat::getInf(type.getFloatSemantics()));
  unsigned width = element.getIntOrFloatBitWidth();
  return builder.getIntegerAttr(element,
                                isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
}

Value LinalgBuilder::generic(ValueRange inputs, Value init, ArrayRef<AffineMap> maps, Iterators iterators,
                             Body body) {
  return builder
      .create<linalg::GenericOp>(loc, init.getType(), inputs, init, maps, iterators,
                                 [&](OpBuilder &nested, Location loc, ValueRange scalars) {
                                   nested.create<linalg::YieldOp>(loc, body(nested, loc, scalars));
                                 })
      .getResult(0);
}

Value LinalgBuilder::elementwise(ValueRange inputs, ArrayRef<AffineMap> inputMaps, Sizes sizes, Type element,
                                 Body body) {
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(builder.getMultiDimIdentityMap(sizes.size()));
  SmallVector<utils::IteratorType> iterators(sizes.size(), utils::IteratorType::parallel);
  return generic(inputs, empty(sizes, element), maps, iterators,
                 [&](OpBuilder &nested, Location loc, ValueRange scalars) {
                   return body(nested, loc, scalars.drop_back());
                 });
}

std::pair<Value, AffineMap> LinalgBuilder::broadcastInput(Value tensor, ArrayRef<int64_t> shape) {
  auto type = ::mlir::cast<RankedTensorType>(tensor.getType());
  int64_t rank = shape.size(), added = rank - type.getRank();
  SmallVector<int64_t> kept;
  SmallVector<AffineExpr> loops;
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading; // repeated axes before the first that is kept
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    bool isRepeated = type.getDimSize(axis) == 1 && shape[added + axis] != 1;
    if (!isRepeated) {
      kept.push_back(type.getDimSize(axis));
      loops.push_back(builder.getAffineDimExpr(added + axis));
      groups.push_back(std::exchange(leading, {}));
    }
    (groups.empty() ? leading : groups.back()).push_back(axis);
  }
  AffineMap map = AffineMap::get(rank, 0, loops, builder.getContext());
  if (static_cast<int64_t>(kept.size()) < type.getRank())
    tensor = builder.create<tensor::CollapseShapeOp>(loc, type.clone(kept), tensor, groups);
  return {tensor, map};
}

Value LinalgBuilder::converted(Value tensor, Type element) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type from = type.getElementType();
  if (from == element)
    return tensor;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, tensor);
  bool narrows = element.getIntOrFloatBitWidth() < from.getIntOrFloatBitWidth();
  return elementwise(tensor, builder.getMultiDimIdentityMap(type.getRank()), sizes, element,
                     [&](OpBuilder &nested, Location loc, ValueRange scalars) -> Value {
                       if (!narrows)
                         return widenScalar(nested, loc, scalars[0], from, element);
                       if (isa<FloatType>(element))
                         return nested.create<arith::TruncFOp>(loc, element, scalars[0]);
                       return nested.create<arith::TruncIOp>(loc, element, scalars[0]);
                     });
}

Value LinalgBuilder::cast(Value tensor, Type type) {
  return tensor.getType() == type ? tensor : builder.create<tensor::CastOp>(loc, type, tensor).getResult();
}

Value widenScalar(OpBuilder &builder, Location loc, Value scalar, Type source, Type to) {
  if (scalar.getType() == to)
    return scalar;
  if (isa<FloatType>(to))
    return builder.create<arith::ExtFOp>(loc, to, scalar);
  if (source.isUnsignedInteger() || source.isInteger(1))
    return builder.create<arith::ExtUIOp>(loc, to, scalar);
  return builder.create<arith::ExtSIOp>(loc, to, scalar);
}

} // namespace kiln
