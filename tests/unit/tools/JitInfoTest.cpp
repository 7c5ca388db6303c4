// JitInfoTest.cpp: jit-info's commands over backends of tests/plugins, and its exit codes.
#include "tools/lib/JitInfo.h"
#include "tools/lib/JsonSchema.h"
#include "tools/lib/TextTable.h"
#include "tools/lib/ToolMain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

using namespace kiln::tools;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

namespace {

struct InfoOutcome {
  int code;
  std::string out, err;
};

InfoOutcome runInfo(std::vector<std::string> arguments) {
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
  InfoOutcome before = runInfo({"backends", kGood, kBroken});
  EXPECT_EQ(before.code, kYes);
  EXPECT_THAT(before.out, HasSubstr("good             0.1.0    DISCOVERED"));
  InfoOutcome after = runInfo({"backends", "--load", kGood, kBroken});
  EXPECT_EQ(after.code, kYes) << "nothing was required";
  EXPECT_THAT(after.out, HasSubstr("good             0.1.0    READY"));
  EXPECT_THAT(after.out, HasSubstr("half_registered: FAILED: "));
  EXPECT_THAT(after.out, HasSubstr("the firmware does not answer"));
}

TEST(JitInfoTest, JsonHoldsWhatTheTableShows) {
  InfoOutcome outcome = runInfo({"backends", "--json", "--load", kGood});
  nlohmann::json json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["backends"].size(), 1u);
  EXPECT_EQ(json["backends"][0]["name"], "good");
  EXPECT_EQ(json["backends"][0]["state"], "READY");
  EXPECT_EQ(json["backends"][0]["devices"][0]["priority"], 5);
  json = nlohmann::json::parse(runInfo({"devices", "--json", kGood}).out);
  ASSERT_EQ(json["devices"].size(), 2u);
  EXPECT_EQ(json["devices"][0]["default"], true);
  EXPECT_EQ(json["devices"][1]["name"], "good:1");
}

TEST(JitInfoTest, DevicesMarksTheDefault) {
  InfoOutcome outcome = runInfo({"devices", kGood});
  EXPECT_EQ(outcome.code, kYes);
  EXPECT_THAT(outcome.out, HasSubstr("good:0 *"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("good:1 *")));
}

TEST(JitInfoTest, PathsNamesEveryPlace) {
  InfoOutcome outcome = runInfo({"paths", kGood});
  EXPECT_EQ(outcome.code, kYes);
  EXPECT_THAT(outcome.out, HasSubstr("API "));
  EXPECT_THAT(outcome.out, HasSubstr(KILN_TEST_PLUGINS "/good"));
  EXPECT_THAT(outcome.out, HasSubstr("/etc/kiln/backends.d"));
}

TEST(JitInfoTest, PathsShowsFoldersOfPackagesAndRules) {
  nlohmann::json json =
      nlohmann::json::parse(runInfo({"paths", "--json", "--package-dir=" KILN_TEST_PLUGINS "/good"}).out);
  EXPECT_EQ(json["places"][0]["found_by"], "Python package");
  EXPECT_EQ(json["places"][0]["manifests"], 1);
  EXPECT_EQ(json["places"][0]["problem"], "");
}

TEST(JitInfoTest, EnvironmentListsEveryBackendsOptions) {
  InfoOutcome outcome = runInfo({"env", kGood});
  EXPECT_THAT(outcome.out, ContainsRegex("KILN_BACKEND_POLICY +isolate +default"));
  nlohmann::json json = nlohmann::json::parse(runInfo({"env", "--json", kGood}).out);
  EXPECT_GT(json["variables"].size(), 10u);
  nlohmann::json level = {
      {"name", "KILN_GOOD_LEVEL"}, {"value", "3"}, {"origin", "manifest of good"}, {"meaning", "a number"}};
  EXPECT_THAT(json["variables"], testing::Contains(level));
  EXPECT_THAT(outcome.out, HasSubstr("KILN_GOOD_LEVEL"));
}

TEST(JitInfoTest, DoctorTriesEachBackendInAChild) {
  InfoOutcome outcome = runInfo({"doctor", "--json", kGood, kBroken});
  EXPECT_EQ(outcome.code, kNo) << "one is broken";
  nlohmann::json json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["backends"].size(), 2u);
  // Programs of tests do not lie where kiln-preflight is looked for: the reason is said for each.
  EXPECT_THAT(json["backends"][0]["problems"][0], HasSubstr("kiln-preflight is not installed"));
}

