// LockTest.cpp: no lock is held while a library is opened or a backend is called: each callback here waits
// for a thread that needs every lock there is, so that a held one would be a deadlock.
#include "runtime/BackendAccess.h"
#include "runtime/CompilerHandle.h"
#include "tests/unit/autoload/Fixtures.h"

#include <future>
#include <thread>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::HasSubstr;

BackendRegistry *registryAtHand;
std::string otherFolder;

// Everything that takes a lock of the registry, of all registries or of the table of libraries, on another
// thread. `mayLoad` is false inside dlopen: the system's loader keeps other threads out of dlopen meanwhile.
void useEveryLock(bool mayLoad) {
  std::thread([mayLoad] {
    (void)registryAtHand->backends();
    (void)registryAtHand->snapshot();
    if (mayLoad)
      EXPECT_OK(registryAtHand->deviceType("good"));
    (void)registryAtHand->addKernelLoader({"good", "format", "loader", {}, nullptr}).ok();
    ASSERT_OK(registryOver({otherFolder}));
    BackendRegistry::Options options;
    options.autoload = AutoloadMode::Off;
    ASSERT_OK(BackendRegistry::get(options));
  }).join();
}

// A deadlock would hang the test: after a while it ends the process instead, with its name.
template <typename Fn> void finishes(Fn fn) {
  std::promise<void> done;
  std::thread watchdog([future = done.get_future()] {
    if (future.wait_for(std::chrono::seconds(60)) == std::future_status::timeout) {
      fprintf(stderr, "a lock is held while a backend is called\n");
      abort();
    }
  });
  fn();
  done.set_value();
  watchdog.join();
}

TEST(LockTest, NoneIsHeldInInit) {
  TempFolder folder;
  copyPlugin(folder, "calls_back");
  copyPlugin(folder, "good");
  otherFolder = folder.path();
  ASSERT_OK_AND_ASSIGN(
      registryAtHand,
      registryOver({folder.path()}, {{"KILN_CALLS_BACK_HOOK", addressOf([] { useEveryLock(true); })}}));
  finishes([] { EXPECT_OK(registryAtHand->load("calls_back")); });
}

TEST(LockTest, NoneIsHeldInAConstructor) {
  TempFolder folder;
  copyPlugin(folder, "calls_back_in_constructor");
  copyPlugin(folder, "good");
  otherFolder = folder.path();
  ASSERT_OK_AND_ASSIGN(registryAtHand, registryOver({folder.path()}));
  // The constructor cannot be handed an option: it finds the function in the environment of the process.
  setenv("KILN_TEST_CONSTRUCTOR_HOOK", addressOf([] { useEveryLock(false); }).c_str(), 1);
  finishes([] { EXPECT_OK(registryAtHand->load("calls_back_in_constructor")); });
  unsetenv("KILN_TEST_CONSTRUCTOR_HOOK");
}

// The compiler's library is found by a variable, which is read once: it stands before main.
const bool isHooked =
    setenv("KILN_COMPILER_LIBRARY", KILN_TEST_PLUGINS "/libkiln-hooked-compiler.so", 1) == 0;
CompilerHandle *compilerAtHand;

TEST(LockTest, NoneIsHeldWhileTheCompilerIsOpened) {
  ASSERT_TRUE(isHooked);
  TempFolder folder;
  copyPlugin(folder, "good");
  otherFolder = folder.path();
  ASSERT_OK_AND_ASSIGN(registryAtHand, registryOver({folder.path()}));
  std::unique_ptr<BackendAccess> backends = accessRegistry(*registryAtHand);
  CompilerHandle compiler(*backends);
  compilerAtHand = &compiler;
  auto use = [](bool mayLoad) {
    useEveryLock(mayLoad);
    std::thread([] { EXPECT_EQ(compilerAtHand->ifOpen(), nullptr); }).join();
    EXPECT_THAT(compilerAtHand->get().status(),
                StatusIs(Code::InProgress, HasSubstr("asked for while this thread opens it")))
        << "on the thread that opens it";
  };
  static auto inConstructor = use, inEntry = use;
  setenv("KILN_TEST_CONSTRUCTOR_HOOK", addressOf([] { inConstructor(false); }).c_str(), 1);
  setenv("KILN_TEST_OPEN_HOOK", addressOf([] { inEntry(true); }).c_str(), 1);
  finishes([&] { EXPECT_OK(compiler.get()); });
  EXPECT_NE(compiler.ifOpen(), nullptr);
  unsetenv("KILN_TEST_CONSTRUCTOR_HOOK");
  unsetenv("KILN_TEST_OPEN_HOOK");
}

} // namespace
} // namespace kiln
