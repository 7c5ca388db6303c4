// Views.cpp: memref.expand_shape and collapse_shape, and what stands in for them.
#include "kiln/Transforms/Views.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln {

namespace {

OpFoldResult times(RewriterBase &rewriter, Location loc, OpFoldResult a, OpFoldResult b) {
  AffineExpr product = rewriter.getAffineSymbolExpr(0) * rewriter.getAffineSymbolExpr(1);
  return affine::makeComposedFoldedAffineApply(rewriter, loc, product, {a, b});
}

/// The whole of a dense buffer with other axes.
Value reshaped(RewriterBase &rewriter, Location loc, Value buffer, MemRefType type,
               ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(sizes.size());
  OpFoldResult stride = rewriter.getIndexAttr(1);
  for (size_t axis = sizes.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride = times(rewriter, loc, stride, sizes[axis]);
  }
  return rewriter.create<memref::ReinterpretCastOp>(loc, type, buffer, rewriter.getIndexAttr(0), sizes,
                                                    strides);
}

} // namespace

Value expandView(RewriterBase &rewriter, Location loc, Value buffer, ArrayRef<ReassociationIndices> groups,
                 ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape = decomposeMixedValues(SmallVector<OpFoldResult>(sizes)).first;
  auto type = MemRefType::get(shape, cast<MemRefType>(buffer.getType()).getElementType());
  auto isUnknown = [&](int64_t axis) { return type.isDynamicDim(axis); };
  if (llvm::none_of(groups, [&](ArrayRef<int64_t> group) { return llvm::count_if(group, isUnknown) > 1; }))
    return rewriter.create<memref::ExpandShapeOp>(loc, type, buffer, groups, sizes);
  return reshaped(rewriter, loc, buffer, type, sizes);
}

Value collapseView(RewriterBase &rewriter, Location loc, Value buffer,
                   ArrayRef<ReassociationIndices> groups) {
  auto type = cast<MemRefType>(buffer.getType());
  auto isUnknown = [&](int64_t axis) { return type.isDynamicDim(axis); };
  auto isMixed = [&](ArrayRef<int64_t> group) {
    return llvm::any_of(group, [&](int64_t axis) { return type.getDimSize(axis) == 0; }) &&
           llvm::any_of(group, isUnknown);
  };
  if (llvm::none_of(groups, isMixed))
    return rewriter.create<memref::CollapseShapeOp>(loc, buffer, groups);
  SmallVector<OpFoldResult> extents = memref::getMixedSizes(rewriter, loc, buffer), sizes;
  for (const ReassociationIndices &group : groups) {
    OpFoldResult size = rewriter.getIndexAttr(1);
    for (int64_t axis : group)
      size = times(rewriter, loc, size, extents[axis]);
    if (llvm::any_of(group, isUnknown))
      size = getValueOrCreateConstantIndexOp(rewriter, loc, size);
    sizes.push_back(size);
  }
  SmallVector<int64_t> shape = decomposeMixedValues(sizes).first;
  return reshaped(rewriter, loc, buffer, MemRefType::get(shape, type.getElementType()), sizes);
}

} // namespace kiln
