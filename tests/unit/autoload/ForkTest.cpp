// ForkTest.cpp: after a fork the child keeps what was found and loaded; devices that the parent opened say
// FORKED.
#include "runtime/Queue.h"
#include "runtime/SingleFlight.h"
#include "tests/unit/autoload/Fixtures.h"

#include <atomic>
#include <sys/wait.h>
#include <thread>

#if defined(__has_feature) && __has_feature(thread_sanitizer)
// A fork takes every lock at once, those of all the registries that these tests made among them:
// ThreadSanitizer's search for lock cycles, not for races, ends the process at 64. The parent's threads are
// no leak of a child.
// Visible to the sanitizer's shared library.
extern "C" __attribute__((visibility("default"))) const char *__tsan_default_options() {
  return "detect_deadlocks=0:report_thread_leaks=0";
}
#endif

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::HasSubstr;

// Runs `child` in a fork; its text is why it failed, "" if it did not. A child that hangs is killed.
template <typename Fn> std::string inChild(Fn child) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(20);
    std::string why = child();
    (void)!write(ends[1], why.data(), why.size());
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char chunk[512];
  for (ssize_t count; (count = read(ends[0], chunk, sizeof chunk)) > 0;)
    text.append(chunk, count);
  close(ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  return status == 0 ? text : "the child ended with status " + std::to_string(status) + " " + text;
}

std::string unless(bool condition, const std::string &why) { return condition ? "" : why + "\n"; }

TEST(ForkTest, WhatWasFoundAndLoadedStaysValid) {
  TempFolder folder;
  copyPlugin(folder, "good");
  copyPlugin(folder, "calls_back");
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({folder.path()}));
  ASSERT_OK(registry->load("good"));
  EXPECT_EQ(inChild([&] {
              Result<DeviceChoice> loaded = registry->resolve("good:1");
              Result<DeviceChoice> fresh = registry->resolve("calls_back");
              if (!loaded.ok() || !fresh.ok())
                return loaded.status().message() + fresh.status().message();
              Result<std::shared_ptr<Device>> device = Device::open(*loaded->type, {.ordinal = 1});
              if (!device.ok())
                return device.status().message();
              Result<std::unique_ptr<Queue>> queue = (*device)->createQueue();
              return queue.ok() ? (*queue)->synchronize().message() : queue.status().message();
            }),
            "");
  EXPECT_EQ(reportOf(*registry, "calls_back").state, BackendState::Discovered) << "the parent is as it was";
}

TEST(ForkTest, DevicesOfTheParentAnswerForkedAndCanBeOpenedAgain) {
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({pluginFolder("good")}));
  ASSERT_OK_AND_ASSIGN(DeviceChoice choice, registry->resolve("good"));
  ASSERT_OK_AND_ASSIGN(std::shared_ptr<Device> device, Device::open(*choice.type, {}));
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Queue> queue, device->createQueue());
  ASSERT_OK_AND_ASSIGN(std::unique_ptr<Event> event, device->createEvent());
  ASSERT_OK_AND_ASSIGN(Buffer buffer, device->allocate(64));
  EXPECT_EQ(
      inChild([&] {
        std::string why;
        const std::string expected = "device 'good:0': opened before a fork; open it again in the child";
        for (const Status &status :
             {queue->synchronize(), queue->signal(*event), event->wait(), queue->reset(),
              device->allocate(8).status(), device->createQueue().status(), device->map(buffer).status()})
          why += unless(status.code() == Code::Forked && status.message() == expected, status.message());
        Result<std::shared_ptr<Device>> again = Device::open(*choice.type, {});
        why += unless(again.ok() && (*again)->allocate(8).ok(), "cannot be opened again");
        buffer = Buffer(); // destroyed in the child: the backend is not called
        event.reset();
        queue.reset();
        device.reset();
        return why;
      }),
      "");
  EXPECT_OK(queue->synchronize()) << "the parent goes on";
}

std::atomic<bool> isInside, mayLeave;

TEST(ForkTest, AForkWaitsForALoadInAnotherThread) {
  TempFolder folder;
  copyPlugin(folder, "calls_back");
  isInside = mayLeave = false;
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry,
                       registryOver({folder.path()}, {{"KILN_CALLS_BACK_HOOK", addressOf([] {
                                                         isInside = true;
                                                         while (!mayLeave)
                                                           std::this_thread::yield();
                                                       })}}));
  std::thread loader([&] { EXPECT_OK(registry->load("calls_back")); });
  std::thread releaser([] {
    while (!isInside)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    mayLeave = true;
  });
  while (!isInside)
    std::this_thread::yield();
  EXPECT_EQ(inChild([&] { return registry->load("calls_back").message(); }), "");
  loader.join();
  releaser.join();
}

TEST(ForkTest, AForkInsideALoadEndsBothWays) {
  TempFolder folder;
  copyPlugin(folder, "calls_back");
  ASSERT_OK_AND_ASSIGN(
      BackendRegistry * registry,
      registryOver({folder.path()},
                   {{"KILN_CALLS_BACK_HOOK", addressOf([] { EXPECT_EQ(inChild([] { return ""; }), ""); })}}));
  EXPECT_OK(registry->load("calls_back"));
}

TEST(ForkTest, TheChildMakesAnewWhatAnotherThreadWasMaking) {
  SingleFlight<int> cache;
  isInside = mayLeave = false;
  ASSERT_THAT(cache.get("kept", [] { return Result<int>(1); }), IsOkAndHolds(1));
  auto slow = [] {
    isInside = true;
    while (!mayLeave)
      std::this_thread::yield();
    return Result<int>(2);
  };
  std::thread maker([&] { EXPECT_THAT(cache.get("pending", slow), IsOkAndHolds(2)); });
  std::thread waiter([&] { EXPECT_THAT(cache.get("pending", slow), IsOkAndHolds(2)); });
  while (!isInside)
    std::this_thread::yield();
  EXPECT_EQ(inChild([&] {
              auto child = [](int value) { return [value] { return Result<int>(value); }; };
              return unless(*cache.get("kept", child(3)) == 1, "a value is lost") +
                     unless(*cache.get("pending", child(4)) == 4, "the lost thread was waited for");
            }),
            "");
  mayLeave = true;
  maker.join();
  waiter.join();
}

// Locks that are taken and given back all the time: a fork between the two would leave one locked for ever.
TEST(ForkTest, AForkBetweenLookUpsLeavesNoLockBehind) {
  SingleFlight<int> cache;
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; !stop; ++i)
        (void)cache.get(std::to_string((i + t) % 64), [&] { return Result<int>(i); }).ok();
    });
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(inChild([&] {
                std::string why;
                for (int key = 0; key < 64; ++key)
                  why +=
                      unless(cache.get(std::to_string(key), [] { return Result<int>(7); }).ok(), "no value");
                return why;
              }),
              "");
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
} // namespace kiln
