// Harness.cpp: opens the device once; a queue a test.
#include "tests/conformance/Harness.h"

#include <filesystem>

namespace kiln::conformance {

DeviceUnderTest &DeviceUnderTest::get() {
  static DeviceUnderTest instance;
  return instance;
}

Status DeviceUnderTest::open(const std::string &name, const std::string &expectationsPath) {
  KILN_ASSIGN_OR_RETURN(theRegistry, BackendRegistry::get({}));
  KILN_ASSIGN_OR_RETURN(DeviceChoice choice, theRegistry->resolve(name));
  std::string path = expectationsPath;
  if (path.empty())
    for (const BackendReport &report : theRegistry->backends())
      if (report.name == choice.type->backend && report.manifest)
        path = report.manifest->folder() + "/" + report.name + ".conformance.json";
  if (!expectationsPath.empty() || std::filesystem::exists(path)) {
    KILN_ASSIGN_OR_RETURN(theExpectations, Expectations::load(path));
  }
  Device::OpenOptions options;
  options.ordinal = choice.ordinal;
  KILN_ASSIGN_OR_RETURN(theDevice, Device::open(*choice.type, options));

  KilnInstance *instance = nullptr;
  KILN_RETURN_IF_ERROR(tools::take(kiln_instance_create(nullptr, &instance)));
  theInstance.reset(instance);
  auto sessionOptions = tools::sized<KilnSessionOptions>();
  std::string deviceName = choice.name();
  sessionOptions.device = toStr(deviceName);
  KilnSession *session = nullptr;
  KILN_RETURN_IF_ERROR(tools::take(kiln_session_open(instance, &sessionOptions, &session)));
  theSession.reset(session);
  return {};
}

void DeviceUnderTest::close() {
  theSession.reset();
  theInstance.reset();
  theDevice.reset();
}

void DeviceTest::SetUp() {
  const auto *info = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(info->test_suite_name()) + "." + info->name();
  if (std::string reason = DeviceUnderTest::get().expectations().whyUnsupported(name); !reason.empty())
    GTEST_SKIP() << "unsupported on '" << device().name() << "': " << reason;
  ASSERT_OK_AND_ASSIGN(theQueue, device().createQueue());
}

Buffer DeviceTest::allocate(uint64_t bytes) {
  Result<Buffer> buffer = device().allocate(bytes);
  EXPECT_OK(buffer);
  return buffer.ok() ? *buffer : Buffer();
}

std::vector<uint8_t> DeviceTest::pattern(size_t bytes, unsigned seed) {
  std::vector<uint8_t> result(bytes);
  for (size_t i = 0; i < bytes; ++i)
    result[i] = static_cast<uint8_t>((i + seed * 37) % 251);
  return result;
}

std::vector<uint8_t> DeviceTest::download(const Buffer &buffer) {
  std::vector<uint8_t> bytes(buffer.bytes());
  EXPECT_OK(queue().read(bytes.data(), buffer.address(), bytes.size()));
  EXPECT_OK(queue().synchronize());
  return bytes;
}

Buffer DeviceTest::upload(const std::vector<uint8_t> &bytes) {
  Buffer buffer = allocate(bytes.size());
  EXPECT_OK(queue().write(buffer.address(), bytes.data(), bytes.size()));
  EXPECT_OK(queue().synchronize());
  return buffer;
}

} // namespace kiln::conformance
