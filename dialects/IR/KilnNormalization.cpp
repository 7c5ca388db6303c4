// KilnNormalization.cpp: checks and inference of softmax, log_softmax and the normalisations.
#include "dialects/IR/Checks.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace kiln {

namespace {

/// A parameter of layer_norm or rms_norm: broadcasts to the trailing extents of `x`. C2
LogicalResult checkTrailing(Emit emit, StringRef name, Value parameter, RankedTensorType x, int64_t axis) {
  if (!parameter)
    return success();
  auto type = tensorType(parameter);
  ArrayRef<int64_t> trailing = x.getShape().drop_front(fromFront(axis, x.getRank()));
  auto fits = [](int64_t have, int64_t want) { return have == 1 || agree(have, want); };
  bool broadcasts = type.getRank() <= static_cast<int64_t>(trailing.size()) &&
                    llvm::all_of_zip(type.getShape(), trailing.take_back(type.getRank()), fits);
  if (broadcasts)
    return success();
  return emit() << "expects '" << name << "' to broadcast to the extents of 'x' from 'axis' on, got " << type
                << " for " << x;
}

/// A parameter with one element a channel.
LogicalResult checkChannelwise(Emit emit, StringRef name, Value parameter, RankedTensorType x) {
  if (!parameter)
    return success();
  auto type = tensorType(parameter);
  if (type.getRank() == 1 && agree(type.getDimSize(0), x.getDimSize(1)))
    return success();
  return emit() << "expects '" << name << "' of shape [" << x.getDimSize(1) << "], got " << type;
}

LogicalResult checkRank(Emit emit, RankedTensorType x, int64_t least) {
  if (x.getRank() >= least)
    return success();
  return emit() << "expects 'x' of rank " << least << " or more, got " << x;
}

} // namespace

// ---- softmax, log_softmax --------------------------------------------------------------------------------

LogicalResult SoftmaxOp::verify() { // C1
  return checkAxis([&] { return emitOpError(); }, getAxis(), tensorType(getX()).getRank());
}

LogicalResult LogSoftmaxOp::verify() { // C1
  return checkAxis([&] { return emitOpError(); }, getAxis(), tensorType(getX()).getRank());
}

// ---- normalisations --------------------------------------------------------------------------------------

LogicalResult LayerNormOp::verify() {
  auto emit = [&] { return emitOpError(); };
  auto x = tensorType(getX());
  if (failed(checkAxis(emit, getAxis(), x.getRank())) ||                // C1
      failed(checkTrailing(emit, "scale", getScale(), x, getAxis())) || // C2
      failed(checkTrailing(emit, "bias", getBias(), x, getAxis())))
    return failure();
  return checkEpsilon(emit, getEpsilon()); // C3
}

LogicalResult RmsNormOp::verify() {
  auto emit = [&] { return emitOpError(); };
  auto x = tensorType(getX());
  if (failed(checkAxis(emit, getAxis(), x.getRank())) ||              // C1
      failed(checkTrailing(emit, "scale", getScale(), x, getAxis()))) // C2
    return failure();
  return checkEpsilon(emit, getEpsilon()); // C3
}

LogicalResult GroupNormOp::verify() {
  auto emit = [&] { return emitOpError(); };
  auto x = tensorType(getX());
  if (failed(checkRank(emit, x, 2))) // C1
    return failure();
  int64_t groups = getGroups(), channels = x.getDimSize(1);
  if (groups < 1 || (!ShapedType::isDynamic(channels) && channels % groups)) // C2
    return emitOpError("expects 'groups' >= 1 that divides the channels, got ")
           << groups << " groups for " << channels << " channels";
  if (failed(checkChannelwise(emit, "scale", getScale(), x)) || // C3
      failed(checkChannelwise(emit, "bias", getBias(), x)))
    return failure();
  return checkEpsilon(emit, getEpsilon()); // C4
}

LogicalResult InstanceNormOp::verify() {
  auto emit = [&] { return emitOpError(); };
  auto x = tensorType(getX());
  if (failed(checkRank(emit, x, 3)) ||                          // C1
      failed(checkChannelwise(emit, "scale", getScale(), x)) || // C2
      failed(checkChannelwise(emit, "bias", getBias(), x)))
    return failure();
  return checkEpsilon(emit, getEpsilon()); // C3
}

LogicalResult BatchNormOp::verify() {
  auto emit = [&] { return emitOpError(); };
  auto x = tensorType(getX());
  if (failed(checkRank(emit, x, 2)) ||                          // C1
      failed(checkChannelwise(emit, "scale", getScale(), x)) || // C2
      failed(checkChannelwise(emit, "bias", getBias(), x)) ||
      failed(checkChannelwise(emit, "mean", getMean(), x)) ||
      failed(checkChannelwise(emit, "var", getVar(), x)))
    return failure();
  return checkEpsilon(emit, getEpsilon()); // C3
}

} // namespace kiln
