// CubeBuilder.h: what kernels of the cube have in common: tiles in L1 and L0, biases, the way out of L0C.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_CUBEBUILDER_H
#define KILN_BACKENDS_NPU_TRANSFORMS_CUBEBUILDER_H

#include "backends/npu/IR/Npu.h"
#include "backends/npu/Transforms/GlobalView.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::npu {

/// An operand in global memory: a matrix a batch, row-major, its elements adjacent.
struct CubeOperand {
  mlir::Value memref;        // an argument of the function
  bool depthIsRow = false;   // a row of memory runs along rows (of B: columns) of the result
  mlir::OpFoldResult stride; // from row to row
  llvm::SmallVector<mlir::OpFoldResult> steps; // from batch to batch, by axis of the batches; 0: read again
};

/// Result and epilogue of whatever accumulates in L0C.
struct CubeOutput {
  mlir::Value memref;        // an argument of the function
  mlir::OpFoldResult stride; // from row to row
  mlir::Type element;
  mlir::Value bias; // f32 or i32: an argument of the function with one number a column, or a number in a
                    // register; null: none
  bool isRelu = false;
};

/// A bias of the kernel as CubeOutput has it: an argument of it, or a constant that is a splat.
mlir::Value biasIn(mlir::OpBuilder &builder, mlir::Location loc, mlir::func::FuncOp function,
                   mlir::Value bias);
/// What accumulates products of `element`: i32 or f32.
mlir::Type sumType(mlir::Type element);
/// Whether the cube of the chip multiplies `element`.
bool isCubeType(const Target &target, mlir::Type element);
/// Whether the fixpipe writes sums of `element` as `result`.
bool isCubeResult(mlir::Type element, mlir::Type result);
/// Multiply-accumulates along the depth a cycle.
int64_t cubeDepth(const Target &target, mlir::Type element);
/// Rows and columns of the blocks that are transposed on the way to L0.
inline int64_t squareOf(mlir::Type element) { return std::max<int64_t>(16, ir::blockElements(element)); }
/// Whether an extent may be no multiple of `of`.
bool isRagged(mlir::OpFoldResult extent, int64_t of);

/// Builds at the builder's insertion point; used by one thread.
class CubeBuilder {
public:
  CubeBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::func::FuncOp function, mlir::Type element)
      : builder(builder), loc(loc), math(builder, loc), function(function), element(element) {}

protected:
  mlir::Value allocate(llvm::ArrayRef<int64_t> extents, mlir::Type type, ir::Memory memory);
  /// Zeros in all of a buffer of L1: whole fractals are copied on, and what is past the end must not disturb.
  void clear(mlir::Value buffer);
  /// Room in L0 for rows of A (columns of B) over a depth.
  mlir::Value allocateL0(ir::Memory memory, int64_t rows, int64_t depth);
  /// Columns of B that lie in L0: whole squares where they are transposed.
  mlir::OpFoldResult columnsInL0(mlir::OpFoldResult columns, bool isTransposed);
  mlir::Value isZero(mlir::OpFoldResult index);
  /// What of a tile lies before the end of `extent`.
  mlir::OpFoldResult clip(mlir::OpFoldResult extent, int64_t tile, mlir::OpFoldResult start);
  /// A loop from 0 to `end`, which is above 0; none if one step is known to do.
  void forSteps(mlir::OpFoldResult end, int64_t step, llvm::function_ref<void(mlir::OpFoldResult)> body);
  /// A tile of an operand in L1, zN of the matrix as it lies in memory: `extent` rows (or columns) of the
  /// result and `sizeK` of the depth, from element `offset` on. The buffer holds `tile` and `depth` of them.
  /// `isWhole`: the end is always that of a fractal, or of a square that is transposed.
  mlir::Value loadTile(const CubeOperand &operand, mlir::OpFoldResult offset, mlir::OpFoldResult extent,
                       mlir::OpFoldResult sizeK, int64_t tile, int64_t depth, bool isWhole);
  /// The extents of such a buffer, and its filling from memory.
  llvm::SmallVector<int64_t> tileExtents(bool depthIsRow, int64_t tile, int64_t depth);
  void fillTile(mlir::Value buffer, const CubeOperand &operand, mlir::OpFoldResult offset,
                mlir::OpFoldResult extent, mlir::OpFoldResult sizeK);
  /// A part of a buffer along an axis, whose fractals lie as in the whole.
  mlir::Value slice(mlir::Value buffer, int64_t axis, mlir::OpFoldResult first, int64_t count);
  /// A loop that runs once where `index` is 0, else not at all.
  void once(mlir::OpFoldResult index, llvm::function_ref<void()> body);
  /// Biases from `start` on in the bias table, by way of L1; `tile` of them at most. `isWhole`: there are
  /// always whole blocks of what is read.
  mlir::Value loadBias(mlir::Value bias, mlir::OpFoldResult start, mlir::OpFoldResult columns, int64_t tile,
                       bool isWhole);
  /// The sums' way out: rows and columns at `offset` of the output.
  void storeSums(const CubeOutput &output, mlir::Value sums, mlir::OpFoldResult offset,
                 mlir::OpFoldResult rows, mlir::OpFoldResult columns);

  /// The same on cores with both units, where sums leave by UB.
  void storeByUb(const CubeOutput &output, mlir::Value sums, mlir::OpFoldResult offset,
                 mlir::OpFoldResult rows, mlir::OpFoldResult columns, ir::Quant quant);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  IndexMath math;
  mlir::func::FuncOp function;
  mlir::Type element; // of the operands
};

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_CUBEBUILDER_H
