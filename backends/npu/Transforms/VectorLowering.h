// VectorLowering.h: kernels of elementwise ops and reductions as loops over tiles in UB.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_VECTORLOWERING_H
#define KILN_BACKENDS_NPU_TRANSFORMS_VECTORLOWERING_H

#include "backends/npu/Target.h"
#include "kiln/IR/Kiln.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::npu {

/// What the object emitter reads off a lowered kernel's function.
inline constexpr llvm::StringLiteral kCoreAttr = "npu.core";            // "aic" or "aiv"
inline constexpr llvm::StringLiteral kBlocksAttr = "npu.blocks";        // i64, the grid
inline constexpr llvm::StringLiteral kSignatureAttr = "kiln.signature"; // the kernel's type, with signs
inline constexpr llvm::StringLiteral kTemplateAttr = "kiln.template";
inline constexpr llvm::StringLiteral kWorkspaceAttr =
    "kiln.workspace"; // its bytes, an expression (LaunchConstants.h)
/// On a function without kiln.kernel beside the kernel's, which is for cube cores: what the block's vector
/// cores run.
inline constexpr llvm::StringLiteral kVectorPartAttr = "npu.vector_part";
/// On memref.alloc: several blocks see it.
inline constexpr llvm::StringLiteral kSharedAttr = "npu.shared";
/// On a kernel that goes to the scalar unit: why it does.
inline constexpr llvm::StringLiteral kReasonAttr = "npu.scalar_reason";

/// A function of `kernel`'s name on buffers in global memory (arguments, then results; i1 as ui8, 32 and 64
/// bits without signs), with an empty body that ends in a return; inserted before the kernel.
mlir::func::FuncOp makeFunction(KernelOp kernel, llvm::StringRef core, llvm::StringRef codeTemplate);
/// A loop in which blocks take `units` in turn, as many blocks as there are `cores`, or units if these are
/// known to be fewer; makes the function's grid that large. The builder then stands in its body.
mlir::Value openUnits(mlir::OpBuilder &builder, mlir::Location loc, mlir::func::FuncOp function,
                      mlir::OpFoldResult units, uint64_t cores);

/// Lowers a kernel for vector cores: fills a function made by makeFunction. Fails with a diagnostic that
/// names what is not lowered.
mlir::LogicalResult lowerVectorKernel(KernelOp kernel, const Target &target);
/// Whether a kernel is one concat or pad; and its lowering for vector cores.
bool isMovementKernel(KernelOp kernel);
mlir::LogicalResult lowerMovementKernel(KernelOp kernel, const Target &target);
/// Whether a kernel is a pooling or a depthwise convolution, with elementwise ops behind it; and its lowering
/// for vector cores.
bool isWindowKernel(KernelOp kernel);
mlir::LogicalResult lowerWindowKernel(KernelOp kernel, const Target &target);
/// Whether one kernel of cube and vector cores takes the attention.
bool isMixedAttention(AttentionOp op, const Target &target);
/// Whether a kernel is one such attention; and its lowering.
bool isAttentionKernel(KernelOp kernel);
mlir::LogicalResult lowerAttentionKernel(KernelOp kernel, const Target &target);
/// Lowers a kernel with a product (CubeEpilogue.h) for cube cores.
mlir::LogicalResult lowerCubeKernel(KernelOp kernel, const Target &target);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_VECTORLOWERING_H
