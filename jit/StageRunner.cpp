// StageRunner.cpp: one pass manager a stage. IR is verified once a stage, not after each pass: that would
// take nearly half of the compile time.
#include "jit/StageRunner.h"

#include "kiln/jit/CompilerRegistrar.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;

namespace {
constexpr size_t kMaxStageTimes = 1 << 16;
} // namespace

uint64_t kiln::jit::steadyNowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void StageLog::add(StageTime time) {
  std::lock_guard lock(mutex);
  if (times.size() == kMaxStageTimes)
    times.pop_front();
  times.push_back(std::move(time));
}

std::deque<StageTime> StageLog::take() {
  std::lock_guard lock(mutex);
  return std::exchange(times, {});
}

void kiln::jit::addStagePasses(OpPassManager &pm, const TargetPipeline &pipeline, const Target &target,
                               Stage stage) {
  size_t index = static_cast<size_t>(stage);
  for (const StageBuilder &builder : pipeline.before[index])
    builder(pm, target);
  if (pipeline.stages[index])
    pipeline.stages[index](pm, target);
  else
    buildDefaultStage(stage, pm, target);
  for (const StageBuilder &builder : pipeline.after[index])
    builder(pm, target);
}

std::string kiln::jit::pipelineText(const TargetPipeline &pipeline, const Target &target, Stage first,
                                    Stage last) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (size_t i = static_cast<size_t>(first); i <= static_cast<size_t>(last); ++i) {
    OpPassManager pm(ModuleOp::getOperationName());
    addStagePasses(pm, pipeline, target, static_cast<Stage>(i));
    stream << (i == static_cast<size_t>(first) ? "" : ";") << stageName(static_cast<Stage>(i)) << '=';
    pm.printAsTextualPipeline(stream);
  }
  return text;
}

void kiln::jit::writeDump(const StageTrace &trace, StringRef stage, StringRef ending, StringRef text) {
  if (trace.dumpDir.empty())
    return;
  llvm::sys::fs::create_directories(trace.dumpDir);
  std::string path;
  llvm::raw_string_ostream(path) << trace.dumpDir << '/'
                                 << llvm::format("%03u", trace.log ? trace.log->nextDump() : 0) << '-'
                                 << trace.unit << '-' << stage << '.' << ending;
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (!error)
    file << text;
}

Status kiln::jit::runStage(ModuleOp module, const TargetPipeline &pipeline, const Target &target, Stage stage,
                           const StageTrace &trace) {
  std::string what =
      "'" + trace.unit + "', stage " + stageName(stage).str() + " for '" + target.deviceType + "'";
  DiagnosticCollector diagnostics(*module.getContext());
  uint64_t startNs = steadyNowNs();
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  addStagePasses(pm, pipeline, target, stage);
  bool failed = mlir::failed(pm.run(module));
  if (trace.log)
    trace.log->add({stageName(stage).str(), trace.unit, startNs, steadyNowNs()});
  if (!trace.dumpDir.empty()) {
    std::string text;
    llvm::raw_string_ostream(text) << module << '\n';
    writeDump(trace, stageName(stage), failed ? "failed.mlir" : "mlir", text);
  }
  if (failed)
    return diagnostics.toStatus(Code::Unimplemented, what);
  if (mlir::failed(verify(module)))
    return diagnostics.toStatus(Code::Internal, what + " left invalid IR");
  return {};
}
