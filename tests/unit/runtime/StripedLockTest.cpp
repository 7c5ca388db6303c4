// StripedLockTest.cpp: readers see whole changes, more threads than there are stripes included.
#include "runtime/StripedLock.h"

#include <gtest/gtest.h>
#include <mutex>
#include <vector>

namespace kiln {
namespace {

TEST(StripedLockTest, ReadersSeeWholeChangesAndWritersLoseNone) {
  constexpr int kReaders = 20, kWriters = 3, kChanges = 100;
  StripedLock lock;
  int first = 0, second = 0; // changed together
  std::atomic<int> torn{0}, writing{kWriters};
  std::vector<std::thread> threads;
  for (int i = 0; i < kReaders; ++i)
    threads.emplace_back([&] {
      do {
        {
          StripedLock::Reading reading(lock);
          torn += first != second;
        }
        std::this_thread::yield();
      } while (writing > 0);
    });
  for (int i = 0; i < kWriters; ++i)
    threads.emplace_back([&] {
      for (int change = 0; change < kChanges; ++change) {
        std::scoped_lock whole(lock);
        ++first;
        ++second;
      }
      --writing;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(first, kWriters * kChanges);
  EXPECT_EQ(second, first);
}

} // namespace
} // namespace kiln
