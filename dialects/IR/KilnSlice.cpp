// KilnSlice.cpp: checks, inference and folding of slice, concat and pad.
#include "dialects/IR/Gather.h"
#include "dialects/IR/MixedList.h"

#include "mlir/IR/Builders.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln {

namespace {

template <typename Slice> LogicalResult checkSlice(Slice op, Emit emit) {
  auto x = tensorType(op.getX());
  int64_t rank = x.getRank();
  // C1, C2
  if (failed(checkMixedList(emit, "offsets", op.getStaticOffsets(), op.getOffsets().size(), rank)) ||
      failed(checkMixedList(emit, "sizes", op.getStaticSizes(), op.getSizes().size(), rank)) ||
      failed(
          checkMixedList(emit, "strides", op.getStaticStrides(), op.getStrides().size(), rank, /*least=*/1)))
    return failure();
  for (int64_t axis = 0; axis < rank; ++axis) { // C3
    int64_t extent = x.getDimSize(axis), offset = op.getStaticOffsets()[axis];
    int64_t size = op.getStaticSizes()[axis], stride = op.getStaticStrides()[axis];
    if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(size) || size == 0)
      continue;
    // What is not known is at its least: offset 0, stride 1.
    int64_t last = ShapedType::isDynamic(offset) ? 0 : offset, reach = 0;
    bool overflows = llvm::MulOverflow(size - 1, ShapedType::isDynamic(stride) ? 1 : stride, reach) ||
                     llvm::AddOverflow(last, reach, last);
    if (overflows || last >= extent)
      return emit() << "expects the last element of axis " << axis << " in " << x << ", got offset " << offset
                    << ", size " << size << ", stride " << stride;
  }
  return success();
}

template <typename Concat> LogicalResult checkConcat(Concat op, Emit emit) {
  if (op.getInputs().empty()) // C1
    return emit() << "expects an input, got none";
  auto first = tensorType(op.getInputs()[0]);
  for (Value input : op.getInputs())
    if (tensorType(input).getRank() != first.getRank() ||
        tensorType(input).getElementType() != first.getElementType()) // C1
      return emit() << "expects inputs of one rank and element type, got " << first << " and "
                    << input.getType();
  if (failed(checkAxis(emit, op.getAxis(), first.getRank()))) // C2
    return failure();
  int64_t axis = fromFront(op.getAxis(), first.getRank());
  for (int64_t other = 0; other < first.getRank(); ++other) { // C3
    int64_t known = ShapedType::kDynamic;
    for (Value input : op.getInputs()) {
      int64_t extent = tensorType(input).getDimSize(other);
      if (other != axis && !agree(known, extent))
        return emit() << "expects inputs that agree along axis " << other << ", got extents " << known
                      << " and " << extent;
      known = ShapedType::isDynamic(extent) ? known : extent;
    }
  }
  return success();
}

template <typename Pad> LogicalResult checkPad(Pad op, Emit emit) {
  auto x = tensorType(op.getX());
  // C1
  if (failed(checkMixedList(emit, "low", op.getStaticLow(), op.getLow().size(), x.getRank())) ||
      failed(checkMixedList(emit, "high", op.getStaticHigh(), op.getHigh().size(), x.getRank())))
    return failure();
  bool isConstant = op.getMode() == PadMode::Constant;
  if (isConstant != !!op.getValue()) // C2
    return emit() << "expects a 'value' if and only if 'mode' is constant, got mode "
                  << stringifyPadMode(op.getMode()) << (op.getValue() ? " and a value" : " and none");
  if (isConstant && tensorType(op.getValue()) != RankedTensorType::get({}, x.getElementType())) // C2
    return emit() << "expects a 'value' of type " << RankedTensorType::get({}, x.getElementType()) << ", got "
                  << op.getValue().getType();
  for (int64_t axis = 0; axis < x.getRank() && !isConstant; ++axis) { // C3
    int64_t extent = x.getDimSize(axis);
    for (int64_t amount : {op.getStaticLow()[axis], op.getStaticHigh()[axis]})
      if (!ShapedType::isDynamic(extent) && !ShapedType::isDynamic(amount) && amount > 0 &&
          (op.getMode() == PadMode::Reflect ? amount >= extent : extent == 0))
        return emit() << "expects amounts that mode " << stringifyPadMode(op.getMode()) << " can take from "
                      << x << ", got " << amount << " along axis " << axis;
  }
  return success();
}

