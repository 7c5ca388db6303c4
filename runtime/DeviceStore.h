// DeviceStore.h: what one session keeps on its device: loaded kernels, weights, memory for outputs to come.
#ifndef KILN_RUNTIME_DEVICESTORE_H
#define KILN_RUNTIME_DEVICESTORE_H

#include "runtime/LoadedKernel.h"
#include "runtime/Model.h"
#include "runtime/Queue.h"

#include <unordered_map>

namespace kiln {

/// Buffers that were used and may be used again on the same queue. Not thread-safe.
class BufferPool {
public:
  /// A buffer of this many bytes, from the pool if it has one.
  Result<Buffer> take(Device &device, uint64_t bytes);
  /// Keeps the buffer unless somebody else still holds it or the pool is full.
  void give(Buffer buffer);

private:
  static constexpr size_t kMaxBuffers = 32;
  static constexpr uint64_t kMaxBytes = 256ull << 20;
  std::vector<Buffer> buffers;
  uint64_t heldBytes = 0;
};

/// What to compile for, and how: the strings behind a KilnCompileTarget.
struct CompileSettings {
  TargetDescription target;
  std::string backend, dumpDir;
  KilnCompileTarget toC() const; // borrows from this object
};

/// Kernels by key and weights by digest, each loaded once on the session's device.
/// Ownership: keeps both until the session ends. Threads: one thread at a time, but compile() is safe from
/// any.
class DeviceStore {
public:
  DeviceStore(Instance &instance, std::shared_ptr<Device> device, CompileSettings settings)
      : instance(instance), device(std::move(device)), theSettings(std::move(settings)) {}

  const CompileSettings &settings() const { return theSettings; }
  CompileCounters &counters() { return theCounters; }

  /// The compiled kernel of a program's index: embedded, from the caches, or compiled now.
  /// FailedPrecondition if nothing has it and the program holds no IR.
  Result<CompiledKernelRef> compile(const ProgramFile &file, uint32_t kernel);
  /// All kernels of a program, side by side on the machine's threads.
  Status compileAll(const ProgramFile &file);
  /// compile(), then loaded by the loader of its format. FailedPrecondition if the device lacks features it
  /// needs.
  Result<LoadedKernelRef> load(const ProgramFile &file, uint32_t kernel);
  /// A weight on the device: imported without a copy where the device can. `model` keeps the bytes alive.
  Result<Buffer> constant(const ProgramFileRef &file, const ModelRef &model, uint32_t index, Queue &queue);

private:
  Result<CompiledKernelRef> compileOne(const ProgramFile &file, uint32_t kernel);
  Result<CompiledKernelRef> compileNow(const ProgramFile &file, uint32_t kernel);
  Result<std::shared_ptr<const KernelLoader>> loaderFor(const KernelMetadata &metadata);
  Status checkFeatures(const KernelMetadata &metadata) const;

  Instance &instance;
  const std::shared_ptr<Device> device;
  const CompileSettings theSettings;
  CompileCounters theCounters;
  std::unordered_map<std::string, CompiledKernelRef> compiledAhead; // by compileAll, until they are loaded
  std::unordered_map<std::string, LoadedKernelRef> kernels;
  std::unordered_map<std::string, Buffer> constants;
};

} // namespace kiln
#endif // KILN_RUNTIME_DEVICESTORE_H
