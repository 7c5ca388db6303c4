// KilnShape.cpp: checks, inference and folding of reshape, transpose, broadcast, reverse, iota and
// from_elements.
#include "dialects/IR/Gather.h"
#include "dialects/IR/MixedList.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace kiln {

namespace {

constexpr size_t kMaxElements = 64; // of from_elements: each is a constant of the launch

/// The product of the static extents, and how many others there are.
std::pair<int64_t, int64_t> countElements(ArrayRef<int64_t> shape) {
  int64_t product = 1, dynamicCount = 0;
  for (int64_t extent : shape)
    ShapedType::isDynamic(extent) ? ++dynamicCount : product *= extent;
  return {product, dynamicCount};
}

/// Whether equal types mean equal shapes: at most one extent follows from the number of elements.
bool hasOneShape(RankedTensorType type) { return countElements(type.getShape()).second <= 1; }

/// Whether `extent` is that of `x` along `axis`, seen without looking far.
bool isExtentOf(OpFoldResult extent, Value x, int64_t axis) {
  int64_t known = tensorType(x).getDimSize(axis);
  if (std::optional<int64_t> number = getConstantIntValue(extent))
    return *number == known;
  auto dim = llvm::dyn_cast_if_present<Value>(extent).getDefiningOp<tensor::DimOp>();
  return dim && dim.getSource() == x && dim.getConstantIndex() == axis;
}

bool areExtentsOf(ArrayRef<OpFoldResult> extents, Value x) {
  if (static_cast<int64_t>(extents.size()) != tensorType(x).getRank())
    return false;
  for (auto [axis, extent] : llvm::enumerate(extents))
    if (!isExtentOf(extent, x, axis))
      return false;
  return true;
}

template <typename Reshape> LogicalResult checkReshape(Reshape op, Emit emit) {
  ArrayRef<int64_t> sizes = op.getStaticSizes();
  if (failed(checkMixedList(emit, "sizes", sizes, op.getSizes().size(), -1))) // C1
    return failure();
  auto [from, fromDynamic] = countElements(tensorType(op.getX()).getShape());
  auto [to, toDynamic] = countElements(sizes);
  // With dynamic extents on one side only, the static ones there must divide the other side.
  bool agrees = fromDynamic && toDynamic ? true
                : fromDynamic            ? (from == 0 ? to == 0 : to % from == 0)
                : toDynamic              ? (to == 0 ? from == 0 : from % to == 0)
                                         : from == to;
  if (!agrees) // C2
    return emit() << "expects sizes with the number of elements of " << op.getX().getType() << ", got "
                  << RankedTensorType::get(sizes, tensorType(op.getX()).getElementType());
  return success();
}

/// mlir::isPermutationVector does not look at the range: [1, 2] passes.
bool isPermutation(ArrayRef<int64_t> axes) {
  SmallVector<bool> seen(axes.size(), false);
  return llvm::all_of(axes, [&](int64_t axis) {
    return axis >= 0 && axis < static_cast<int64_t>(seen.size()) && !std::exchange(seen[axis], true);
  });
}

template <typename Transpose> LogicalResult checkTranspose(Transpose op, Emit emit) {
  int64_t rank = tensorType(op.getX()).getRank();
  if (static_cast<int64_t>(op.getPerm().size()) != rank || !isPermutation(op.getPerm())) // C1
    return emit() << "expects 'perm' to be a permutation of " << rank << " axes, got [" << op.getPerm()
                  << "]";
  return success();
}

template <typename Broadcast> LogicalResult checkBroadcastOp(Broadcast op, Emit emit) {
  ArrayRef<int64_t> sizes = op.getStaticSizes(), shape = tensorType(op.getX()).getShape();
  if (failed(checkMixedList(emit, "sizes", sizes, op.getSizes().size(), -1))) // C1
    return failure();
  bool fits = sizes.size() >= shape.size();
  if (fits)
    for (auto [extent, size] : llvm::zip_equal(shape, sizes.take_back(shape.size())))
      fits &= extent == 1 || agree(extent, size);
  if (!fits) // C2
    return emit() << "expects sizes that " << op.getX().getType() << " broadcasts to, got "
                  << RankedTensorType::get(sizes, tensorType(op.getX()).getElementType());
  return success();
}

template <typename Iota> LogicalResult checkIota(Iota op, Emit emit) {
  ArrayRef<int64_t> sizes = op.getStaticSizes();
  if (failed(checkMixedList(emit, "sizes", sizes, op.getSizes().size(), -1))) // C1
    return failure();
  if (failed(checkAxis(emit, op.getAxis(), sizes.size()))) // C2
    return failure();
  Type element = op.getElement();
  unsigned width = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  if (width < 8 || (isa<FloatType>(element) && width < 16)) // C3
    return emit() << "expects an element type of floats or integers of 8 to 64 bits, got " << element;
  return success();
}

template <typename FromElements> LogicalResult checkFromElements(FromElements op, Emit emit) {
  size_t count = op.getElements().size();
  if (op.getScalar() ? count != 1 : count > kMaxElements) // C1
    return emit() << "expects " << (op.getScalar() ? "one element" : "at most 64 elements") << ", got "
                  << count;
  auto element = dyn_cast<IntegerType>(op.getElement());
  if (!element || (element.getWidth() != 1 && element.getWidth() < 8)) // C2
    return emit() << "expects an element type of i1 or integers of 8 to 64 bits, got " << op.getElement();
  return success();
}

} // namespace

