// BackendRegistryTest.cpp: states, laziness, shadowing, loading from several threads, re-entry, options,
// policy.
#include "tests/unit/autoload/Fixtures.h"

#include <atomic>
#include <thread>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(BackendRegistryTest, NothingIsLoadedBeforeItIsNeeded) {
  TempFolder folder; // a file of its own, so that no other test has loaded it
  copyPlugin(folder, "good");
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({folder.path()}));
  EXPECT_EQ(reportOf(*registry, "good").state, BackendState::Discovered);
  EXPECT_EQ(*registry->option("good", "level"), "3");
  EXPECT_THAT(registry->deviceType("godo"), StatusIs(Code::NotFound, HasSubstr("did you mean 'good'?")));
  EXPECT_FALSE(isMapped(folder.path())) << "manifests, options and unknown names need no library";
  uint64_t before = registry->snapshot()->generation;
  ASSERT_OK_AND_ASSIGN(auto type, registry->deviceType("good-alias"));
  EXPECT_TRUE(isMapped(folder.path()));
  EXPECT_EQ(type->name, "good");
  EXPECT_EQ(type->priority, 5);
  EXPECT_EQ(reportOf(*registry, "good").state, BackendState::Ready);
  EXPECT_GT(reportOf(*registry, "good").times.openNs, 0u);
  EXPECT_EQ(registry->snapshot()->generation, before + 1);
}

TEST(BackendRegistryTest, AnOldSnapshotStaysAsItWas) {
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({pluginFolder("good")}));
  auto before = registry->snapshot();
  ASSERT_OK(registry->load("good"));
  EXPECT_EQ(before->deviceTypes.size(), 0u);
  EXPECT_EQ(registry->snapshot()->deviceTypes.size(), 1u);
}

TEST(BackendRegistryTest, TheFirstOfANameWinsAndTheOtherIsShadowed) {
  TempFolder first, second;
  copyPlugin(first, "good");
  copyPlugin(second, "good");
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({first.path(), second.path()}));
  std::vector<BackendReport> reports = registry->backends();
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[1].state, BackendState::Shadowed);
  EXPECT_EQ(reports[1].reason, "the first of this name is " + first.path("good.kiln.json"));
  ASSERT_OK(registry->load("good"));
  EXPECT_TRUE(isMapped(first.path()));
  EXPECT_FALSE(isMapped(second.path()));
}

TEST(BackendRegistryTest, OneLibraryUnderTwoNamesIsOneBackend) {
  KeptLog log;
  TempFolder folder;
  copyPlugin(folder, "good");
  nlohmann::json twin = nlohmann::json::parse(readFile(folder.path("good.kiln.json")));
  twin["name"] = "twin";
  twin["devices"][0]["type"] = "twin";
  twin["devices"][0]["aliases"] = nlohmann::json::array();
  folder.write("twin.kiln.json", twin.dump());
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({folder.path()}));
  ASSERT_OK_AND_ASSIGN(std::vector<DeviceChoice> devices, registry->devices());
  EXPECT_EQ(devices.size(), 2u);
  EXPECT_THAT(reportOf(*registry, "twin").reason,
              HasSubstr("the library is 'good' 0.1.0; its manifest says 'twin'"));
}

TEST(BackendRegistryTest, TwoBackendsCannotHaveOneDeviceType) {
  KeptLog log;
  TempFolder folder;
  copyPlugin(folder, "good");
  copyPlugin(folder, "calls_back",
             [](nlohmann::json &manifest) { manifest["devices"].push_back({{"type", "good"}}); });
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({folder.path()}));
  // calls_back comes first and claims 'good', which it does not register.
  EXPECT_THAT(registry->deviceType("good"),
              StatusIs(Code::FailedPrecondition, HasSubstr("device type 'good': declared in the manifest")));
  EXPECT_OK(registry->load("good"));
}

TEST(BackendRegistryTest, RegistriesShareALoadedLibrary) {
  TempFolder folder;
  copyPlugin(folder, "good");
  ASSERT_OK_AND_ASSIGN(BackendRegistry * one, registryOver({folder.path()}));
  ASSERT_OK_AND_ASSIGN(BackendRegistry * two, registryOver({folder.path()}));
  ASSERT_OK_AND_ASSIGN(auto first, one->deviceType("good"));
  ASSERT_OK_AND_ASSIGN(auto second, two->deviceType("good"));
  EXPECT_EQ(first.get(), second.get()) << "init runs once a process";
}

