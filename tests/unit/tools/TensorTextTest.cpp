// TensorTextTest.cpp: tensors on the command line.
#include "tools/lib/TensorText.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::tools;
using testing::HasSubstr;

namespace {

TEST(TensorTextTest, ValuesSplatsAndScalars) {
  auto values = parseTensorText("x=2x2xf32=1 2,3 -4.5e1", 0);
  ASSERT_TRUE(values.ok()) << values.status().message();
  EXPECT_EQ(values->name, "x");
  EXPECT_EQ(values->dims, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(values->element(3), -45);
  EXPECT_EQ(parseTensorText("x=3xi64=7", 0)->element(2), 7);
  EXPECT_TRUE(parseTensorText("x=f32=1", 0)->dims.empty());
  EXPECT_EQ(parseTensorText("x=2xi1=true", 0)->element(0), 1);
  EXPECT_EQ(parseTensorText("=1xf32=1", 0)->name, "") << "by position";
}

TEST(TensorTextTest, RandomDataDependsOnSeedAndNameOnly) {
  auto once = parseTensorText("x=64xf32=random", 7), again = parseTensorText("x=64xf32", 7);
  EXPECT_EQ(once->bytes, again->bytes);
  EXPECT_NE(once->bytes, parseTensorText("x=64xf32", 8)->bytes);
  EXPECT_NE(once->bytes, parseTensorText("y=64xf32", 7)->bytes);
  for (int64_t i = 0; i < 64; ++i) {
    EXPECT_GE(once->element(i), -1);
    EXPECT_LT(once->element(i), 1);
  }
}

TEST(TensorTextTest, ErrorsQuoteTheWrongPart) {
  EXPECT_THAT(parseTensorText("nothing", 0).status().message(), HasSubstr("no '='"));
  EXPECT_THAT(parseTensorText("x=2x2xf31=1", 0).status().message(),
              HasSubstr("'2x2xf31': not a shape and type"));
  EXPECT_THAT(parseTensorText("x=2xf32=1 2 3", 0).status().message(),
              HasSubstr("3 values; 2xf32 has 2 elements"));
  EXPECT_THAT(parseTensorText("x=2xf32=one", 0).status().message(), HasSubstr("'one': not numbers"));
  EXPECT_THAT(parseTensorText("x=@/nonexistent.npy", 0).status().message(), HasSubstr("/nonexistent.npy"));
}

TEST(TensorTextTest, RenderingIsShort) {
  EXPECT_EQ(describeTensor(parseTensorText("x=3xf32=1 2 3", 0).value()), "3xf32 [1, 2, 3]");
  EXPECT_THAT(describeTensor(parseTensorText("x=100xf32=2", 0).value()),
              HasSubstr("...] min 2 max 2 mean 2"));
}

} // namespace