// ---- reshape ---------------------------------------------------------------------------------------------

void ReshapeOp::build(OpBuilder &builder, OperationState &state, Value x, ArrayRef<OpFoldResult> sizes) {
  auto [numbers, values] = decomposeMixedValues(SmallVector<OpFoldResult>(sizes));
  build(builder, state, x, values, numbers);
}

SmallVector<OpFoldResult> ReshapeOp::getMixedSizes() {
  return mixedList(*this, getStaticSizes(), getSizes());
}

LogicalResult ReshapeOp::verify() {
  return checkReshape(*this, [&] { return emitOpError(); });
}

LogicalResult ReshapeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                          SmallVectorImpl<Type> &types) {
  if (failed(checkReshape(op, inferenceError<ReshapeOp>(location))))
    return failure();
  auto x = tensorType(op.getX());
  SmallVector<int64_t> shape(op.getStaticSizes());
  auto [from, fromDynamic] = countElements(x.getShape());
  auto [to, toDynamic] = countElements(shape);
  if (!fromDynamic && toDynamic == 1 && to != 0) // the one unknown extent follows
    *llvm::find_if(shape, ShapedType::isDynamic) = from / to;
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult ReshapeOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  return reifyExtents(builder, getLoc(), getType(), getMixedSizes(), shapes);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (auto numbers = foldMixedList(getSizesMutable(), getStaticSizes(), adaptor.getSizes())) {
    setStaticSizes(*numbers);
    return getResult();
  }
  if (getX().getType() == getType() && (hasOneShape(getType()) || areExtentsOf(getMixedSizes(), getX())))
    return getX();
  if (DenseElementsAttr x = denseConstant(adaptor.getX()); x && getType().hasStaticShape())
    if (x.isSplat() || isFoldable(x.getType()))
      return x.reshape(getType());
  return {};
}

namespace {

/// reshape(reshape(x)) -> reshape(x)
struct MergeReshapes final : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<ReshapeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "'x' is not a reshape");
    rewriter.modifyOpInPlace(op, [&] { op.getXMutable().assign(inner.getX()); });
    return success();
  }
};

} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeReshapes>(context);
}

// ---- transpose -------------------------------------------------------------------------------------------

LogicalResult TransposeOp::verify() {
  return checkTranspose(*this, [&] { return emitOpError(); });
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                            SmallVectorImpl<Type> &types) {
  if (failed(checkTranspose(op, inferenceError<TransposeOp>(location))))
    return failure();
  auto x = tensorType(op.getX());
  types.push_back(RankedTensorType::get(applyPermutation(x.getShape(), op.getPerm()), x.getElementType()));
  return success();
}

