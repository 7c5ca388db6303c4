// PreflightTest.cpp: what no process survives is tried in another one first, and its verdict is kept.
#include "runtime/BackendLibrary.h"
#include "tests/unit/autoload/Fixtures.h"

#include <dlfcn.h>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A sanitizer's runtime in the child reports a crash, or an exit in the middle of dlopen, and ends it by a
// code of its own.
#if defined(__has_feature) && (__has_feature(thread_sanitizer) || __has_feature(address_sanitizer))
constexpr const char *kCrashed = "called exit(", *kLeft = "called exit(";
#else
constexpr const char *kCrashed = "was killed by SIG", *kLeft = "called exit(0) during dlopen";
#endif

class PreflightTest : public ::testing::Test {
protected:
  PreflightTest() {
    environment.preflight.mode = PreflightSettings::Mode::FirstTime;
    environment.preflight.program = KILN_TEST_PREFLIGHT;
    environment.preflight.verdictFolder = folder.path("cache/preflight");
    setLogSinkForTesting(
        [this](KilnLogLevel, std::string_view, std::string_view line) { lines.emplace_back(line); },
        *LogFilter::parse("info"));
  }
  ~PreflightTest() override { setLogSinkForTesting(nullptr, {}); }
  // How the load of a copy of `plugin` in a folder of its own ends.
  Status load(const std::string &plugin) {
    Result<BackendRegistry *> registry = BackendRegistry::create(request(), environment);
    EXPECT_OK(registry);
    Status status = (*registry)->load(plugin);
    state = reportOf(**registry, plugin).state;
    return status;
  }
  BackendRegistry::Options request() {
    BackendRegistry::Options options;
    options.directories = {folder.path()};
    return options;
  }
  size_t trials() const {
    return std::count_if(lines.begin(), lines.end(),
                         [](const std::string &line) { return line.starts_with("preflight: trying"); });
  }
  TempFolder folder;
  SearchEnvironment environment = bareEnvironment();
  std::vector<std::string> lines;
  BackendState state = BackendState::Discovered;
};

TEST_F(PreflightTest, ACrashInAConstructorIsKeptOut) {
  copyPlugin(folder, "segfaults_in_constructor");
  EXPECT_THAT(load("segfaults_in_constructor"),
              StatusIs(Code::FailedPrecondition, AllOf(HasSubstr("kept out by the preflight"),
                                                       HasSubstr(kCrashed), HasSubstr("during dlopen"))));
  EXPECT_EQ(state, BackendState::Failed);
  EXPECT_FALSE(isMapped(folder.path()));
}

TEST_F(PreflightTest, AnExitIsNoSuccessWhateverItsCode) {
  copyPlugin(folder, "exits_in_constructor");
  EXPECT_THAT(load("exits_in_constructor"),
              StatusIs(Code::FailedPrecondition, AllOf(HasSubstr(kLeft), HasSubstr("during dlopen"))));
}

TEST_F(PreflightTest, AHangEndsWithTheTimeout) {
  copyPlugin(folder, "hangs_in_constructor");
  environment.preflight.timeout = std::chrono::milliseconds(300);
  EXPECT_THAT(load("hangs_in_constructor"),
              StatusIs(Code::FailedPrecondition, HasSubstr("did not end within 0.3 s during dlopen")));
}

TEST_F(PreflightTest, WhatTheBackendSaidLastIsQuoted) {
  copyPlugin(folder, "aborts_in_init");
  EXPECT_THAT(load("aborts_in_init"),
              StatusIs(Code::FailedPrecondition, HasSubstr("was killed by SIGABRT during init (" +
                                                           folder.path("libkiln_aborts_in_init.so") +
                                                           "): driver: assertion 'firmware >= 7' failed")));
}

TEST_F(PreflightTest, ASoundBackendIsTriedOnce) {
  copyPlugin(folder, "good");
  EXPECT_OK(load("good"));
  EXPECT_EQ(trials(), 1u);
  environment.preflight.mode = PreflightSettings::Mode::Always;
  TempFolder other; // READY stays READY in this process: another file shows the second trial
  copyPlugin(other, "calls_back");
  for (PreflightSettings::Mode mode :
       {PreflightSettings::Mode::FirstTime, PreflightSettings::Mode::FirstTime}) {
    environment.preflight.mode = mode;
    ASSERT_OK_AND_ASSIGN(Manifest manifest, Manifest::load(other.path("calls_back.kiln.json")));
    EXPECT_OK(preflight(manifest, Tier::Runtime, environment.preflight));
  }
  EXPECT_EQ(trials(), 2u) << "the verdict was kept";
  environment.preflight.mode = PreflightSettings::Mode::Always;
  ASSERT_OK_AND_ASSIGN(Manifest manifest, Manifest::load(other.path("calls_back.kiln.json")));
  EXPECT_OK(preflight(manifest, Tier::Runtime, environment.preflight));
  EXPECT_EQ(trials(), 3u);
}

