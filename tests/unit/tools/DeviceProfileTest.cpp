// DeviceProfileTest.cpp: shares are of the cores that worked; waits become spans of their own.
#include "tools/lib/DeviceProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

using namespace kiln::tools;
using testing::HasSubstr;
using testing::Not;

namespace {

DeviceProfile twoCores() {
  DeviceProfile profile;
  profile.counters = {{"cores.aiv", 2},  {"busy.aiv.V", 500},        {"wait-flag.aiv.V", 250},
                      {"bound.gm", 400}, {"instructions.aiv.V", 12}, {"gm.read", 4096}};
  profile.spans = {{"aiv0.V", "vadd.f32", "flag", 100, 130, 20}, {"aiv1.V", "vadd.f32", "", 0, 30, 0}};
  return profile;
}

std::string print(uint64_t cycles, const DeviceProfile &profile) {
  std::ostringstream out;
  printDeviceProfile("add", cycles, profile, out);
  return out.str();
}

} // namespace

TEST(DeviceProfileTest, SharesAreOfTheCoresThatWorked) {
  std::string text = print(1000, twoCores());
  EXPECT_THAT(text, HasSubstr("add: 1000 cycles"));
  EXPECT_THAT(text, HasSubstr("25.0%")) << "busy 500 of two cores' 1000";
  EXPECT_THAT(text, HasSubstr("12.5%")) << "waits for flags";
  EXPECT_THAT(text, HasSubstr("gm 40.0%"));
  EXPECT_THAT(text, Not(HasSubstr("4096"))) << "traffic is no unit";
}

TEST(DeviceProfileTest, LaunchesOfAKernelAreSummedOverTheSameCores) {
  DeviceProfile sum = twoCores();
  sum.add(twoCores());
  EXPECT_EQ(sum.counters["busy.aiv.V"], 1000);
  EXPECT_EQ(sum.counters["cores.aiv"], 2);
  EXPECT_THAT(print(2000, sum), HasSubstr("25.0%"));
}

TEST(DeviceProfileTest, DevicesThatCountNothingPrintNothing) {
  EXPECT_EQ(print(1000, {}), "");
  EXPECT_EQ(print(0, twoCores()), "");
}

TEST(DeviceProfileTest, WaitsAreSpansOfTheirOwn) {
  std::vector<Span> spans = deviceSpans(twoCores(), 5000);
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans[0].name, "wait for flag");
  EXPECT_EQ(spans[0].startNs, 5080u);
  EXPECT_EQ(spans[0].endNs, 5100u);
  EXPECT_EQ(spans[1].name, "vadd.f32");
  EXPECT_EQ(spans[1].category, "simulated aiv0.V");
  EXPECT_EQ(spans[1].endNs, 5130u);
  EXPECT_EQ(spans[2].category, "simulated aiv1.V");
}
