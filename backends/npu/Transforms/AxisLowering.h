// AxisLowering.h: kernels of one op whose result at a place depends on where that is along one axis: sort,
// top_k, arg_reduce, cumulative.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_AXISLOWERING_H
#define KILN_BACKENDS_NPU_TRANSFORMS_AXISLOWERING_H

#include "backends/npu/Target.h"
#include "backends/npu/Transforms/GlobalView.h"
#include "backends/npu/Transforms/TileBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::npu {

/// What such lowerings have in common: the operand as [outer][along][inner], the loop over units, transfers
/// of tiles. Used once, by one thread.
class AxisLowering {
public:
  AxisLowering(KernelOp kernel, mlir::Operation *op, int64_t axis, const Target &target);

protected:
  /// Opens the kernel's function of that template.
  void open(llvm::StringRef codeTemplate);
  /// Fails if UB does not hold the function's buffers.
  mlir::LogicalResult checkFits();
  /// The extents around and along the axis; after open().
  mlir::OpFoldResult outer(), inner(), along();
  std::optional<int64_t> knownAlong() const;
  bool isInnermost() const;
  /// The buffer of a result of the op; null if the kernel does not give it.
  mlir::Value resultOf(unsigned number);
  /// Whether tiles hold elements of the operand's type exactly as f32.
  bool isExactInF32() const;
  /// As they lie in memory: rows and columns of the tile, the first from element `offset` on.
  TileValue load(mlir::OpFoldResult offset, mlir::OpFoldResult rowStride);
  /// As numbers.
  TileValue widen(TileValue raw);
  /// As elements of a result, to memory.
  void store(TileValue x, mlir::Value result, mlir::OpFoldResult offset, mlir::OpFoldResult rowStride);
  /// 0, 1, .. of i32 along the columns of a tile, or on through its rows.
  TileValue count(bool throughRows);
  /// Elements of a tile, from the first on, as a matrix of one row.
  mlir::Value flat(mlir::Value buffer, mlir::OpFoldResult from, mlir::OpFoldResult size);

  KernelOp kernel;
  mlir::Operation *op;
  const Target &target;
  mlir::OpBuilder builder;
  mlir::Location loc;
  IndexMath math;
  mlir::func::FuncOp function;
  mlir::Value x; // the operand in global memory
  std::unique_ptr<TileBuilder> tiles;

private:
  mlir::OpFoldResult product(int64_t begin, int64_t end);
  int64_t axis, rank;
};

/// Elements of a row that is sorted in one tile, at most: of which UB holds all buffers.
inline constexpr int64_t kLongestSorted = 4096;

/// The axis of such an op, counted from 0.
int64_t axisOf(mlir::Operation *op);
/// Whether a kernel is one sort or top_k, arg_reduce or cumulative of an argument.
bool isAxisKernel(KernelOp kernel);
/// Their lowerings for vector cores; they fail with a diagnostic that names what is not lowered.
mlir::LogicalResult lowerAxisKernel(KernelOp kernel, const Target &target);
mlir::LogicalResult lowerSortKernel(KernelOp kernel, mlir::Operation *op, const Target &target);
/// Of rows of any length.
mlir::LogicalResult lowerLongSortKernel(KernelOp kernel, mlir::Operation *op, const Target &target);
mlir::LogicalResult lowerScanKernel(KernelOp kernel, mlir::Operation *op, const Target &target);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_AXISLOWERING_H
