// LlvmModule.h: a kernel module as optimised LLVM IR with its target machine.
#ifndef KILN_BACKENDS_HOST_LLVMMODULE_H
#define KILN_BACKENDS_HOST_LLVMMODULE_H

#include "kiln/jit/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace kiln::host {

/// One kernel in LLVM's hands. Owns everything it refers to; for one thread.
class LlvmModule {
public:
  /// Translates and optimises; fails with a diagnostic on `module`.
  static mlir::FailureOr<std::unique_ptr<LlvmModule>> create(mlir::ModuleOp module,
                                                             const jit::Target &target);
  /// Runs the code generator.
  mlir::LogicalResult generate(llvm::CodeGenFileType type, llvm::SmallVectorImpl<char> &out);
  const llvm::Module &ir() const { return *module; }

private:
  explicit LlvmModule(mlir::Location loc) : loc(loc) {}
  void prepareFunctions(const jit::Target &target);
  void optimise();

  mlir::Location loc;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_LLVMMODULE_H
