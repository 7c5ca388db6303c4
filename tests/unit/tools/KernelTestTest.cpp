// KernelTestTest.cpp: the attribute kiln.test as text, generated data, and shrinking.
#include "tools/lib/KernelTest.h"
#include "tools/lib/Shrink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

using namespace kiln;
using namespace kiln::tools;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::string errorOf(const std::string &json) {
  Result<KernelTest> test = KernelTest::parse(json);
  EXPECT_FALSE(test.ok()) << json;
  return test.ok() ? "" : test.status().message();
}

TEST(KernelTestTest, ReadsEveryEntry) {
  auto test = KernelTest::parse(
      R"({"inputs": ["MxNx3 uniform -1 1", "scalar"], "cases": ["M=5 N=67 specials", "M=1 N=0 full seed=9"],
    "results": 2, "error": "beyond", "atol": 0.5, "rtol": 0.25, "cycles": {"npu": 120}, "types": ["f16"], "golden": "why"})");
  ASSERT_TRUE(test.ok()) << test.status().message();
  ASSERT_EQ(test->inputs.size(), 2u);
  EXPECT_EQ(test->inputs[0].data.high, 1);
  EXPECT_TRUE(test->inputs[1].extents.empty());
  EXPECT_THAT(extentsOf(test->inputs[0], test->cases[0]).value(), ElementsAre(5, 67, 3));
  EXPECT_TRUE(test->cases[0].specials);
  EXPECT_TRUE(test->cases[1].full);
  EXPECT_EQ(test->cases[1].seed, 9u);
  EXPECT_EQ(test->cases[0].text(), "M=5 N=67 specials");
  EXPECT_EQ(test->resultCount, 2u);
  EXPECT_EQ(test->cycles.at("npu"), 120u);
  EXPECT_EQ(*test->rtol, 0.25);
}

TEST(KernelTestTest, AFunctionWithoutTheAttributeHasOneCase) {
  EXPECT_EQ(KernelTest::parse("")->cases.size(), 1u);
  EXPECT_EQ(KernelTest::parse(R"({"results": 1})")->cases.size(), 1u);
}

TEST(KernelTestTest, ErrorsQuoteTheEntry) {
  EXPECT_THAT(errorOf(R"({"shapes": []})"), HasSubstr("entry 'shapes': expected inputs, cases"));
  EXPECT_THAT(errorOf(R"({"cases": "M=1"})"), HasSubstr("entry 'cases': expected a list of strings"));
  EXPECT_THAT(errorOf(R"({"cases": ["M=x"]})"), HasSubstr("'M=x'; expected NAME=EXTENT"));
  EXPECT_THAT(errorOf(R"({"cases": ["M=-1"]})"), HasSubstr("'M=-1'"));
  EXPECT_THAT(errorOf(R"({"inputs": [""]})"), HasSubstr("empty; expected extents"));
  EXPECT_THAT(errorOf(R"({"inputs": ["Mxn"]})"), HasSubstr("'n' is no extent"));
  EXPECT_THAT(errorOf(R"({"inputs": ["M normal"]})"), HasSubstr("expected its data as uniform"));
  EXPECT_THAT(errorOf(R"({"inputs": ["M uniform 2 1"]})"), HasSubstr("two numbers in order"));
  EXPECT_THAT(errorOf(R"({"cycles": {"npu": -1}})"), HasSubstr("'npu': expected a count"));
  EXPECT_THAT(errorOf("[1"), HasSubstr("expected a dictionary"));
  auto missing = extentsOf(*parseTestInput("MxK"), *parseTestCase("M=2"));
  EXPECT_THAT(missing.status().message(), HasSubstr("does not say what K is"));
}

HostTensor filled(KilnDType dtype, const std::string &input, bool specials, uint64_t seed = 0) {
  HostTensor tensor = makeTensor("x", dtype, {200}).value();
  fillTestData(tensor, parseTestInput(input)->data, specials, seed);
  return tensor;
}

TEST(TestDataTest, SeedsAndNamesDecideTheData) {
  EXPECT_EQ(filled(KILN_F32, "N", false, 1).bytes, filled(KILN_F32, "N", false, 1).bytes);
  EXPECT_NE(filled(KILN_F32, "N", false, 1).bytes, filled(KILN_F32, "N", false, 2).bytes);
}

TEST(TestDataTest, RangesHoldForEveryType) {
  for (KilnDType dtype = KILN_F16; dtype <= KILN_U4; ++dtype) {
    HostTensor tensor = filled(dtype, "N uniform 0 1", false);
    for (int64_t i = 0; i < tensor.elementCount(); ++i)
      EXPECT_TRUE(tensor.element(i) >= 0 && tensor.element(i) <= 1) << dtypeName(dtype);
    HostTensor bits = filled(dtype, "N bits", false);
    for (int64_t i = 0; i < bits.elementCount(); ++i)
      EXPECT_TRUE(std::isfinite(bits.element(i))) << dtypeName(dtype);
  }
}

TEST(TestDataTest, SpecialsHoldWhatBreaksKernels) {
  HostTensor tensor = filled(KILN_F32, "N", true);
  bool nan = false, infinity = false, denormal = false, ordinary = false;
  for (int64_t i = 0; i < tensor.elementCount(); ++i) {
    double value = tensor.element(i);
    nan |= std::isnan(value);
    infinity |= value == -INFINITY;
    denormal |= value != 0 && std::fabs(value) < 0x1p-126;
    ordinary |= std::fabs(value) > 0.1 && std::fabs(value) < 2;
  }
  EXPECT_TRUE(nan && infinity && denormal && ordinary);
  HostTensor bytes = filled(KILN_I8, "N", true);
  std::set<double> values;
  for (int64_t i = 0; i < bytes.elementCount(); ++i)
    values.insert(bytes.element(i));
  EXPECT_TRUE(values.contains(-128) && values.contains(127));
}

TEST(TestDataTest, DistinctValuesOccurOnce) {
  HostTensor tensor = filled(KILN_I16, "N distinct", false);
  std::set<double> values;
  for (int64_t i = 0; i < tensor.elementCount(); ++i)
    values.insert(tensor.element(i));
  EXPECT_EQ(values.size(), 200u);
  EXPECT_NE(tensor.element(0), -100) << "shuffled";
}

TEST(ShrinkTest, FindsTheSmallestCaseThatFails) {
  auto fails = [](const Variables &v) { return v.at("M") >= 3 && v.at("N") >= 17; };
  EXPECT_EQ(shrink({{"M", 64}, {"N", 1000}}, fails), (Variables{{"M", 3}, {"N", 17}}));
}

TEST(ShrinkTest, KeepsWhatCannotGetSmaller) {
  auto only = [](const Variables &v) { return v.at("N") == 67; };
  EXPECT_EQ(shrink({{"N", 67}}, only), (Variables{{"N", 67}}));
}

TEST(ShrinkTest, StopsAtItsBudget) {
  size_t calls = 0;
  shrink({{"N", 1 << 20}}, [&](const Variables &v) { return ++calls, v.at("N") > 1000; }, 5);
  EXPECT_EQ(calls, 5u);
}

} // namespace
