// JitInfoTest.cpp: jit-info's commands over backends of tests/plugins, and its exit codes.
#include "tools/lib/JitInfo.h"
#include "tools/lib/TextTable.h"
#include "tools/lib/ToolMain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

using namespace kiln::tools;
using testing::HasSubstr;
using testing::Not;

namespace {

struct Outcome {
  int code;
  std::string out, err;
};

Outcome run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "jit-info");
  std::vector<const char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  std::ostringstream out, err;
  int code = jitInfo(static_cast<int>(argv.size()), argv.data(), out, err);
  return {code, out.str(), err.str()};
}

const std::string kGood = "--backend-dir=" KILN_TEST_PLUGINS "/good";
const std::string kBroken = "--backend-dir=" KILN_TEST_PLUGINS "/half_registered";

TEST(JitInfoTest, BackendsShowsStatesAndReasons) {
  Outcome before = run({"backends", kGood, kBroken});
  EXPECT_EQ(before.code, kYes);
  EXPECT_THAT(before.out, HasSubstr("good             0.1.0    DISCOVERED"));
  Outcome after = run({"backends", "--load", kGood, kBroken});
  EXPECT_EQ(after.code, kYes) << "nothing was required";
  EXPECT_THAT(after.out, HasSubstr("good             0.1.0    READY"));
  EXPECT_THAT(after.out, HasSubstr("half_registered: FAILED: "));
  EXPECT_THAT(after.out, HasSubstr("the firmware does not answer"));
}

TEST(JitInfoTest, JsonHoldsWhatTheTableShows) {
  Outcome outcome = run({"backends", "--json", "--load", kGood});
  nlohmann::json json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["backends"].size(), 1u);
  EXPECT_EQ(json["backends"][0]["name"], "good");
  EXPECT_EQ(json["backends"][0]["state"], "READY");
  EXPECT_EQ(json["backends"][0]["devices"][0]["priority"], 5);
  json = nlohmann::json::parse(run({"devices", "--json", kGood}).out);
  ASSERT_EQ(json["devices"].size(), 2u);
  EXPECT_EQ(json["devices"][0]["default"], true);
  EXPECT_EQ(json["devices"][1]["name"], "good:1");
}

TEST(JitInfoTest, DevicesMarksTheDefault) {
  Outcome outcome = run({"devices", kGood});
  EXPECT_EQ(outcome.code, kYes);
  EXPECT_THAT(outcome.out, HasSubstr("good:0 *"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("good:1 *")));
}

TEST(JitInfoTest, PathsNamesEveryPlace) {
  Outcome outcome = run({"paths", kGood});
  EXPECT_EQ(outcome.code, kYes);
  EXPECT_THAT(outcome.out, HasSubstr("API "));
  EXPECT_THAT(outcome.out, HasSubstr(KILN_TEST_PLUGINS "/good"));
  EXPECT_THAT(outcome.out, HasSubstr("/etc/kiln/backends.d"));
}

TEST(JitInfoTest, EnvironmentListsEveryBackendsOptions) {
  Outcome outcome = run({"env", kGood});
  EXPECT_THAT(outcome.out, HasSubstr("KILN_GOOD_LEVEL"));
  EXPECT_THAT(outcome.out, HasSubstr("a number (default '3')"));
}

TEST(JitInfoTest, ExplainLoadsAndSaysWhyNot) {
  Outcome good = run({"explain", "good-alias", kGood});
  EXPECT_EQ(good.code, kYes) << "a device's alias names its backend";
  EXPECT_THAT(good.out, HasSubstr("state        READY"));
  EXPECT_THAT(good.out, HasSubstr("option       level = '3' (KILN_GOOD_LEVEL; a number)"));
  Outcome broken = run({"explain", "half_registered", kBroken});
  EXPECT_EQ(broken.code, kNo);
  EXPECT_THAT(broken.out, HasSubstr("reason       backend 'half_registered'"));
  Outcome unknown = run({"explain", "npu", kGood});
  EXPECT_EQ(unknown.code, kFailed);
  EXPECT_THAT(unknown.err, HasSubstr("unknown backend 'npu'"));
}

TEST(JitInfoTest, ValidateTellsInvalidFromUnreadable) {
  EXPECT_EQ(run({"validate", KILN_TEST_PLUGINS "/good/good.kiln.json"}).code, kYes);
  Outcome source = run({"validate", KILN_TEST_PLUGINS "/good.kiln.json"});
  EXPECT_EQ(source.code, kNo) << "not completed by add_kiln_backend";
  EXPECT_THAT(source.out, HasSubstr("/abi is missing"));
  Outcome text = run({"validate", __FILE__});
  EXPECT_EQ(text.code, kNo);
  EXPECT_THAT(text.out, HasSubstr("JitInfoTest.cpp:1:"));
  EXPECT_EQ(run({"validate", "/nowhere.kiln.json"}).code, kFailed);
}

TEST(JitInfoTest, WrongCommandsAreUsageErrors) {
  EXPECT_EQ(run({"bogus"}).code, kUsage);
  EXPECT_EQ(run({"explain"}).code, kUsage);
  EXPECT_EQ(run({"devices", "more"}).code, kUsage);
  EXPECT_EQ(run({}).code, kUsage);
}

TEST(TextTableTest, ColumnsAreAsWideAsTheirWidestCellAndLinesEndWithoutBlanks) {
  TextTable table({"A", "LONG"});
  table.add({"wide", "x"});
  std::ostringstream out;
  table.print(out);
  EXPECT_EQ(out.str(), "A     LONG\nwide  x\n");
}

} // namespace
