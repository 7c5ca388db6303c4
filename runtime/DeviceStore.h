// DeviceStore.h: what one session keeps on its device: loaded kernels, weights, memory for outputs to come.
#ifndef KILN_RUNTIME_DEVICESTORE_H
#define KILN_RUNTIME_DEVICESTORE_H

#include "runtime/LoadedKernel.h"
#include "runtime/Queue.h"
#include "runtime/TargetCompiler.h"

namespace kiln {

/// Buffers that were used and may be used again on the same queue. Threads: every member is safe from any
/// thread; the device is called without the lock.
class BufferPool {
public:
  /// A buffer of this many bytes, from the pool if it has one.
  Result<Buffer> take(Device &device, uint64_t bytes);
  /// Keeps the buffer unless somebody else still holds it or the pool is full.
  void give(Buffer buffer);

private:
  static constexpr size_t kMaxBuffers = 32;
  static constexpr uint64_t kMaxBytes = 256ull << 20;
  std::mutex mutex;
  std::vector<Buffer> buffers;
  uint64_t heldBytes = 0;
};

/// Kernels by key and weights by digest, each loaded once on the session's device. At most as many kernels as
/// the cache's budget says are loaded: those of no program are unloaded, the longest unused first.
/// Ownership: shares both with the programs that use them. Threads: every member is safe from any thread; no
/// lock is held while a kernel is compiled or loaded, or a weight is copied.
class DeviceStore {
public:
  DeviceStore(Instance &instance, std::shared_ptr<Device> device, CompileSettings settings)
      : instance(instance), device(std::move(device)), theCompiler(instance, std::move(settings)) {}
  /// `drop` gives up programs that are not running; called when kernels are to be unloaded and all have a
  /// program.
  void setProgramDropper(std::function<void()> drop) { dropPrograms = std::move(drop); }

  TargetCompiler &compiler() { return theCompiler; }
  const CompileSettings &settings() const { return theCompiler.settings(); }
  CompileCounters &counters() { return theCompiler.counters(); }

  /// As TargetCompiler::kernel, but for those of compileAll, which are at hand.
  Result<CompiledKernelRef> compile(const ProgramFile &file, uint32_t kernel);
  /// All kernels of a program, side by side on the machine's threads.
  Status compileAll(const ProgramFile &file);
  /// compile(), then loaded by the loader of its format. FailedPrecondition if the device lacks features it
  /// needs; ResourceExhausted if the budget is used up by kernels of running programs.
  Result<LoadedKernelRef> load(const ProgramFile &file, uint32_t kernel);
  /// A weight on the device: imported without a copy where the device can. `model`, imported for `dims`,
  /// keeps the bytes alive where the cache does not have them.
  Result<Buffer> constant(const ProgramFileRef &file, const ModelRef &model, const InputDims &dims,
                          uint32_t index, Queue &queue);
  /// Host bytes on the device: imported without a copy where the device can, and then kept alive by the
  /// buffer.
  Result<Buffer> place(OwnedBytes bytes, Queue &queue);

private:
  Result<LoadedKernelRef> loadNow(const CompiledKernelRef &compiled, KernelIr ir);
  Status makeRoom(const KernelMetadata &metadata);
  void unloadUnused(uint64_t target);
  Result<Buffer> placeConstant(const ProgramFileRef &file, const ModelRef &model, const InputDims &dims,
                               uint32_t index, Queue &queue);
  Result<std::shared_ptr<const KernelLoader>> loaderFor(const KernelMetadata &metadata);
  Status checkFeatures(const KernelMetadata &metadata) const;

  Instance &instance;
  const std::shared_ptr<Device> device;
  TargetCompiler theCompiler;
  std::function<void()> dropPrograms;
  std::mutex aheadMutex;
  std::unordered_map<std::string, CompiledKernelRef> compiledAhead; // by compileAll, until they are loaded
  SingleFlight<LoadedKernelRef> kernels;
  SingleFlight<Buffer> constants;
};

} // namespace kiln
#endif // KILN_RUNTIME_DEVICESTORE_H
