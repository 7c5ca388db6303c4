// KilnAttention.cpp: checks and inference of attention.
#include "dialects/IR/Checks.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace kiln {

namespace {

template <typename Attention> LogicalResult checkHeads(Attention op, Emit emit) {
  auto q = tensorType(op.getQ()), k = tensorType(op.getK()), v = tensorType(op.getV());
  Type element = q.getElementType();
  if (q.getRank() != 4 || k.getRank() != 4 || v.getRank() != 4 || k.getElementType() != element ||
      v.getElementType() != element) // C1
    return emit() << "expects 'q', 'k' and 'v' of rank 4 and one element type, got " << q << ", " << k
                  << " and " << v;
  auto same = [](RankedTensorType a, RankedTensorType b, int64_t axis) {
    return agree(a.getDimSize(axis), b.getDimSize(axis));
  };
  if (!same(q, k, 0) || !same(k, v, 0) || !same(q, k, 3) || !same(k, v, 1) || !same(k, v, 2)) // C2
    return emit() << "expects one batch, one size of 'q' and 'k', the heads and keys of 'k' in 'v', got " << q
                  << ", " << k << " and " << v;
  int64_t heads = q.getDimSize(1), shared = k.getDimSize(1);
  if (!ShapedType::isDynamic(heads) && !ShapedType::isDynamic(shared) && (shared == 0 || heads % shared))
    return emit() << "expects heads of 'k' that divide those of 'q', got " << shared << " for " << heads;
  return success();
}

template <typename Attention> LogicalResult checkMask(Attention op, Emit emit) {
  if (!op.getMask()) // C3
    return success();
  auto q = tensorType(op.getQ()), k = tensorType(op.getK()), mask = tensorType(op.getMask());
  SmallVector<int64_t> scores{q.getDimSize(0), q.getDimSize(1), q.getDimSize(2), k.getDimSize(2)};
  auto fits = [](int64_t have, int64_t want) { return have == 1 || agree(have, want); };
  if (mask.getRank() <= 4 &&
      llvm::all_of_zip(mask.getShape(), ArrayRef(scores).take_back(mask.getRank()), fits))
    return success();
  return emit() << "expects 'mask' to broadcast to batch, heads, queries and keys of " << q << " and " << k
                << ", got " << mask;
}

template <typename Attention> LogicalResult checkAttention(Attention op, Emit emit) {
  if (failed(checkHeads(op, emit)) || failed(checkMask(op, emit)))
    return failure();
  int64_t batch = tensorType(op.getQ()).getDimSize(0);
  for (auto [name, value] :
       {std::pair(StringRef("lengths"), Value(op.getLengths())), {"offset", op.getOffset()}}) {
    if (!value) // C4
      continue;
    auto type = tensorType(value);
    if (type.getRank() != 1 || (type.getDimSize(0) != 1 && !agree(type.getDimSize(0), batch)))
      return emit() << "expects '" << name << "' with one element, or one a batch element, got " << type;
  }
  std::optional<APFloat> cap = op.getSoftcap();
  if (!op.getScale().isFinite() || (cap && !(cap->isFinite() && cap->convertToDouble() > 0))) // C5
    return emit() << "expects a finite 'scale', and 'softcap' finite and > 0";
  for (std::optional<int64_t> window : {op.getLeftWindow(), op.getRightWindow()})
    if (window && *window < 0)
      return emit() << "expects windows >= 0, got " << *window;
  return success();
}

} // namespace

LogicalResult AttentionOp::verify() {
  return checkAttention(*this, [&] { return emitOpError(); });
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                            SmallVectorImpl<Type> &types) {
  if (failed(checkAttention(op, inferenceError<AttentionOp>(location))))
    return failure();
  SmallVector<int64_t> shape(tensorType(op.getQ()).getShape());
  shape.back() = tensorType(op.getV()).getDimSize(3);
  types.push_back(tensorType(op.getQ()).clone(shape));
  if (op.getShows()) {
    shape.back() = tensorType(op.getK()).getDimSize(2);
    types.push_back(tensorType(op.getQ()).clone(shape));
  }
  return success();
}

LogicalResult AttentionOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &dims) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, getLoc(), getQ());
  sizes.back() = tensor::getMixedSize(builder, getLoc(), getV(), 3);
  dims.push_back(sizes);
  if (getShows()) {
    sizes.back() = tensor::getMixedSize(builder, getLoc(), getK(), 2);
    dims.push_back(sizes);
  }
  return success();
}

} // namespace kiln
