// DeviceResolutionTest.cpp: from a name, an alias or nothing to a device.
#include "tests/unit/autoload/Fixtures.h"

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A registry over two copies: 'good' (two devices) and 'calls_back' (one), whose manifests tests change.
class DeviceResolutionTest : public ::testing::Test {
protected:
  template <typename A, typename B>
  BackendRegistry *registry(A editGood, B editOther, Environment::Variables variables = {}) {
    copyPlugin(folder, "good", editGood);
    copyPlugin(folder, "calls_back", editOther);
    Result<BackendRegistry *> made = registryOver({folder.path()}, std::move(variables));
    EXPECT_OK(made);
    return *made;
  }
  static void keep(nlohmann::json &) {}
  static auto set(const char *key, nlohmann::json value) {
    return [=](nlohmann::json &manifest) { manifest["devices"][0][key] = value; };
  }
  TempFolder folder;
  KeptLog log;
};

TEST_F(DeviceResolutionTest, TypesAliasesAndOrdinals) {
  BackendRegistry *all = registry(keep, keep);
  EXPECT_EQ(all->resolve("good")->name(), "good:0");
  EXPECT_EQ(all->resolve("good:1")->name(), "good:1");
  EXPECT_EQ(all->resolve("good-alias:1")->name(), "good:1");
  EXPECT_THAT(all->resolve("good:3"),
              StatusIs(Code::NotFound, "unknown device 'good:3'; 'good' has 2 devices (0, 1)"));
  EXPECT_THAT(all->resolve("good:x"),
              StatusIs(Code::InvalidArgument, "device 'good:x': 'x' is no number; expected TYPE[:ORDINAL]"));
  EXPECT_THAT(all->resolve("good:"), StatusIs(Code::InvalidArgument, HasSubstr("''")));
  EXPECT_THAT(all->resolve("good:-1"), StatusIs(Code::InvalidArgument, HasSubstr("'-1'")));
}

TEST_F(DeviceResolutionTest, UnknownDevicesListEveryBackendWithStateAndReason) {
  folder.write("torn.kiln.json", "[");
  BackendRegistry *all = registry(keep, set("probe", {{"file", "/dev/nothing"}}));
  EXPECT_THAT(all->resolve("npu:3"),
              StatusIs(Code::NotFound,
                       AllOf(HasSubstr("unknown device 'npu'"), HasSubstr("backend 'good': DISCOVERED"),
                             HasSubstr("backend 'calls_back': ABSENT: no file /dev/nothing"),
                             HasSubstr("backend 'torn': FAILED: " + folder.path("torn.kiln.json:1:")))));
  EXPECT_THAT((*registryOver({}))->resolve("host"),
              StatusIs(Code::NotFound, HasSubstr("no backend was found")));
  BackendRegistry::Options off;
  off.autoload = AutoloadMode::Off;
  EXPECT_THAT((*BackendRegistry::create(off, SearchEnvironment()))->resolve("host"),
              StatusIs(Code::NotFound, HasSubstr("no backend was found: autoload is off")));
}

TEST_F(DeviceResolutionTest, AbsentHardwareIsUnavailableAndNotLoadedButCanBeCompiledFor) {
  BackendRegistry *all = registry(set("probe", {{"pci", "ffff:fffe"}}), keep);
  EXPECT_THAT(all->resolve("good"),
              StatusIs(Code::Unavailable, HasSubstr("device 'good' is absent: no PCI device ffff:fffe")));
  EXPECT_EQ(reportOf(*all, "good").state, BackendState::Absent);
  EXPECT_FALSE(isMapped(folder.path("libkiln_good.so")));
  ASSERT_OK_AND_ASSIGN(std::vector<DeviceChoice> devices, all->devices());
  EXPECT_EQ(devices.size(), 1u) << "calls_back only";
  EXPECT_OK(all->deviceType("good")) << "a target needs no device";
}

TEST_F(DeviceResolutionTest, TheDefaultIsTheHardwareWithTheHighestPriority) {
  BackendRegistry *all = registry(set("priority", 7), set("priority", 9));
  EXPECT_EQ(all->resolve("")->name(), "calls_back:0");
  EXPECT_EQ(all->resolve("auto")->name(), "calls_back:0");
  EXPECT_FALSE(isMapped(folder.path("libkiln_good.so"))) << "the second best need not be loaded";
}

TEST_F(DeviceResolutionTest, ATieIsDecidedByNameWithAWarning) {
  BackendRegistry *all = registry(keep, keep);
  EXPECT_EQ(all->resolve("auto")->name(), "calls_back:0");
  EXPECT_THAT(log.lines, ElementsAre(HasSubstr("'calls_back' and 'good' have the same priority")));
}

TEST_F(DeviceResolutionTest, SoftwareAndExplicitBackendsAreNeverTheDefault) {
  BackendRegistry *all = registry([](nlohmann::json &manifest) { manifest["activation"] = "explicit"; },
                                  set("kind", "software"));
  EXPECT_THAT(all->resolve("auto"), StatusIs(Code::NotFound, HasSubstr("unknown device 'host'")));
  EXPECT_OK(all->resolve("good"));
  EXPECT_OK(all->resolve("calls_back"));
}

TEST_F(DeviceResolutionTest, DevicesLeavesExplicitBackendsOutUntilTheyAreNamed) {
  BackendRegistry *all =
      registry([](nlohmann::json &manifest) { manifest["activation"] = "explicit"; }, keep);
  EXPECT_EQ(all->devices()->size(), 1u);
  EXPECT_OK(all->load("good"));
  EXPECT_EQ(all->devices()->size(), 3u);
}

TEST_F(DeviceResolutionTest, KilnDeviceIsAnOrderedList) {
  BackendRegistry *all = registry(keep, keep, {{"KILN_DEVICE", "npu, good:1, calls_back"}});
  EXPECT_EQ(all->resolve("")->name(), "good:1");
  EXPECT_THAT(log.lines, ElementsAre(HasSubstr("default device 'npu' cannot be used")));
}

TEST_F(DeviceResolutionTest, IfNoneOfKilnDeviceWorksItIsAnError) {
  BackendRegistry *all = registry(keep, keep, {{"KILN_DEVICE", "npu"}});
  EXPECT_THAT(all->resolve(""),
              StatusIs(Code::NotFound, HasSubstr("default device (KILN_DEVICE or API): unknown "
                                                 "device 'npu'")));
  EXPECT_THAT(log.lines, IsEmpty());
}

TEST_F(DeviceResolutionTest, TheApisDefaultsComeBeforeTheVariable) {
  copyPlugin(folder, "good");
  BackendRegistry::Options options;
  options.directories = {folder.path()};
  options.defaultDevices = {"good:1"};
  ASSERT_OK_AND_ASSIGN(BackendRegistry * all,
                       BackendRegistry::create(options, bareEnvironment({{"KILN_DEVICE", "good:0"}})));
  EXPECT_EQ(all->resolve("")->name(), "good:1");
}

TEST_F(DeviceResolutionTest, ABrokenBestDeviceFallsBackToTheNext) {
  copyPlugin(folder, "half_registered", set("priority", 100));
  copyPlugin(folder, "good");
  ASSERT_OK_AND_ASSIGN(BackendRegistry * all, registryOver({folder.path()}));
  EXPECT_EQ(all->resolve("")->name(), "good:0");
  EXPECT_THAT(log.lines, ElementsAre(HasSubstr("the firmware does not answer")));
}

} // namespace
} // namespace kiln