TEST_F(PreflightTest, AVerdictGoesByTheFile) {
  copyPlugin(folder, "segfaults_in_constructor");
  ASSERT_OK_AND_ASSIGN(Manifest manifest, Manifest::load(folder.path("segfaults_in_constructor.kiln.json")));
  EXPECT_FALSE(preflight(manifest, Tier::Runtime, environment.preflight).ok());
  EXPECT_FALSE(preflight(manifest, Tier::Runtime, environment.preflight).ok());
  EXPECT_EQ(trials(), 1u) << "a bad verdict is kept too";
  // Mended: another file of the same name.
  std::filesystem::remove(folder.path("libkiln_segfaults_in_constructor.so"));
  std::filesystem::copy_file(pluginFolder("good") + "/libkiln_good.so",
                             folder.path("libkiln_segfaults_in_constructor.so"));
  EXPECT_OK(preflight(manifest, Tier::Runtime, environment.preflight));
  EXPECT_EQ(trials(), 2u);
}

TEST_F(PreflightTest, AnErrorIsNoVerdict) {
  copyPlugin(folder, "half_registered");
  EXPECT_THAT(load("half_registered"), StatusIs(Code::Unavailable, HasSubstr("the firmware does not answer")))
      << "the child survives it; this process comes to the error itself";
}

TEST_F(PreflightTest, WithoutItsProgramOrItsFolderItStandsBack) {
  copyPlugin(folder, "good");
  ASSERT_OK_AND_ASSIGN(Manifest manifest, Manifest::load(folder.path("good.kiln.json")));
  PreflightSettings settings = environment.preflight;
  settings.verdictFolder = "/dev/null/nowhere";
  EXPECT_OK(preflight(manifest, Tier::Runtime, settings));
  EXPECT_OK(preflight(manifest, Tier::Runtime, settings));
  EXPECT_EQ(trials(), 2u) << "no verdict can be kept";
  settings.program = "/bin/nothing";
  EXPECT_OK(preflight(manifest, Tier::Runtime, settings));
  EXPECT_THAT(lines.back(), HasSubstr("is left out: '/bin/nothing': cannot be started: No such file"));
}

TEST(PreflightSettingsTest, TheVariablesAreReadStrictly) {
  auto read = [](Environment::Variables variables, bool secure = false) {
    return PreflightSettings::fromEnvironment(Environment(std::move(variables)), secure, {});
  };
  using Mode = PreflightSettings::Mode;
  EXPECT_EQ(read({}).mode, Mode::FirstTime);
  EXPECT_EQ(read({{"KILN_BACKEND_PREFLIGHT", "0"}}).mode, Mode::Off);
  EXPECT_EQ(read({{"KILN_BACKEND_PREFLIGHT", "always"}}).mode, Mode::Always);
  EXPECT_EQ(read({}, /*secure=*/true).mode, Mode::Off);
  PreflightSettings settings =
      read({{"KILN_BACKEND_PREFLIGHT", "often"}, {"KILN_BACKEND_PREFLIGHT_TIMEOUT", "soon"}, {"HOME", "/h"}});
  EXPECT_EQ(settings.mode, Mode::FirstTime);
  EXPECT_EQ(settings.timeout, PreflightSettings::kDefaultTimeout);
  EXPECT_EQ(settings.verdictFolder, "/h/.cache/kiln/preflight");
  EXPECT_THAT(settings.problems, ElementsAre(StartsWith("KILN_BACKEND_PREFLIGHT: 'often'; expected 0, 1"),
                                             StartsWith("KILN_BACKEND_PREFLIGHT_TIMEOUT: 'soon'")));
  EXPECT_EQ(read({{"KILN_BACKEND_PREFLIGHT_TIMEOUT", "2.5"}}).timeout.count(), 2501);
  EXPECT_EQ(read({{"XDG_CACHE_HOME", "/c"}}).verdictFolder, "/c/kiln/preflight");
  EXPECT_EQ(read({{"KILN_CACHE_DIR", "/d"}, {"XDG_CACHE_HOME", "/c"}}).verdictFolder, "/d/preflight");
}

TEST(ChildProcessTest, TheEndOfAChildIsTold) {
  auto end = [](const char *script, int ms = 20000) {
    Result<ChildOutcome> outcome =
        runChild({"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin"}, std::chrono::milliseconds(ms));
    return outcome.ok() ? *outcome : ChildOutcome();
  };
  EXPECT_EQ(end("exit 3").describe(), "called exit(3)");
  EXPECT_EQ(end("kill -SEGV $$").describe(), "was killed by SIGSEGV");
  EXPECT_THAT(end("sleep 100", 100).describe(), StartsWith("did not end within 0.1 s"));
  ChildOutcome outcome = end("echo out; echo err >&2; sleep 100 & exit 0");
  EXPECT_EQ(outcome.output, "out\n");
  EXPECT_EQ(outcome.errors, "err\n");
  EXPECT_LT(outcome.wallNs, 20'000'000'000u) << "a grandchild that keeps the pipes is not waited for";
  EXPECT_GT(outcome.peakBytes, 0u);
  EXPECT_EQ(end("head -c 1000000 /dev/zero").output.size(), kMaxChildText);
}

} // namespace
} // namespace kiln
