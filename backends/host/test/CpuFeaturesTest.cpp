// CpuFeaturesTest.cpp: levels, canonical text, and refusal of what the machine lacks.
#include "CpuFeatures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace kiln::host {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(CpuFeaturesTest, LevelsContainTheLevelsBelow) {
  FeatureSet v2 = levelFeatures("x86-64-v2"), v3 = levelFeatures("x86-64-v3"),
             v4 = levelFeatures("x86-64-v4");
  EXPECT_TRUE(std::ranges::includes(v3, v2));
  EXPECT_TRUE(std::ranges::includes(v4, v3));
  EXPECT_TRUE(v3.contains("avx2") && !v3.contains("avx512f") && v4.contains("avx512f"));
  EXPECT_TRUE(levelFeatures("pentium").empty());
}

TEST(CpuFeaturesTest, AgreesWithTheSystem) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && line.rfind("flags", 0) != 0)
    ;
  std::istringstream words(line.substr(line.find(':') + 1));
  std::set<std::string> flags{std::istream_iterator<std::string>(words), {}};
  ASSERT_FALSE(flags.empty());
  // Names that LLVM and Linux spell alike, so that neither side's table is the other's source.
  for (const char *name : {"avx", "avx2", "fma", "f16c", "bmi2", "avx512f", "avx512bw", "avx512vl", "gfni"})
    EXPECT_EQ(machineFeatures().contains(name), flags.contains(name)) << name;
}

TEST(CpuFeaturesTest, NativeTakesAllThereIs) {
  FeatureSet machine = levelFeatures("x86-64-v3");
  machine.insert("avxvnni");
  Result<CpuTarget> target = resolveCpu("native", machine);
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->arch, "x86-64-v3");
  EXPECT_EQ(target->features,
            "+avx,+avx2,+avxvnni,+bmi,+bmi2,+cx16,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sahf,+sse3,"
            "+sse4.1,+sse4.2,+ssse3");
  EXPECT_EQ(resolveCpu("native", FeatureSet())->arch, "x86-64");
}

TEST(CpuFeaturesTest, ALevelRestrictsTheMachine) {
  FeatureSet machine = levelFeatures("x86-64-v4");
  machine.insert("avx512bf16");
  Result<CpuTarget> target = resolveCpu("x86-64-v3", machine);
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->arch, "x86-64-v3");
  EXPECT_THAT(target->features, Not(HasSubstr("avx512")));
  EXPECT_THAT(resolveCpu("x86-64-v4", machine)->features, Not(HasSubstr("bf16")));
}

TEST(CpuFeaturesTest, RefusesALevelThatTheMachineLacks) {
  Result<CpuTarget> target = resolveCpu("x86-64-v4", levelFeatures("x86-64-v3"));
  ASSERT_FALSE(target.ok());
  EXPECT_EQ(target.status().code(), Code::FailedPrecondition);
  EXPECT_EQ(target.status().message(),
            "option 'cpu': 'x86-64-v4' needs avx512bw, avx512cd, avx512dq, avx512f, "
            "avx512vl, which this machine lacks; native uses what there is");
}

TEST(CpuFeaturesTest, RefusesUnknownNames) {
  Result<CpuTarget> target = resolveCpu("x86-64-v5", machineFeatures());
  ASSERT_FALSE(target.ok());
  EXPECT_EQ(target.status().code(), Code::InvalidArgument);
  EXPECT_THAT(target.status().message(), HasSubstr("'x86-64-v5'; expected native, x86-64-v3 or x86-64-v4"));
}

} // namespace
} // namespace kiln::host
