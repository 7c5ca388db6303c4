// ProgramTables.h: a program's tables in the making: constants, buffers, kernels, ports.
#ifndef KILN_JIT_PROGRAMTABLES_H
#define KILN_JIT_PROGRAMTABLES_H

#include "jit/IndexWriter.h"
#include "jit/ProgramLayout.h"
#include "jit/ProgramWriter.h"

#include "llvm/ADT/StringMap.h"

namespace kiln::jit {

/// Adds entries to a ProgramT, equal ones once. Borrows it. Used by one thread.
class ProgramTables {
public:
  ProgramTables(schema::ProgramT &program, const ProgramRequest &request)
      : program(program), request(request) {}

  uint32_t addBuffer(schema::BufferKind kind, uint32_t index, Number offset = {}, Number bytes = {});
  /// The buffer of a kiln.constant or kiln.weight; a large splat is filled by `prologue`.
  Result<uint32_t> addConstant(mlir::Operation *op, schema::BlockT &prologue);
  uint32_t addKernel(KernelOp kernel);
  /// An input or output with its buffer, which is returned.
  uint32_t addPort(bool isOutput, const ModelPort &port, llvm::ArrayRef<Number> dims);

private:
  uint32_t constantBuffer(llvm::StringRef digest, uint64_t bytes, llvm::StringRef name,
                          llvm::StringRef inlineData);

  schema::ProgramT &program;
  const ProgramRequest &request;
  llvm::StringMap<uint32_t> constants; // digest to buffer
  llvm::DenseMap<mlir::Operation *, uint32_t> kernels;
};

} // namespace kiln::jit
#endif // KILN_JIT_PROGRAMTABLES_H
