// ThreadPool.h: the threads that share the tiles of a launch.
#ifndef KILN_BACKENDS_HOST_THREADPOOL_H
#define KILN_BACKENDS_HOST_THREADPOOL_H

#include "kiln/backend.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace kiln::host {

/// Cores that this process may use: its CPU affinity, cut by its control group's quota. At least 1.
uint32_t usableCores();

/// Splits [0, tiles) into contiguous chunks and runs them on the calling thread and on workers.
/// Ownership: owns its workers, started at the first launch that has more than one tile; an embedder's
/// parallel_for
///            replaces them.
/// Threads:   run() from any thread; one job has the workers at a time, a job that comes meanwhile runs on
/// its caller
///            alone.
class ThreadPool {
public:
  using RangeFn = void (*)(void *context, int64_t begin, int64_t end);

  /// threads counts the caller; parallel.run non-null: use it instead of own workers.
  explicit ThreadPool(uint32_t threads, KilnParallelFor parallel = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  uint32_t concurrency() const { return threads; }
  /// Calls fn on disjoint ranges that cover [0, tiles), and returns when all have ended.
  void run(int64_t tiles, RangeFn fn, void *context);

private:
  struct Job {
    RangeFn fn;
    void *context;
    int64_t tiles;
    uint32_t chunks;
    void runChunk(uint32_t chunk) const;
  };

  void runOnWorkers(const Job &job);
  void startWorkers();
  void workerMain();
  /// Takes chunks until none is left.
  void help();
  void awaitJob(uint32_t seenPublications);

  const uint32_t threads;
  const KilnParallelFor parallel;

  std::mutex jobMutex; // held by the job that has the workers
  std::vector<std::thread> workers;
  Job current = {}; // valid while a chunk of it is claimed and not ended

  // Claims: chunk count in the upper half, next chunk in the lower. A claim is one fetch_add, and names a
  // chunk of the job whose count it returned: a job is not replaced before its claimed chunks have ended.
  alignas(64) std::atomic<uint64_t> claims = 0;
  alignas(64) std::atomic<uint32_t> ended = 0; // chunks of the current job
  std::atomic<uint32_t> callerSleeps = 0;
  alignas(64) std::atomic<uint32_t> publications = 0; // futex word
  std::atomic<uint32_t> sleepers = 0;
  std::atomic<bool> stopping = false;
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_THREADPOOL_H
