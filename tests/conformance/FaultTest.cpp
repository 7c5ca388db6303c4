// FaultTest.cpp: a fault poisons its queue, events carry it on, reset heals, other queues go on.
//
// The fault that any device can have: a queue that waits for an event whose signal was dropped by a reset.
#include "tests/conformance/Harness.h"

namespace kiln::conformance {
namespace {

using ::testing::Eq;

class FaultTest : public DeviceTest {
protected:
  /// Poisons queue(); what `behind` queues lies behind the fault.
  Status poison(const std::function<Status()> &behind = [] { return Status(); }) {
    KILN_ASSIGN_OR_RETURN(std::unique_ptr<Queue> dropped, device().createQueue());
    KILN_ASSIGN_OR_RETURN(std::unique_ptr<Event> never, device().createEvent());
    KILN_ASSIGN_OR_RETURN(std::unique_ptr<Event> lost, device().createEvent());
    KILN_RETURN_IF_ERROR(dropped->wait(*never));
    KILN_RETURN_IF_ERROR(dropped->signal(*lost));
    KILN_RETURN_IF_ERROR(dropped->flush());
    KILN_RETURN_IF_ERROR(queue().wait(*lost));
    KILN_RETURN_IF_ERROR(behind());
    KILN_RETURN_IF_ERROR(dropped->reset());
    Status fault = queue().synchronize(60000 * kMs);
    return fault.ok() ? Status(Code::Internal, "the queue is not poisoned") : Status();
  }
};

TEST_F(FaultTest, EveryLaterCallReturnsTheFault) {
  CONFORM_OK(poison());
  Status fault = queue().status();
  CONFORM_THAT(fault.ok(), Eq(false));
  Buffer buffer = allocate(64);
  uint8_t byte = 0;
  CONFORM_THAT(queue().fill(buffer.address(), 0, 1, 64).code(), Eq(fault.code()));
  CONFORM_THAT(queue().copy(buffer.address(), buffer.address(), 1).code(), Eq(fault.code()));
  CONFORM_THAT(queue().read(&byte, buffer.address(), 1).code(), Eq(fault.code()));
  CONFORM_THAT(queue().synchronize().code(), Eq(fault.code()));
  CONFORM_THAT(queue().synchronize().message(), Eq(fault.message())) << "the same one, not a new one";
}

TEST_F(FaultTest, ResetHeals) {
  CONFORM_OK(poison());
  CONFORM_OK(queue().reset());
  CONFORM_OK(queue().status());
  Buffer buffer = upload(pattern(32));
  CONFORM_THAT(download(buffer), Eq(pattern(32)));
}

TEST_F(FaultTest, OtherQueuesGoOn) {
  CONFORM_OK(poison());
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Queue> other, device().createQueue());
  Buffer buffer = allocate(32);
  CONFORM_OK(other->fill(buffer.address(), 1, 1, 32));
  CONFORM_OK(other->synchronize());
}

TEST_F(FaultTest, EventsCarryTheFaultOn) {
  CONFORM_OK(poison());
  Status fault = queue().status();
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Event> event, device().createEvent());
  CONFORM_THAT(queue().signal(*event).code(), Eq(fault.code()));
  CONFORM_THAT(event->wait(60000 * kMs).code(), Eq(fault.code())) << "nobody hangs on it";
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Queue> next, device().createQueue());
  CONFORM_OK(next->wait(*event));
  CONFORM_THAT(next->synchronize(60000 * kMs).code(), Eq(fault.code()));
}

TEST_F(FaultTest, WhatIsBehindTheFaultDoesNotRun) {
  Buffer buffer = upload(pattern(16));
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Queue> dropped, device().createQueue());
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Event> never, device().createEvent());
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Event> lost, device().createEvent());
  CONFORM_OK(dropped->wait(*never));
  CONFORM_OK(dropped->signal(*lost));
  CONFORM_OK(queue().wait(*lost));
  CONFORM_OK(queue().fill(buffer.address(), 0xee, 1, 16));
  CONFORM_OK(dropped->reset());
  CONFORM_THAT(queue().synchronize(60000 * kMs).ok(), Eq(false));
  CONFORM_OK(queue().reset());
  CONFORM_THAT(download(buffer), Eq(pattern(16)));
}

TEST_F(FaultTest, CallsBehindAFaultAreStillMade) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Queue> dropped, device().createQueue());
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Event> never, device().createEvent());
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Event> lost, device().createEvent());
  int calls = 0;
  CONFORM_OK(dropped->wait(*never));
  CONFORM_OK(dropped->signal(*lost));
  CONFORM_OK(queue().wait(*lost));
  CONFORM_OK(queue().call([](void *arg) { ++*static_cast<int *>(arg); }, &calls));
  CONFORM_OK(dropped->reset());
  CONFORM_THAT(queue().synchronize(60000 * kMs).ok(), Eq(false));
  CONFORM_THAT(calls, Eq(1)) << "its owner would wait for it for ever";
}

TEST_F(FaultTest, FreesOnAPoisonedQueueReleaseTheirMemory) {
  KilnDeviceAddress behind = 0, after = 0;
  uint64_t before = device().memoryStats()->bytes_in_use;
  ASSERT_OK_AND_ASSIGN(behind, queue().allocate(4096));
  ASSERT_OK_AND_ASSIGN(after, queue().allocate(4096));
  CONFORM_OK(queue().synchronize());
  CONFORM_OK(poison([&] { return queue().free(behind); }));
  CONFORM_THAT(queue().free(after).code(), Eq(queue().status().code()))
      << "the fault, and the memory is free";
  CONFORM_OK(queue().reset());
  CONFORM_THAT(device().memoryStats()->bytes_in_use, Eq(before));
}

} // namespace
} // namespace kiln::conformance
