// TargetCompiler.h: programs and kernels for one target: from memory, from the cache, else compiled. No
// device is needed.
#ifndef KILN_RUNTIME_TARGETCOMPILER_H
#define KILN_RUNTIME_TARGETCOMPILER_H

#include "runtime/Model.h"
#include "runtime/ProgramCache.h"

#include <unordered_map>

namespace kiln {

/// What to compile for, and how: the strings behind a KilnCompileTarget.
struct CompileSettings {
  TargetDescription target;
  std::string backend, dumpDir;
  std::string deviceOptions = {}; // that the device was opened with, "key=value;..."
  KilnCompileTarget toC() const;  // borrows from this object
};

/// The compiler's view of shapes: all extents in one array. Owns what args() borrows.
struct ProgramShape {
  explicit ProgramShape(std::span<const std::vector<int64_t>> inputDims);
  KilnProgramArgs args(const CompileSettings &settings) const;

private:
  std::vector<int64_t> dims;
  std::vector<uint32_t> ranks;
};

/// Ownership: borrows the instance. Threads: every member is safe from any thread; no lock is held while
/// something is compiled.
class TargetCompiler {
public:
  TargetCompiler(Instance &instance, CompileSettings settings)
      : instance(instance), theSettings(std::move(settings)) {}
  const CompileSettings &settings() const { return theSettings; }
  CompileCounters &counters() { return theCounters; }

  /// The program for these shapes if memory or a layer has it, exactly or as a dynamic variant, which is then
  /// written to `dims`; else null. Opens no compiler.
  Result<ProgramFileRef> findProgram(const Model &model, InputDims &dims);
  /// As findProgram for exactly these, else built. FailedPrecondition if the mode requires an entry.
  Result<ProgramFileRef> program(const Model &model, const InputDims &dims);

  /// The compiled kernel of a program's index: embedded, from the caches, or compiled now.
  /// FailedPrecondition if nothing has it and the program holds no IR.
  Result<CompiledKernelRef> kernel(const ProgramFile &file, uint32_t index);
  /// Whether memory or a layer has the kernel; compiles nothing.
  bool hasKernel(const ProgramFile &file, uint32_t index);
  /// The kernels of these indices, side by side on the machine's threads.
  Result<std::vector<CompiledKernelRef>> kernels(const ProgramFile &file, std::span<const uint32_t> indices);

private:
  struct Request {
    RequestKey exact, anyShape;
    EntryAddress address;
  };
  Result<Request> request(const Model &model, const InputDims &dims);
  const std::string &backendVersion();
  ProgramFileRef findExact(const Model &model, const Request &request);
  Result<ProgramFileRef> make(const Model &model, const InputDims &dims, const Request &request);
  KernelRequest kernelRequest(const ProgramFile &file, uint32_t index) const;
  Result<CompiledKernelRef> compileNow(const ProgramFile &file, uint32_t index);

  Instance &instance;
  const CompileSettings theSettings;
  CompileCounters theCounters;
  std::once_flag versionOnce;
  std::string version;
};

} // namespace kiln
#endif // KILN_RUNTIME_TARGETCOMPILER_H
