// ManifestTest.cpp: what a manifest may say, and how everything else is refused with its place.
#include "tests/unit/autoload/Fixtures.h"

#include <sys/stat.h>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char *kFull = R"({
  "manifest": 1, "name": "toy", "version": "0.2.0", "library": "libkiln_toy.so", "compiler": "sub/libkiln_toy_compiler.so",
  "arch": "x86_64", "activation": "explicit",
  "abi": {"major": 1, "minor": 0, "llvm": "19.1.7", "runtime": "abi=1.0", "compiler": "abi=1.0;llvm=19.1.7"},
  "devices": [{"type": "toy", "kind": "software", "priority": 10, "aliases": ["t"],
               "probe": [{"pci": "19e5:d802"}, {"file": "/dev/toy*"}, {"environment": "TOY_VISIBLE"}]}],
  "options": {"cpu": {"type": "string", "default": "native", "values": ["native", "v3"], "help": "instructions"},
              "threads": {"type": "integer", "default": 0, "range": [0, 64], "help": "threads"},
              "debug": {"type": "boolean", "default": false, "help": "tell debuggers"}},
  "extends": [{"target": "host", "after": "tile"}, {"target": "host", "before": "emit"}], "extensible": ["tile"],
  "dialects": ["toy"], "pipelines": ["tile"], "frameworks": {"torch": {"slot": "PrivateUse1"}}, "extra": [1, {"a": null}]
})";

// The text with `from` replaced by `to`.
std::string with(const std::string &from, const std::string &to) {
  std::string text = kFull;
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}
Status statusOfText(const std::string &text) { return Manifest::parse(text, "/x/toy.kiln.json").status(); }

TEST(ManifestTest, EveryFieldIsRead) {
  ASSERT_OK_AND_ASSIGN(Manifest manifest, Manifest::parse(kFull, "/x/toy.kiln.json"));
  EXPECT_EQ(manifest.name, "toy");
  EXPECT_EQ(manifest.libraryPath(), "/x/libkiln_toy.so");
  EXPECT_EQ(manifest.compilerPath(), "/x/sub/libkiln_toy_compiler.so");
  EXPECT_TRUE(manifest.explicitOnly);
  EXPECT_TRUE(manifest.abi.present);
  EXPECT_EQ(manifest.abi.llvm, "19.1.7");
  ASSERT_EQ(manifest.devices.size(), 1u);
  EXPECT_EQ(manifest.devices[0].kind, KilnDeviceKind(KILN_DEVICE_SOFTWARE));
  EXPECT_EQ(manifest.devices[0].probe.size(), 3u);
  EXPECT_EQ(manifest.devices[0].probe[1].pattern, "/dev/toy*");
  ASSERT_NE(manifest.findOption("threads"), nullptr);
  EXPECT_EQ(manifest.findOption("threads")->maximum, 64);
  EXPECT_EQ(manifest.findOption("debug")->defaultValue, "0");
  EXPECT_EQ(manifest.findOption("nothing"), nullptr);
  ASSERT_EQ(manifest.extends.size(), 2u);
  EXPECT_TRUE(manifest.extends[0].after);
  EXPECT_FALSE(manifest.extends[1].after);
  EXPECT_THAT(manifest.extensible, ElementsAre("tile"));
}

TEST(ManifestTest, SyntaxErrorsCarryLineAndColumn) {
  EXPECT_THAT(statusOfText("{\n  \"manifest\": 1,\n  oops\n}"),
              StatusIs(Code::InvalidArgument, AllOf(StartsWith("/x/toy.kiln.json:3:3: not JSON:"))));
  EXPECT_THAT(statusOfText(""), StatusIs(Code::InvalidArgument, StartsWith("/x/toy.kiln.json:1:")));
  EXPECT_THAT(statusOfText("{\"manifest\": 1"), StatusIs(Code::InvalidArgument, HasSubstr("not JSON")));
}

TEST(ManifestTest, WhatADomWouldHideIsRefused) {
  EXPECT_THAT(statusOfText("\xef\xbb\xbf{}"), StatusIs(Code::InvalidArgument, HasSubstr("byte order mark")));
  EXPECT_THAT(statusOfText("{\"name\": \"\xff\xfe\"}"), StatusIs(Code::InvalidArgument, HasSubstr("UTF-8")));
  EXPECT_THAT(statusOfText(with("\"priority\": 10", "\"priority\": 10, \"priority\": 11")),
              StatusIs(Code::InvalidArgument, HasSubstr("/devices/priority: the key stands twice")));
  EXPECT_THAT(statusOfText(std::string(100000, '[')),
              StatusIs(Code::InvalidArgument, HasSubstr("nested deeper")));
  EXPECT_THAT(statusOfText(std::string(kMaxManifestBytes + 1, ' ')),
              StatusIs(Code::InvalidArgument, HasSubstr("at most 1048576")));
  EXPECT_THAT(statusOfText("[]"), StatusIs(Code::InvalidArgument, HasSubstr("a list; expected an object")));
  EXPECT_THAT(statusOfText(with("libkiln_toy.so", "lib\\u0000.so")),
              StatusIs(Code::InvalidArgument, HasSubstr("U+0000")));
}

