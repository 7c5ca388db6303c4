// kiln/sdk/Fork.h: notices that this process is the child of a fork, without a system call a check.
#ifndef KILN_SDK_FORK_H
#define KILN_SDK_FORK_H

#include <atomic>
#include <cstdint>
#include <pthread.h>

namespace kiln::sdk {

/// How many forks lie between this process and the one that loaded this library. What was made in another
/// generation has lost its threads. Safe from any thread.
inline uint32_t forkGeneration() {
  static std::atomic<uint32_t> generation = 0;
  static const int installed = pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1); });
  (void)installed;
  return generation.load(std::memory_order_relaxed);
}

} // namespace kiln::sdk
#endif // KILN_SDK_FORK_H
