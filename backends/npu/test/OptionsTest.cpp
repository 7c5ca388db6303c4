// OptionsTest.cpp: options come from the manifest's defaults, then from the text over them; bad ones are
// named.
#include "backends/npu/NpuDevice.h"
#include "runtime/HostTable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

using namespace kiln;
using namespace kiln::npu;
using testing::HasSubstr;

namespace {

// The runtime's table with the options of the manifest, as if the environment set none.
const KilnHost &optionsHost() {
  static const KilnHost table = [] {
    KilnHost copy = hostTable();
    copy.option = [](void *, KilnStr, KilnStr key, KilnStr *out) -> KilnStatus {
      static const std::map<std::string_view, std::string_view> values = {
          {"chip", "910b"},        {"mode", "checked"},  {"devices", "2"},
          {"memory-mib", "16"},    {"threads", "0"},     {"seed", "0"},
          {"watchdog", "1000000"}, {"ascendnpu-ir", ""}, {"assume", ""}};
      *out = toStr(values.at(toView(key)));
      return nullptr;
    };
    return copy;
  }();
  return table;
}

} // namespace

TEST(NpuOptionsTest, TextGoesOverTheDefaults) {
  NpuOptions options = NpuOptions::read(optionsHost(), "chip=910a;mode=timing;seed=7;threads=3").value();
  EXPECT_EQ(options.chip, ChipClass::Ascend910A);
  EXPECT_EQ(options.mode, Mode::Timing);
  EXPECT_EQ(options.seed, 7u);
  EXPECT_EQ(options.threads, 3u);
  EXPECT_EQ(options.devices, 2u);
  EXPECT_EQ(options.memoryBytes, 16u << 20);
  EXPECT_EQ(NpuOptions::read(optionsHost(), "ascendnpu-ir=/opt/x").value().ascendnpuIr, "/opt/x");
}

TEST(NpuOptionsTest, WrongValuesAreNamed) {
  auto message = [](std::string_view text) {
    return NpuOptions::read(optionsHost(), text).status().message();
  };
  EXPECT_THAT(message("chip=950"), HasSubstr("option 'chip': '950'; expected 910b or 910a"));
  EXPECT_THAT(message("mode=slow"),
              HasSubstr("option 'mode': 'slow'; expected fast, checked, timing or estimate"));
  EXPECT_THAT(message("seed=-1"), HasSubstr("option 'seed': '-1'; expected a number"));
  EXPECT_THAT(message("mode"), HasSubstr("option 'mode': no value"));
  EXPECT_THAT(message("assume=gmLatency"), HasSubstr("option 'assume': 'gmLatency'; expected figure=value"));
  EXPECT_THAT(message("assume=ubBytes=1"), HasSubstr("option 'assume': 'ubBytes'; expected a figure that"));
  EXPECT_THAT(message("assume=gmLatency=x"), HasSubstr("option 'assume': 'x'; expected a number"));
  EXPECT_THAT(message("colour=red"), HasSubstr("npu has no option 'colour'"));
}

TEST(NpuOptionsTest, AssumedFiguresMayBeOthers) {
  NpuOptions options =
      NpuOptions::read(optionsHost(), "mode=estimate;assume=gmLatency=125,fixRate=512").value();
  EXPECT_EQ(options.mode, Mode::Estimate);
  EXPECT_EQ(options.target().gmLatency, 125u);
  EXPECT_EQ(options.target().fixRate, 512u);
  EXPECT_EQ(options.target().cubeHead, Target::of(ChipClass::Ascend910B).cubeHead);
}

TEST(NpuDeviceTypeTest, TargetFollowsTheChip) {
  NpuDeviceType type(optionsHost());
  KilnTargetInfo target = {};
  ASSERT_TRUE(type.target("chip=910a", target).ok());
  EXPECT_EQ(toView(target.arch), "910a");
  EXPECT_EQ(toView(target.features), "+fused,cube=32,vector=32");
  EXPECT_EQ(type.target("chip=x", target).code(), Code::InvalidArgument);
}

TEST(NpuDeviceTypeTest, PropertiesAreTheTable) {
  NpuDeviceType type(optionsHost());
  std::map<std::string, std::string> seen;
  auto add = [](void *to, const KilnDeviceProperty *property) {
    (*static_cast<std::map<std::string, std::string> *>(to))[std::string(toView(property->name))] =
        std::string(toView(property->value));
  };
  ASSERT_TRUE(type.properties("ascendnpu-ir=/nowhere", add, &seen).ok());
  EXPECT_EQ(seen.size(), figures().size() + 1);
  EXPECT_EQ(seen["ubBytes"], "196608");
  EXPECT_EQ(seen["tool.ascendnpu-ir"], "absent");
}

TEST(NpuDeviceTypeTest, OnlyDevicesThatExistAreDescribed) {
  NpuDeviceType type(optionsHost());
  KilnDeviceInfo info = {};
  EXPECT_TRUE(type.describe(1, info).ok());
  EXPECT_EQ(info.simulated_time, 1u);
  EXPECT_EQ(type.describe(2, info).code(), Code::OutOfRange);
}
