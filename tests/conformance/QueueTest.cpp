// QueueTest.cpp: order, copies, fills, waiting with a time limit, queue-ordered memory, calls into the host.
#include "tests/conformance/Harness.h"

#include <atomic>
#include <thread>

namespace kiln::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;

class QueueTest : public DeviceTest {};

TEST_F(QueueTest, CommandsRunInOrder) {
  Buffer a = allocate(256), b = allocate(256);
  std::vector<uint8_t> data = pattern(256), out(256);
  CONFORM_OK(queue().fill(a.address(), 0, 1, 256));
  CONFORM_OK(queue().write(a.address(), data.data(), 256));
  CONFORM_OK(queue().copy(b.address(), a.address(), 256));
  CONFORM_OK(queue().fill(a.address(), 1, 1, 256)); // after the copy has read it
  CONFORM_OK(queue().read(out.data(), b.address(), 256));
  CONFORM_OK(queue().synchronize());
  CONFORM_THAT(out, Eq(data));
  CONFORM_THAT(download(a), Eq(std::vector<uint8_t>(256, 1)));
}

TEST_F(QueueTest, ManyCommandsKeepTheirOrder) {
  Buffer buffer = allocate(8);
  for (uint64_t i = 1; i <= 5000; ++i)
    ASSERT_OK(queue().fill(buffer.address(), i, 8, 8));
  std::vector<uint8_t> bytes = download(buffer);
  uint64_t last = 0;
  memcpy(&last, bytes.data(), 8);
  CONFORM_THAT(last, Eq(5000u));
}

TEST_F(QueueTest, FillRepeatsPatternsOfEverySize) {
  for (uint32_t size : {1, 2, 4, 8}) {
    Buffer buffer = allocate(size * 33);
    uint64_t value = 0x1122334455667788;
    CONFORM_OK(queue().fill(buffer.address(), value, size, size * 33));
    std::vector<uint8_t> bytes = download(buffer);
    for (size_t i = 0; i < bytes.size(); ++i)
      ASSERT_EQ(bytes[i], static_cast<uint8_t>(value >> (8 * (i % size))))
          << "byte " << i << ", size " << size;
    CONFORM_THAT(bytes.size(), Eq(size * 33));
  }
}

TEST_F(QueueTest, WrongFillsAreRefusedAndDoNotPoison) {
  Buffer buffer = allocate(64);
  CONFORM_CODE(queue().fill(buffer.address(), 0, 3, 63), Code::InvalidArgument);
  CONFORM_CODE(queue().fill(buffer.address(), 0, 4, 63), Code::InvalidArgument);
  CONFORM_OK(queue().fill(buffer.address(), 0, 4, 64));
  CONFORM_OK(queue().synchronize());
}

TEST_F(QueueTest, CopiesBetweenPartsOfOneBuffer) {
  Buffer buffer = upload(pattern(300));
  CONFORM_OK(queue().copy(buffer.address() + 150, buffer.address(), 150));
  std::vector<uint8_t> bytes = download(buffer), all = pattern(300);
  std::copy(all.begin(), all.begin() + 150, all.begin() + 150);
  CONFORM_THAT(bytes, Eq(all));
}

TEST_F(QueueTest, TransfersOfNoBytesAreAllowed) {
  Buffer buffer = upload(pattern(16));
  CONFORM_OK(queue().copy(buffer.address() + 8, buffer.address(), 0));
  CONFORM_OK(queue().fill(buffer.address(), 1, 1, 0));
  CONFORM_THAT(download(buffer), Eq(pattern(16)));
}

TEST_F(QueueTest, SynchronizeOnAnEmptyQueueReturns) {
  CONFORM_OK(queue().synchronize());
  CONFORM_OK(queue().synchronize(0));
  CONFORM_OK(queue().flush());
  CONFORM_OK(queue().status());
  CONFORM_OK(queue().reset());
}

