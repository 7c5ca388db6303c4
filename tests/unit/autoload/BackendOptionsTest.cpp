// BackendOptionsTest.cpp: option values from the environment and from "key=value;..." strings.
#include "tests/unit/autoload/Fixtures.h"

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

Manifest toy() {
  return *Manifest::parse(R"({"manifest": 1, "name": "my-toy", "version": "1", "library": "l.so", "options": {
    "cpu": {"type": "string", "default": "native", "values": ["native", "v3"], "help": "h"},
    "queue-depth": {"type": "integer", "default": 8, "range": [1, 64], "help": "h"},
    "seed": {"type": "integer", "default": 0, "help": "h"},
    "debug": {"type": "boolean", "default": false, "help": "h"}}})",
                          "my-toy.kiln.json");
}

TEST(BackendOptionsTest, EnvironmentOverridesDefaults) {
  ASSERT_OK_AND_ASSIGN(BackendOptions options,
                       BackendOptions::fromEnvironment(toy(), Environment({{"KILN_MY_TOY_QUEUE_DEPTH", "16"},
                                                                           {"KILN_MY_TOY_DEBUG", "yes"}})));
  EXPECT_EQ(*options.find("cpu"), "native");
  EXPECT_EQ(*options.find("queue-depth"), "16");
  EXPECT_EQ(*options.find("debug"), "1");
  EXPECT_EQ(options.find("dept"), nullptr);
}

TEST(BackendOptionsTest, ABadVariableIsNamedWithWhatItAccepts) {
  EXPECT_THAT(
      BackendOptions::fromEnvironment(toy(), Environment({{"KILN_MY_TOY_QUEUE_DEPTH", "abc"}})),
      StatusIs(Code::InvalidArgument, "KILN_MY_TOY_QUEUE_DEPTH: 'abc' is not an integer; expected 1 to 64"));
  EXPECT_THAT(BackendOptions::fromEnvironment(toy(), Environment({{"KILN_MY_TOY_QUEUE_DEPTH", "65"}})),
              StatusIs(Code::InvalidArgument, HasSubstr("out of range; expected 1 to 64")));
  EXPECT_THAT(BackendOptions::fromEnvironment(toy(), Environment({{"KILN_MY_TOY_SEED", "1e3"}})),
              StatusIs(Code::InvalidArgument,
                       "KILN_MY_TOY_SEED: '1e3' is not an integer; expected an integer of 64 bits"));
  EXPECT_THAT(BackendOptions::fromEnvironment(toy(), Environment({{"KILN_MY_TOY_CPU", "v9"}})),
              StatusIs(Code::InvalidArgument, "KILN_MY_TOY_CPU: 'v9'; expected one of native, v3"));
  EXPECT_THAT(BackendOptions::fromEnvironment(toy(), Environment({{"KILN_MY_TOY_DEBUG", "perhaps"}})),
              StatusIs(Code::InvalidArgument, HasSubstr("not a boolean")));
}

TEST(BackendOptionsTest, UnknownVariablesAreWarnedAboutWithTheNearest) {
  EXPECT_THAT(unknownOptionVariables(
                  toy(), Environment({{"KILN_MY_TOY_QUEUE_DEPHT", "1"}, {"KILN_LOG", "info"}}), {}),
              ElementsAre("KILN_MY_TOY_QUEUE_DEPHT: backend 'my-toy' has no such option, did you mean "
                          "'KILN_MY_TOY_QUEUE_DEPTH'?"));
  EXPECT_THAT(
      unknownOptionVariables(toy(), Environment({{"KILN_MY_TOY_TWO_X", "1"}}), {"my-toy", "my-toy-two"}),
      IsEmpty())
      << "it may be an option of the backend my-toy-two";
}

TEST(BackendOptionsTest, OptionStringsAreChecked) {
  ASSERT_OK_AND_ASSIGN(OptionList list, parseOptions(toy(), "cpu=v3; debug=on;"));
  EXPECT_THAT(list, ElementsAre(Pair("cpu", "v3"), Pair("debug", "1")));
  EXPECT_THAT(parseOptions(toy(), "cpi=v3"),
              StatusIs(Code::InvalidArgument,
                       HasSubstr("option 'cpi': 'my-toy' has no such option, did you mean 'cpu'?")));
  EXPECT_THAT(parseOptions(toy(), "cpu"), StatusIs(Code::InvalidArgument, HasSubstr("expected key=value")));
  EXPECT_THAT(parseOptions(toy(), "cpu=v3;cpu=v3"),
              StatusIs(Code::InvalidArgument, HasSubstr("given twice")));
  EXPECT_THAT(
      parseOptions(toy(), "queue-depth=0"),
      StatusIs(Code::InvalidArgument, HasSubstr("option 'queue-depth' of 'my-toy': '0' is out of range")));
}

TEST(DidYouMeanTest, OnlyNearNamesAreOffered) {
  EXPECT_EQ(didYouMean("hots", {"host", "npu"}), ", did you mean 'host'?");
  EXPECT_EQ(didYouMean("completely-else", {"host", "npu"}), "");
}

} // namespace
} // namespace kiln
