// Window.cpp: the sliding window of convolution and pooling.
#include "dialects/IR/Window.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

namespace kiln {

LogicalResult Window::checkLists(Emit emit, int64_t spatialRank) const {
  auto check = [&](StringRef name, ArrayRef<int64_t> list, int64_t length, int64_t low) -> LogicalResult {
    if (static_cast<int64_t>(list.size()) != length)
      return emit() << "expects '" << name << "' of length " << length << ", got " << list.size();
    for (int64_t entry : list)
      if (entry < low && !ShapedType::isDynamic(entry))
        return emit() << "expects every entry of '" << name << "' to be >= " << low << ", got " << entry;
    return success();
  };
  if (failed(check("kernel", kernel, spatialRank, 1)) || failed(check("strides", strides, spatialRank, 1)) ||
      failed(check("pads", pads, 2 * spatialRank, 0)) ||
      failed(check("dilations", dilations, spatialRank, 1)))
    return failure();
  return success();
}

LogicalResult Window::checkFits(Emit emit, ArrayRef<int64_t> spatial) const {
  for (auto [i, extent] : llvm::enumerate(spatial)) {
    if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(kernel[i]))
      continue;
    int64_t padded = extent + pads[i] + pads[spatial.size() + i];
    int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
    if (reach > padded)
      return emit() << "expects the window to fit: spatial axis " << i << " has " << padded
                    << " padded elements, the window spans " << reach;
  }
  return success();
}

int64_t Window::outputExtent(unsigned i, int64_t extent) const {
  if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(kernel[i]))
    return ShapedType::kDynamic;
  int64_t low = pads[i], high = pads[kernel.size() + i];
  int64_t free = extent + low + high - (kernel[i] - 1) * dilations[i] - 1;
  int64_t windows = (ceilMode ? (free + strides[i] - 1) / strides[i] : free / strides[i]) + 1;
  // The last window starts inside the input or the low pad.
  if (ceilMode && (windows - 1) * strides[i] >= extent + low)
    --windows;
  return windows;
}

OpFoldResult Window::reifyOutputExtent(OpBuilder &builder, Location loc, unsigned i, OpFoldResult extent,
                                       OpFoldResult kernelExtent) const {
  int64_t low = pads[i], high = pads[kernel.size() + i], stride = strides[i];
  auto staticExtent = getConstantIntValue(extent), staticKernel = getConstantIntValue(kernelExtent);
  if (staticExtent && staticKernel)
    return builder.getIndexAttr(outputExtent(i, *staticExtent));
  auto constant = [&](int64_t value) -> Value { return builder.create<arith::ConstantIndexOp>(loc, value); };
  Value in = getValueOrCreateConstantIndexOp(builder, loc, extent);
  Value k = getValueOrCreateConstantIndexOp(builder, loc, kernelExtent);
  // free = in + low + high - (k - 1) * dilation - 1
  Value free = builder.createOrFold<arith::AddIOp>(loc, in, constant(low + high + dilations[i] - 1));
  free = builder.createOrFold<arith::SubIOp>(
      loc, free, builder.createOrFold<arith::MulIOp>(loc, k, constant(dilations[i])));
  if (ceilMode)
    free = builder.createOrFold<arith::AddIOp>(loc, free, constant(stride - 1));
  Value steps = builder.createOrFold<arith::FloorDivSIOp>(loc, free, constant(stride));
  Value windows = builder.createOrFold<arith::AddIOp>(loc, steps, constant(1));
  if (!ceilMode)
    return windows;
  // steps * stride < in + low, else one window fewer: min(windows, (in + low - 1) / stride + 1)
  Value last = builder.createOrFold<arith::AddIOp>(loc, in, constant(low - 1));
  last = builder.createOrFold<arith::FloorDivSIOp>(loc, last, constant(stride));
  last = builder.createOrFold<arith::AddIOp>(loc, last, constant(1));
  return builder.createOrFold<arith::MinSIOp>(loc, windows, last);
}

} // namespace kiln
