// KilnIndexing.cpp: checks and inference of the ops that read and write at indices: gather_*, one_hot,
// scatter_*.
#include "dialects/IR/MixedList.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace kiln {

namespace {

/// Whether the static extents say that there is no element.
bool isEmpty(ArrayRef<int64_t> shape) { return llvm::is_contained(shape, 0); }

/// Checks that an axis which is indexed has elements, unless nothing is read.
LogicalResult checkIndexed(Emit emit, RankedTensorType x, int64_t axis, ArrayRef<int64_t> result) {
  if (x.getDimSize(axis) != 0 || isEmpty(result))
    return success();
  return emit() << "expects elements along the indexed axis " << axis << ", got " << x;
}

/// Checks that the first `count` extents agree.
LogicalResult checkShared(Emit emit, int64_t count, RankedTensorType x, RankedTensorType indices) {
  for (int64_t axis = 0; axis < count; ++axis)
    if (!agree(x.getDimSize(axis), indices.getDimSize(axis)))
      return emit() << "expects 'x' and 'indices' to agree on batch axis " << axis << ", got " << x << " and "
                    << indices;
  return success();
}

/// Checks that `indices` lies inside `x` along all axes but one.
LogicalResult checkInside(Emit emit, RankedTensorType x, RankedTensorType indices, int64_t axis) {
  for (int64_t i = 0; i < x.getRank(); ++i) {
    int64_t most = x.getDimSize(i), extent = indices.getDimSize(i);
    if (i != axis && !ShapedType::isDynamic(most) && !ShapedType::isDynamic(extent) && extent > most)
      return emit() << "expects 'indices' of at most the extents of 'x' beside axis " << axis << ", got "
                    << indices << " for " << x;
  }
  return success();
}

/// The parts of a gather's result, or of its extents: `x` with one axis replaced by those of the indices.
template <typename Extent>
SmallVector<Extent> gatheredShape(ArrayRef<Extent> x, ArrayRef<Extent> indices, int64_t axis,
                                  int64_t batchDims) {
  SmallVector<Extent> shape(x.take_front(axis));
  llvm::append_range(shape, indices.drop_front(batchDims));
  llvm::append_range(shape, x.drop_front(axis + 1));
  return shape;
}

template <typename Gather> LogicalResult checkGather(Gather op, Emit emit) {
  RankedTensorType x = tensorType(op.getX()), indices = tensorType(op.getIndices());
  int64_t batchDims = op.getBatchDims();
  if (failed(checkAxis(emit, op.getAxis(), x.getRank()))) // C1
    return failure();
  int64_t axis = fromFront(op.getAxis(), x.getRank());
  if (batchDims < 0 || batchDims > std::min(axis, indices.getRank())) // C2
    return emit() << "expects 'batch_dims' in [0, " << std::min(axis, indices.getRank()) << "], got "
                  << batchDims;
  if (failed(checkShared(emit, batchDims, x, indices)))
    return failure();
  return checkIndexed(emit, x, axis, gatheredShape(x.getShape(), indices.getShape(), axis, batchDims)); // C3
}

template <typename Gather> LogicalResult checkGatherElements(Gather op, Emit emit) {
  RankedTensorType x = tensorType(op.getX()), indices = tensorType(op.getIndices());
  if (x.getRank() != indices.getRank()) // C1
    return emit() << "expects 'indices' of rank " << x.getRank() << ", got " << indices;
  if (failed(checkAxis(emit, op.getAxis(), x.getRank()))) // C2
    return failure();
  int64_t axis = fromFront(op.getAxis(), x.getRank());
  if (failed(checkInside(emit, x, indices, axis))) // C3
    return failure();
  return checkIndexed(emit, x, axis, indices.getShape()); // C4
}

/// As gatheredShape, for index tuples.
template <typename Extent>
SmallVector<Extent> gatheredNdShape(ArrayRef<Extent> x, ArrayRef<Extent> indices, int64_t tuple,
                                    int64_t batchDims) {
  SmallVector<Extent> shape(indices.drop_back());
  llvm::append_range(shape, x.drop_front(batchDims + tuple));
  return shape;
}

/// Checks that the last axis of `indices` holds tuples of known length.
LogicalResult checkTuples(Emit emit, RankedTensorType indices) {
  if (indices.getRank() > 0 && !indices.isDynamicDim(indices.getRank() - 1))
    return success();
  return emit() << "expects 'indices' with a last axis of static extent, got " << indices;
}

template <typename Gather> LogicalResult checkGatherNd(Gather op, Emit emit) {
  RankedTensorType x = tensorType(op.getX()), indices = tensorType(op.getIndices());
  int64_t batchDims = op.getBatchDims();
  if (failed(checkTuples(emit, indices))) // C1
    return failure();
  if (batchDims < 0 || batchDims >= indices.getRank() || batchDims > x.getRank()) // C2
    return emit() << "expects 'batch_dims' in [0, " << indices.getRank() << "), got " << batchDims;
  if (failed(checkShared(emit, batchDims, x, indices)))
    return failure();
  int64_t tuple = indices.getShape().back();
  if (batchDims + tuple > x.getRank()) // C3
    return emit() << "expects at most " << x.getRank() - batchDims << " indices for " << x << ", got "
                  << tuple;
  SmallVector<int64_t> shape = gatheredNdShape(x.getShape(), indices.getShape(), tuple, batchDims);
  for (int64_t axis = batchDims; axis < batchDims + tuple; ++axis)
    if (failed(checkIndexed(emit, x, axis, shape))) // C4
      return failure();
  return success();
}

template <typename OneHot> LogicalResult checkOneHot(OneHot op, Emit emit) {
  if (failed(checkAxis(emit, op.getAxis(), tensorType(op.getIndices()).getRank() + 1))) // C1
    return failure();
  if (failed(checkMixedList(emit, "depth", op.getStaticDepth(), op.getDepth().size(), 1))) // C2
    return failure();
  if (tensorType(op.getOn()).getRank() != 0) // C3
    return emit() << "expects 'on' and 'off' of rank 0, got " << op.getOn().getType();
  return success();
}

LogicalResult checkUpdates(Emit emit, ScatterKind kind, RankedTensorType x, RankedTensorType updates) {
  Type element = x.getElementType();
  if (element != updates.getElementType())
    return emit() << "expects 'updates' of " << element << ", got " << updates;
  if (element.isInteger(1) && kind != ScatterKind::Replace)
    return emit() << "expects 'replace' for elements of i1, got '" << stringifyScatterKind(kind) << "'";
  return success();
}

} // namespace

