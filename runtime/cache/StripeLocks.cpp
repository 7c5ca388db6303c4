// StripeLocks.cpp: flock, asked for again and again: no signal and no thread is needed to bound the wait.
#include "runtime/cache/StripeLocks.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

namespace kiln {

namespace {
constexpr std::chrono::microseconds kFirstPause{200}, kLongestPause{20000};
} // namespace

StripeLocks::Lock StripeLocks::acquire(const EntryKey &key, std::chrono::milliseconds timeout) {
  uint8_t index = key.bytes[0];
  Stripe &stripe = stripes[index];
  std::scoped_lock lock(stripe.mutex);
  if (stripe.pid != ::getpid()) {
    stripe.file = FileHandle(); // closed without unlocking: the parent may hold it
    stripe.holders = 0;
    stripe.pid = ::getpid();
  }
  if (stripe.holders > 0) {
    ++stripe.holders;
    return Lock(this, index, Outcome::Free);
  }
  if (!stripe.file) {
    char name[16];
    std::snprintf(name, sizeof(name), "locks/%02x", index);
    int fd = files.openAt(folder.get(), name, O_RDWR | O_CREAT, 0600);
    if (fd < 0)
      return Lock();
    stripe.file = FileHandle(fd);
  }
  auto start = std::chrono::steady_clock::now();
  auto pause = kFirstPause;
  bool waited = false;
  for (;;) {
    int error = files.tryLock(stripe.file.get());
    if (error == 0)
      break;
    if (error != -EWOULDBLOCK && error != -EINTR) // no locks on this file system
      return Lock();
    if (!waited)
      ++counters.lockWaits;
    waited = true;
    auto elapsed = std::chrono::steady_clock::now() - start;
    if (elapsed >= timeout) {
      ++counters.lockTimeouts;
      counters.waitedUs += static_cast<uint64_t>(elapsed / std::chrono::microseconds(1));
      return Lock(nullptr, index, Outcome::TimedOut);
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
  if (waited)
    counters.waitedUs +=
        static_cast<uint64_t>((std::chrono::steady_clock::now() - start) / std::chrono::microseconds(1));
  stripe.holders = 1;
  return Lock(this, index, waited ? Outcome::Waited : Outcome::Free);
}

void StripeLocks::release(uint8_t index) {
  Stripe &stripe = stripes[index];
  std::scoped_lock lock(stripe.mutex);
  if (stripe.pid != ::getpid() || --stripe.holders > 0)
    return;
  (void)files.unlock(stripe.file.get());
  stripe.file = FileHandle(); // 256 descriptors are not kept
}

} // namespace kiln