LogicalResult TransposeOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> extents = tensor::getMixedSizes(builder, getLoc(), getX());
  applyPermutationToVector(extents, getPerm());
  return reifyExtents(builder, getLoc(), getType(), extents, shapes);
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isIdentityPermutation(getPerm()) && getX().getType() == getType())
    return getX();
  return foldGather(denseConstant(adaptor.getX()), getType(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> source(index.size());
    for (auto [i, axis] : llvm::enumerate(getPerm()))
      source[axis] = index[i];
    return source;
  });
}

namespace {

/// transpose(transpose(x)) -> transpose(x)
struct MergeTransposes final : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "'x' is not a transpose");
    SmallVector<int64_t> perm = applyPermutation(inner.getPerm(), op.getPerm());
    rewriter.modifyOpInPlace(op, [&] {
      op.getXMutable().assign(inner.getX());
      op.setPerm(perm);
    });
    return success();
  }
};

/// A transpose that moves only axes of extent 1 keeps the order of elements: a reshape, which is free.
struct TransposeToReshape final : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto x = tensorType(op.getX());
    SmallVector<int64_t> moving(op.getPerm());
    llvm::erase_if(moving, [&](int64_t axis) { return x.getDimSize(axis) == 1; });
    if (!llvm::is_sorted(moving) || isIdentityPermutation(op.getPerm()))
      return rewriter.notifyMatchFailure(op, "'perm' reorders elements");
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, op.getLoc(), op.getX());
    applyPermutationToVector(sizes, op.getPerm());
    auto [numbers, values] = decomposeMixedValues(sizes);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getX(), values, numbers);
    return success();
  }
};

} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeTransposes, TransposeToReshape>(context);
}

// ---- broadcast -------------------------------------------------------------------------------------------

void BroadcastOp::build(OpBuilder &builder, OperationState &state, Value x, ArrayRef<OpFoldResult> sizes) {
  auto [numbers, values] = decomposeMixedValues(SmallVector<OpFoldResult>(sizes));
  build(builder, state, x, values, numbers);
}

SmallVector<OpFoldResult> BroadcastOp::getMixedSizes() {
  return mixedList(*this, getStaticSizes(), getSizes());
}

LogicalResult BroadcastOp::verify() {
  return checkBroadcastOp(*this, [&] { return emitOpError(); });
}

LogicalResult BroadcastOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                            SmallVectorImpl<Type> &types) {
  if (failed(checkBroadcastOp(op, inferenceError<BroadcastOp>(location))))
    return failure();
  auto x = tensorType(op.getX());
  SmallVector<int64_t> shape(op.getStaticSizes());
  for (auto [extent, size] : llvm::zip_equal(x.getShape(), MutableArrayRef(shape).take_back(x.getRank())))
    if (extent != 1 && ShapedType::isDynamic(size))
      size = extent;
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult BroadcastOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  return reifyExtents(builder, getLoc(), getType(), getMixedSizes(), shapes);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (auto numbers = foldMixedList(getSizesMutable(), getStaticSizes(), adaptor.getSizes())) {
    setStaticSizes(*numbers);
    return getResult();
  }
  auto x = tensorType(getX());
  if (x == getType() && (x.hasStaticShape() || areExtentsOf(getMixedSizes(), getX())))
    return getX();
  return foldGather(denseConstant(adaptor.getX()), getType(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> source(index.take_back(x.getRank()));
    for (auto [i, extent] : llvm::zip_equal(source, x.getShape()))
      i = extent == 1 ? 0 : i;
    return source;
  });
}

// ---- reverse ---------------------------------------------------------------------------------------------

