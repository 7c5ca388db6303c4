// ConvLowering.h: kernels around one convolution.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_CONVLOWERING_H
#define KILN_BACKENDS_NPU_TRANSFORMS_CONVLOWERING_H

#include "backends/npu/Target.h"
#include "backends/npu/Transforms/ConvLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::npu {

/// Lowers a kernel whose only product is a convolution in the layout of kiln-npu-lay-out-convs. `epilogue` is
/// the convolution's. Fails with a diagnostic that names what is not lowered.
mlir::LogicalResult lowerConvKernel(KernelOp kernel, ConvOp conv, const CubeEpilogue &epilogue,
                                    const Target &target);
/// Of one row of frames: a product whose left rows overlap where the stride is less than the window.
void emitFrames(mlir::OpBuilder &builder, mlir::Location loc, mlir::func::FuncOp function, ConvOp conv,
                const ConvOperands &operands, bool isRelu, const Target &target);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_CONVLOWERING_H
