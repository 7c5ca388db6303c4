// ParallelFor.cpp: threads are made for the call: compiling takes milliseconds, a thread takes microseconds.
#include "runtime/ParallelFor.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace kiln {

Status parallelFor(size_t count, size_t threads, const std::function<Status(size_t)> &fn) {
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<size_t> next{0};
  std::mutex failureMutex;
  size_t failedIndex = count;
  Status failure;
  auto work = [&] {
    for (size_t i = next++; i < count; i = next++) {
      Status status = fn(i);
      if (status.ok())
        continue;
      std::scoped_lock lock(failureMutex);
      if (i < failedIndex) {
        failedIndex = i;
        failure = std::move(status);
      }
    }
  };
  std::vector<std::thread> others;
  try {
    for (size_t i = 1; i < std::min(threads, count); ++i)
      others.emplace_back(work);
  } catch (const std::system_error &) {
    // No more threads: those that there are do the work.
  }
  work();
  for (std::thread &thread : others)
    thread.join();
  return failure;
}

} // namespace kiln
