// ProgramStore.h: a session's loaded programs, by model and input shapes.
#ifndef KILN_RUNTIME_PROGRAMSTORE_H
#define KILN_RUNTIME_PROGRAMSTORE_H

#include "runtime/DeviceStore.h"
#include "runtime/Interpreter.h"

namespace kiln {

/// A program on the session's device, ready to run.
struct LoadedProgram {
  ModelRef model;
  ProgramFileRef file;
  InputDims dims; // that it is for
  std::unique_ptr<Interpreter> interpreter;
  std::mutex running;      // held while a run is queued: guards the interpreter and isResolved
  bool isResolved = false; // every launch has its kernel
  uint64_t lastUse = 0;    // of the store's clock, under its lock
};
using LoadedProgramRef = std::shared_ptr<LoadedProgram>;

/// Exact shapes first, then a program with dynamic extents, in memory and then in the cache. An extent that
/// the model declares dynamic and that comes with a second value is compiled dynamic, if the compiler can;
/// else each value has its own program. Ownership: keeps models until the session ends, and programs unless
/// their kernels must make room. Threads: every member is safe from any thread. One lock is held to look; one
/// of the model, while a program is made for it, keeps others from making the same one.
class ProgramStore {
public:
  ProgramStore(Instance &instance, DeviceStore &device, Queue &queue);

  /// The loaded program for these shapes; builds and loads it if there is none. `compileAll`: all kernels are
  /// compiled side by side first. A program that is there costs one lock and, if it is the one of the call
  /// before, one comparison of extents.
  Result<LoadedProgramRef> find(const ModelRef &model, std::span<const std::vector<int64_t>> inputDims,
                                bool compileAll);
  /// Forgets half of the programs that nobody runs, the longest unused first.
  void dropIdle();

private:
  struct ModelPrograms {
    explicit ModelPrograms(ModelRef model) : model(std::move(model)) {}
    const ModelRef model;
    // Under the store's lock, as their lastUse:
    std::vector<LoadedProgramRef> programs;
    LoadedProgramRef latest; // what was found last, and for what: most runs repeat the one before
    InputDims latestDims;
    std::mutex making;
    bool dynamicRefused = false; // under `making`
  };
  LoadedProgramRef lookUpLocked(ModelPrograms &known, std::span<const std::vector<int64_t>> inputDims);
  Result<LoadedProgramRef> make(ModelPrograms &known, std::span<const std::vector<int64_t>> inputDims,
                                bool compileAll);
  Status resolveAll(LoadedProgram &program);
  Result<LoadedProgramRef> load(const ModelRef &model, ProgramFileRef file, InputDims dims, bool compileAll);
  Result<ProgramFileRef> findOrBuild(ModelPrograms &known, InputDims &dims);
  std::optional<InputDims> dynamicPattern(const ModelPrograms &known, const InputDims &dims);

  Instance &instance;
  DeviceStore &device;
  Queue &queue;
  std::mutex mutex;
  std::unordered_map<const Model *, std::unique_ptr<ModelPrograms>> models;
  uint64_t clock = 0;
};

} // namespace kiln
#endif // KILN_RUNTIME_PROGRAMSTORE_H
