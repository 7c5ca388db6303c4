// EventTest.cpp: events between queues and the host: order, faults, time-outs, who runs what.
#include "tests/unit/sdk/FakeExecutor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::sdk {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class EventTest : public testing::Test {
protected:
  ~EventTest() override {
    first->close();
    second->close();
  }
  Status launch(InOrderQueue &queue, FakeKernel &kernel) {
    return queue.launch(kernel.handle(), emptyLaunch());
  }

  FakeExecutor executor;
  std::shared_ptr<InOrderQueue> first = InOrderQueue::create(executor),
                                second = InOrderQueue::create(executor);
  std::shared_ptr<EventState> event = std::make_shared<EventState>(), back = std::make_shared<EventState>();
  FakeKernel a = executor.noting("a"), b = executor.noting("b"), bad = FakeExecutor::failing();
};

TEST_F(EventTest, IsDoneWhenTheQueueGotThere) {
  Status status;
  EXPECT_FALSE(event->query(&status)) << "no signal queued";
  ASSERT_TRUE(launch(*first, a).ok());
  ASSERT_TRUE(first->signal(event).ok());
  EXPECT_FALSE(event->query(&status)) << "the queue is deferred";
  ASSERT_TRUE(event->wait(KILN_WAIT_FOREVER).ok());
  EXPECT_TRUE(event->query(&status));
  EXPECT_THAT(executor.list(), ElementsAre("a"));
}

TEST_F(EventTest, HostWaitWithTimeoutFlushesTheSignaller) {
  ASSERT_TRUE(launch(*first, a).ok());
  ASSERT_TRUE(first->signal(event).ok());
  EXPECT_TRUE(event->wait(60000 * ms).ok());
  EXPECT_THAT(executor.list(), ElementsAre("a"));
}

TEST_F(EventTest, HostWaitTimesOut) {
  Status status = event->wait(3 * ms);
  EXPECT_EQ(status.code(), Code::DeadlineExceeded);
  EXPECT_THAT(status.message(), HasSubstr("not signalled in time"));
}

TEST_F(EventTest, ANewSignalMakesItPendingAgain) {
  ASSERT_TRUE(first->signal(event).ok());
  ASSERT_TRUE(event->wait(KILN_WAIT_FOREVER).ok());
  ASSERT_TRUE(first->signal(event).ok());
  Status status;
  EXPECT_FALSE(event->query(&status));
  ASSERT_TRUE(first->synchronize().ok());
  EXPECT_TRUE(event->query(&status));
}

TEST_F(EventTest, OrdersTwoQueues) {
  ASSERT_TRUE(second->wait(event).ok()); // before its signal is queued: waits for the first
  ASSERT_TRUE(launch(*second, b).ok());
  ASSERT_TRUE(second->flush().ok());
  ASSERT_TRUE(launch(*first, a).ok());
  ASSERT_TRUE(first->signal(event).ok());
  ASSERT_TRUE(second->synchronize().ok()); // nobody flushed `first`: the waiter sees to it
  EXPECT_THAT(executor.list(), ElementsAre("a", "b"));
}

TEST_F(EventTest, SynchronizeRunsTheSignallerHereButNoFurther) {
  // first: a, signal, wait(back); second: wait(event), b, signal(back). Running all of `first` would hang.
  ASSERT_TRUE(launch(*first, a).ok());
  ASSERT_TRUE(first->signal(event).ok());
  ASSERT_TRUE(first->wait(back).ok());
  ASSERT_TRUE(second->wait(event).ok());
  ASSERT_TRUE(launch(*second, b).ok());
  ASSERT_TRUE(second->signal(back).ok());
  ASSERT_TRUE(second->synchronize().ok());
  EXPECT_THAT(executor.list(), ElementsAre("a", "b"));
  EXPECT_TRUE(first->synchronize().ok());
}

TEST_F(EventTest, PingPongOverManyRounds) {
  int turn = 0;
  FakeKernel even{
      [&](const LaunchCommand &) { return turn++ % 2 ? Status(Code::Internal, "order") : Status(); }};
  FakeKernel odd{
      [&](const LaunchCommand &) { return turn++ % 2 ? Status() : Status(Code::Internal, "order"); }};
  std::vector<std::shared_ptr<EventState>> events;
  for (int i = 0; i < 400; ++i) {
    InOrderQueue &queue = i % 2 ? *second : *first;
    if (i)
      ASSERT_TRUE(queue.wait(events.back()).ok());
    ASSERT_TRUE(launch(queue, i % 2 ? odd : even).ok());
    ASSERT_TRUE(queue.signal(events.emplace_back(std::make_shared<EventState>())).ok());
    if (i % 50 == 0)
      ASSERT_TRUE(queue.flush().ok());
  }
  EXPECT_TRUE(second->synchronize().ok());
  EXPECT_EQ(turn, 400);
}

