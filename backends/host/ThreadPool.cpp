// ThreadPool.cpp: chunks are claimed with one atomic add; idle threads spin shortly, then sleep on a futex.
//
// Who starts a job does not wait for every worker, only for the chunks that were claimed: a worker that the
// scheduler keeps away delays nobody. Workers are not pinned: the caller is not ours to pin, and a worker
// pinned to the caller's core would run behind it.
#include "ThreadPool.h"

#include <immintrin.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <system_error>

namespace kiln::host {
namespace {

constexpr uint32_t chunksPerThread = 4; // enough to even out ragged work, few enough to keep ranges long
// About 20 to 60 us, longer than the gap between two launches of a queue and shorter than a time slice.
constexpr uint32_t spinsBeforeSleep = 1500;

void futexWait(std::atomic<uint32_t> &word, uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}
void futexWake(std::atomic<uint32_t> &word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

/// Cores of a cgroup-v2 quota, rounded up; 0 if there is none.
uint32_t quotaCores() {
  std::FILE *file = std::fopen("/sys/fs/cgroup/cpu.max", "re");
  if (!file)
    return 0;
  unsigned long long quota = 0, period = 0;
  int read = std::fscanf(file, "%llu %llu", &quota, &period); // "max 100000" reads nothing
  std::fclose(file);
  return read == 2 && period ? static_cast<uint32_t>((quota + period - 1) / period) : 0;
}

} // namespace

uint32_t usableCores() {
  cpu_set_t set;
  uint32_t cores = 1;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    cores = static_cast<uint32_t>(CPU_COUNT(&set));
  if (uint32_t quota = quotaCores())
    cores = std::min(cores, quota);
  return std::max(cores, 1u);
}

void ThreadPool::Job::runChunk(uint32_t chunk) const {
  auto bound = [&](uint32_t at) { return static_cast<int64_t>(static_cast<__int128>(tiles) * at / chunks); };
  fn(context, bound(chunk), bound(chunk + 1));
}

ThreadPool::ThreadPool(uint32_t threads, KilnParallelFor parallel)
    : threads(std::max(parallel.run ? parallel.concurrency : threads, 1u)), parallel(parallel) {}

ThreadPool::~ThreadPool() {
  stopping.store(true);
  publications.fetch_add(1);
  futexWake(publications, INT32_MAX);
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::run(int64_t tiles, RangeFn fn, void *context) {
  if (tiles <= 0)
    return;
  if (threads == 1 || tiles == 1)
    return fn(context, 0, tiles);
  Job job = {fn, context, tiles,
             static_cast<uint32_t>(std::min<int64_t>(tiles, int64_t(threads) * chunksPerThread))};
  if (parallel.run) {
    parallel.run(
        parallel.self, job.chunks,
        [](void *arg, size_t index) {
          static_cast<const Job *>(arg)->runChunk(static_cast<uint32_t>(index));
        },
        &job);
    return;
  }
  std::unique_lock lock(jobMutex, std::try_to_lock);
  if (!lock.owns_lock())
    return fn(context, 0, tiles); // another queue has the workers
  runOnWorkers(job);
}

void ThreadPool::runOnWorkers(const Job &job) {
  if (workers.empty())
    startWorkers();
  current = job;
  ended.store(0, std::memory_order_relaxed);
  claims.store(uint64_t(job.chunks) << 32); // publishes `current`
  publications.fetch_add(1);
  if (sleepers.load())
    futexWake(publications, static_cast<int>(std::min<size_t>(job.chunks - 1, workers.size())));
  help();
  for (uint32_t spins = 0; ended.load(std::memory_order_acquire) < job.chunks; ++spins) {
    if (spins < spinsBeforeSleep) {
      _mm_pause();
      continue;
    }
    callerSleeps.store(1);
    uint32_t seen = ended.load();
    if (seen < job.chunks)
      futexWait(ended, seen);
    callerSleeps.store(0);
  }
}

void ThreadPool::startWorkers() {
  try {
    for (uint32_t i = 1; i < threads; ++i)
      workers.emplace_back([this] { workerMain(); });
  } catch (const std::system_error &) {
    // Fewer workers, down to none, only cost time: the caller takes every chunk that nobody else does.
  }
}

void ThreadPool::help() {
  for (;;) {
    uint64_t claim = claims.load(std::memory_order_relaxed);
    if (static_cast<uint32_t>(claim) >= claim >> 32)
      return; // keeps the counter from running away
    claim = claims.fetch_add(1);
    auto chunk = static_cast<uint32_t>(claim), chunks = static_cast<uint32_t>(claim >> 32);
    if (chunk >= chunks)
      return;
    current.runChunk(chunk);
    // The last access to the job: after it the caller may return and another job come.
    if (ended.fetch_add(1) + 1 == chunks && callerSleeps.load())
      futexWake(ended, 1);
  }
}

void ThreadPool::awaitJob(uint32_t seenPublications) {
  for (uint32_t spins = 0; publications.load(std::memory_order_acquire) == seenPublications; ++spins) {
    if (spins < spinsBeforeSleep) {
      _mm_pause();
      continue;
    }
    sleepers.fetch_add(1);
    futexWait(publications, seenPublications); // returns at once if a job came meanwhile
    sleepers.fetch_sub(1);
  }
}

void ThreadPool::workerMain() {
  uint32_t seen = 0;
  while (!stopping.load()) {
    help();
    awaitJob(seen);
    seen = publications.load();
  }
}

} // namespace kiln::host
