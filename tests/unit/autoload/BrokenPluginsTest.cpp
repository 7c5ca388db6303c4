// BrokenPluginsTest.cpp: every backend of tests/plugins that is broken: skipped with its reason, nothing of
// it seen.
#include "tests/unit/autoload/Fixtures.h"

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Broken {
  const char *plugin;
  BackendState state;
  const char *reason;
};
class BrokenPluginsTest : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenPluginsTest, IsLeftOutWithItsReasonAndTheOthersWork) {
  KeptLog log;
  const Broken &broken = GetParam();
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry,
                       registryOver({pluginFolder(broken.plugin), pluginFolder("good")}));
  EXPECT_THAT(log.lines, IsEmpty()) << "finding it says nothing";
  ASSERT_OK_AND_ASSIGN(std::vector<DeviceChoice> devices, registry->devices());
  ASSERT_EQ(devices.size(), 2u) << "good:0 and good:1 only";
  EXPECT_EQ(devices[1].name(), "good:1");
  EXPECT_EQ(registry->snapshot()->deviceTypes.size(), 1u);
  EXPECT_THAT(log.lines, ElementsAre(AllOf(HasSubstr(broken.plugin), HasSubstr(broken.reason))))
      << "warned once";

  BackendReport report = reportOf(*registry, broken.plugin);
  EXPECT_EQ(report.state, broken.state) << stateName(report.state);
  EXPECT_THAT(report.reason, HasSubstr(broken.reason));

  // Named, it is an error with the same chain, however often it is asked for.
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(registry->deviceType(broken.plugin).status().message(), HasSubstr(broken.reason));
  EXPECT_EQ(log.lines.size(), 1u);
}
INSTANTIATE_TEST_SUITE_P(
    All, BrokenPluginsTest,
    ::testing::Values(
        Broken{"throws_in_query", BackendState::Failed,
               "kiln_backend_query_v1: threw an exception: boom in query"},
        Broken{"throws_in_init", BackendState::Failed, "init: threw an exception that is no std::exception"},
        Broken{"missing_symbol", BackendState::Failed, "exports no 'kiln_backend_query_v1'"},
        Broken{"unresolved_symbol", BackendState::Failed, "undefined symbol: kilnTestDefinedNowhere"},
        Broken{"short_backend", BackendState::Failed, "fills in no init function (struct_size"},
        Broken{"short_table", BackendState::Failed,
               "device type 'short_table': function 'queue_create' is missing"},
        Broken{"newer_abi", BackendState::RejectedAbi, "speaks ABI 1.1; this Kiln speaks 1.0"},
        Broken{"wrong_name", BackendState::Failed,
               "the library is 'somebody_else' 0.1.0; its manifest says 'wrong_name'"},
        Broken{"half_registered", BackendState::Failed, "the firmware does not answer"},
        Broken{"undeclared_device", BackendState::Failed,
               "device type 'surprise': the manifest's \"devices\""},
        Broken{"missing_device", BackendState::Failed,
               "device type 'missing_device': declared in the manifest, not"}),
    [](const auto &info) { return std::string(info.param.plugin); });

TEST(BrokenManifestTest, ABrokenFileIsReportedAndSkipped) {
  KeptLog log;
  TempFolder folder;
  folder.write("torn.kiln.json", "{\"manifest\": 1,");
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({folder.path(), pluginFolder("good")}));
  EXPECT_THAT(log.lines, ElementsAre(HasSubstr("torn.kiln.json:1:")));
  EXPECT_EQ(reportOf(*registry, "torn").state, BackendState::Failed);
  EXPECT_OK(registry->deviceType("good"));
  EXPECT_THAT(registry->load("torn"), StatusIs(Code::FailedPrecondition, HasSubstr("torn.kiln.json:1:")));
}

// Faults of the fingerprint, made on copies of the good one; the library must not even be mapped.
TEST(FingerprintGateTest, AManifestForAnotherAbiKeepsTheLibraryUnloaded) {
  KeptLog log;
  TempFolder folder;
  copyPlugin(folder, "good", [](nlohmann::json &manifest) {
    std::string text = manifest["abi"]["runtime"];
    manifest["abi"]["runtime"] = text.replace(text.find("abi=1.0"), 7, "abi=2.3");
  });
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({folder.path()}));
  EXPECT_THAT(
      registry->deviceType("good"),
      StatusIs(Code::FailedPrecondition,
               HasSubstr("backend 'good' rejected: built for Kiln's ABI 2.3, this is 1.0 (good.kiln.json, "
                         "/abi/runtime); rebuild it against this Kiln")));
  EXPECT_EQ(reportOf(*registry, "good").state, BackendState::RejectedAbi);
  EXPECT_FALSE(isMapped(folder.path())) << "its constructors would have run";
}

TEST(FingerprintGateTest, ALibraryThatDiffersFromItsManifestIsCaughtByItsNote) {
  KeptLog log;
  TempFolder folder;
  copyPlugin(folder, "good");
  std::string bytes = readFile(folder.path("libkiln_good.so"));
  bytes.replace(bytes.find("sanitizer="), 14, "sanitizer=hwas"); // "none", or the one of this build
  folder.write("libkiln_good.so", bytes);
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({folder.path()}));
  EXPECT_THAT(registry->deviceType("good"),
              StatusIs(Code::FailedPrecondition, HasSubstr("built for sanitizer hwas")));
  EXPECT_FALSE(isMapped(folder.path()));
}

TEST(FingerprintGateTest, MissingAbiBlockLibraryOrForeignMachineAreRejected) {
  KeptLog log;
  TempFolder noAbi, noLibrary, foreign;
  copyPlugin(noAbi, "good", [](nlohmann::json &manifest) { manifest.erase("abi"); });
  copyPlugin(noLibrary, "good");
  std::filesystem::remove(noLibrary.path("libkiln_good.so"));
  copyPlugin(foreign, "good", [](nlohmann::json &manifest) { manifest["arch"] = "riscv64"; });
  auto reasonIn = [](const TempFolder &folder) {
    return (*registryOver({folder.path()}))->load("good").message();
  };
  EXPECT_THAT(reasonIn(noAbi), HasSubstr("good.kiln.json has no /abi/runtime"));
  EXPECT_THAT(reasonIn(noLibrary), HasSubstr("libkiln_good.so: No such file"));
  EXPECT_THAT(reasonIn(foreign), HasSubstr("built for riscv64, this is"));
}

TEST(RetryTest, AFailureIsStickyUntilItIsRetried) {
  KeptLog log;
  TempFolder folder;
  copyPlugin(folder, "good");
  std::filesystem::rename(folder.path("libkiln_good.so"), folder.path("away"));
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({folder.path()}));
  EXPECT_THAT(registry->load("good"), StatusIs(Code::FailedPrecondition, HasSubstr("No such file")));
  // The record of a library goes by its file: an absent one has a record of its own, so a new file is seen by
  // retry.
  std::filesystem::rename(folder.path("away"), folder.path("libkiln_good.so"));
  EXPECT_OK(registry->retry("good"));
  EXPECT_OK(registry->deviceType("good"));
}

} // namespace
} // namespace kiln
