// WindowTiling.h: what a pooling or a depthwise convolution is, and the extents of its tiles in UB.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_WINDOWTILING_H
#define KILN_BACKENDS_NPU_TRANSFORMS_WINDOWTILING_H

#include "backends/npu/Target.h"
#include "kiln/IR/Kiln.h"

namespace kiln::npu {

/// Whether each channel is convolved by itself, to one.
bool isDepthwise(ConvOp conv);

/// A window over one axis; extents may be unknown (ShapedType::kDynamic).
struct WindowAxis {
  int64_t extent = 1, out = 1, window = 1, stride = 1, dilation = 1, low = 0, high = 0;
  bool isKnown() const { return !mlir::ShapedType::isDynamic(extent) && !mlir::ShapedType::isDynamic(out); }
  int64_t reach() const { return (window - 1) * dilation + 1; }
};

/// The window of a kernel's first op and a tile for it: some planes (a plane being one channel of one image),
/// or some rows of one plane, or a part of them.
struct WindowTiling {
  explicit WindowTiling(KernelOp kernel);
  /// Fails with a diagnostic on what is not lowered.
  mlir::LogicalResult describe(const Target &target);
  /// Whether there is a tile of at most `limit` elements of the input.
  bool choose(int64_t limit, int64_t cores);
  void setColumns(int64_t count, int64_t block);

  KernelOp kernel;
  mlir::Operation *root = nullptr;  // the pooling or the convolution
  WindowAxis y, x;                  // rows and columns
  int64_t planes = 1, channels = 1; // or unknown
  bool isConv = false, isChannelwise = false;
  bool countsDiffer = false; // of an average: windows hold pads, which do not count
  bool countsPads = false;   // but those between the pads' ends do
  mlir::Type sum;            // f32 or i32
  // The tile.
  int64_t tilePlanes = 1, tileRows = 1;            // of the result
  int64_t tileColumns = 0;                         // of its rows; 0: whole ones
  int64_t planeRows = 1;                           // of the result's plane and what follows it
  int64_t classRows = 1, inputRows = 1, pitch = 8; // of the input
  int64_t left = 0, outPitch = 8, outRows = 1;
};

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_WINDOWTILING_H