TEST(JsonSchemaTest, EveryKeywordOfTheManifestsSchemaIsChecked) {
  auto violations = [](const char *text) {
    return checkSchema(manifestSchema(), nlohmann::json::parse(text)).violations;
  };
  const std::string head = R"({"manifest": 1, "name": "toy", "version": "1", "library": "libtoy.so")";
  EXPECT_THAT(violations((head + "}").c_str()), testing::IsEmpty());
  EXPECT_THAT(violations(R"({"manifest": 2, "name": "Toy", "version": 1})"),
              testing::UnorderedElementsAre("/: 'library' is missing", "/manifest: 2; expected 1",
                                            HasSubstr("/name: \"Toy\"; expected a match of"),
                                            "/version: 1; expected type string"));
  EXPECT_THAT(violations(R"({"manifest": 1, "name": "torch", "version": "1", "library": "a"})"),
              testing::ElementsAre("/name: \"torch\" is reserved"));
  auto with = [&](const char *more) { return violations((head + ", " + more + "}").c_str()); };
  EXPECT_THAT(
      with(R"("devices": [{"type": "toy", "kind": "soft", "probe": [{"usb": "x"}]}])"),
      testing::ElementsAre(HasSubstr("/devices/0/kind: \"soft\"; expected one of"),
                           HasSubstr("/devices/0/probe: [{\"usb\":\"x\"}]; expected one of 2 forms")));
  EXPECT_THAT(with(R"("devices": [{"type": "auto", "aliases": ["auto"]}])"),
              testing::UnorderedElementsAre("/devices/0/type: \"auto\" is reserved",
                                            "/devices/0/aliases/0: \"auto\" is reserved"));
  EXPECT_THAT(with(R"("extends": [{"target": "auto", "before": "tile"}])"),
              testing::ElementsAre("/extends/0/target: \"auto\" is reserved"));
  EXPECT_THAT(with(R"("options": {"a": {"type": "integer", "default": 1, "help": "h", "range": [1]}})"),
              testing::ElementsAre("/options/a/range: 1 elements; expected 2"));
  EXPECT_THAT(with(R"("extends": [{"target": "host", "before": "tile", "after": "tile"}])"),
              testing::ElementsAre(HasSubstr("/extends/0: ")));
  EXPECT_THAT(with(R"("abi": {"major": -1, "minor": 0})"),
              testing::ElementsAre("/abi/major: -1; expected at least 0"));
  std::string longName = "\"dialects\": [], \"arch\": \"" + std::string(100000, 'x') +
                         "\", \"compiler\": \"" + std::string(100000, 'y') + "\"";
  EXPECT_THAT(with(longName.c_str()), testing::ElementsAre(HasSubstr("/compiler: ")))
      << "and no stack is lost";
  EXPECT_THAT(checkSchema(manifestSchema(), nlohmann::json::parse(head + R"(, "devcies": []})")).unknownKeys,
              testing::ElementsAre("/devcies"));
}

TEST(JitInfoTest, ExplainLoadsAndSaysWhyNot) {
  InfoOutcome good = runInfo({"explain", "good-alias", kGood});
  EXPECT_EQ(good.code, kYes) << "a device's alias names its backend";
  EXPECT_THAT(good.out, HasSubstr("state        READY"));
  EXPECT_THAT(good.out,
              HasSubstr("option       level = '3' (KILN_GOOD_LEVEL; integer 0 to 9; default '3'; a number)"));
  EXPECT_THAT(good.out, HasSubstr("machine model of 'good'"));
  EXPECT_THAT(good.out, HasSubstr("lanes   8      elements  assumed  its data sheet"));
  nlohmann::json json = nlohmann::json::parse(runInfo({"explain", "--json", "good", kGood}).out);
  EXPECT_EQ(json["properties"]["good"][0]["name"], "lanes");
  InfoOutcome broken = runInfo({"explain", "half_registered", kBroken});
  EXPECT_EQ(broken.code, kNo);
  EXPECT_THAT(broken.out, HasSubstr("reason       backend 'half_registered'"));
  InfoOutcome unknown = runInfo({"explain", "npu", kGood});
  EXPECT_EQ(unknown.code, kFailed);
  EXPECT_THAT(unknown.err, HasSubstr("unknown backend 'npu'"));
}

TEST(JitInfoTest, ValidateTellsInvalidFromUnreadable) {
  EXPECT_EQ(runInfo({"validate", KILN_TEST_PLUGINS "/good/good.kiln.json"}).code, kYes);
  InfoOutcome source = runInfo({"validate", KILN_TEST_PLUGINS "/good.kiln.json"});
  EXPECT_EQ(source.code, kNo) << "not completed by add_kiln_backend";
  EXPECT_THAT(source.out, HasSubstr("/abi is missing"));
  EXPECT_THAT(source.out, HasSubstr("note         /unknown-key: unknown key, ignored"));
  InfoOutcome text = runInfo({"validate", __FILE__});
  EXPECT_EQ(text.code, kNo);
  EXPECT_THAT(text.out, HasSubstr("JitInfoTest.cpp:1:"));
  EXPECT_EQ(runInfo({"validate", "/nowhere.kiln.json"}).code, kFailed);
}

TEST(JitInfoTest, WrongCommandsAreUsageErrors) {
  EXPECT_EQ(runInfo({"bogus"}).code, kUsage);
  EXPECT_EQ(runInfo({"explain"}).code, kUsage);
  EXPECT_EQ(runInfo({"devices", "more"}).code, kUsage);
  EXPECT_EQ(runInfo({}).code, kUsage);
}

TEST(TextTableTest, ColumnsAreAsWideAsTheirWidestCellAndLinesEndWithoutBlanks) {
  TextTable table({"A", "LONG"});
  table.add({"wide", "x"});
  std::ostringstream out;
  table.print(out);
  EXPECT_EQ(out.str(), "A     LONG\nwide  x\n");
}

} // namespace
