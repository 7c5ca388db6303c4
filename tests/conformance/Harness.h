// Harness.h: the device under test, the fixture of every test, and the counting of checks and refusals.
#ifndef KILN_TESTS_CONFORMANCE_HARNESS_H
#define KILN_TESTS_CONFORMANCE_HARNESS_H

#include "runtime/BackendRegistry.h"
#include "runtime/Queue.h"
#include "tests/conformance/Expectations.h"
#include "tests/unit/runtime/StatusMatchers.h"
#include "tools/lib/KilnApi.h"

#include <numeric>

namespace kiln::conformance {

constexpr uint64_t kMs = 1000000; // nanoseconds

/// The one device of a run, opened once.
/// Ownership: process-wide, released by close(). Threads: made and closed by main; tests run on one thread.
class DeviceUnderTest {
public:
  static DeviceUnderTest &get();

  /// Finds and opens the device; also a session on it, for kernels.
  Status open(const std::string &name, const std::string &expectationsPath);
  void close();

  Device &device() { return *theDevice; }
  std::shared_ptr<Device> shared() { return theDevice; }
  BackendRegistry &registry() { return *theRegistry; }
  KilnInstance *instance() { return theInstance.get(); }
  KilnSession *session() { return theSession.get(); }
  const Expectations &expectations() const { return theExpectations; }
  const DeviceDescription &description() const { return theDevice->description(); }

  // What the suite reports.
  uint64_t checks = 0;
  std::vector<std::string> refusals; // "kernel 'x': REASON"

private:
  BackendRegistry *theRegistry = nullptr;
  std::shared_ptr<Device> theDevice;
  tools::InstanceHandle theInstance;
  tools::SessionHandle theSession;
  Expectations theExpectations;
};

/// Skips what the expectations declare unsupported; has a fresh queue for every test.
class DeviceTest : public ::testing::Test {
protected:
  void SetUp() override;

  Device &device() { return DeviceUnderTest::get().device(); }
  Queue &queue() { return *theQueue; }
  Buffer allocate(uint64_t bytes);
  /// Bytes 0, 1, 2 ... modulo a prime, so that no two pages look alike.
  static std::vector<uint8_t> pattern(size_t bytes, unsigned seed = 0);
  std::vector<uint8_t> download(const Buffer &buffer);
  Buffer upload(const std::vector<uint8_t> &bytes);

private:
  std::unique_ptr<Queue> theQueue;
};

/// Records that the device cannot do something and said so; the test ends as skipped.
#define CONFORM_REFUSED(what, status)                                                                        \
  do {                                                                                                       \
    ::kiln::conformance::DeviceUnderTest::get().refusals.push_back(std::string(what) + ": " +                \
                                                                   (status).message());                      \
    GTEST_SKIP() << "refused: " << (what) << ": " << (status).message();                                     \
  } while (false)
/// Checks that count: what the suite prints is their number.
template <typename T> T &&counted(T &&value) {
  ++DeviceUnderTest::get().checks;
  return std::forward<T>(value);
}
#define CONFORM_THAT(value, matcher) ASSERT_THAT(::kiln::conformance::counted(value), matcher)
#define CONFORM_OK(expression) CONFORM_THAT(::kiln::statusOf(expression), ::kiln::testing::IsOk())
#define CONFORM_CODE(expression, code)                                                                       \
  CONFORM_THAT(::kiln::statusOf(expression), ::kiln::testing::StatusIs(code, ::testing::Not("")))

} // namespace kiln::conformance
#endif // KILN_TESTS_CONFORMANCE_HARNESS_H