TEST_F(QueueTest, SynchronizeGivesUpAfterItsTimeLimitAndTheWorkGoesOn) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Event> gate, device().createEvent());
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Queue> opener, device().createQueue());
  Buffer buffer = allocate(4);
  CONFORM_OK(queue().wait(*gate));
  CONFORM_OK(queue().fill(buffer.address(), 0x01010101, 4, 4));
  CONFORM_CODE(queue().synchronize(20 * kMs), Code::DeadlineExceeded);
  CONFORM_OK(queue().status()) << "a time-out is no fault";
  CONFORM_OK(opener->signal(*gate));
  CONFORM_OK(opener->flush());
  CONFORM_OK(queue().synchronize(60000 * kMs));
  CONFORM_THAT(download(buffer), ElementsAre(1, 1, 1, 1));
}

TEST_F(QueueTest, FlushStartsWhatWasDeferredWithoutWaiting) {
  std::atomic<bool> ran = false;
  CONFORM_OK(queue().call([](void *arg) { static_cast<std::atomic<bool> *>(arg)->store(true); }, &ran));
  CONFORM_OK(queue().flush());
  for (int i = 0; i < 2000 && !ran; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CONFORM_THAT(ran.load(), Eq(true)) << "nobody waited on the queue, flush alone started it";
  CONFORM_OK(queue().synchronize());
}

TEST_F(QueueTest, CallsRunInOrderWithTheRest) {
  struct Seen {
    std::vector<int> order;
  } seen;
  struct Call {
    Seen *seen;
    int number;
  } calls[3] = {{&seen, 0}, {&seen, 1}, {&seen, 2}};
  Buffer buffer = allocate(64);
  for (Call &call : calls) {
    CONFORM_OK(queue().fill(buffer.address(), call.number, 1, 64));
    CONFORM_OK(queue().call(
        [](void *arg) {
          auto *call = static_cast<Call *>(arg);
          call->seen->order.push_back(call->number);
        },
        &call));
  }
  CONFORM_OK(queue().synchronize());
  CONFORM_THAT(seen.order, ElementsAre(0, 1, 2));
}

TEST_F(QueueTest, QueueOrderedMemoryLivesBetweenItsCommands) {
  std::vector<uint8_t> data = pattern(5000), out(5000);
  uint64_t before = device().memoryStats()->bytes_in_use;
  for (int round = 0; round < 3; ++round) {
    ASSERT_OK_AND_ASSIGN(KilnDeviceAddress address, queue().allocate(5000, 64));
    CONFORM_THAT(address % 64, Eq(0u));
    CONFORM_OK(queue().write(address, data.data(), data.size()));
    CONFORM_OK(queue().read(out.data(), address, out.size()));
    CONFORM_OK(queue().free(address));
  }
  CONFORM_OK(queue().synchronize());
  CONFORM_THAT(out, Eq(data));
  CONFORM_THAT(device().memoryStats()->bytes_in_use, Eq(before));
}

TEST_F(QueueTest, QueuesAreIndependent) {
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Event> gate, device().createEvent());
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Queue> other, device().createQueue());
  CONFORM_OK(queue().wait(*gate)); // this one is held up
  Buffer buffer = allocate(16);
  CONFORM_OK(other->fill(buffer.address(), 5, 1, 16));
  CONFORM_OK(other->synchronize(60000 * kMs));
  CONFORM_OK(other->signal(*gate));
  CONFORM_OK(other->flush());
  CONFORM_OK(queue().synchronize(60000 * kMs));
}

TEST_F(QueueTest, ThreadsMayShareAQueue) {
  Buffer buffer = allocate(4 * 1000);
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 1000; ++i)
        failures += !queue().fill(buffer.address() + t * 1000 + i, t + 1, 1, 1).ok();
    });
  for (std::thread &thread : threads)
    thread.join();
  CONFORM_THAT(failures.load(), Eq(0));
  std::vector<uint8_t> bytes = download(buffer);
  for (int t = 0; t < 4; ++t)
    CONFORM_THAT(std::vector<uint8_t>(bytes.begin() + t * 1000, bytes.begin() + (t + 1) * 1000),
                 Eq(std::vector<uint8_t>(1000, t + 1)));
}

} // namespace
} // namespace kiln::conformance