/// The source of element `i`, counted from the first of the unpadded axis of `extent` elements; -1 if it is
/// none.
int64_t paddingSource(PadMode mode, int64_t i, int64_t extent) {
  if (i >= 0 && i < extent)
    return i;
  switch (mode) {
  case PadMode::Constant:
    return -1;
  case PadMode::Edge:
    return i < 0 ? 0 : extent - 1;
  case PadMode::Reflect:
    return i < 0 ? -i : 2 * (extent - 1) - i;
  case PadMode::Wrap:
    return ((i % extent) + extent) % extent;
  }
  llvm_unreachable("a mode is one of four");
}

} // namespace

// ---- slice -----------------------------------------------------------------------------------------------

void SliceOp::build(OpBuilder &builder, OperationState &state, Value x, ArrayRef<OpFoldResult> offsets,
                    ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) {
  auto [offsetNumbers, offsetValues] = decomposeMixedValues(SmallVector<OpFoldResult>(offsets));
  auto [sizeNumbers, sizeValues] = decomposeMixedValues(SmallVector<OpFoldResult>(sizes));
  auto [strideNumbers, strideValues] = decomposeMixedValues(SmallVector<OpFoldResult>(strides));
  build(builder, state, x, offsetValues, sizeValues, strideValues, offsetNumbers, sizeNumbers, strideNumbers);
}

SmallVector<OpFoldResult> SliceOp::getMixedOffsets() {
  return mixedList(*this, getStaticOffsets(), getOffsets());
}
SmallVector<OpFoldResult> SliceOp::getMixedSizes() { return mixedList(*this, getStaticSizes(), getSizes()); }
SmallVector<OpFoldResult> SliceOp::getMixedStrides() {
  return mixedList(*this, getStaticStrides(), getStrides());
}

LogicalResult SliceOp::verify() {
  return checkSlice(*this, [&] { return emitOpError(); });
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                        SmallVectorImpl<Type> &types) {
  if (failed(checkSlice(op, inferenceError<SliceOp>(location))))
    return failure();
  types.push_back(RankedTensorType::get(op.getStaticSizes(), tensorType(op.getX()).getElementType()));
  return success();
}

LogicalResult SliceOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  return reifyExtents(builder, getLoc(), getType(), getMixedSizes(), shapes);
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (auto numbers = foldMixedList(getOffsetsMutable(), getStaticOffsets(), adaptor.getOffsets())) {
    setStaticOffsets(*numbers);
    return getResult();
  }
  if (auto numbers = foldMixedList(getSizesMutable(), getStaticSizes(), adaptor.getSizes())) {
    setStaticSizes(*numbers);
    return getResult();
  }
  if (auto numbers =
          foldMixedList(getStridesMutable(), getStaticStrides(), adaptor.getStrides(), /*least=*/1)) {
    setStaticStrides(*numbers);
    return getResult();
  }
  // All of a static tensor.
  if (getX().getType() == getType() && getType().hasStaticShape())
    return getX();
  if (llvm::any_of(getStaticOffsets(), ShapedType::isDynamic) ||
      llvm::any_of(getStaticStrides(), ShapedType::isDynamic))
    return {};
  return foldGather(denseConstant(adaptor.getX()), getType(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> source;
    for (auto [i, offset, stride] : llvm::zip_equal(index, getStaticOffsets(), getStaticStrides()))
      source.push_back(offset + i * stride);
    return source;
  });
}

// ---- concat ----------------------------------------------------------------------------------------------

