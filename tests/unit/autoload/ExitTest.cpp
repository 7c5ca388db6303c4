// ExitTest.cpp: the end of a process: exit with work in flight, the explicit shutdown.
#include "kiln/kiln.h"
#include "runtime/BackendLibrary.h"
#include "runtime/Queue.h"
#include "tests/unit/autoload/Fixtures.h"

#include <csignal>
#include <thread>
#include <unistd.h>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

// A device whose worker is inside a host call that does not end; the caller leaves without waiting.
void leaveWithWorkInFlight() {
  BackendRegistry *registry = *registryOver({pluginFolder("good")});
  DeviceChoice choice = *registry->resolve("good");
  auto *device = new std::shared_ptr<Device>(*Device::open(*choice.type, {}));
  auto *queue = new std::unique_ptr<Queue>(*(*device)->createQueue());
  (void)(*queue)->call(
      [](void *) {
        for (;;)
          std::this_thread::sleep_for(std::chrono::seconds(1));
      },
      nullptr);
  (void)(*queue)->flush();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  alarm(30); // a hang at exit is a failure, not a wait
  std::exit(7);
}

TEST(ExitTest, WithWorkInFlightIsClean) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(leaveWithWorkInFlight(), ExitedWithCode(7), "");
}

Status taken(KilnStatus status) {
  Status result = status ? Status(static_cast<Code>(kiln_status_code(status)),
                                  std::string(toView(kiln_status_message(status))))
                         : Status();
  kiln_status_free(status);
  return result;
}

TEST(ShutdownTest, IsRefusedWhileADeviceIsOpen) {
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({pluginFolder("good")}));
  ASSERT_OK_AND_ASSIGN(DeviceChoice choice, registry->resolve("good"));
  ASSERT_OK_AND_ASSIGN(std::shared_ptr<Device> device, Device::open(*choice.type, {}));
  EXPECT_THAT(taken(kiln_shutdown()),
              StatusIs(Code::FailedPrecondition, "shutdown: 1 device is open; release all sessions first"));
  EXPECT_OK(Device::open(*choice.type, {})) << "nothing was shut down";
}

// In a process of its own: a shutdown is for ever. Backends print their names as they are shut down.
void shutDown() {
  BackendRegistry *registry =
      *registryOver({pluginFolder("shuts_down_first"), pluginFolder("shuts_down_second")});
  bool isLoaded = registry->load("shuts_down_first").ok() && registry->load("shuts_down_second").ok();
  DeviceChoice choice = *registry->resolve("shuts_down_first");
  Status first = taken(kiln_shutdown()), again = taken(kiln_shutdown());
  Status opened = Device::open(*choice.type, {}).status();
  std::exit(
      isLoaded && first.ok() && again.ok() && opened.message().ends_with("kiln_shutdown was called") ? 0 : 1);
}

TEST(ShutdownTest, GoesInReverseOrderOnceAndForEver) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(shutDown(), ExitedWithCode(0), "^shut down shuts_down_second\nshut down shuts_down_first\n$");
}

} // namespace
} // namespace kiln
