// EventTest.cpp: points in queues that the host and other queues wait for.
#include "tests/conformance/Harness.h"

#include <thread>

namespace kiln::conformance {
namespace {

using ::testing::Eq;

class EventTest : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure())
      return;
    ASSERT_OK_AND_ASSIGN(event, device().createEvent());
    ASSERT_OK_AND_ASSIGN(other, device().createQueue());
  }
  std::unique_ptr<Event> event;
  std::unique_ptr<Queue> other;
};

TEST_F(EventTest, IsNotDoneBeforeItsSignal) {
  ASSERT_OK_AND_ASSIGN(bool done, event->query());
  CONFORM_THAT(done, Eq(false));
  CONFORM_CODE(event->wait(10 * kMs), Code::DeadlineExceeded);
}

TEST_F(EventTest, IsDoneAfterItsSignal) {
  CONFORM_OK(queue().signal(*event));
  CONFORM_OK(event->wait()) << "waiting flushes the signalling queue";
  ASSERT_OK_AND_ASSIGN(bool done, event->query());
  CONFORM_THAT(done, Eq(true));
  CONFORM_OK(event->wait(0));
}

TEST_F(EventTest, WaitsAcrossQueues) {
  Buffer buffer = allocate(64);
  std::vector<uint8_t> data = pattern(64), out(64);
  CONFORM_OK(other->wait(*event)); // queued before its signal
  CONFORM_OK(other->read(out.data(), buffer.address(), 64));
  CONFORM_OK(queue().write(buffer.address(), data.data(), 64));
  CONFORM_OK(queue().signal(*event));
  CONFORM_OK(queue().flush());
  CONFORM_OK(other->synchronize(60000 * kMs));
  CONFORM_THAT(out, Eq(data));
}

TEST_F(EventTest, CanBeSignalledAgain) {
  for (int round = 0; round < 3; ++round) {
    CONFORM_OK(queue().signal(*event));
    CONFORM_OK(event->wait(60000 * kMs));
  }
}

TEST_F(EventTest, MayBeDestroyedWhileItIsInUse) {
  CONFORM_OK(queue().signal(*event));
  CONFORM_OK(other->wait(*event));
  event.reset();
  CONFORM_OK(queue().synchronize(60000 * kMs));
  CONFORM_OK(other->synchronize(60000 * kMs));
}

TEST_F(EventTest, AHostThreadWaitsForAnotherThreadsWork) {
  Buffer buffer = allocate(8);
  CONFORM_OK(queue().fill(buffer.address(), 3, 1, 8));
  std::thread signaller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_OK(queue().signal(*event));
    EXPECT_OK(queue().flush());
  });
  Status waited = event->wait(60000 * kMs);
  signaller.join();
  CONFORM_OK(waited);
}

} // namespace
} // namespace kiln::conformance