TEST(BackendRegistryTest, SameOptionsGiveTheSameRegistry) {
  BackendRegistry::Options options;
  options.directories = {pluginFolder("good")};
  options.autoload = AutoloadMode::Off;
  ASSERT_OK_AND_ASSIGN(BackendRegistry * one, BackendRegistry::get(options));
  ASSERT_OK_AND_ASSIGN(BackendRegistry * two, BackendRegistry::get(options));
  EXPECT_EQ(one, two);
  options.directories.clear();
  ASSERT_OK_AND_ASSIGN(BackendRegistry * other, BackendRegistry::get(options));
  EXPECT_NE(one, other);
  EXPECT_EQ(other->backends().size(), 0u) << "no folder, no autoload";
}

std::atomic<int> initCount;

TEST(BackendRegistryTest, ThreadsThatAskAtOnceShareOneLoad) {
  TempFolder folder;
  copyPlugin(folder, "calls_back");
  initCount = 0;
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry,
                       registryOver({folder.path()}, {{"KILN_CALLS_BACK_HOOK", addressOf([] {
                                                         std::this_thread::sleep_for(
                                                             std::chrono::milliseconds(50));
                                                         ++initCount;
                                                       })}}));
  std::vector<std::thread> threads;
  std::atomic<int> successes = 0;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { successes += registry->deviceType("calls_back").ok(); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(successes, 8);
  EXPECT_EQ(initCount, 1);
}

TEST(BackendRegistryTest, SixteenThreadsNameDevicesAtOnce) {
  TempFolder folder;
  copyPlugin(folder, "good");
  copyPlugin(folder, "calls_back");
  copyPlugin(folder, "longer_tables");
  copyPlugin(folder, "half_registered");
  KeptLog log;
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({folder.path()}));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round)
        switch ((i + round) % 5) {
        case 0:
          wrong += !registry->resolve("good:1").ok();
          break;
        case 1:
          wrong += !registry->deviceType("calls_back-alias").ok();
          break;
        case 2:
          wrong += registry->devices()->size() != 4;
          break;
        case 3:
          wrong += registry->deviceType("half_registered").status().code() != Code::Unavailable;
          break;
        case 4:
          wrong += registry->backends().size() != 4 || registry->snapshot()->deviceTypes.size() > 3;
          break;
        }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(log.lines.size(), 1u) << "half_registered is warned about once";
}

BackendRegistry *reentered;
Status insideStatus, reportStatus;
BackendState insideState;

TEST(BackendRegistryTest, ReentryIsInProgressNeverSuccess) {
  TempFolder folder;
  copyPlugin(folder, "calls_back");
  ASSERT_OK_AND_ASSIGN(
      reentered, registryOver({folder.path()}, {{"KILN_CALLS_BACK_HOOK", addressOf([] {
                                                   insideStatus = reentered->load("calls_back");
                                                   insideState = reportOf(*reentered, "calls_back").state;
                                                 })}}));
  EXPECT_OK(reentered->load("calls_back"));
  EXPECT_THAT(insideStatus, StatusIs(Code::InProgress, HasSubstr("'calls_back'")));
  EXPECT_EQ(insideState, BackendState::Loading) << "states can be read from inside a load: no lock is held";
  EXPECT_OK(reentered->load("calls_back"));
}

BackendRegistry *circle;
Status circleStatus[2];

TEST(BackendRegistryTest, ALoadThatComesBackToItselfEnds) {
  // One needs other, whose init needs one again: on one thread.
  TempFolder one, other;
  copyPlugin(one, "calls_back");
  copyPlugin(other, "calls_back");
  static BackendRegistry *inner;
  ASSERT_OK_AND_ASSIGN(circle, registryOver({one.path()}, {{"KILN_CALLS_BACK_HOOK", addressOf([] {
                                                              circleStatus[0] = inner->load("calls_back");
                                                            })}}));
  ASSERT_OK_AND_ASSIGN(inner, registryOver({other.path()}, {{"KILN_CALLS_BACK_HOOK", addressOf([] {
                                                               circleStatus[1] = circle->load("calls_back");
                                                             })}}));
  EXPECT_OK(circle->load("calls_back"));
  EXPECT_OK(circleStatus[0]);
  EXPECT_THAT(circleStatus[1], StatusIs(Code::InProgress, HasSubstr("'calls_back'")));
}

BackendRegistry *cycleA, *cycleB;
std::atomic<int> arrived;
Status cycleStatus[2];
void meet() {
  ++arrived;
  while (arrived < 2)
    std::this_thread::yield();
}

