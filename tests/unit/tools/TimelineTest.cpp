// TimelineTest.cpp: traces as Chrome reads them, compile profiles, and the progress line.
#include "tools/lib/Timeline.h"
#include "tools/lib/Progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

using namespace kiln::tools;
using testing::HasSubstr;

namespace {

TEST(TimelineTest, OverlappingSpansGetRowsOfTheirOwn) {
  std::ostringstream out;
  writeTrace({{"b", "compile", 1500, 3000, {{"unit", "k"}}},
              {"a", "compile", 1000, 2000, {}},
              {"c", "compile", 2000, 4000, {}}},
             out);
  auto json = nlohmann::json::parse(out.str());
  std::map<std::string, nlohmann::json> byName;
  for (const auto &event : json["traceEvents"])
    if (event["ph"] == "X")
      byName[event["name"]] = event;
  ASSERT_EQ(byName.size(), 3u);
  EXPECT_EQ(byName["a"]["ts"], 0.0) << "the first span is the origin";
  EXPECT_EQ(byName["b"]["ts"], 0.5);
  EXPECT_EQ(byName["b"]["dur"], 1.5);
  EXPECT_EQ(byName["b"]["args"]["unit"], "k");
  EXPECT_NE(byName["a"]["tid"], byName["b"]["tid"]);
  EXPECT_EQ(byName["a"]["tid"], byName["c"]["tid"]) << "a row is free when its span has ended";
}

TEST(TimelineTest, AnEmptyTraceIsValid) {
  std::ostringstream out;
  writeTrace({}, out);
  EXPECT_TRUE(nlohmann::json::parse(out.str())["traceEvents"].empty());
}

TEST(TimelineTest, TheCompileProfileSumsByStageAndKernel) {
  std::ostringstream out;
  printCompileProfile({{"tile", "k1", 0, 3000000}, {"tile", "k2", 0, 1000000}, {"graph", "main", 0, 6000000}},
                      out);
  EXPECT_THAT(out.str(), HasSubstr("compile profile: 10.0 ms"));
  EXPECT_THAT(out.str(), HasSubstr("4.00  40.0%  2     tile"));
  EXPECT_THAT(out.str(), HasSubstr("(the whole model)"));
}

TEST(ProgressTest, ShowsNothingWithoutATerminal) {
  std::ostringstream out;
  EXPECT_EQ(Progress::terminal(out), nullptr);
  Progress progress(nullptr, nullptr);
  EXPECT_EQ(out.str(), "");
}

} // namespace
