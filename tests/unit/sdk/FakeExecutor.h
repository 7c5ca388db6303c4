// FakeExecutor.h: an executor for queue tests: kernels are C++ functions, what ran is kept in a list.
#ifndef KILN_TESTS_SDK_FAKEEXECUTOR_H
#define KILN_TESTS_SDK_FAKEEXECUTOR_H

#include "kiln/InOrderQueue.h"

#include <functional>
#include <string>
#include <vector>

namespace kiln::sdk {

constexpr uint64_t ms = 1000000; // nanoseconds

/// A kernel of the fake device: what a launch does.
struct FakeKernel {
  std::function<Status(const LaunchCommand &)> run;
  KilnKernel *handle() { return reinterpret_cast<KilnKernel *>(this); }
};

/// Threads: safe from several queues.
class FakeExecutor : public Executor {
public:
  Status launch(const LaunchCommand &command) override {
    return reinterpret_cast<FakeKernel *>(command.kernel)->run(command);
  }
  void release(KilnDeviceAddress address) override {
    std::lock_guard lock(mutex);
    released.push_back(address);
  }
  void note(std::string what) {
    std::lock_guard lock(mutex);
    ran.push_back(std::move(what));
  }
  std::vector<std::string> list() {
    std::lock_guard lock(mutex);
    return ran;
  }
  std::vector<KilnDeviceAddress> freed() {
    std::lock_guard lock(mutex);
    return released;
  }
  /// A kernel that notes its name.
  FakeKernel noting(std::string name) {
    return {[this, name](const LaunchCommand &) {
      note(name);
      return Status();
    }};
  }
  static FakeKernel failing(Code code = Code::Internal, std::string message = "divided by zero") {
    return {[=](const LaunchCommand &) { return Status(code, message); }};
  }

private:
  std::mutex mutex;
  std::vector<std::string> ran;
  std::vector<KilnDeviceAddress> released;
};

inline KilnLaunch emptyLaunch() {
  KilnLaunch launch = {};
  launch.struct_size = sizeof(launch);
  launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
  return launch;
}

/// A gate that a kernel waits at, so that a test decides when a queue goes on.
class Gate {
public:
  void open() {
    std::lock_guard lock(mutex);
    isOpen = true;
    changed.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex);
    ++arrivals;
    changed.notify_all();
    changed.wait(lock, [&] { return isOpen; });
  }
  void awaitArrival() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return arrivals > 0; });
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isOpen = false;
  int arrivals = 0;
};

} // namespace kiln::sdk
#endif // KILN_TESTS_SDK_FAKEEXECUTOR_H