struct Refused {
  const char *from, *to, *message;
};
class RefusedManifestTest : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedManifestTest, NamesThePlaceAndWhatWasExpected) {
  EXPECT_THAT(statusOfText(with(GetParam().from, GetParam().to)),
              StatusIs(Code::InvalidArgument, HasSubstr(GetParam().message)));
}
INSTANTIATE_TEST_SUITE_P(
    All, RefusedManifestTest,
    ::testing::Values(
        Refused{"\"manifest\": 1", "\"manifest\": 2", "/manifest: version 2; this Kiln reads version 1"},
        Refused{"\"manifest\": 1", "\"manifest\": \"1\"", "/manifest: a string; expected an integer"},
        Refused{"\"manifest\": 1", "\"manifest\": 1.5",
                "/manifest: a number with a fraction or beyond 64 bits; expected an integer"},
        Refused{"\"manifest\": 1,", "", "'manifest' is missing"},
        Refused{"\"name\": \"toy\",", "", "'name' is missing"},
        Refused{"\"name\": \"toy\"", "\"name\": \"To y\"", "/name: 'To y' is no backend name"},
        Refused{"\"name\": \"toy\"", "\"name\": \"cache\"", "'cache' is a reserved word"},
        Refused{"\"libkiln_toy.so\"", "\"/usr/lib/evil.so\"",
                "/library: '/usr/lib/evil.so' is no path below"},
        Refused{"\"libkiln_toy.so\"", "\"../evil.so\"", "/library: '../evil.so' is no path below"},
        Refused{"\"libkiln_toy.so\"", "\"\"", "/library: ''"},
        Refused{"\"libkiln_toy.so\"", "17", "/library: an integer; expected a string"},
        Refused{"\"activation\": \"explicit\"", "\"activation\": \"never\"", "/activation: 'never'"},
        Refused{"\"kind\": \"software\"", "\"kind\": \"soft\"", "/devices/0/kind: 'soft'"},
        Refused{"\"type\": \"toy\"", "\"type\": \"auto\"", "/devices/0/type: 'auto' is no name"},
        Refused{"\"aliases\": [\"t\"]", "\"aliases\": [\"toy\"]", "/devices: 'toy' names two devices"},
        Refused{"\"priority\": 10", "\"priority\": 99999999999999999999", "/devices/0/priority: "},
        Refused{"\"priority\": 10", "\"priority\": 18446744073709551615",
                "/devices/0/priority: an integer; expected"},
        Refused{"{\"pci\": \"19e5:d802\"}", "{\"pci\": \"19e5\"}",
                "/devices/0/probe/0/pci: '19e5'; expected VENDOR"},
        Refused{"{\"pci\": \"19e5:d802\"}", "{\"usb\": \"x\"}", "/devices/0/probe/0: 'usb'"},
        Refused{"{\"pci\": \"19e5:d802\"}", "\"never\"", "/devices/0/probe/0: 'never'"},
        Refused{"\"type\": \"boolean\"", "\"type\": \"bool\"",
                "/options/debug/type: 'bool'; expected string, integer"},
        Refused{"\"range\": [0, 64]", "\"range\": [64, 0]",
                "/options/threads/range: expected [least, greatest]"},
        Refused{"\"range\": [0, 64]", "\"range\": [1, 64]",
                "/options/threads/default: default: '0' is out of range"},
        Refused{"\"default\": \"native\"", "\"default\": \"v9\"",
                "/options/cpu/default: default: 'v9'; expected one of"},
        Refused{"\"help\": \"threads\"", "\"hint\": \"\"", "/options/threads: 'help' is missing"},
        Refused{"\"after\": \"tile\"", "\"after\": \"tiles\"", "/extends/0/after: 'tiles' is no stage"},
        Refused{"\"after\": \"tile\"", "\"after\": \"tile\", \"before\": \"tile\"",
                "/extends/0: expected one of"},
        Refused{"\"major\": 1", "\"major\": -1", "/abi/major: -1; expected a version number"},
        Refused{"\"frameworks\": {", "\"frameworks\": [], \"other\": {",
                "/frameworks: a list; expected an object"}));

TEST(ManifestTest, FilesThatCannotBeReadAreRefusedWithoutHanging) {
  TempFolder folder;
  EXPECT_THAT(Manifest::load(folder.path("none.kiln.json")),
              StatusIs(Code::NotFound, HasSubstr("cannot be read")));
  EXPECT_THAT(Manifest::load(folder.path()),
              StatusIs(Code::InvalidArgument, HasSubstr("not a regular file")));
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(Manifest::load(folder.path("pipe")),
              StatusIs(Code::InvalidArgument, HasSubstr("not a regular file")));
}

} // namespace
} // namespace kiln
