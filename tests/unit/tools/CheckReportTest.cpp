// CheckReportTest.cpp: what --check prints and writes, and when a result counts as right.
#include "tools/lib/CheckReport.h"
#include "tools/lib/CheckReference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>

using namespace kiln::tools;
using testing::HasSubstr;
using testing::Not;

namespace {

using Outcome = CheckResult::Outcome;

CheckReport report() {
  CheckReport report;
  report.device = "toy:0";
  report.functions = 3;
  report.results = {{Outcome::Passed, "a.mlir", "add[f16]", "M=1", "", "", 2, 0.5, false},
                    {Outcome::Failed, "a.mlir", "sub", "M=7 N=9", "output 'y' <is> \"wrong\"",
                     "M=1 N=3: wrong", 1, 0.25, true},
                    {Outcome::Refused, "b.mlir", "conv", "", "no lowering for 'kiln.conv'", "", 0, 0, false}};
  return report;
}

TEST(CheckReportTest, AFailureSaysHowToRunItAlone) {
  std::ostringstream out;
  for (const CheckResult &result : report().results)
    printCheckResult(result, "toy:0", out);
  EXPECT_THAT(
      out.str(),
      HasSubstr("FAIL a.mlir: sub (M=7 N=9): output 'y' <is> \"wrong\"\n  smallest: M=1 N=3: wrong\n"
                "  again: jit-run --check a.mlir --function 'sub' --case 'M=7 N=9' --device toy:0\n"));
  EXPECT_THAT(out.str(), HasSubstr("REFUSED b.mlir: conv: no lowering for 'kiln.conv'"));
  EXPECT_THAT(out.str(), Not(HasSubstr("add")));
}

TEST(CheckReportTest, TheSummaryCountsOutcomes) {
  std::ostringstream out;
  printCheckSummary(report(), out);
  EXPECT_EQ(out.str(), "3 functions, 3 cases, 3 checks on toy:0: 1 passed, 1 failed, 1 refused\n");
}

TEST(CheckReportTest, JsonHoldsEveryCase) {
  std::ostringstream out;
  printCheckJson(report(), out);
  auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["cases"][1]["smallest"], "M=1 N=3: wrong");
  EXPECT_EQ(json["cases"][2]["outcome"], "refused");
}

TEST(CheckReportTest, JUnitHasASuiteAFileAndEscapes) {
  std::ostringstream out;
  writeJUnit(report(), out);
  EXPECT_THAT(out.str(),
              HasSubstr("<testsuite name=\"a.mlir\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(out.str(), HasSubstr("<failure message=\"output 'y' &lt;is&gt; &quot;wrong&quot;\"/>"));
  EXPECT_THAT(out.str(),
              HasSubstr("<testsuite name=\"b.mlir\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""));
}

HostTensor tensor(KilnDType dtype, const std::vector<double> &values) {
  HostTensor result = makeTensor("y", dtype, {static_cast<int64_t>(values.size())}).value();
  for (size_t i = 0; i < values.size(); ++i)
    result.setElement(static_cast<int64_t>(i), values[i]);
  return result;
}

TEST(CheckReferenceTest, ElementsMayBeOffByTheirError) {
  ReferenceTensor want{KILN_F32, {3}, {1, NAN, INFINITY}, {}, {0.25, 0, 0}};
  EXPECT_EQ(differenceFrom(want, tensor(KILN_F32, {1.25, NAN, INFINITY}), 0, 0), "");
  EXPECT_THAT(
      differenceFrom(want, tensor(KILN_F32, {1.5, NAN, INFINITY}), 0, 0),
      HasSubstr(
          "output 'y': 1 of 3 elements are wrong; worst at [0]: got 1.5, want 1, may be off by 0.25 (2 x)"));
  EXPECT_EQ(differenceFrom(want, tensor(KILN_F32, {1.5, NAN, INFINITY}), 0.3, 0), "") << "atol comes on top";
  EXPECT_THAT(differenceFrom(want, tensor(KILN_F32, {1, 0, INFINITY}), 9, 9), HasSubstr("worst at [1]"));
  EXPECT_THAT(differenceFrom(want, tensor(KILN_F32, {1, NAN, -INFINITY}), 9, 9), HasSubstr("worst at [2]"));
}

TEST(CheckReferenceTest, SixtyFourBitsAreComparedExactly) {
  int64_t big = (int64_t{1} << 53) + 1;
  ReferenceTensor want{KILN_I64, {1}, {}, {big}, {}};
  EXPECT_THAT(differenceFrom(want, tensor(KILN_I64, {0x1p53}), 0, 0),
              HasSubstr("got 9007199254740992, want 9007199254740993"));
}

TEST(CheckReferenceTest, AnotherShapeOrTypeIsWrong) {
  ReferenceTensor want{KILN_F32, {2, 1}, {1, 2}, {}, {}};
  EXPECT_EQ(differenceFrom(want, tensor(KILN_F32, {1, 2}), 0, 0),
            "output 'y': 2xf32; the reference gives 2x1xf32");
}

} // namespace
