// CodeWriter.h: instructions of one core: registers for scalar values, loops, addresses of buffers.
#ifndef KILN_BACKENDS_NPU_CODEWRITER_H
#define KILN_BACKENDS_NPU_CODEWRITER_H

#include "backends/npu/IR/Npu.h"
#include "backends/npu/Isa/Isa.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::npu {

/// A number known now, or in a register.
struct Scalar {
  bool isReg = false;
  int64_t value = 0; // the number, or the register's
};

/// A memref followed to its memory: base address, extents, strides in elements.
struct Place {
  Scalar address; // bytes
  llvm::SmallVector<Scalar> extents, strides;
  mlir::Type element;
  int64_t elementBytes = 0;
};

/// Writes the code of one function after flags were placed. Registers hold scalar values from their
/// definition to their last use in the block that defines them; constants are made where they are used. Used
/// once, by one thread.
class CodeWriter {
public:
  explicit CodeWriter(mlir::func::FuncOp function);

  /// Fails with a diagnostic on the op that has no code, or if registers run out.
  mlir::LogicalResult run();
  std::vector<Inst> takeCode() { return std::move(code); }
  /// (first instruction, op number), where ops say which op of the launch they come from.
  const std::vector<std::pair<uint32_t, uint32_t>> &opRanges() const { return ranges; }

  // ---- For the code of npu ops (VectorCode.cpp, CubeCode.cpp)
  Scalar number(int64_t value) { return {false, value}; }
  Scalar scalar(mlir::Value value);
  Place place(mlir::Value memref);
  /// Arithmetic; folds numbers. The result lives until the current op's code is written.
  Scalar add(Scalar a, Scalar b) { return fold(Op::Add, a, b); }
  Scalar sub(Scalar a, Scalar b) { return fold(Op::Sub, a, b); }
  Scalar mul(Scalar a, Scalar b) { return fold(Op::Mul, a, b); }
  Scalar ceilDiv(Scalar a, int64_t b);
  /// Elements of a tile without gaps.
  Scalar elementsOf(const Place &place);
  Inst make(Op op, DType type);
  /// A register operand.
  void setReg(Inst &inst, Field field, Scalar value);
  /// A register or immediate operand.
  void set(Inst &inst, Field field, Scalar value);
  void emit(const Inst &inst) { code.push_back(inst); }
  void barrier(Pipe pipe);
  /// Masks of a vector instruction: the first `count` elements, counted on; or lanes of every repeat.
  void countElements(Scalar count);
  void maskLanes(int64_t lanes, int64_t perRepeat);
  /// Runs `body` for 0 to count - 1; unrolled if the count is a small number.
  void repeat(Scalar count, llvm::function_ref<void(Scalar)> body);

  static DType typeOf(mlir::Type element);
  /// The type of bits of that width.
  static DType bitsOf(int64_t bytes);

private:
  mlir::LogicalResult writeBlock(mlir::Block &block);
  mlir::LogicalResult writeOp(mlir::Operation *op);
  mlir::LogicalResult writeScalarOp(mlir::Operation *op);
  mlir::LogicalResult writeLoop(mlir::scf::ForOp loop);
  mlir::LogicalResult writeVectorOp(mlir::Operation *op);
  mlir::LogicalResult writeCubeOp(mlir::Operation *op);
  void writeFlag(Op op, devicekit::SyncOpInterface sync);
  void writeLoad(ir::LoadOp op);
  void writeStore(ir::StoreOp op);
  void writeBinary(ir::BinaryOp op);
  void writeReduce(ir::ReduceOp op);
  mlir::LogicalResult writeShapeOp(mlir::Operation *op);
  void writeScalarLoad(ir::ScalarLoadOp op);
  mlir::LogicalResult writeFill(ir::BroadcastOp op);
  void writeTranspose(ir::TransposeOp op);
  void writeGather(ir::GatherRowsOp op);
  void writeRange(ir::RangeOp op);
  mlir::LogicalResult writeCast(ir::CastOp op);
  void writeLoad2d(ir::Load2dOp op);
  void writeLoad3d(ir::Load3dOp op);
  /// What one load3d reads: a tensor of pixels, and rows and columns of its im2col matrix.
  struct Window {
    Scalar from, to, height, width, rows, start, depth;
  };
  void writeWindow(const Window &window, int64_t channels, int64_t elementBytes, Scalar pads, int64_t filter);

  Scalar fold(Op op, Scalar a, Scalar b);
  Scalar extent(mlir::OpFoldResult value);
  Scalar argumentOf(mlir::BlockArgument argument);
  Scalar dimOf(mlir::BlockArgument argument, int64_t axis);
  uint32_t allocate();
  uint32_t temporary();
  Scalar inReg(Scalar value);
  void define(mlir::Value value, Scalar scalar);
  void special(Special sr, Scalar value);
  void forgetMasks();
  void freeTemporaries();
  void freeAfter(mlir::Operation *op);

  mlir::func::FuncOp function;
  std::vector<Inst> code;
  std::vector<std::pair<uint32_t, uint32_t>> ranges;
  uint32_t usedRegs = 0;
  bool ranOut = false;
  llvm::SmallVector<uint32_t> temporaries;
  llvm::DenseMap<mlir::Value, Scalar> scalars;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> lastUses; // values that die after an op
  std::optional<int64_t> maskMode, mask0, mask1;                              // known contents
};

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_CODEWRITER_H
