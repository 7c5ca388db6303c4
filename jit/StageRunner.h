// StageRunner.h: runs one stage on a module: timed, dumped, verified, its errors turned into a status.
#ifndef KILN_JIT_STAGERUNNER_H
#define KILN_JIT_STAGERUNNER_H

#include "jit/Diagnostics.h"
#include "kiln/jit/StageRegistry.h"

#include <atomic>
#include <deque>
#include <mutex>

namespace kiln::jit {

struct StageTime {
  std::string stage, unit; // unit: the kernel's or function's name
  uint64_t startNs, endNs; // steady clock
};

/// The stages run since they were last asked for; the oldest are dropped beyond a bound. Safe from any
/// thread.
class StageLog {
public:
  void add(StageTime time);
  std::deque<StageTime> take();
  /// Numbers for dump files, in the order of running.
  uint32_t nextDump() { return dumps++; }

private:
  std::mutex mutex;
  std::deque<StageTime> times;
  std::atomic<uint32_t> dumps{0};
};

/// Where a compilation leaves traces.
struct StageTrace {
  StageLog *log = nullptr; // null: nowhere
  std::string unit;
  std::string dumpDir; // "": none. NNN-<unit>-<stage>.mlir
};

/// The passes of a stage with what other backends insert around it; jit's own for graph and form unless
/// replaced.
void addStagePasses(mlir::OpPassManager &pm, const TargetPipeline &pipeline, const Target &target,
                    Stage stage);
/// The stages `first` to `last` as one line of text, for keys: it changes when any pass or pass option does.
std::string pipelineText(const TargetPipeline &pipeline, const Target &target, Stage first, Stage last);

/// Runs a stage. Unimplemented with the diagnostics if a pass fails; Internal if the stage leaves invalid IR.
Status runStage(mlir::ModuleOp module, const TargetPipeline &pipeline, const Target &target, Stage stage,
                const StageTrace &trace);

/// Writes `text` as a dump file; errors are ignored but reported by the file's absence.
void writeDump(const StageTrace &trace, llvm::StringRef stage, llvm::StringRef ending, llvm::StringRef text);

uint64_t steadyNowNs();

} // namespace kiln::jit
#endif // KILN_JIT_STAGERUNNER_H
