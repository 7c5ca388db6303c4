// CompareTest.cpp: tolerances, special values and what the message says.
#include "tools/lib/Compare.h"
#include "tools/lib/Sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace kiln::tools;
using testing::HasSubstr;

namespace {

HostTensor listTensor(std::vector<double> values, KilnDType dtype = KILN_F32) {
  HostTensor result = makeTensor("logits", dtype, {static_cast<int64_t>(values.size())}).value();
  for (size_t i = 0; i < values.size(); ++i)
    result.setElement(static_cast<int64_t>(i), values[i]);
  return result;
}

TEST(CompareTest, TheBoundIsAbsolutePlusRelative) {
  Tolerance tolerance{0.125, 0.25, {}};
  EXPECT_TRUE(compare(listTensor({2.5}), listTensor({2}), tolerance).equal);
  EXPECT_FALSE(compare(listTensor({2.75}), listTensor({2}), tolerance).equal);
}

TEST(CompareTest, SpecialValuesMatchThemselvesOnly) {
  Tolerance loose{1e9, 1, {}};
  EXPECT_TRUE(compare(listTensor({NAN, INFINITY}), listTensor({NAN, INFINITY}), loose).equal);
  EXPECT_FALSE(compare(listTensor({-INFINITY}), listTensor({INFINITY}), loose).equal);
  EXPECT_FALSE(compare(listTensor({NAN}), listTensor({1}), loose).equal);
  EXPECT_FALSE(compare(listTensor({1}), listTensor({NAN}), loose).equal);
}

TEST(CompareTest, TheMessageNamesTheWorstElement) {
  Comparison result = compare(listTensor({1, 2, 4}), listTensor({1, 2.5, 3}), {0.1, 0, {}});
  EXPECT_EQ(result.mismatches, 2);
  EXPECT_THAT(result.text,
              HasSubstr("output 'logits': 2 of 3 elements beyond 0.1 + 0*abs(want); worst at [2]: got 4, "
                        "want 3 (10 x)"));
  EXPECT_THAT(compare(listTensor({1 + 0x1p-23}), listTensor({1}), {}).text,
              HasSubstr("got 1.0000001192092896, want 1 "));
}

TEST(CompareTest, ShapesAndTypesMustAgree) {
  EXPECT_THAT(compare(listTensor({1, 2}), listTensor({1}), {1, 1, {}}).text,
              HasSubstr("2xf32; expected 1xf32"));
  EXPECT_FALSE(compare(listTensor({1}, KILN_F64), listTensor({1}), {1, 1, {}}).equal);
}

TEST(CompareTest, RelativeL2IsOverTheWholeOutput) {
  EXPECT_TRUE(compare(listTensor({3, 4.5}), listTensor({3, 4}), {0, 0, 0.11}).equal);
  EXPECT_FALSE(compare(listTensor({3, 4.5}), listTensor({3, 4}), {0, 0, 0.09}).equal);
  EXPECT_FALSE(compare(listTensor({NAN, 4}), listTensor({3, 4}), {0, 0, 9}).equal);
}

TEST(CompareTest, PercentilesAreSamples) {
  SampleSummary summary = summarise({4, 1, 3, 2});
  EXPECT_EQ(summary.minimum, 1);
  EXPECT_EQ(summary.median, 2.5);
  EXPECT_EQ(summary.p95, 4);
}

} // namespace