LogicalResult ConcatOp::verify() {
  return checkConcat(*this, [&] { return emitOpError(); });
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                         SmallVectorImpl<Type> &types) {
  if (failed(checkConcat(op, inferenceError<ConcatOp>(location))))
    return failure();
  auto first = tensorType(op.getInputs()[0]);
  int64_t joined = fromFront(op.getAxis(), first.getRank());
  SmallVector<int64_t> shape(first.getShape());
  for (Value input : op.getInputs().drop_front())
    for (auto [axis, extent] : llvm::enumerate(tensorType(input).getShape())) {
      int64_t &known = shape[axis];
      if (static_cast<int64_t>(axis) != joined)
        known = ShapedType::isDynamic(known) ? extent : known;
      else
        known = ShapedType::isDynamic(known) || ShapedType::isDynamic(extent) ? ShapedType::kDynamic
                                                                              : known + extent;
    }
  types.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

LogicalResult ConcatOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  Location loc = getLoc();
  SmallVector<OpFoldResult> extents = tensor::getMixedSizes(builder, loc, getInputs()[0]);
  int64_t axis = fromFront(getAxis(), extents.size());
  for (Value input : getInputs().drop_front())
    extents[axis] = addExtents(builder, loc, extents[axis], tensor::getMixedSize(builder, loc, input, axis));
  return reifyExtents(builder, loc, getType(), extents, shapes);
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1 && getInputs()[0].getType() == getType())
    return getInputs()[0];
  int64_t axis = fromFront(getAxis(), getType().getRank());
  // Inputs without elements add nothing.
  SmallVector<Value> inputs;
  for (Value input : getInputs())
    if (tensorType(input).getDimSize(axis) != 0)
      inputs.push_back(input);
  if (!inputs.empty() && inputs.size() < getInputs().size()) {
    getInputsMutable().assign(inputs);
    return getResult();
  }
  if (!isFoldable(getType()))
    return {};
  SmallVector<SmallVector<Attribute>> parts; // the elements of each input
  for (Attribute input : adaptor.getInputs()) {
    DenseElementsAttr constant = denseConstant(input);
    if (!constant)
      return {};
    parts.emplace_back(constant.getValues<Attribute>());
  }
  return foldElements(getType(), [&](ArrayRef<int64_t> index) {
    int64_t along = index[axis];
    size_t part = 0;
    while (along >= tensorType(getInputs()[part]).getDimSize(axis))
      along -= tensorType(getInputs()[part++]).getDimSize(axis);
    int64_t position = 0;
    for (auto [i, extent] : llvm::enumerate(tensorType(getInputs()[part]).getShape()))
      position = position * extent + (static_cast<int64_t>(i) == axis ? along : index[i]);
    return parts[part][position];
  });
}

// ---- pad -------------------------------------------------------------------------------------------------

void PadOp::build(OpBuilder &builder, OperationState &state, Value x, ArrayRef<OpFoldResult> low,
                  ArrayRef<OpFoldResult> high, PadMode mode, Value value) {
  auto [lowNumbers, lowValues] = decomposeMixedValues(SmallVector<OpFoldResult>(low));
  auto [highNumbers, highValues] = decomposeMixedValues(SmallVector<OpFoldResult>(high));
  build(builder, state, x, lowValues, highValues, value, lowNumbers, highNumbers, mode);
}

SmallVector<OpFoldResult> PadOp::getMixedLow() { return mixedList(*this, getStaticLow(), getLow()); }
SmallVector<OpFoldResult> PadOp::getMixedHigh() { return mixedList(*this, getStaticHigh(), getHigh()); }

LogicalResult PadOp::verify() {
  return checkPad(*this, [&] { return emitOpError(); });
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                      SmallVectorImpl<Type> &types) {
  if (failed(checkPad(op, inferenceError<PadOp>(location))))
    return failure();
  auto x = tensorType(op.getX());
  SmallVector<int64_t> shape;
  for (auto [low, extent, high] : llvm::zip_equal(op.getStaticLow(), x.getShape(), op.getStaticHigh())) {
    bool isKnown =
        !ShapedType::isDynamic(low) && !ShapedType::isDynamic(extent) && !ShapedType::isDynamic(high);
    shape.push_back(isKnown ? low + extent + high : ShapedType::kDynamic);
  }
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

LogicalResult PadOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  Location loc = getLoc();
  SmallVector<OpFoldResult> extents = tensor::getMixedSizes(builder, loc, getX());
  for (auto [extent, low, high] : llvm::zip_equal(extents, getMixedLow(), getMixedHigh()))
    extent = addExtents(builder, loc, addExtents(builder, loc, low, extent), high);
  return reifyExtents(builder, loc, getType(), extents, shapes);
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  if (auto numbers = foldMixedList(getLowMutable(), getStaticLow(), adaptor.getLow())) {
    setStaticLow(*numbers);
    return getResult();
  }
  if (auto numbers = foldMixedList(getHighMutable(), getStaticHigh(), adaptor.getHigh())) {
    setStaticHigh(*numbers);
    return getResult();
  }
  auto isZero = [](int64_t amount) { return amount == 0; };
  if (llvm::all_of(getStaticLow(), isZero) && llvm::all_of(getStaticHigh(), isZero) &&
      getX().getType() == getType())
    return getX();
  DenseElementsAttr x = denseConstant(adaptor.getX()), value = denseConstant(adaptor.getValue());
  if (!x || (getValue() && !value) || !isFoldable(x.getType()))
    return {};
  SmallVector<Attribute> elements(x.getValues<Attribute>());
  return foldElements(getType(), [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [axis, extent] : llvm::enumerate(x.getType().getShape())) {
      int64_t source = paddingSource(getMode(), index[axis] - getStaticLow()[axis], extent);
      if (source < 0)
        return value.getSplatValue<Attribute>();
      position = position * extent + source;
    }
    return elements[position];
  });
}

} // namespace kiln