TEST(BackendRegistryTest, TwoLoadsThatNeedEachOtherEndInsteadOfHanging) {
  TempFolder a, b;
  copyPlugin(a, "calls_back");
  copyPlugin(b, "calls_back");
  arrived = 0;
  ASSERT_OK_AND_ASSIGN(cycleA, registryOver({a.path()}, {{"KILN_CALLS_BACK_HOOK", addressOf([] {
                                                            meet();
                                                            cycleStatus[0] = cycleB->load("calls_back");
                                                          })}}));
  ASSERT_OK_AND_ASSIGN(cycleB, registryOver({b.path()}, {{"KILN_CALLS_BACK_HOOK", addressOf([] {
                                                            meet();
                                                            cycleStatus[1] = cycleA->load("calls_back");
                                                          })}}));
  std::thread other([] { EXPECT_OK(cycleB->load("calls_back")); });
  EXPECT_OK(cycleA->load("calls_back"));
  other.join();
  EXPECT_NE(cycleStatus[0].ok(), cycleStatus[1].ok()) << "the one that would close the cycle is refused";
  EXPECT_EQ((cycleStatus[0].ok() ? cycleStatus[1] : cycleStatus[0]).code(), Code::InProgress);
}

TEST(BackendRegistryTest, FiltersDisableBackendsAndSaySo) {
  TempFolder folder;
  copyPlugin(folder, "good");
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry,
                       registryOver({folder.path()}, {{"KILN_BACKENDS_DISABLE", "goo*"}}));
  EXPECT_EQ(reportOf(*registry, "good").state, BackendState::Disabled);
  EXPECT_THAT(registry->load("good"),
              StatusIs(Code::FailedPrecondition,
                       "backend 'good' is DISABLED: matches 'goo*' of KILN_BACKENDS_DISABLE"));
  EXPECT_THAT(registry->deviceType("good"),
              StatusIs(Code::NotFound,
                       AllOf(HasSubstr("unknown device 'good'"), HasSubstr("backend 'good': DISABLED"))));
  EXPECT_FALSE(isMapped(folder.path()));
}

TEST(BackendRegistryTest, OptionsComeFromTheEnvironmentAndABadOneFailsItsBackendOnly) {
  KeptLog log;
  ASSERT_OK_AND_ASSIGN(
      BackendRegistry * registry,
      registryOver({pluginFolder("good")}, {{"KILN_GOOD_LEVEL", "7"}, {"KILN_GOOD_LEVLE", "1"}}));
  EXPECT_EQ(*registry->option("good", "level"), "7");
  EXPECT_THAT(registry->option("good", "lvl"), StatusIs(Code::NotFound, HasSubstr("does not declare it")));
  EXPECT_THAT(log.lines, ElementsAre(HasSubstr("did you mean 'KILN_GOOD_LEVEL'?")));
  EXPECT_THAT(registry->parseOptions("good", "level=10"),
              StatusIs(Code::InvalidArgument, HasSubstr("out of range")));

  ASSERT_OK_AND_ASSIGN(registry, registryOver({pluginFolder("good")}, {{"KILN_GOOD_LEVEL", "much"}}));
  EXPECT_THAT(registry->load("good"),
              StatusIs(Code::InvalidArgument,
                       "backend 'good': KILN_GOOD_LEVEL: 'much' is not an integer; expected 0 to 9"));
  EXPECT_EQ(reportOf(*registry, "good").state, BackendState::Failed);
}

TEST(BackendRegistryTest, StrictPolicyTurnsAnyFailureIntoAnError) {
  KeptLog log;
  TempFolder folder;
  folder.write("torn.kiln.json", "{");
  EXPECT_THAT(registryOver({folder.path()}, {{"KILN_BACKEND_POLICY", "strict"}}),
              StatusIs(Code::FailedPrecondition, HasSubstr("KILN_BACKEND_POLICY=strict")));
  TempFolder half;
  copyPlugin(half, "half_registered");
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({half.path(), pluginFolder("good")},
                                                                {{"KILN_BACKEND_POLICY", "strict"}}));
  EXPECT_THAT(registry->devices().status().message(), HasSubstr("the firmware does not answer"));
  ASSERT_OK(registryOver({}, {{"KILN_BACKEND_POLICY", "strcit"}}));
  EXPECT_THAT(log.lines.back(), HasSubstr("'strcit'; expected isolate or strict"));
}

TEST(BackendRegistryTest, ANameThatTwoBackendsDeclareIsWarnedAboutOnce) {
  KeptLog log;
  TempFolder folder;
  copyPlugin(folder, "good");
  copyPlugin(folder, "calls_back",
             [](nlohmann::json &manifest) { manifest["devices"][0]["aliases"] = {"good", "good-alias"}; });
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({folder.path()}));
  EXPECT_THAT(
      log.lines,
      ElementsAre("'good-alias' names devices of backends 'calls_back' and 'good'; it means 'calls_back''s",
                  "'good' names devices of backends 'calls_back' and 'good'; it means 'good''s"));
  EXPECT_EQ((*registry->deviceType("good"))->backend, "good") << "a type's name wins over an alias";
  EXPECT_EQ((*registry->resolve("good-alias")).type->backend, "calls_back");
}

