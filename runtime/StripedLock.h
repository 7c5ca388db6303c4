// StripedLock.h: a lock whose readers share no cache line.
#ifndef KILN_RUNTIME_STRIPEDLOCK_H
#define KILN_RUNTIME_STRIPEDLOCK_H

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>

namespace kiln {

/// For what is read often, for moments, and seldom written. A reader takes the stripe of its own thread, in
/// cache lines that no other thread touches unless there are more threads than stripes; a writer takes all.
/// Nobody may wait or call out while holding it.
/// Threads: every member is safe from any thread; not recursive.
class StripedLock {
  static constexpr size_t kStripes = 16;
  static constexpr size_t kLinePairBytes = 128; // processors fetch cache lines in pairs
  struct alignas(kLinePairBytes) Stripe {
    std::atomic<bool> isHeld{false};
  };

public:
  class Reading {
  public:
    explicit Reading(StripedLock &lock) : stripe(lock.stripes[ordinalOfThread() % kStripes]) {
      acquire(stripe);
    }
    ~Reading() { stripe.isHeld.store(false, std::memory_order_release); }
    Reading(const Reading &) = delete;
    Reading &operator=(const Reading &) = delete;

  private:
    Stripe &stripe;
  };

  /// As a writer, for std::scoped_lock.
  void lock() {
    for (Stripe &stripe : stripes)
      acquire(stripe);
  }
  void unlock() {
    for (Stripe &stripe : stripes)
      stripe.isHeld.store(false, std::memory_order_release);
  }

private:
  static void acquire(Stripe &stripe) {
    constexpr int kSpins = 100; // a reader is done in tens of nanoseconds, unless it is off the processor
    while (stripe.isHeld.exchange(true, std::memory_order_acquire)) [[unlikely]] {
      int spins = 0;
      while (stripe.isHeld.load(std::memory_order_relaxed) && spins < kSpins)
        ++spins;
      if (spins == kSpins)
        std::this_thread::yield();
    }
  }
  static unsigned ordinalOfThread() {
    static std::atomic<unsigned> threads{0};
    thread_local const unsigned ordinal = threads.fetch_add(1, std::memory_order_relaxed);
    return ordinal;
  }

  std::array<Stripe, kStripes> stripes;
};

} // namespace kiln
#endif // KILN_RUNTIME_STRIPEDLOCK_H
