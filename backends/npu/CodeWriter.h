// CodeWriter.h: instructions of one core: registers for scalar values, loops, addresses of buffers.
#ifndef KILN_BACKENDS_NPU_CODEWRITER_H
#define KILN_BACKENDS_NPU_CODEWRITER_H

#include "backends/npu/IR/Npu.h"
#include "backends/npu/Isa/Isa.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// What is known of the bits above an integer's own in its register: copies of its sign, zeros, or both.
struct Extension {
  bool isSign = false, isZero = false;
};

/// Writes the code of one function after flags were placed. Every value has a register of its own, until
/// Registers.h gives them those of the core; constants are made where they are used. Used once, by one
/// thread.
class CodeWriter {
public:
  explicit CodeWriter(mlir::func::FuncOp function);

  /// Fails with a diagnostic on the op that has no code, or if a core without UB has too few registers.
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
  // ---- Scalar ops and control flow (ScalarArith.cpp, ScalarCode.cpp)
  mlir::LogicalResult writeScalarOp(mlir::Operation *op);
  mlir::LogicalResult writeScalarCast(mlir::Operation *op);
  mlir::LogicalResult writeInteger(mlir::Operation *op);
  mlir::LogicalResult writeFloat(mlir::Operation *op);
  void writeRounding(mlir::Value x, Round round, mlir::Value result);
  void writeSelect(mlir::arith::SelectOp op);
  void writeFloatCompare(mlir::arith::CmpFOp op);
  void writeScalarMemory(mlir::Operation *op);
  mlir::LogicalResult writeLoop(mlir::scf::ForOp loop);
  mlir::LogicalResult writeIf(mlir::scf::IfOp op);
  mlir::LogicalResult writeWhile(mlir::scf::WhileOp loop);
  void readSpecial(mlir::Operation *op, Special sr);
  /// The value with the bits above its own made copies of its sign, or zeros.
  Scalar extended(mlir::Value value, bool isSigned);
  Scalar forUnsignedOrder(mlir::Value value);
  std::pair<Scalar, Scalar> compared(mlir::arith::CmpIOp op);
  Scalar compute(Op op, Scalar a, Scalar b);
  Scalar compute(Op op, Scalar a, Round round = Round::None);
  /// A branch past what follows, whose target is still to be set; its place in the code.
  size_t branchUnless(mlir::Value condition);
  void jumpTo(size_t target);
  void moveTo(uint32_t reg, Scalar value);
  void moveAll(llvm::ArrayRef<uint32_t> to, mlir::ValueRange values);
  llvm::SmallVector<uint32_t> registersFor(mlir::ValueRange values);
  void standFor(mlir::Value value, mlir::Value other);
  void defineAs(mlir::Value result, Scalar value, Extension extension);
  mlir::LogicalResult writeVectorOp(mlir::Operation *op);
  mlir::LogicalResult writeCubeOp(mlir::Operation *op);
  void writeFlag(Op op, devicekit::SyncOpInterface sync);
  void writeCross(Op op, ir::Pipe pipe, int64_t flag);
  bool writeLines(Op op, mlir::Value gm, const Place &far, const Place &local);
  void writeLoad(ir::LoadOp op);
  Scalar toBlockEnd(Scalar bytes, int64_t elementBytes);
  void writeStore(ir::StoreOp op);
  void writeBinary(ir::BinaryOp op);
  void writeReduce(ir::ReduceOp op);
  mlir::LogicalResult writeShapeOp(mlir::Operation *op);
  void writeScalarLoad(ir::ScalarLoadOp op);
  mlir::LogicalResult writeFill(ir::BroadcastOp op);
  void writeTranspose(ir::TransposeOp op);
  void writeGather(ir::GatherRowsOp op);
  void writeRange(ir::RangeOp op);
  void writeSort(ir::SortOp op);
  void writeMerge(ir::MergeOp op);
  mlir::LogicalResult writeCast(ir::CastOp op);
  void writeL0cToUb(ir::L0cToUbOp op);
  void writeNzToNd(ir::NzToNdOp op);
  void writeLoad2d(ir::Load2dOp op);
  void writeLoad3d(ir::Load3dOp op);
  /// What one load3d reads: a tensor of pixels, and rows and columns of its im2col matrix.
  struct Window {
    Scalar from, to, height, width, rows, start, depth, firstRow = {};
  };
  void writeWindow(const Window &window, int64_t channels, int64_t elementBytes, Scalar pads, int64_t filter);

  Scalar fold(Op op, Scalar a, Scalar b);
  Scalar extent(mlir::OpFoldResult value);
  /// Says that a value has no code here; the function is then refused.
  Scalar lost(mlir::Value value);
  Scalar argumentAt(int64_t slot);
  Scalar argumentOf(mlir::BlockArgument argument);
  int64_t constantsEnd();
  Scalar dimOf(mlir::BlockArgument argument, int64_t axis);
  uint32_t allocate();
  uint32_t temporary();
  Scalar inReg(Scalar value);
  void define(mlir::Value value, Scalar scalar);
  void special(Special sr, Scalar value);
  void forgetMasks();
  void freeTemporaries() { temporaries.clear(); }

  mlir::func::FuncOp function;
  std::vector<Inst> code;
  std::vector<std::pair<uint32_t, uint32_t>> ranges;
  uint32_t registers = 0;                  // as many as there are values
  llvm::SmallVector<uint32_t> temporaries; // of the op that is being written: nobody else has them
  llvm::DenseMap<mlir::Value, Scalar> scalars;
  llvm::DenseMap<mlir::Value, Extension> extensions;
  std::optional<int64_t> maskMode, mask0, mask1; // known contents
  bool isLost = false;
};

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_CODEWRITER_H
