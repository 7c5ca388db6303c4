// ShapeFlagTest.cpp: --shape as text and against a model's ports.
#include "tools/lib/ShapeFlag.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::tools;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

KilnPortInfo port(std::string_view name, std::vector<int64_t> dims,
                  std::vector<std::string_view> names = {}) {
  auto result = sized<KilnPortInfo>();
  result.name = toStr(name);
  result.rank = static_cast<uint32_t>(dims.size());
  std::copy(dims.begin(), dims.end(), result.dims);
  for (size_t i = 0; i < names.size(); ++i)
    result.dim_names[i] = toStr(names[i]);
  return result;
}

std::string shapeErrorOf(const std::vector<std::string> &flags) {
  Result<ShapeFlags> parsed = ShapeFlags::parse(flags);
  EXPECT_FALSE(parsed.ok());
  return parsed.ok() ? "" : parsed.status().message();
}

TEST(ShapeFlagTest, AnInputsShapeAndANamedDimensionDecideExtents) {
  auto flags = ShapeFlags::parse({"x=2x3", "batch=7"});
  ASSERT_TRUE(flags.ok()) << flags.status().message();
  EXPECT_THAT(flags->dims(port("x", {-1, 3}), 0).value(), ElementsAre(2, 3));
  EXPECT_THAT(flags->dims(port("y", {-1, 5, -1}, {"batch", "", ""}), 0).value(), ElementsAre(7, 5, 1))
      << "dynamic extents that nobody gives are 1";
}

TEST(ShapeFlagTest, SeveralShapesAreSeveralRuns) {
  auto flags = ShapeFlags::parse({"x=1x4,3x4,77x4", "n=2"});
  ASSERT_TRUE(flags.ok());
  EXPECT_EQ(flags->runCount(), 3u);
  EXPECT_THAT(flags->dims(port("x", {-1, 4}), 2).value(), ElementsAre(77, 4));
  EXPECT_THAT(flags->dims(port("y", {-1}, {"n"}), 2).value(), ElementsAre(2)) << "one shape serves every run";
}

TEST(ShapeFlagTest, ErrorsQuoteWhatIsWrong) {
  EXPECT_THAT(shapeErrorOf({"1x3"}), HasSubstr("--shape: '1x3': no name; expected NAME=DIMS"));
  EXPECT_THAT(shapeErrorOf({"x=1x"}), HasSubstr("'1x' is no list of extents"));
  EXPECT_THAT(shapeErrorOf({"x=1x-3"}), HasSubstr("'1x-3' is no list of extents"));
  EXPECT_THAT(shapeErrorOf({"x=99999999999999999999"}), HasSubstr("is no list of extents"));
  EXPECT_THAT(shapeErrorOf({"x=1", "x=2"}), HasSubstr("the name was given before"));
  EXPECT_THAT(shapeErrorOf({"x=1,2", "y=1,2,3"}), HasSubstr("3 shapes, another --shape has 2"));
}

TEST(ShapeFlagTest, AnotherRankIsRefusedWithTheDeclaredShape) {
  auto flags = ShapeFlags::parse({"x=2x3"});
  auto dims = flags->dims(port("x", {-1, 3, 8}), 0);
  ASSERT_FALSE(dims.ok());
  EXPECT_EQ(dims.status().message(), "--shape: input 'x': 2 extents; expected 3 as in ?x3x8");
}

} // namespace
