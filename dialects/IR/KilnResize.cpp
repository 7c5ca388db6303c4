// KilnResize.cpp: checks, inference and folding of resize.
#include "dialects/IR/MixedList.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace kiln {

namespace {

template <typename Resize> LogicalResult checkResize(Resize op, Emit emit) {
  auto x = tensorType(op.getX());
  if (failed(checkMixedList(emit, "sizes", op.getStaticSizes(), op.getSizes().size(), x.getRank()))) // C1
    return failure();
  auto checkParameters = [&](StringRef name, Value value, int64_t count) -> LogicalResult { // C2
    if (!value)
      return success();
    auto wanted = RankedTensorType::get({count}, Float32Type::get(value.getContext()));
    if (compatibleTypes(value.getType(), wanted))
      return success();
    return emit() << "expects '" << name << "' of type " << wanted << ", got " << value.getType();
  };
  if (failed(checkParameters("scales", op.getScales(), x.getRank())) ||
      failed(checkParameters("roi", op.getRoi(), 2 * x.getRank())))
    return failure();
  bool crops = op.getCoordinates() == ResizeCoordinates::TfCropAndResize;
  if (crops != !!op.getRoi()) // C3
    return emit() << "expects 'roi' if and only if 'coordinates' is tf_crop_and_resize, got "
                  << stringifyResizeCoordinates(op.getCoordinates())
                  << (op.getRoi() ? " and one" : " and none");
  if (op.getMode() == ResizeMode::Nearest && (op.getAntialias() || op.getExcludeOutside())) // C4
    return emit() << "expects '" << (op.getAntialias() ? "antialias" : "exclude_outside")
                  << "' with a mode other than nearest";
  for (auto [extent, size] : llvm::zip_equal(x.getShape(), op.getStaticSizes())) // C5
    if (extent == 0 && !agree(extent, size))
      return emit() << "expects axes of extent 0 to keep it, got " << size;
  return success();
}

} // namespace

SmallVector<OpFoldResult> ResizeOp::getMixedSizes() { return mixedList(*this, getStaticSizes(), getSizes()); }

LogicalResult ResizeOp::verify() {
  return checkResize(*this, [&] { return emitOpError(); });
}

LogicalResult ResizeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                         SmallVectorImpl<Type> &types) {
  if (failed(checkResize(op, inferenceError<ResizeOp>(location))))
    return failure();
  types.push_back(RankedTensorType::get(op.getStaticSizes(), tensorType(op.getX()).getElementType()));
  return success();
}

LogicalResult ResizeOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  return reifyExtents(builder, getLoc(), getType(), getMixedSizes(), shapes);
}

OpFoldResult ResizeOp::fold(FoldAdaptor adaptor) {
  if (auto numbers = foldMixedList(getSizesMutable(), getStaticSizes(), adaptor.getSizes())) {
    setStaticSizes(*numbers);
    return getResult();
  }
  // Without scales of its own and a region, a resize to the same extents samples the elements themselves.
  bool isWhole = getCoordinates() != ResizeCoordinates::TfCropAndResize &&
                 getCoordinates() != ResizeCoordinates::TfHalfPixelForNn;
  if (isWhole && !getScales() && getX().getType() == getType() && getType().hasStaticShape())
    return getX();
  return {};
}

} // namespace kiln
