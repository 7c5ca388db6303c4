// ProgramEmitter.h: writes the instructions of one program from a formed function and its layout.
#ifndef KILN_JIT_PROGRAMEMITTER_H
#define KILN_JIT_PROGRAMEMITTER_H

#include "jit/ProgramTables.h"
#include "kiln/jit/Fusion.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

namespace kiln::jit {

/// One walk over the function, block by block. ProgramEmitter.cpp has tables, launches and results,
/// ProgramControlFlow.cpp what scf ops become. Used once, by one thread; borrows module and request.
class ProgramEmitter {
public:
  ProgramEmitter(mlir::ModuleOp module, const ProgramRequest &request, ProgramLayout layout);
  /// The finished flatbuffer.
  Result<std::string> write();

private:
  /// Equal names of dynamic extents are one register: the runtime checks that later inputs agree with the
  /// first.
  void addInputs();
  /// Extents come when the body has been written as far as the return.
  void addOutputs();
  void planTemporaries();

  Result<std::vector<Number>> extentsOf(mlir::Value tensor);
  Result<Number> bytesOf(mlir::Value tensor, schema::BlockT &block);
  /// A mixed list of offsets or extents as numbers.
  Result<std::vector<Number>> numbersOf(llvm::ArrayRef<mlir::OpFoldResult> values);
  /// The extents of `op`'s result from a mixed list: static ones, values where it has `?`.
  Status setMixedExtents(mlir::Value tensor, mlir::ArrayRef<int64_t> sizes, mlir::ValueRange values);

  Status writeBlock(mlir::Block &block, schema::BlockT &out);
  /// Frees what nobody reads behind `op`.
  void releaseAfter(mlir::Operation *op, schema::BlockT &out);
  void release(uint32_t id, schema::BlockT &out);
  Status writeOp(mlir::Operation &op, schema::BlockT &out);
  Status writeAssert(mlir::cf::AssertOp op, schema::BlockT &out);
  Status writeAlias(mlir::Operation &op, mlir::Value source);
  /// Memory for a storage whose size the run knows: at the op that fills it.
  Status allocate(mlir::Value value, schema::BlockT &out);
  Status writeLaunch(LaunchOp op, schema::BlockT &out);
  Status writeAppend(AppendOp op, schema::BlockT &out);
  Status writeExtract(mlir::tensor::ExtractOp op, schema::BlockT &out);
  /// Memory for `tensor` in a Dynamic buffer.
  Status allocateFor(uint32_t buffer, mlir::Value tensor, schema::BlockT &out);
  bool isDynamic(uint32_t buffer) const;
  Status copy(uint32_t to, uint32_t from, mlir::Value tensor, schema::BlockT &out);
  /// A slice of consecutive elements is copied into the destination, which it shares with its result.
  Status writeInsert(mlir::tensor::InsertSliceOp op, schema::BlockT &out);

  Status writeIf(mlir::scf::IfOp op, schema::BlockT &out);
  /// Registers for what regions compute: numbers, and extents of tensors.
  void prepareRegisters(mlir::ValueRange values);
  Status writeBranch(mlir::scf::IfOp op, mlir::Region &region, schema::BlockT &out);
  enum class Round { First, Later };
  /// Writes what a loop carries: `values` into the storages and registers of `carried`, as if all at once.
  Status writeCarried(mlir::ValueRange carried, mlir::MutableArrayRef<mlir::OpOperand> values, Round round,
                      schema::BlockT &out);
  Status writeCarriedTensor(mlir::Value carried, mlir::OpOperand &operand, Round round, schema::BlockT &out);
  /// Moves numbers into registers as if all at once.
  void assign(std::vector<std::pair<Number, Number>> moves, schema::BlockT &out);
  Status writeFor(mlir::scf::ForOp op, schema::BlockT &out);
  Status writeWhile(mlir::scf::WhileOp op, schema::BlockT &out);
  Status writeBefore(mlir::scf::WhileOp op, Number condition, schema::BlockT &out);

  Status writeReturn(mlir::func::ReturnOp op, schema::BlockT &out);
  Status writeOutput(uint32_t index, mlir::Value value, schema::BlockT &out);

  mlir::func::FuncOp main;
  mlir::SymbolTable symbols;
  const ProgramRequest &request;
  ProgramLayout layout;
  WeightOnlyValues weightOnly;
  schema::ProgramT program;
  ProgramTables tables;
  IndexWriter indices;
  std::vector<uint32_t> buffers; // by storage
  std::vector<uint32_t> outputBuffers;
  llvm::DenseMap<mlir::Value, std::vector<Number>> extents; // of tensors with dynamic ones
  std::vector<mlir::Operation *> checks;
  llvm::DenseSet<int64_t> setupRequires; // registers
};

} // namespace kiln::jit
#endif // KILN_JIT_PROGRAMEMITTER_H
