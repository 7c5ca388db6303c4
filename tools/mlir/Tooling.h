// Tooling.h: the dialects and passes that MLIR's own tools are made over: MLIR's, kiln's and every backend's.
#ifndef KILN_TOOLS_MLIR_TOOLING_H
#define KILN_TOOLS_MLIR_TOOLING_H

#include "jit/Compiler.h"
#include "runtime/Instance.h"

namespace kiln::tools {

/// While one lives, exit(1) ends the process with 2: LLVM's parser of command lines exits by itself, and 2 is
/// what every tool of Kiln says of a command line that is wrong.
class UsageExit {
public:
  UsageExit();
  UsageExit(const UsageExit &) = delete;
  UsageExit &operator=(const UsageExit &) = delete;
  ~UsageExit();
};

/// A compiler with the compiler tier of every backend that can be loaded.
/// Ownership: keeps the runtime's instance alive. Threads: used by the tool's main thread.
class Tooling {
public:
  /// Registers all dialects in `registry` and all passes with MLIR. Backends that cannot be loaded are named
  /// on standard error and left out.
  static Result<Tooling> open(llvm::StringRef tool, mlir::DialectRegistry &registry);

  jit::Compiler &compiler() const { return *theCompiler; }
  /// Adds the passes of a stage, spelled "STAGE" or "DEVICE:STAGE". InvalidArgument says what stages there
  /// are, NotFound what devices.
  Status addStage(mlir::OpPassManager &pm, llvm::StringRef spelled, llvm::StringRef defaultDevice) const;

private:
  std::shared_ptr<Instance> instance;
  jit::Compiler *theCompiler = nullptr;
};

} // namespace kiln::tools
#endif // KILN_TOOLS_MLIR_TOOLING_H