TEST_F(EventTest, CarriesThePoisonOfItsQueue) {
  ASSERT_TRUE(launch(*first, bad).ok());
  ASSERT_TRUE(first->signal(event).ok());
  Status status = event->wait(KILN_WAIT_FOREVER);
  EXPECT_EQ(status.code(), Code::Internal);
  EXPECT_THAT(status.message(), HasSubstr("divided by zero"));
  EXPECT_TRUE(event->query(&status)) << "done, with an error";
  EXPECT_EQ(status.code(), Code::Internal);
}

TEST_F(EventTest, AFaultReachesTheQueuesThatWaitForIt) {
  ASSERT_TRUE(launch(*first, bad).ok());
  ASSERT_TRUE(first->signal(event).ok());
  ASSERT_TRUE(second->wait(event).ok());
  ASSERT_TRUE(launch(*second, b).ok());
  EXPECT_EQ(second->synchronize().code(), Code::Internal);
  EXPECT_THAT(executor.list(), IsEmpty());
  ASSERT_TRUE(second->reset().ok());
  ASSERT_TRUE(launch(*second, b).ok());
  EXPECT_TRUE(second->synchronize().ok());
}

TEST_F(EventTest, SignalOnAPoisonedQueueLetsNobodyHang) {
  ASSERT_TRUE(launch(*first, bad).ok());
  ASSERT_FALSE(first->synchronize().ok());
  EXPECT_FALSE(first->signal(event).ok());
  EXPECT_EQ(event->wait(KILN_WAIT_FOREVER).code(), Code::Internal);
}

TEST_F(EventTest, ResetCancelsSignalsAndWaits) {
  ASSERT_TRUE(first->wait(back).ok()); // never signalled
  ASSERT_TRUE(first->signal(event).ok());
  ASSERT_TRUE(first->flush().ok());
  EXPECT_EQ(first->synchronize(3 * ms).code(), Code::DeadlineExceeded);
  ASSERT_TRUE(first->reset().ok());
  EXPECT_EQ(event->wait(KILN_WAIT_FOREVER).code(), Code::Cancelled);
  ASSERT_TRUE(launch(*first, a).ok());
  EXPECT_TRUE(first->synchronize().ok());
}

TEST_F(EventTest, WorkBeforeAWaitCountsAsDone) {
  std::vector<int> out(1);
  int value = 7;
  ASSERT_TRUE(first->write(reinterpret_cast<uint64_t>(out.data()), &value, sizeof(value)).ok());
  ASSERT_TRUE(first->flush().ok());
  ASSERT_TRUE(first->wait(back).ok());
  ASSERT_TRUE(first->flush().ok());
  std::thread signaller([&] { ASSERT_TRUE(second->signal(back).ok()); });
  ASSERT_TRUE(first->synchronize().ok());
  signaller.join();
  EXPECT_EQ(out[0], 7);
}

TEST_F(EventTest, CloseGivesUpOnSignalsThatNobodyQueues) {
  ASSERT_TRUE(first->wait(back).ok());
  ASSERT_TRUE(first->signal(back).ok()); // behind its own wait
  ASSERT_TRUE(second->wait(event).ok());
  ASSERT_TRUE(second->flush().ok());
  first->close();
  second->close();
  EXPECT_EQ(first->status().code(), Code::Cancelled);
  EXPECT_EQ(second->status().code(), Code::Cancelled);
}

TEST_F(EventTest, MayBeDestroyedWhileQueued) {
  ASSERT_TRUE(first->signal(event).ok());
  ASSERT_TRUE(second->wait(event).ok());
  event.reset();
  ASSERT_TRUE(launch(*second, b).ok());
  EXPECT_TRUE(second->synchronize().ok());
}

TEST_F(EventTest, ManyThreadsOnOneEvent) {
  std::vector<std::thread> threads;
  std::atomic<int> woken = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      EXPECT_TRUE(event->wait(i % 2 ? KILN_WAIT_FOREVER : 60000 * ms).ok());
      ++woken;
    });
  ASSERT_TRUE(launch(*first, a).ok());
  ASSERT_TRUE(first->signal(event).ok());
  ASSERT_TRUE(first->flush().ok());
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(woken.load(), 4);
}

} // namespace
} // namespace kiln::sdk