LogicalResult ReverseOp::verify() {
  int64_t rank = tensorType(getX()).getRank();
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t axis : getAxes()) { // C1
    if (failed(checkAxis([&] { return emitOpError(); }, axis, rank, "axes")))
      return failure();
    if (!seen.insert(fromFront(axis, rank)).second)
      return emitOpError("expects distinct 'axes', got axis ") << fromFront(axis, rank) << " twice";
  }
  return success();
}

bool ReverseOp::reverses(int64_t axis) {
  return llvm::is_contained(getAxes(), axis) ||
         llvm::is_contained(getAxes(), axis - tensorType(getX()).getRank());
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getType();
  bool moves = false;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    moves |= reverses(axis) && type.getDimSize(axis) != 1;
  if (!moves)
    return getX();
  return foldGather(denseConstant(adaptor.getX()), type, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> source(index);
    for (auto [axis, i] : llvm::enumerate(source))
      i = reverses(axis) ? type.getDimSize(axis) - 1 - i : i;
    return source;
  });
}

// ---- iota ------------------------------------------------------------------------------------------------

void IotaOp::build(OpBuilder &builder, OperationState &state, int64_t axis, ArrayRef<OpFoldResult> sizes,
                   Type element) {
  auto [numbers, values] = decomposeMixedValues(SmallVector<OpFoldResult>(sizes));
  build(builder, state, axis, values, numbers, element);
}

SmallVector<OpFoldResult> IotaOp::getMixedSizes() { return mixedList(*this, getStaticSizes(), getSizes()); }

LogicalResult IotaOp::verify() {
  return checkIota(*this, [&] { return emitOpError(); });
}

LogicalResult IotaOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                       SmallVectorImpl<Type> &types) {
  if (failed(checkIota(op, inferenceError<IotaOp>(location))))
    return failure();
  types.push_back(RankedTensorType::get(op.getStaticSizes(), op.getElement()));
  return success();
}

LogicalResult IotaOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  return reifyExtents(builder, getLoc(), getType(), getMixedSizes(), shapes);
}

OpFoldResult IotaOp::fold(FoldAdaptor adaptor) {
  if (auto numbers = foldMixedList(getSizesMutable(), getStaticSizes(), adaptor.getSizes())) {
    setStaticSizes(*numbers);
    return getResult();
  }
  int64_t axis = fromFront(getAxis(), getType().getRank());
  return foldElements(getType(), [&](ArrayRef<int64_t> index) -> Attribute {
    if (isa<FloatType>(getElement()))
      return FloatAttr::get(getElement(), static_cast<double>(index[axis]));
    return IntegerAttr::get(getElement(), APInt(getElement().getIntOrFloatBitWidth(), index[axis]));
  });
}

// ---- from_elements ---------------------------------------------------------------------------------------

LogicalResult FromElementsOp::verify() {
  return checkFromElements(*this, [&] { return emitOpError(); });
}

LogicalResult FromElementsOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                               SmallVectorImpl<Type> &types) {
  if (failed(checkFromElements(op, inferenceError<FromElementsOp>(location))))
    return failure();
  SmallVector<int64_t> shape;
  if (!op.getScalar())
    shape.push_back(op.getElements().size());
  types.push_back(RankedTensorType::get(shape, op.getElement()));
  return success();
}

LogicalResult FromElementsOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> extents;
  if (!getScalar())
    extents.push_back(builder.getIndexAttr(getElements().size()));
  return reifyExtents(builder, getLoc(), getType(), extents, shapes);
}

OpFoldResult FromElementsOp::fold(FoldAdaptor adaptor) {
  if (!llvm::all_of(adaptor.getElements(), [](Attribute x) { return isa_and_present<IntegerAttr>(x); }))
    return {};
  return foldElements(getType(), [&](ArrayRef<int64_t> index) -> Attribute {
    int64_t value = cast<IntegerAttr>(adaptor.getElements()[getScalar() ? 0 : index[0]]).getInt();
    unsigned width = getElement().getIntOrFloatBitWidth();
    return IntegerAttr::get(getElement(), width == 1 ? APInt(1, value != 0) : APInt(64, value).trunc(width));
  });
}

} // namespace kiln
