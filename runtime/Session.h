// Session.h: an opened device with a queue and its loaded programs: what kiln_session_* is.
#ifndef KILN_RUNTIME_SESSION_H
#define KILN_RUNTIME_SESSION_H

#include "runtime/Run.h"

namespace kiln {

/// Ownership: owns device, queue, loaded kernels, weights and programs; shares the instance.
/// Threads:   every member is safe from any thread. Runs of one program are queued one after another, those
/// of different programs side by side; no lock of the session is held while something is compiled or waited
/// for.
class Session : public std::enable_shared_from_this<Session> {
public:
  struct Options {
    std::string device; // "" or "auto": the default
    Device::OpenOptions open;
    std::string dumpDir;
  };
  static Result<std::shared_ptr<Session>> open(std::shared_ptr<Instance> instance, const Options &options);
  ~Session(); // waits for the queue

  const std::string &deviceName() const { return theDevice->name(); }
  Device &device() { return *theDevice; }
  Queue &queue() { return *theQueue; }
  Instance &instance() { return *theInstance; }

  struct RunOptions {
    uint64_t timeoutNs = 0; // 0: none
    bool precompile = false, profile = false, wantsSpans = false, asynchronous = false;
  };
  /// `outputs` may be empty; else their rank and dims are filled in.
  Result<std::shared_ptr<Run>> run(const ModelRef &model, std::span<const KilnTensor> inputs,
                                   std::span<KilnTensor> outputs, const RunOptions &options);
  Status prepare(const ModelRef &model, std::span<const KilnTensor> inputs);
  /// Writes a program file with every kernel embedded and all weights.
  Status save(const ModelRef &model, std::span<const KilnTensor> inputs, const std::string &path);
  Result<OwnedBytes> emit(const ModelRef &model, std::span<const KilnTensor> inputs, const std::string &what);

  Status synchronize(uint64_t timeoutNs);
  /// Drops what is queued and heals the poison.
  Status reset();
  KilnCompileStats compileStats();
  /// Counts a model's import among the session's costs, once.
  void countImport(const Model &model);

  /// Copies between host and a device buffer, waiting for it.
  Status write(const Buffer &buffer, const void *data);
  Status read(const Buffer &buffer, void *data);

private:
  friend class Run;
  Session(std::shared_ptr<Instance> instance, std::shared_ptr<Device> device, std::unique_ptr<Queue> queue,
          CompileSettings settings);
  Result<LoadedProgramRef> programFor(const ModelRef &model, std::span<const std::vector<int64_t>> inputDims,
                                      bool precompile);
  Status queueRun(Run &run, std::span<const KilnTensor *const> inputs,
                  std::span<const std::vector<int64_t>> inputDims, std::span<KilnTensor *const> given,
                  const RunOptions &options, RunSettings settings);
  Status describeOutputs(Run &run, std::span<KilnTensor *const> given);
  Result<KilnBinding> placeInput(Run &run, const KilnTensor &tensor, bool mayBorrow);
  Status finishQueued(std::shared_ptr<Run> run, const Status &status);

  const std::shared_ptr<Instance> theInstance;
  const std::shared_ptr<Device> theDevice;
  std::unique_ptr<Queue> theQueue;
  BufferPool pool;
  DeviceStore store;
  ProgramStore programs;
  std::mutex mutex;                                  // for what follows; never held while something is called
  std::vector<std::shared_ptr<Run>> abandoned;       // timed out: the device still uses their memory
  std::set<std::string> importsCounted;              // by model digest
  std::atomic<const Model *> latestCounted{nullptr}; // spares most runs the set; models stay until the end
};

} // namespace kiln
#endif // KILN_RUNTIME_SESSION_H
