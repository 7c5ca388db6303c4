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
  std::vector<std::vector<int64_t>> dims; // that it is for; -1: any
  std::unique_ptr<Interpreter> interpreter;
  bool isResolved = false; // every launch has its kernel

  bool accepts(std::span<const std::vector<int64_t>> inputDims) const;
};
using LoadedProgramRef = std::shared_ptr<LoadedProgram>;

/// Exact shapes first, then a program with dynamic extents. An extent that the model declares dynamic and
/// that comes with a second value is compiled dynamic, if the compiler can; else each value has its own
/// program. Ownership: keeps programs and models until the session ends. Threads: one thread at a time.
class ProgramStore {
public:
  ProgramStore(Instance &instance, DeviceStore &device, Queue &queue)
      : instance(instance), device(device), queue(queue) {}

  /// The loaded program for these shapes; builds and loads it if there is none. `compileAll`: all kernels are
  /// compiled side by side first.
  Result<LoadedProgramRef> find(const ModelRef &model, std::span<const std::vector<int64_t>> inputDims,
                                bool compileAll);
  /// The program alone, not loaded.
  Result<ProgramFileRef> build(const ModelRef &model, const std::vector<std::vector<int64_t>> &inputDims);

private:
  struct ModelPrograms {
    std::vector<LoadedProgramRef> programs;
    bool dynamicRefused = false;
  };
  Result<LoadedProgramRef> load(const ModelRef &model, ProgramFileRef file,
                                std::vector<std::vector<int64_t>> dims, bool compileAll);
  std::optional<std::vector<std::vector<int64_t>>>
  dynamicPattern(const ModelPrograms &known, const Model &model,
                 std::span<const std::vector<int64_t>> dims) const;

  Instance &instance;
  DeviceStore &device;
  Queue &queue;
  std::unordered_map<const Model *, ModelPrograms> models;
};

/// The compiler's view of shapes: all extents in one array. Borrows from `dims`' copy inside.
struct ProgramShape {
  explicit ProgramShape(std::span<const std::vector<int64_t>> inputDims);
  KilnProgramArgs args(const CompileSettings &settings) const;

private:
  std::vector<int64_t> dims;
  std::vector<uint32_t> ranks;
};

} // namespace kiln
#endif // KILN_RUNTIME_PROGRAMSTORE_H
