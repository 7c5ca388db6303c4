// Run.h: the results of one run and what must live until the device is done with it.
#ifndef KILN_RUNTIME_RUN_H
#define KILN_RUNTIME_RUN_H

#include "runtime/ProgramStore.h"
#include "runtime/TensorBinding.h"

namespace kiln {

class Session;

/// One output of a run.
struct RunOutput {
  std::vector<int64_t> dims;
  uint64_t bytes = 0;        // of the dense tensor
  Buffer buffer;             // on the device; empty if it lies in the embedder's host memory
  void *host = nullptr;      // where it can be read; null until it was asked for
  bool isPooled = false;     // the buffer goes back to the session's pool
  std::vector<uint8_t> copy; // behind `host`, where the host cannot address the device's memory
};

/// Ownership: keeps session, program, output and staging memory until it is released and the device is done.
/// Threads:   one thread at a time, as KilnRun.
class Run {
public:
  Run(std::shared_ptr<Session> session, LoadedProgramRef program)
      : session(std::move(session)), theProgram(std::move(program)), theOutputs(model().outputs().size()) {}
  ~Run(); // waits for the device if it must

  const Model &model() const { return *theProgram->model; }
  const std::shared_ptr<Session> &sessionRef() const { return session; }
  const LoadedProgram &program() const { return *theProgram; }
  std::vector<RunOutput> &outputs() { return theOutputs; }
  std::deque<LaunchProfile> &profile() { return theProfile; }

  /// Waits for this run alone if it was asynchronous. The queue's error if it was poisoned by then.
  Status wait(uint64_t timeoutNs);
  /// Makes the output readable on the host.
  Result<void *> hostData(size_t index);

private:
  friend class Session;
  const std::shared_ptr<Session> session;
  const LoadedProgramRef theProgram;
  std::vector<RunOutput> theOutputs;
  std::deque<LaunchProfile> theProfile;
  std::unique_ptr<Event> done;                   // of an asynchronous run
  bool isFinished = false;                       // the device has passed it
  std::vector<Buffer> staging, held;             // inputs: copies, from the pool; the embedder's buffers
  std::vector<std::vector<uint8_t>> hostStaging; // what the queue still reads from
};

} // namespace kiln
#endif // KILN_RUNTIME_RUN_H
