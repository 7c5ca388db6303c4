// ProbeTest.cpp: presence of hardware told from files, PCI ids and variables.
#include "runtime/Probe.h"
#include "tests/unit/autoload/Fixtures.h"

namespace kiln {
namespace {

using namespace kiln::testing;
using Kind = ProbeCondition::Kind;

std::string absent(std::vector<ProbeCondition> probe, const std::string &pciRoot = "/nowhere",
                   Environment::Variables variables = {}) {
  ManifestDevice device;
  device.probe = std::move(probe);
  return whyAbsent(device, Environment(std::move(variables)), pciRoot);
}

TEST(ProbeTest, NothingAskedIsPresent) {
  EXPECT_EQ(absent({}), "");
  EXPECT_EQ(absent({{Kind::Always, ""}}), "");
}

TEST(ProbeTest, PciIdsMatchByGlob) {
  TempFolder folder;
  folder.write("0000:01:00.0/vendor", "0x19e5\n");
  folder.write("0000:01:00.0/device", "0xd802\n");
  EXPECT_EQ(absent({{Kind::PciId, "19e5:d802"}}, folder.path()), "");
  EXPECT_EQ(absent({{Kind::PciId, "19e5:*"}}, folder.path()), "");
  EXPECT_EQ(absent({{Kind::PciId, "1da3:1020"}}, folder.path()), "no PCI device 1da3:1020");
}

TEST(ProbeTest, AnyConditionIsEnoughAndAllMissedOnesAreNamed) {
  TempFolder folder;
  folder.write("toy0", "");
  EXPECT_EQ(absent({{Kind::PciId, "1:1"}, {Kind::File, folder.path("toy*")}}), "");
  EXPECT_EQ(absent({{Kind::Variable, "KILN_TOY"}}, "", {{"KILN_TOY", ""}}), "");
  EXPECT_EQ(
      absent({{Kind::PciId, "1:1"}, {Kind::File, "/dev/nothing*"}, {Kind::Variable, "KILN_TEST_NOT_SET"}}),
      "no PCI device 1:1, no file /dev/nothing*, no environment variable KILN_TEST_NOT_SET");
}

} // namespace
} // namespace kiln
