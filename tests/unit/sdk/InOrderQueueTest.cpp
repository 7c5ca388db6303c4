// InOrderQueueTest.cpp: order, deferral, poisoning, time-outs and allocation behaviour of the in-order queue.
#include "tests/unit/sdk/FakeExecutor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <numeric>
#include <sys/wait.h>
#include <unistd.h>

// Counts allocations of this thread, for RecordsWithoutAllocating.
static thread_local uint64_t allocationCount = 0;
void *operator new(size_t size) {
  ++allocationCount;
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace kiln::sdk {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A queue that is closed at the end of the test, whatever happened.
class InOrderQueueTest : public testing::Test {
protected:
  ~InOrderQueueTest() override {
    for (auto &queue : queues)
      queue->close();
  }
  std::shared_ptr<InOrderQueue> newQueue(InOrderQueue::Options options = {}) {
    return queues.emplace_back(InOrderQueue::create(executor, options));
  }
  Status launch(InOrderQueue &queue, FakeKernel &kernel) {
    return queue.launch(kernel.handle(), emptyLaunch());
  }

  FakeExecutor executor;
  std::vector<std::shared_ptr<InOrderQueue>> queues;
  std::shared_ptr<InOrderQueue> queue = newQueue();
};

TEST_F(InOrderQueueTest, NothingRunsBeforeSomebodyAsks) {
  FakeKernel a = executor.noting("a"), b = executor.noting("b");
  ASSERT_TRUE(launch(*queue, a).ok());
  ASSERT_TRUE(launch(*queue, b).ok());
  EXPECT_THAT(executor.list(), IsEmpty());
  ASSERT_TRUE(queue->synchronize().ok());
  EXPECT_THAT(executor.list(), ElementsAre("a", "b"));
}

TEST_F(InOrderQueueTest, SynchronizeRunsOnTheCallingThread) {
  std::thread::id ranOn;
  FakeKernel kernel{[&](const LaunchCommand &) { return ranOn = std::this_thread::get_id(), Status(); }};
  ASSERT_TRUE(launch(*queue, kernel).ok());
  ASSERT_TRUE(queue->synchronize().ok());
  EXPECT_EQ(ranOn, std::this_thread::get_id());
}

TEST_F(InOrderQueueTest, FlushRunsOnAnotherThread) {
  std::thread::id ranOn;
  Gate done;
  FakeKernel kernel{[&](const LaunchCommand &) {
    ranOn = std::this_thread::get_id();
    return done.open(), Status();
  }};
  ASSERT_TRUE(launch(*queue, kernel).ok());
  ASSERT_TRUE(queue->flush().ok());
  done.pass(); // returns although nobody synchronises
  ASSERT_TRUE(queue->synchronize().ok());
  EXPECT_NE(ranOn, std::this_thread::get_id());
}

TEST_F(InOrderQueueTest, ManyCommandsStartByThemselves) {
  auto small = newQueue({.autoFlushCommands = 4});
  Gate started;
  FakeKernel kernel{[&](const LaunchCommand &) { return started.open(), Status(); }};
  for (int i = 0; i < 4; ++i)
    ASSERT_TRUE(launch(*small, kernel).ok());
  started.pass();
  EXPECT_TRUE(small->synchronize().ok());
}

TEST_F(InOrderQueueTest, LaunchCopiesItsArrays) {
  std::vector<uint64_t> seen;
  FakeKernel kernel{[&](const LaunchCommand &command) {
    for (const KilnBinding &binding : command.bindings)
      seen.push_back(binding.address);
    for (int64_t constant : command.constants)
      seen.push_back(static_cast<uint64_t>(constant));
    seen.push_back(command.workspace.bytes);
    seen.push_back(command.grid[0]);
    return Status();
  }};
  for (int round = 0; round < 3; ++round) {
    KilnBinding bindings[] = {{100, 8}, {200, 8}};
    int64_t constants[] = {-1, 7, 9};
    KilnLaunch made = emptyLaunch();
    made.bindings = bindings;
    made.binding_count = 2;
    made.constants = constants;
    made.constant_count = 3;
    made.workspace.bytes = 64;
    made.grid[0] = 5;
    ASSERT_TRUE(queue->launch(kernel.handle(), made).ok());
    bindings[0].address = constants[1] = 0;
  }
  ASSERT_TRUE(queue->synchronize().ok());
  ASSERT_EQ(seen.size(), 21u);
  for (size_t at = 0; at < seen.size(); at += 7)
    EXPECT_THAT(std::vector<uint64_t>(seen.begin() + at, seen.begin() + at + 7),
                ElementsAre(100, 200, UINT64_MAX, 7, 9, 64, 5));
}

TEST_F(InOrderQueueTest, MemoryCommandsMoveBytesInOrder) {
  std::vector<uint32_t> from(64), middle(64), to(64);
  std::iota(from.begin(), from.end(), 1);
  auto at = [](std::vector<uint32_t> &v) { return reinterpret_cast<KilnDeviceAddress>(v.data()); };
  ASSERT_TRUE(queue->fill(at(middle), 0x01020304, 4, 256).ok());
  ASSERT_TRUE(queue->write(at(middle), from.data(), 128).ok());
  ASSERT_TRUE(queue->copy(at(middle) + 4, at(middle), 64).ok()) << "ranges may overlap";
  ASSERT_TRUE(queue->read(to.data(), at(middle), 256).ok());
  ASSERT_TRUE(queue->synchronize().ok());
  EXPECT_EQ(to[0], 1u);
  EXPECT_EQ(to[1], 1u);
  EXPECT_EQ(to[16], 16u);
  EXPECT_EQ(to[17], 18u);
  EXPECT_EQ(to[31], 32u);
  EXPECT_EQ(to[32], 0x01020304u);
  EXPECT_EQ(to[63], 0x01020304u);
}

TEST_F(InOrderQueueTest, FillRepeatsEveryPatternSize) {
  for (uint32_t size : {1u, 2u, 4u, 8u}) {
    std::vector<unsigned char> memory(size * 13 + 1, 0xee);
    ASSERT_TRUE(
        queue->fill(reinterpret_cast<uint64_t>(memory.data()), 0x8877665544332211, size, size * 13).ok());
    ASSERT_TRUE(queue->synchronize().ok());
    for (uint32_t i = 0; i < size * 13; ++i)
      ASSERT_EQ(memory[i], 0x11 * (i % size + 1)) << "pattern of " << size << " bytes, byte " << i;
    EXPECT_EQ(memory.back(), 0xee) << "wrote past the end";
  }
  EXPECT_TRUE(queue->fill(0, 1, 4, 0).ok());
}

TEST_F(InOrderQueueTest, FillRefusesWrongSizes) {
  Status status = queue->fill(0, 0, 3, 9);
  EXPECT_EQ(status.code(), Code::InvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("pattern of 3 bytes"));
  status = queue->fill(0, 0, 4, 10);
  EXPECT_EQ(status.code(), Code::InvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("10 bytes; expected a multiple of 4"));
  EXPECT_TRUE(queue->synchronize().ok()) << "a refused command is not a fault of the queue";
}

TEST_F(InOrderQueueTest, FaultPoisonsUntilReset) {
  FakeKernel bad = FakeExecutor::failing(), good = executor.noting("good");
  KilnLaunchSite site = {sizeof(site), toStr("conv_12"), toStr("m.onnx: node 'c'"), nullptr, 0};
  KilnLaunch made = emptyLaunch();
  made.site = &site;
  ASSERT_TRUE(queue->launch(bad.handle(), made).ok());
  ASSERT_TRUE(launch(*queue, good).ok());
  Status status = queue->synchronize();
  EXPECT_EQ(status.code(), Code::Internal);
  EXPECT_EQ(status.message(), "kernel 'conv_12' (m.onnx: node 'c'): divided by zero");
  EXPECT_THAT(executor.list(), IsEmpty()) << "what is behind a fault does not run";
  EXPECT_EQ(launch(*queue, good).message(), status.message());
  EXPECT_EQ(queue->synchronize().message(), status.message());
  EXPECT_EQ(queue->status().message(), status.message());
  EXPECT_EQ(queue->flush().message(), status.message());
  ASSERT_TRUE(queue->reset().ok());
  EXPECT_TRUE(queue->status().ok());
  ASSERT_TRUE(launch(*queue, good).ok());
  EXPECT_TRUE(queue->synchronize().ok());
  EXPECT_THAT(executor.list(), ElementsAre("good"));
}

TEST_F(InOrderQueueTest, TheFirstFaultSticks) {
  FakeKernel first = FakeExecutor::failing(Code::OutOfRange, "first"), second = FakeExecutor::failing();
  ASSERT_TRUE(launch(*queue, first).ok());
  ASSERT_TRUE(launch(*queue, second).ok());
  EXPECT_EQ(queue->synchronize().message(), "first");
}

TEST_F(InOrderQueueTest, AThrowingKernelIsAFault) {
  FakeKernel throws{[](const LaunchCommand &) -> Status { throw std::runtime_error("lost"); }};
  ASSERT_TRUE(launch(*queue, throws).ok());
  Status status = queue->synchronize();
  EXPECT_EQ(status.code(), Code::Internal);
  EXPECT_THAT(status.message(), HasSubstr("lost"));
}

TEST_F(InOrderQueueTest, OtherQueuesGoOn) {
  auto other = newQueue();
  FakeKernel bad = FakeExecutor::failing(), good = executor.noting("good");
  ASSERT_TRUE(launch(*queue, bad).ok());
  ASSERT_TRUE(launch(*other, good).ok());
  EXPECT_FALSE(queue->synchronize().ok());
  EXPECT_TRUE(other->synchronize().ok());
  EXPECT_THAT(executor.list(), ElementsAre("good"));
}

TEST_F(InOrderQueueTest, FreesAndCallsTakeEffectInAPoisonedQueue) {
  FakeKernel bad = FakeExecutor::failing();
  bool called = false;
  ASSERT_TRUE(launch(*queue, bad).ok());
  ASSERT_TRUE(queue->free(0x1000).ok());
  ASSERT_TRUE(queue->call([](void *arg) { *static_cast<bool *>(arg) = true; }, &called).ok());
  EXPECT_FALSE(queue->synchronize().ok());
  EXPECT_TRUE(called);
  EXPECT_FALSE(queue->free(0x2000).ok());
  EXPECT_THAT(executor.freed(), ElementsAre(0x1000, 0x2000)) << "memory must not leak";
  called = false;
  EXPECT_FALSE(queue->call([](void *arg) { *static_cast<bool *>(arg) = true; }, &called).ok());
  EXPECT_FALSE(called) << "a refused call is not made";
}

TEST_F(InOrderQueueTest, FreesHappenInOrder) {
  FakeKernel kernel{[&](const LaunchCommand &) {
    EXPECT_THAT(executor.freed(), IsEmpty());
    return Status();
  }};
  ASSERT_TRUE(launch(*queue, kernel).ok());
  ASSERT_TRUE(queue->free(0x1000).ok());
  ASSERT_TRUE(queue->synchronize().ok());
  EXPECT_THAT(executor.freed(), ElementsAre(0x1000));
}

TEST_F(InOrderQueueTest, HostCallsRunOnAThreadOfTheQueue) {
  std::thread::id ranOn;
  ASSERT_TRUE(
      queue
          ->call([](void *arg) { *static_cast<std::thread::id *>(arg) = std::this_thread::get_id(); }, &ranOn)
          .ok());
  ASSERT_TRUE(queue->synchronize().ok());
  EXPECT_NE(ranOn, std::thread::id());
  EXPECT_NE(ranOn, std::this_thread::get_id());
}

TEST_F(InOrderQueueTest, HostCallsMayQueueButNotWait) {
  struct State {
    InOrderQueue *queue;
    FakeKernel kernel;
    Status queued, waited, reset;
  } state{queue.get(), executor.noting("from call"), {}, {}, {}};
  ASSERT_TRUE(queue
                  ->call(
                      [](void *arg) {
                        auto &state = *static_cast<State *>(arg);
                        state.queued = state.queue->launch(state.kernel.handle(), emptyLaunch());
                        state.waited = state.queue->synchronize();
                        state.reset = state.queue->reset();
                      },
                      &state)
                  .ok());
  ASSERT_TRUE(queue->synchronize().ok());
  EXPECT_TRUE(state.queued.ok());
  EXPECT_EQ(state.waited.code(), Code::InProgress);
  EXPECT_EQ(state.reset.code(), Code::InProgress);
  ASSERT_TRUE(queue->synchronize().ok());
  EXPECT_THAT(executor.list(), ElementsAre("from call"));
}

TEST_F(InOrderQueueTest, SynchronizeTimesOutAndTheWorkGoesOn) {
  Gate gate;
  FakeKernel slow{[&](const LaunchCommand &) { return gate.pass(), Status(); }},
      after = executor.noting("after");
  ASSERT_TRUE(launch(*queue, slow).ok());
  ASSERT_TRUE(launch(*queue, after).ok());
  Status status = queue->synchronize(5 * ms);
  EXPECT_EQ(status.code(), Code::DeadlineExceeded);
  EXPECT_THAT(status.message(), HasSubstr("not done in time"));
  EXPECT_TRUE(queue->status().ok()) << "a time-out is not a fault";
  gate.open();
  EXPECT_TRUE(queue->synchronize(60000 * ms).ok());
  EXPECT_THAT(executor.list(), ElementsAre("after"));
}

TEST_F(InOrderQueueTest, ResetDropsWhatHasNotRun) {
  Gate gate;
  FakeKernel slow{[&](const LaunchCommand &) { return gate.pass(), Status(); }},
      after = executor.noting("after");
  ASSERT_TRUE(launch(*queue, slow).ok());
  ASSERT_TRUE(queue->flush().ok());
  gate.awaitArrival();
  ASSERT_TRUE(launch(*queue, after).ok());
  std::thread opener([&] {
    while (queue->status().ok()) // until reset() has begun
      std::this_thread::yield();
    gate.open();
  });
  ASSERT_TRUE(queue->reset().ok());
  opener.join();
  EXPECT_TRUE(queue->synchronize().ok());
  EXPECT_THAT(executor.list(), IsEmpty());
}

TEST_F(InOrderQueueTest, ProfilesCoverTheLaunch) {
  KilnLaunchProfile profiles[2] = {};
  FakeKernel kernel{[&](const LaunchCommand &command) {
    if (command.profile)
      command.profile->cycles = 42;
    return Status();
  }};
  for (KilnLaunchProfile &profile : profiles) {
    KilnLaunch made = emptyLaunch();
    made.profile = &profile;
    ASSERT_TRUE(queue->launch(kernel.handle(), made).ok());
  }
  ASSERT_TRUE(queue->synchronize().ok());
  EXPECT_GT(profiles[0].start_ns, 0u);
  EXPECT_LE(profiles[0].start_ns, profiles[0].end_ns);
  EXPECT_LE(profiles[0].end_ns, profiles[1].start_ns);
  EXPECT_EQ(profiles[1].cycles, 42u);
}

TEST_F(InOrderQueueTest, RecordsWithoutAllocatingInSteadyState) {
  FakeKernel kernel{[](const LaunchCommand &) { return Status(); }};
  KilnBinding bindings[6] = {};
  int64_t constants[4] = {};
  KilnLaunch made = emptyLaunch();
  made.bindings = bindings;
  made.binding_count = 6;
  made.constants = constants;
  made.constant_count = 4;
  auto round = [&] {
    for (int i = 0; i < 200; ++i)
      if (!queue->launch(kernel.handle(), made).ok())
        return false;
    return queue->synchronize().ok();
  };
  ASSERT_TRUE(round() && round()) << "both batches have grown to their size";
  uint64_t before = allocationCount;
  ASSERT_TRUE(round() && round());
  EXPECT_EQ(allocationCount, before);
}

TEST_F(InOrderQueueTest, ManyThreadsQueueAndWait) {
  auto busy = newQueue({.autoFlushCommands = 8});
  std::atomic<int> count = 0, inside = 0;
  FakeKernel kernel{[&](const LaunchCommand &) {
    EXPECT_EQ(inside.fetch_add(1), 0) << "two commands of one queue ran at once";
    count.fetch_add(1);
    inside.fetch_sub(1);
    return Status();
  }};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 300; ++i) {
        ASSERT_TRUE(launch(*busy, kernel).ok());
        if (i % 7 == thread)
          ASSERT_TRUE(busy->synchronize().ok());
        if (i % 11 == thread)
          ASSERT_TRUE(busy->flush().ok());
        if (i % 13 == thread)
          ASSERT_TRUE(busy->synchronize(60000 * ms).ok());
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  ASSERT_TRUE(busy->synchronize().ok());
  EXPECT_EQ(count.load(), 1200);
}

TEST_F(InOrderQueueTest, CloseRunsWhatIsQueued) {
  FakeKernel a = executor.noting("a");
  ASSERT_TRUE(launch(*queue, a).ok());
  queue->close();
  EXPECT_THAT(executor.list(), ElementsAre("a"));
  EXPECT_EQ(launch(*queue, a).code(), Code::FailedPrecondition);
}

TEST_F(InOrderQueueTest, AForkedChildIsTold) {
  FakeKernel a = executor.noting("a");
  ASSERT_TRUE(launch(*queue, a).ok());
  ASSERT_TRUE(queue->flush().ok());
  ASSERT_TRUE(queue->synchronize().ok());
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool told = launch(*queue, a).code() == Code::Forked && queue->synchronize().code() == Code::Forked &&
                queue->flush().code() == Code::Forked && queue->status().code() == Code::Forked;
    queue->close(); // must not hang on the lost worker
    _exit(told ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(launch(*queue, a).ok() && queue->synchronize().ok()) << "the parent goes on";
}

} // namespace
} // namespace kiln::sdk
