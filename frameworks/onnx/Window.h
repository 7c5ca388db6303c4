// Window.h: kernel, strides, pads and dilations of convolution and pooling.
#ifndef KILN_ONNX_WINDOW_H
#define KILN_ONNX_WINDOW_H

#include "frameworks/onnx/Node.h"

namespace kiln::onnx {

/// A window over the spatial axes of input 0, checked: one entry a spatial axis, pads for both ends.
struct Window {
  llvm::SmallVector<int64_t> kernel, strides, dilations;
  /// `low..., high...`; not all known for SAME pads of an axis of dynamic extent.
  Extents pads;

  /// The pads, if all are known and none is negative.
  std::optional<llvm::SmallVector<int64_t>> knownPads() const;
  /// Strides, pads and dilations as kiln's ops take them, `kernel` too for pooling.
  llvm::SmallVector<mlir::NamedAttribute> attributes(KilnBuilder &build, llvm::ArrayRef<int64_t> pads) const;
};

/// The integer list `name` of `count` entries, each `lowest` to 2^31 - 1; `byDefault` in each place if left
/// out.
Result<llvm::SmallVector<int64_t>> readWindowList(Node &node, llvm::StringRef name, size_t count,
                                                  int64_t lowest, std::optional<int64_t> byDefault);

/// Reads kernel_shape (or takes `kernel`), strides, dilations, pads and auto_pad. `x` stands for input 0 if
/// its axes are in another order.
Result<Window> readWindow(Node &node, llvm::ArrayRef<int64_t> kernel, mlir::Value x = {});

/// [batch, spatial.., channel], of rank 3 or more, as [batch, channel, spatial..]; and the reverse.
Result<mlir::Value> channelsFirst(KilnBuilder &build, mlir::Value x);
Result<mlir::Value> channelsLast(KilnBuilder &build, mlir::Value x);

/// The convolution of `x`, which stands for input 0, with filters `w` and maybe a bias, by the node's
/// attributes.
Result<mlir::Value> convolve(Node &node, mlir::Value x, mlir::Value w, mlir::Value bias);

/// The means of windows of `x`, which stands for input 0, by the node's attributes.
Result<mlir::Value> averagePool(Node &node, mlir::Value x);

} // namespace kiln::onnx
#endif // KILN_ONNX_WINDOW_H
