// TargetTest.cpp: the machine's figures are complete, sourced and consistent.
#include "backends/npu/Target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

using namespace kiln;
using namespace kiln::npu;

TEST(TargetTest, EveryFigureHasUnitAndSource) {
  std::set<std::string_view> names;
  for (const Figure &figure : figures()) {
    EXPECT_TRUE(names.insert(figure.name).second) << figure.name << " stands twice";
    EXPECT_FALSE(figure.unit.empty()) << figure.name;
    EXPECT_GE(figure.source.size(), 10u) << figure.name << " needs a source or the reason of the assumption";
  }
}

TEST(TargetTest, RatesThatAreAssumedSaySo) {
  for (const Figure &figure : figures())
    if (figure.name == "vectorHead" || figure.name == "gmLatency" || figure.name == "fixRate")
      EXPECT_TRUE(figure.isAssumed) << figure.name;
    else if (figure.name == "ubBytes" || figure.name == "cubeCores" || figure.name == "ddrRate")
      EXPECT_FALSE(figure.isAssumed) << figure.name;
}

// The peak-rate column of the calibration table follows from the figures.
TEST(TargetTest, PeaksAreThePublishedOnes) {
  auto cubeTflops = [](const Target &chip, uint64_t cores) {
    return 2e-6 *
           static_cast<double>(chip.cubeRows * chip.cubeColumns * chip.cubeDepthF16 * cores * chip.clockMhz);
  };
  const Target &a = Target::of(ChipClass::Ascend910A), &b = Target::of(ChipClass::Ascend910B);
  EXPECT_NEAR(cubeTflops(a, a.cubeCores), 262, 0.5);
  EXPECT_NEAR(cubeTflops(b, 24), 354, 0.5);
  EXPECT_NEAR(1e-6 * static_cast<double>(a.vectorBytes / 2 * a.vectorCores * a.clockMhz), 4.10, 0.01);
}

TEST(TargetTest, SetChangesOneFigureByName) {
  Target chip = Target::of(ChipClass::Ascend910B);
  EXPECT_TRUE(chip.set("gmLatency", 500).ok());
  EXPECT_EQ(chip.gmLatency, 500u);
  EXPECT_EQ(Target::of(ChipClass::Ascend910B).gmLatency, 250u) << "the class's own figures stay";
  EXPECT_EQ(chip.set("warpSize", 32).code(), Code::NotFound);
}

TEST(TargetTest, ChipsAreFoundByName) {
  EXPECT_EQ(parseChip("910a").value(), ChipClass::Ascend910A);
  Result<ChipClass> unknown = parseChip("950");
  EXPECT_EQ(unknown.status().code(), Code::InvalidArgument);
  EXPECT_THAT(unknown.status().message(), testing::HasSubstr("'950'; expected 910b or 910a"));
}