// ---- gather ----------------------------------------------------------------------------------------------

LogicalResult GatherOp::verify() {
  return checkGather(*this, [&] { return emitOpError(); });
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                         SmallVectorImpl<Type> &types) {
  if (failed(checkGather(op, inferenceError<GatherOp>(location))))
    return failure();
  auto x = tensorType(op.getX());
  int64_t axis = fromFront(op.getAxis(), x.getRank());
  types.push_back(x.clone(gatheredShape(x.getShape(), tensorType(op.getIndices()).getShape(), axis,
                                        static_cast<int64_t>(op.getBatchDims()))));
  return success();
}

LogicalResult GatherOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> x = tensor::getMixedSizes(builder, getLoc(), getX()),
                            indices = tensor::getMixedSizes(builder, getLoc(), getIndices());
  int64_t axis = fromFront(getAxis(), x.size());
  auto shape = gatheredShape<OpFoldResult>(x, indices, axis, getBatchDims());
  return reifyExtents(builder, getLoc(), getType(), shape, shapes);
}

LogicalResult GatherElementsOp::verify() {
  return checkGatherElements(*this, [&] { return emitOpError(); });
}

LogicalResult GatherElementsOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                                 SmallVectorImpl<Type> &types) {
  if (failed(checkGatherElements(op, inferenceError<GatherElementsOp>(location))))
    return failure();
  types.push_back(tensorType(op.getX()).clone(tensorType(op.getIndices()).getShape()));
  return success();
}

