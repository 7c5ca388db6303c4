// HostTableTest.cpp: statuses across the ABI, options, runtime symbols, environment.
#include "runtime/HostTable.h"
#include "runtime/Environment.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <cstring>

namespace kiln {
namespace {

using ::kiln::testing::StatusIs;

TEST(HostTableTest, StatusCrossesTheAbiAndBack) {
  Status back = fromC(toC(invalidArgument("x: {}; expected {}", 3, 4)));
  EXPECT_THAT(back, StatusIs(Code::InvalidArgument, "x: 3; expected 4"));
  EXPECT_EQ(toC(Status()), nullptr);
  EXPECT_OK(fromC(nullptr));
}

TEST(HostTableTest, MakingAnOkStatusGivesNull) {
  EXPECT_EQ(hostTable().status_make(KILN_OK, toStr("ignored")), nullptr);
  EXPECT_EQ(hostTable().status_code(nullptr), KILN_OK);
  EXPECT_EQ(hostTable().status_message(nullptr).size, 0u);
  hostTable().status_free(nullptr);
}

TEST(HostTableTest, ACodeOfANewerBackendIsUnknownAndKeepsItsNumber) {
  for (KilnCode code : {16u, unsigned(KILN_FORKED) + 1, ~0u})
    EXPECT_THAT(fromC(hostTable().status_make(code, toStr("news"))),
                StatusIs(Code::Unknown, "news (code " + std::to_string(code) + ")"));
  for (KilnCode code = KILN_CANCELLED; code <= KILN_FORKED; ++code)
    if (code != 16)
      EXPECT_EQ(fromC(hostTable().status_make(code, toStr("known"))).code(), Code(code));
}

TEST(HostTableTest, CloneOutlivesTheOriginal) {
  KilnStatus original = hostTable().status_make(KILN_DATA_LOSS, toStr("torn"));
  KilnStatus clone = hostTable().status_clone(original);
  hostTable().status_free(original);
  EXPECT_THAT(fromC(clone), StatusIs(Code::DataLoss, "torn"));
}

TEST(HostTableTest, OptionsComeFromTheSourceAndUnknownOnesAreNotFound) {
  struct Source final : OptionSource {
    Result<std::string_view> option(std::string_view backend, std::string_view key) const override {
      if (backend == "host" && key == "cpu")
        return std::string_view("native");
      return notFound("option '{}' of backend '{}'", key, backend);
    }
  } source;
  KilnHost host = makeHostTable(source);
  KilnStr value = {};
  ASSERT_EQ(host.option(host.self, toStr("host"), toStr("cpu"), &value), nullptr);
  EXPECT_EQ(toView(value), "native");
  EXPECT_THAT(fromC(host.option(host.self, toStr("host"), toStr("cp"), &value)),
              StatusIs(Code::NotFound, "option 'cp' of backend 'host'"));
  EXPECT_THAT(fromC(hostTable().option(nullptr, toStr("host"), toStr("cpu"), &value)),
              StatusIs(Code::NotFound, ::testing::HasSubstr("'cpu'")));
  EXPECT_EQ(toView(value), "native") << "out-parameters are untouched on error";
}

TEST(HostTableTest, RuntimeSymbolsAreSortedAndCallable) {
  size_t count = 0;
  uint32_t version = 0;
  const KilnRuntimeSymbol *symbols = hostTable().runtime_symbols(hostTable().self, &count, &version);
  EXPECT_EQ(version, kRuntimeSymbolsVersion);
  ASSERT_GE(count, 4u);
  bool called = false;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0)
      EXPECT_LT(toView(symbols[i - 1].name), toView(symbols[i].name));
    if (toView(symbols[i].name) != "memset")
      continue;
    char text[3] = "ab";
    reinterpret_cast<void *(*)(void *, int, size_t)>(symbols[i].address)(text, 'z', 2);
    EXPECT_STREQ(text, "zz");
    called = true;
  }
  EXPECT_TRUE(called) << "memset is in the table";
}

TEST(ErrorTest, ContextComesBeforeTheMessageAndLeavesOkAlone) {
  EXPECT_THAT(withContext(dataLoss("torn"), "file '{}'", "a"), StatusIs(Code::DataLoss, "file 'a': torn"));
  EXPECT_OK(withContext(Status(), "file"));
}

TEST(ErrorTest, EveryCodeHasAName) {
  EXPECT_STREQ(codeName(KILN_FORKED), "FORKED");
  EXPECT_STREQ(codeName(KILN_OK), "OK");
  EXPECT_STREQ(codeName(16), "UNKNOWN") << "16 is no code";
}

TEST(EnvironmentTest, FindsSetVariablesAndFallsBack) {
  Environment environment({{"KILN_A", "1"}, {"KILN_EMPTY", ""}});
  EXPECT_EQ(environment.find("KILN_A"), "1");
  EXPECT_EQ(environment.find("KILN_EMPTY"), "");
  EXPECT_EQ(environment.find("KILN_B"), std::nullopt);
  EXPECT_EQ(environment.get("KILN_B", "fallback"), "fallback");
}

TEST(EnvironmentTest, ProcessSnapshotIsTakenOnce) {
  const Environment &before = Environment::process();
  setenv("KILN_SET_LATER", "1", 1);
  EXPECT_EQ(before.find("KILN_SET_LATER"), std::nullopt);
  EXPECT_EQ(&Environment::process(), &before);
  unsetenv("KILN_SET_LATER");
}

} // namespace
} // namespace kiln
