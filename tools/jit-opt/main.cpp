// main.cpp: jit-opt runs passes on IR text: mlir-opt with the dialects and passes of kiln and of every
// backend.
#include "tools/mlir/Tooling.h"

#include "kiln/IR/Kiln.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace kiln;

namespace {
/// Flags beside those of mlir-opt.
struct Flags {
  llvm::cl::OptionCategory category{"kiln"};
  llvm::cl::list<std::string> stages{
      "kiln-stage", llvm::cl::cat(category), llvm::cl::CommaSeparated, llvm::cl::value_desc("[DEVICE:]STAGE"),
      llvm::cl::desc("run the passes of a device's stage, after other passes")};
  llvm::cl::opt<std::string> target{"kiln-target", llvm::cl::cat(category), llvm::cl::value_desc("DEVICE"),
                                    llvm::cl::desc("the device of --kiln-stage without one")};
  llvm::cl::opt<bool> counters{"kiln-counters", llvm::cl::cat(category),
                               llvm::cl::desc("print what passes counted, to standard error")};
};

/// Last in the pipeline: prints the context's counters.
struct PrintCounters : mlir::PassWrapper<PrintCounters, mlir::OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintCounters)
  void runOnOperation() override {
    if (auto *dialect = getContext().getLoadedDialect<KilnDialect>())
      for (const auto &[name, count] : dialect->counters())
        llvm::errs() << name << ' ' << count << '\n';
  }
};

int fail(const llvm::Twine &message, int code) {
  llvm::errs() << "jit-opt: error: " << message << '\n';
  return code;
}

std::pair<std::string, std::string> parseFlags(int argc, char **argv, mlir::DialectRegistry &registry) {
  tools::UsageExit usage;
  return mlir::registerAndParseCLIOptions(argc, argv, "Kiln's IR optimizer\n", registry);
}
} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  auto tooling = tools::Tooling::open("jit-opt", registry);
  if (!tooling.ok())
    return fail(tooling.status().message(), 3);
  Flags flags;
  auto [input, output] = parseFlags(argc, argv, registry);
  mlir::MlirOptMainConfig base = mlir::MlirOptMainConfig::createFromCLOptions(), config = base;
  bool isChecking = config.shouldVerifyDiagnostics() || config.shouldVerifyRoundtrip();
  int failure = isChecking ? 1 : 3; // the answer is no, or it could not be done
  config.setPassPipelineSetupFn([&](mlir::PassManager &pm) {
    if (failed(base.setupPassPipeline(pm)))
      return failure = 2, mlir::failure();
    for (const std::string &stage : flags.stages)
      if (Status status = tooling->addStage(pm, stage, flags.target); !status.ok()) {
        failure = fail(status.message(), status.code() == Code::InvalidArgument ? 2 : 3);
        return mlir::failure();
      }
    if (flags.counters)
      pm.addPass(std::make_unique<PrintCounters>());
    return mlir::success();
  });
  std::string error;
  auto file = mlir::openInputFile(input, &error);
  auto out = file ? mlir::openOutputFile(output, &error) : nullptr;
  if (!out)
    return fail(error, 3);
  if (failed(mlir::MlirOptMain(out->os(), std::move(file), registry, config)))
    return failure;
  out->keep();
  return 0;
}
