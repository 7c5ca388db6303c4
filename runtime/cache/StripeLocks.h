// StripeLocks.h: one process at a time makes the entry of a key: advisory locks on 256 files.
#ifndef KILN_RUNTIME_CACHE_STRIPELOCKS_H
#define KILN_RUNTIME_CACHE_STRIPELOCKS_H

#include "runtime/cache/CacheLayer.h"
#include "runtime/cache/FileOps.h"

#include <array>
#include <chrono>
#include <memory>
#include <mutex>

namespace kiln {

/// Locks in the folder "locks" of a cache. Threads of one process that need the same stripe for different
/// keys share it: keys within the process are kept apart by SingleFlight. Ownership: borrows files, folder
/// and counters. Threads: every member is safe from any thread. In a process forked from one that held locks,
/// those stay the parent's.
class StripeLocks {
public:
  StripeLocks(FileOps &files, const FileHandle &folder, CacheCounters &counters)
      : files(files), folder(folder), counters(counters) {}

  enum class Outcome { Free, Waited, TimedOut, Unavailable };
  /// Held until it is destroyed; holds nothing after TimedOut and Unavailable, and its owner goes on without.
  class Lock {
  public:
    Lock() = default;
    Lock(StripeLocks *locks, uint8_t stripe, Outcome outcome) : locks(locks), stripe(stripe), how(outcome) {}
    Lock(Lock &&other) noexcept
        : locks(std::exchange(other.locks, nullptr)), stripe(other.stripe), how(other.how) {}
    Lock &operator=(Lock &&) = delete;
    ~Lock() {
      if (locks)
        locks->release(stripe);
    }
    Outcome outcome() const { return how; }

  private:
    StripeLocks *locks = nullptr;
    uint8_t stripe = 0;
    Outcome how = Outcome::Unavailable;
  };
  /// Waits at most `timeout` for other processes.
  Lock acquire(const EntryKey &key, std::chrono::milliseconds timeout);

private:
  friend class Lock;
  struct Stripe {
    std::mutex mutex; // held by the thread that waits for another process
    FileHandle file;
    uint32_t holders = 0;
    int pid = 0; // that took it
  };
  void release(uint8_t stripe);
  FileOps &files;
  const FileHandle &folder;
  CacheCounters &counters;
  std::array<Stripe, 256> stripes;
};

} // namespace kiln
#endif // KILN_RUNTIME_CACHE_STRIPELOCKS_H
