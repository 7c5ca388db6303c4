// ConvLayout.h: the layouts in which the cube takes a convolution, as kiln-npu-lay-out-convs makes them and
// the lowering reads them: channels last, filters as a matrix.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_CONVLAYOUT_H
#define KILN_BACKENDS_NPU_TRANSFORMS_CONVLAYOUT_H

#include "backends/npu/Transforms/CubeEpilogue.h"

namespace kiln::npu {

/// How filters [o, c, kh, kw] lie in memory.
enum class FilterLayout : uint8_t {
  Blocks, // [o, c / C0, kh, kw, C0] as a matrix [o, ..], channels filled up to blocks with zeros: a filter is
          // what load3d makes of a window
  Frames, // [o, kw, c] as a matrix [o, ..]: a row of the input holds them one behind the other
};

/// The arguments of a kernel that are a convolution's operands.
struct ConvOperands {
  mlir::BlockArgument x; // [n, h, w, c]
  mlir::BlockArgument w; // a matrix
  mlir::Value bias;      // f32 or i32 [o]: an argument, a splat constant, or null
  FilterLayout layout = FilterLayout::Blocks;
};

/// Nothing if the kernel around the convolution is of another form. Its result is [n, h, w, o].
std::optional<ConvOperands> matchLayout(ConvOp conv, const CubeEpilogue &epilogue);

/// The limits of the im2col unit: fields of its special registers.
inline constexpr int64_t kMostStride = 63, kMostKernel = 255, kMostPad = 255, kMostColumns = 65535;

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_CONVLAYOUT_H
