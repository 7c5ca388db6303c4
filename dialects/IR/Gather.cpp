// Gather.cpp: folding of shape ops on constants: each element of the result is an element of an operand.
#include "dialects/IR/Gather.h"

using namespace mlir;

namespace kiln {

namespace {

/// The row-major position of `index` in `shape`.
int64_t positionOf(ArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  int64_t position = 0;
  for (auto [i, extent] : llvm::zip_equal(index, shape))
    position = position * extent + i;
  return position;
}

} // namespace

bool isFoldable(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.hasStaticShape() && tensor.getNumElements() <= kMaxFoldedElements;
}

DenseElementsAttr denseConstant(Attribute attribute) {
  return dyn_cast_or_null<DenseElementsAttr>(attribute);
}

Attribute foldElements(Type type, llvm::function_ref<Attribute(ArrayRef<int64_t>)> elementAt) {
  if (!isFoldable(type))
    return {};
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<Attribute> elements;
  SmallVector<int64_t> index(tensor.getRank(), 0);
  for (int64_t left = tensor.getNumElements(); left > 0; --left) {
    elements.push_back(elementAt(index));
    for (int64_t axis = tensor.getRank() - 1; axis >= 0 && ++index[axis] == tensor.getDimSize(axis); --axis)
      index[axis] = 0;
  }
  return DenseElementsAttr::get(tensor, elements);
}

Attribute foldGather(DenseElementsAttr source, Type type,
                     llvm::function_ref<SmallVector<int64_t>(ArrayRef<int64_t>)> sourceIndex) {
  auto tensor = cast<RankedTensorType>(type);
  if (!source || !tensor.hasStaticShape())
    return {};
  if (source.isSplat())
    return DenseElementsAttr::get(tensor, source.getSplatValue<Attribute>());
  if (!isFoldable(source.getType()))
    return {};
  SmallVector<Attribute> elements(source.getValues<Attribute>());
  return foldElements(type, [&](ArrayRef<int64_t> index) {
    return elements[positionOf(sourceIndex(index), source.getType().getShape())];
  });
}

} // namespace kiln
