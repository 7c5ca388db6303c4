// KilnSorting.cpp: checks and inference of the ops that order and select: top_k, sort, nonzero, unique, nms.
#include "dialects/IR/MixedList.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace kiln {

namespace {

RankedTensorType i64Tensor(MLIRContext *context, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, IntegerType::get(context, 64));
}

template <typename TopK> LogicalResult checkTopK(TopK op, Emit emit) {
  auto x = tensorType(op.getX());
  if (failed(checkAxis(emit, op.getAxis(), x.getRank()))) // C1
    return failure();
  ArrayRef<int64_t> k = op.getStaticK();
  if (failed(checkMixedList(emit, "k", k, op.getK().size(), 1))) // C2
    return failure();
  int64_t extent = x.getDimSize(fromFront(op.getAxis(), x.getRank()));
  if (!ShapedType::isDynamic(k.front()) && !ShapedType::isDynamic(extent) && k.front() > extent)
    return emit() << "expects 'k' of at most " << extent << ", the extent along 'axis', got " << k.front();
  return success();
}

template <typename Sort> LogicalResult checkSort(Sort op, Emit emit) { // C1
  return checkAxis(emit, op.getAxis(), tensorType(op.getX()).getRank());
}

template <typename Nonzero> LogicalResult checkNonzero(Nonzero op, Emit emit) { // C1
  return checkMixedList(emit, "count", op.getStaticCount(), op.getCount().size(), 1);
}

template <typename Unique> LogicalResult checkUnique(Unique op, Emit emit) { // C1
  return checkAxis(emit, op.getAxis(), tensorType(op.getX()).getRank());
}

template <typename Nms> LogicalResult checkNms(Nms op, Emit emit) {
  RankedTensorType boxes = tensorType(op.getBoxes()), scores = tensorType(op.getScores());
  bool fits = boxes.getRank() == 3 && scores.getRank() == 3 && agree(boxes.getDimSize(2), 4) &&
              agree(boxes.getDimSize(0), scores.getDimSize(0)) &&
              agree(boxes.getDimSize(1), scores.getDimSize(2));
  if (!fits) // C1
    return emit() << "expects boxes of [batches, n, 4] and scores of [batches, classes, n], got " << boxes
                  << " and " << scores;
  return checkMixedList(emit, "limit", op.getStaticLimit(), op.getLimit().size(), 1); // C2
}

} // namespace

// ---- top_k, sort -----------------------------------------------------------------------------------------

OpFoldResult TopKOp::getMixedK() { return mixedList(*this, getStaticK(), getK()).front(); }

LogicalResult TopKOp::verify() {
  return checkTopK(*this, [&] { return emitOpError(); });
}

LogicalResult TopKOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor op,
                                       SmallVectorImpl<Type> &types) {
  if (failed(checkTopK(op, inferenceError<TopKOp>(location))))
    return failure();
  auto x = tensorType(op.getX());
  SmallVector<int64_t> shape(x.getShape());
  shape[fromFront(op.getAxis(), x.getRank())] = op.getStaticK().front();
  types.append({x.clone(shape), i64Tensor(context, shape)});
  return success();
}

LogicalResult TopKOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> shape = tensor::getMixedSizes(builder, getLoc(), getX());
  shape[fromFront(getAxis(), shape.size())] = getMixedK();
  return success(succeeded(reifyExtents(builder, getLoc(), getValues().getType(), shape, shapes)) &&
                 succeeded(reifyExtents(builder, getLoc(), getIndices().getType(), shape, shapes)));
}

LogicalResult SortOp::verify() {
  return checkSort(*this, [&] { return emitOpError(); });
}

LogicalResult SortOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor op,
                                       SmallVectorImpl<Type> &types) {
  if (failed(checkSort(op, inferenceError<SortOp>(location))))
    return failure();
  types.append({op.getX().getType(), i64Tensor(context, tensorType(op.getX()).getShape())});
  return success();
}

LogicalResult SortOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  shapes.append(2, tensor::getMixedSizes(builder, getLoc(), getX()));
  return success();
}

// ---- nonzero, unique -------------------------------------------------------------------------------------

OpFoldResult NonzeroOp::getMixedCount() { return mixedList(*this, getStaticCount(), getCount()).front(); }

LogicalResult NonzeroOp::verify() {
  return checkNonzero(*this, [&] { return emitOpError(); });
}

LogicalResult NonzeroOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor op,
                                          SmallVectorImpl<Type> &types) {
  if (failed(checkNonzero(op, inferenceError<NonzeroOp>(location))))
    return failure();
  types.push_back(i64Tensor(context, {tensorType(op.getX()).getRank(), op.getStaticCount().front()}));
  return success();
}

LogicalResult NonzeroOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  OpFoldResult rank = builder.getIndexAttr(tensorType(getX()).getRank());
  return reifyExtents(builder, getLoc(), getType(), {rank, getMixedCount()}, shapes);
}

LogicalResult UniqueOp::verify() {
  return checkUnique(*this, [&] { return emitOpError(); });
}

LogicalResult UniqueOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor op,
                                         SmallVectorImpl<Type> &types) {
  if (failed(checkUnique(op, inferenceError<UniqueOp>(location))))
    return failure();
  auto x = tensorType(op.getX());
  types.append(3, i64Tensor(context, x.getDimSize(fromFront(op.getAxis(), x.getRank()))));
  types.push_back(i64Tensor(context, {}));
  return success();
}

LogicalResult UniqueOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  int64_t axis = fromFront(getAxis(), tensorType(getX()).getRank());
  SmallVector<OpFoldResult> line{tensor::getMixedSize(builder, getLoc(), getX(), axis)};
  shapes.append(3, line);
  shapes.emplace_back();
  return success();
}

// ---- nms -------------------------------------------------------------------------------------------------

OpFoldResult NmsOp::getMixedLimit() { return mixedList(*this, getStaticLimit(), getLimit()).front(); }

LogicalResult NmsOp::verify() {
  return checkNms(*this, [&] { return emitOpError(); });
}

LogicalResult NmsOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor op,
                                      SmallVectorImpl<Type> &types) {
  if (failed(checkNms(op, inferenceError<NmsOp>(location))))
    return failure();
  ArrayRef<int64_t> scores = tensorType(op.getScores()).getShape();
  types.push_back(i64Tensor(context, {scores[0], scores[1], op.getStaticLimit().front()}));
  types.push_back(i64Tensor(context, scores.take_front(2)));
  return success();
}

LogicalResult NmsOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> shape = tensor::getMixedSizes(builder, getLoc(), getScores());
  shape.pop_back();
  SmallVector<OpFoldResult> counts(shape);
  shape.push_back(getMixedLimit());
  return success(succeeded(reifyExtents(builder, getLoc(), getSelected().getType(), shape, shapes)) &&
                 succeeded(reifyExtents(builder, getLoc(), getCounts().getType(), counts, shapes)));
}

} // namespace kiln