TEST(PrivilegedTest, ALibraryThatOthersCanWriteIsFailed) {
  if (getuid() != 0)
    GTEST_SKIP() << "needs files of root's";
  KeptLog log;
  TempFolder folder;
  copyPlugin(folder, "good");
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(folder.path("good.kiln.json"), std::filesystem::perms(0644));
  SearchEnvironment environment = bareEnvironment();
  environment.secure = true;
  BackendRegistry::Options options;
  options.directories = {folder.path()};
  std::filesystem::permissions(folder.path("libkiln_good.so"), std::filesystem::perms(0755));
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, BackendRegistry::create(options, environment));
  EXPECT_OK(registry->load("good"));
  std::filesystem::permissions(folder.path("libkiln_good.so"), std::filesystem::perms(0777));
  ASSERT_OK_AND_ASSIGN(registry, BackendRegistry::create(options, environment));
  EXPECT_EQ(reportOf(*registry, "good").state, BackendState::Failed);
  EXPECT_THAT(registry->load("good"),
              StatusIs(Code::FailedPrecondition, HasSubstr("writable by others, in a privileged process")));
}

TEST(BackendRegistryTest, RequiredBackendsMustLoad) {
  KeptLog log;
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry,
                       registryOver({pluginFolder("good")}, {{"KILN_BACKENDS_REQUIRE", "good, npu"}}));
  EXPECT_THAT(registry->requireAll(),
              StatusIs(Code::NotFound, AllOf(HasSubstr("KILN_BACKENDS_REQUIRE: unknown backend 'npu'"),
                                             HasSubstr("backend 'good': READY"))));
  EXPECT_THAT(registry->resolve("good"), StatusIs(Code::NotFound, HasSubstr("KILN_BACKENDS_REQUIRE")));
}

TEST(BackendRegistryTest, LoadersAreFoundByFormatAndOption) {
  TempFolder folder;
  copyPlugin(folder, "good", [](nlohmann::json &manifest) {
    manifest["options"]["loader"] = {{"type", "string"}, {"default", "auto"}, {"help", "which"}};
  });
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry,
                       registryOver({folder.path()}, {{"KILN_GOOD_LOADER", "strict"}}));
  KilnKernelLoaderOps ops = {};
  EXPECT_THAT(registry->kernelLoader("good", "elf"),
              StatusIs(Code::NotFound, HasSubstr("backend 'good' has none")));
  ASSERT_OK(registry->addKernelLoader({"good", "elf", "strict", ops, nullptr}));
  ASSERT_OK(registry->addKernelLoader({"good", "elf", "orc", ops, nullptr}));
  EXPECT_EQ((*registry->kernelLoader("good", "elf"))->name, "strict");
  EXPECT_EQ((*registry->kernelLoader("good", "elf", "level=1;loader=orc"))->name, "orc")
      << "the device's options go before the environment's";
  EXPECT_EQ((*registry->kernelLoader("good", "elf", "loader=auto"))->name, "orc")
      << "the last registered serves";
  EXPECT_THAT(registry->addKernelLoader({"good", "elf", "orc", ops, nullptr}),
              StatusIs(Code::AlreadyExists, HasSubstr("'orc'")));
  EXPECT_THAT(registry->kernelLoader("good", "coff"),
              StatusIs(Code::NotFound, HasSubstr("'elf' by 'strict'")));
}

TEST(BackendRegistryTest, ARuntimeOnlyBackendHasNoCompiler) {
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({pluginFolder("good")}));
  EXPECT_THAT(registry->compilerQuery("good"),
              StatusIs(Code::Unimplemented, HasSubstr("has no compiler tier")));
  EXPECT_TRUE(registry->compilerBackends().empty());
}

TEST(BackendRegistryTest, ExtensionsNeedBothManifests) {
  KeptLog log;
  TempFolder folder;
  copyPlugin(folder, "good", [](nlohmann::json &manifest) { manifest["extensible"] = {"tile"}; });
  copyPlugin(folder, "calls_back", [](nlohmann::json &manifest) {
    manifest["extends"] = {{{"target", "good"}, {"after", "tile"}}, {{"target", "good"}, {"before", "emit"}}};
  });
  ASSERT_OK_AND_ASSIGN(BackendRegistry * registry, registryOver({folder.path()}));
  std::vector<BackendRegistry::Extension> extensions = registry->extensions("good");
  ASSERT_EQ(extensions.size(), 1u);
  EXPECT_EQ(extensions[0].backend, "calls_back");
  EXPECT_TRUE(extensions[0].after);
  EXPECT_THAT(log.lines, ElementsAre(HasSubstr("extends stage 'emit' of 'good'")));
  EXPECT_TRUE(registry->extensions("nothing").empty());
}

} // namespace
} // namespace kiln
