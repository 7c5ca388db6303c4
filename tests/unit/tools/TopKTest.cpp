// TopKTest.cpp: the largest elements of rows, their labels and their order.
#include "tools/lib/TopK.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

using namespace kiln;
using namespace kiln::tools;
using testing::HasSubstr;

namespace {

HostTensor scoreTensor(std::vector<int64_t> dims, const std::vector<double> &values) {
  HostTensor result = makeTensor("y", KILN_F32, std::move(dims)).value();
  for (size_t i = 0; i < values.size(); ++i)
    result.setElement(static_cast<int64_t>(i), values[i]);
  return result;
}

TEST(TopKTest, ParsesACountAndAFile) {
  EXPECT_EQ(parseTopK("3")->count, 3u);
  EXPECT_EQ(parseTopK("5,labels.txt")->labelFile, "labels.txt");
  for (const char *text : {"", "0", "x", "-1", "3x", "3,"})
    EXPECT_FALSE(parseTopK(text).ok()) << text;
}

TEST(TopKTest, EqualElementsGoByIndexAndNaNIsLast) {
  auto rows = topEntries(scoreTensor({2, 4}, {1, 5, 5, 2, NAN, -1, NAN, -3}), 3, {"a", "b"});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0][0].index, 1);
  EXPECT_EQ(rows[0][0].label, "b");
  EXPECT_EQ(rows[0][1].index, 2);
  EXPECT_EQ(rows[0][1].label, "") << "there are two labels only";
  EXPECT_EQ(rows[1][0].index, 1);
  EXPECT_EQ(rows[1][1].index, 3);
  EXPECT_EQ(rows[1][2].index, 0);
}

TEST(TopKTest, AScalarIsARowOfOneAndAnEmptyTensorHasNoRow) {
  EXPECT_EQ(topEntries(scoreTensor({}, {4}), 3, {}).at(0).size(), 1u);
  EXPECT_TRUE(topEntries(scoreTensor({0, 3}, {}), 3, {}).empty());
  EXPECT_TRUE(topEntries(scoreTensor({3, 0}, {}), 3, {}).empty());
}

TEST(TopKTest, LongOutputsAreCutShort) {
  std::ostringstream out;
  printTopEntries("y", topEntries(scoreTensor({5, 1}, {1, 2, 3, 4, 5}), 1, {}), out, 2);
  EXPECT_THAT(out.str(), HasSubstr("y row 1 top 1: 0: 2"));
  EXPECT_THAT(out.str(), HasSubstr("y: 3 rows more"));
}

} // namespace
