// Compiler.h: what stands behind the C table of kiln/compiler.h.
#ifndef KILN_JIT_COMPILER_H
#define KILN_JIT_COMPILER_H

#include "jit/BackendTiers.h"
#include "jit/BuildIds.h"
#include "jit/ImportService.h"
#include "jit/ProgramBuilder.h"

namespace kiln::jit {

/// One opened compiler: registrations, importers, stage log.
/// Ownership: made by kiln_compiler_open_v1, lives until the process ends; borrows the host's table.
/// Threads:   safe from any thread. Work on one model is serialised by the model's mutex; kernels compile in
/// parallel.
class Compiler {
public:
  /// FailedPrecondition: libMLIR or libLLVM are not those that Kiln was built with.
  static Result<std::unique_ptr<Compiler>> create(const KilnCompilerHost &host);

  const std::string &version() const { return theVersion; }
  ImportService &importers() { return theImporters; }
  BackendTiers &backends() { return theBackends; }
  PipelineRegistry &registry() { return theRegistry; }
  StageLog &stageLog() { return log; }

  Result<std::string> buildProgram(Model &model, const KilnProgramArgs &args);
  Result<std::string> compileKernel(const KilnKernelArgs &args);
  /// InvalidArgument lists the stages and emitters that there are.
  Result<std::string> emit(Model &model, const KilnProgramArgs &args, llvm::StringRef what);
  Status visitPasses(llvm::function_ref<void(const KilnPassEntry &)> visit);

private:
  explicit Compiler(const KilnCompilerHost &host);
  TargetKey targetKey(const TargetPipeline &pipeline, const Target &target);
  Result<std::string> emitKernels(mlir::ModuleOp module, const TargetPipeline &pipeline, const Target &target,
                                  const KilnProgramArgs &args, llvm::StringRef what);

  const KilnCompilerHost host;
  std::string theVersion;
  PipelineRegistry theRegistry;
  BackendTiers theBackends;
  ImportService theImporters;
  StageLog log;
  uint32_t runtimeSymbolsVersion = 0;
  std::vector<RegisteredPass> own;
};

/// The compiler behind a table that kiln_compiler_open_v1 filled, for tools that link libkiln_compiler.
Compiler &compilerOf(const KilnCompiler &table);

} // namespace kiln::jit
#endif // KILN_JIT_COMPILER_H
