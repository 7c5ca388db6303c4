// ThreadPoolTest.cpp: every tile runs exactly once, whatever the threads, the callers and the embedder.
#include "ThreadPool.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace kiln::host {
namespace {

/// Counts how often each tile ran, and on which threads.
struct Count {
  explicit Count(int64_t tiles) : tiles(tiles), ran(new std::atomic<int>[static_cast<size_t>(tiles)]()) {}
  static void run(void *self, int64_t begin, int64_t end) {
    auto &count = *static_cast<Count *>(self);
    ++count.calls;
    for (int64_t i = begin; i < end; ++i)
      ++count.ran[static_cast<size_t>(i)];
    std::lock_guard lock(count.mutex);
    count.threads.insert(std::this_thread::get_id());
  }
  bool eachOnce() const {
    for (int64_t i = 0; i < tiles; ++i)
      if (ran[static_cast<size_t>(i)] != 1)
        return false;
    return true;
  }
  int64_t tiles;
  std::unique_ptr<std::atomic<int>[]> ran;
  std::atomic<int> calls = 0;
  std::mutex mutex;
  std::set<std::thread::id> threads;
};

TEST(ThreadPoolTest, RunsEveryTileOnce) {
  for (uint32_t threads : {1u, 2u, 3u, 8u}) {
    ThreadPool pool(threads);
    for (int64_t tiles : {1, 2, 3, 7, 8, 9, 31, 32, 33, 1000, 12345}) {
      Count count(tiles);
      pool.run(tiles, Count::run, &count);
      EXPECT_TRUE(count.eachOnce()) << tiles << " tiles on " << threads << " threads";
      EXPECT_LE(count.threads.size(), threads);
    }
  }
}

TEST(ThreadPoolTest, AnEmptyGridRunsNothing) {
  ThreadPool pool(2);
  Count count(1);
  pool.run(0, Count::run, &count);
  EXPECT_EQ(count.calls, 0);
}

TEST(ThreadPoolTest, OneThreadRunsInOnePieceOnTheCaller) {
  ThreadPool pool(1);
  Count count(100);
  pool.run(100, Count::run, &count);
  EXPECT_EQ(count.calls, 1);
  EXPECT_TRUE(count.threads.contains(std::this_thread::get_id()));
}

TEST(ThreadPoolTest, WorkersTakePart) {
  ThreadPool pool(2);
  std::atomic<int> inside = 0;
  // Each of two chunks waits for the other to begin: a caller alone would never end.
  pool.run(
      2,
      [](void *context, int64_t, int64_t) {
        auto &inside = *static_cast<std::atomic<int> *>(context);
        ++inside;
        while (inside < 2)
          std::this_thread::yield();
      },
      &inside);
  EXPECT_EQ(inside, 2);
}

TEST(ThreadPoolTest, SleepingWorkersWakeUp) {
  ThreadPool pool(3);
  for (int round = 0; round < 20; ++round) {
    Count count(64);
    pool.run(64, Count::run, &count);
    EXPECT_TRUE(count.eachOnce());
    std::this_thread::sleep_for(std::chrono::milliseconds(2)); // longer than they spin
  }
}

TEST(ThreadPoolTest, ManyCallersAtOnce) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i)
    callers.emplace_back([&] {
      for (int round = 0; round < 500; ++round) {
        Count count(37);
        pool.run(37, Count::run, &count);
        ASSERT_TRUE(count.eachOnce());
      }
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(ThreadPoolTest, UsesTheEmbeddersParallelFor) {
  struct Embedder {
    size_t calls = 0, items = 0;
  } embedder;
  KilnParallelFor parallel = {};
  parallel.self = &embedder;
  parallel.concurrency = 3;
  parallel.run = [](void *self, size_t count, KilnParallelFn fn, void *arg) {
    ++static_cast<Embedder *>(self)->calls;
    static_cast<Embedder *>(self)->items += count;
    for (size_t i = count; i-- > 0;) // any order
      fn(arg, i);
  };
  ThreadPool pool(16, parallel);
  EXPECT_EQ(pool.concurrency(), 3u);
  Count count(1000);
  pool.run(1000, Count::run, &count);
  EXPECT_TRUE(count.eachOnce());
  EXPECT_EQ(embedder.calls, 1u);
  EXPECT_EQ(embedder.items, 12u);
}

TEST(ThreadPoolTest, KnowsAtLeastOneCore) { EXPECT_GE(usableCores(), 1u); }

} // namespace
} // namespace kiln::host