LogicalResult GatherElementsOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> extents = tensor::getMixedSizes(builder, getLoc(), getIndices());
  return reifyExtents(builder, getLoc(), getType(), extents, shapes);
}

LogicalResult GatherNdOp::verify() {
  return checkGatherNd(*this, [&] { return emitOpError(); });
}

LogicalResult GatherNdOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                           SmallVectorImpl<Type> &types) {
  if (failed(checkGatherNd(op, inferenceError<GatherNdOp>(location))))
    return failure();
  auto x = tensorType(op.getX());
  ArrayRef<int64_t> indices = tensorType(op.getIndices()).getShape();
  types.push_back(x.clone(
      gatheredNdShape(x.getShape(), indices, indices.back(), static_cast<int64_t>(op.getBatchDims()))));
  return success();
}

LogicalResult GatherNdOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> x = tensor::getMixedSizes(builder, getLoc(), getX()),
                            indices = tensor::getMixedSizes(builder, getLoc(), getIndices());
  auto shape =
      gatheredNdShape<OpFoldResult>(x, indices, tensorType(getIndices()).getShape().back(), getBatchDims());
  return reifyExtents(builder, getLoc(), getType(), shape, shapes);
}

// ---- one_hot ---------------------------------------------------------------------------------------------

OpFoldResult OneHotOp::getMixedDepth() { return mixedList(*this, getStaticDepth(), getDepth()).front(); }

LogicalResult OneHotOp::verify() {
  return checkOneHot(*this, [&] { return emitOpError(); });
}

LogicalResult OneHotOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                         SmallVectorImpl<Type> &types) {
  if (failed(checkOneHot(op, inferenceError<OneHotOp>(location))))
    return failure();
  SmallVector<int64_t> shape(tensorType(op.getIndices()).getShape());
  shape.insert(shape.begin() + fromFront(op.getAxis(), shape.size() + 1), op.getStaticDepth().front());
  types.push_back(tensorType(op.getOn()).clone(shape));
  return success();
}

LogicalResult OneHotOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> shape = tensor::getMixedSizes(builder, getLoc(), getIndices());
  shape.insert(shape.begin() + fromFront(getAxis(), shape.size() + 1), getMixedDepth());
  return reifyExtents(builder, getLoc(), getType(), shape, shapes);
}

// ---- scatter ---------------------------------------------------------------------------------------------

LogicalResult ScatterElementsOp::verify() {
  auto emit = [&]() -> CheckError { return emitOpError(); };
  RankedTensorType x = tensorType(getX()), indices = tensorType(getIndices()),
                   updates = tensorType(getUpdates());
  if (x.getRank() != indices.getRank() || failed(verifyCompatibleShape(indices, updates))) // C1
    return emit() << "expects 'indices' and 'updates' of rank " << x.getRank() << " and one shape, got "
                  << indices << " and " << updates;
  if (failed(checkAxis(emit, getAxis(), x.getRank()))) // C2
    return failure();
  if (failed(checkInside(emit, x, indices, fromFront(getAxis(), x.getRank())))) // C3
    return failure();
  return checkUpdates(emit, getKind(), x, updates); // C4
}

LogicalResult ScatterNdOp::verify() {
  auto emit = [&]() -> CheckError { return emitOpError(); };
  RankedTensorType x = tensorType(getX()), indices = tensorType(getIndices()),
                   updates = tensorType(getUpdates());
  if (failed(checkTuples(emit, indices))) // C1
    return failure();
  int64_t tuple = indices.getShape().back();
  if (tuple > x.getRank())
    return emit() << "expects at most " << x.getRank() << " indices for " << x << ", got " << tuple;
  SmallVector<int64_t> shape = gatheredNdShape(x.getShape(), indices.getShape(), tuple, int64_t(0));
  if (failed(verifyCompatibleShape(shape, updates.getShape()))) // C2
    return emit() << "expects 'updates' of shape " << updates.clone(shape) << ", got " << updates;
  return checkUpdates(emit, getKind(), x, updates); // C3
}

} // namespace kiln
