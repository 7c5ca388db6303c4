// FlagsTest.cpp: the command-line parser against a small table, and each flag of jit-run.
#include "tools/lib/Flags.h"
#include "tools/lib/JitRunFlags.h"
#include "tools/lib/ToolMain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

using namespace kiln;
using namespace kiln::tools;
using testing::HasSubstr;

namespace {

Result<ParsedFlags> parseWords(std::vector<const char *> arguments) {
  arguments.insert(arguments.begin(), "jit-run");
  return parseFlags(kJitRunSpec, static_cast<int>(arguments.size()), arguments.data());
}

std::string flagErrorOf(std::vector<const char *> arguments) {
  Result<ParsedFlags> flags = parseWords(std::move(arguments));
  EXPECT_FALSE(flags.ok());
  return flags.ok() ? "" : flags.status().message();
}

TEST(FlagsTest, ValuesComeAfterEqualsOrAsTheNextArgument) {
  auto flags = parseWords({"--device=null", "--threads", "2", "model.onnx"});
  ASSERT_TRUE(flags.ok()) << flags.status().message();
  EXPECT_EQ(flags->text("device"), "null");
  EXPECT_EQ(flags->count("threads"), 2u);
  EXPECT_EQ(flags->operands(), std::vector<std::string>{"model.onnx"});
}

TEST(FlagsTest, DefaultsComeFromTheTable) {
  auto flags = parseWords({"model.onnx"});
  ASSERT_TRUE(flags.ok());
  EXPECT_EQ(flags->text("device"), "auto");
  EXPECT_DOUBLE_EQ(flags->number("rtol"), 1e-4);
  EXPECT_FALSE(flags->given("rtol"));
}

TEST(FlagsTest, AnOptionalValueNeedsEquals) {
  auto flags = parseWords({"--bench", "model.onnx"});
  ASSERT_TRUE(flags.ok()) << flags.status().message();
  EXPECT_TRUE(flags->given("bench"));
  EXPECT_EQ(flags->operands(), std::vector<std::string>{"model.onnx"}) << "the model is not the count";
  EXPECT_EQ(parseWords({"--bench=7", "model.onnx"})->count("bench"), 7u);
}

TEST(FlagsTest, ARepeatingFlagKeepsAllValues) {
  auto flags = parseWords({"--input", "a=1xf32=1", "--input=b=1xf32=2", "m"});
  ASSERT_TRUE(flags.ok());
  EXPECT_EQ(flags->all("input"), (std::vector<std::string>{"a=1xf32=1", "b=1xf32=2"}));
}

TEST(FlagsTest, TwoDashesEndTheFlags) {
  auto flags = parseWords({"--", "--odd-name"});
  ASSERT_TRUE(flags.ok());
  EXPECT_EQ(flags->operands(), std::vector<std::string>{"--odd-name"});
}

TEST(FlagsTest, ErrorsNameTheFlagAndWhatItAccepts) {
  EXPECT_EQ(flagErrorOf({"--devcie", "host", "m"}), "unknown flag '--devcie'; did you mean '--device'?");
  EXPECT_EQ(flagErrorOf({"--rtol=abc", "m"}),
            "--rtol: 'abc' is not a number; expected a float >= 0, for example 1e-3");
  EXPECT_EQ(flagErrorOf({"--rtol=-1", "m"}),
            "--rtol: '-1' is not in range; expected a float >= 0, for example 1e-3");
  EXPECT_THAT(flagErrorOf({"--threads=two", "m"}), HasSubstr("--threads: 'two' is not a count"));
  EXPECT_THAT(flagErrorOf({"m", "--device"}), HasSubstr("--device: a value is missing; expected TYPE"));
  EXPECT_THAT(flagErrorOf({"--device=a", "--device=b", "m"}), HasSubstr("--device: given 2 times"));
  EXPECT_THAT(flagErrorOf({"one.onnx", "two.onnx"}), HasSubstr("'two.onnx' is one operand too many"));
}

TEST(FlagsTest, EveryFlagOfJitRunParsesAndStandsInTheHelp) {
  std::ostringstream help;
  printLongHelp(kJitRunSpec, help);
  for (const FlagSpec &flag : kJitRunSpec.flags) {
    std::string argument = "--" + std::string(flag.name);
    if (flag.kind == FlagKind::Count || flag.kind == FlagKind::Number || flag.kind == FlagKind::OptionalCount)
      argument += "=3";
    else if (!flag.choices.empty())
      argument += "=" + std::string(flag.choices.substr(0, flag.choices.find('|')));
    else if (flag.kind != FlagKind::Switch)
      argument += "=value";
    auto flags = parseWords({argument.c_str(), "m"});
    ASSERT_TRUE(flags.ok()) << argument << ": " << flags.status().message();
    EXPECT_TRUE(flags->given(flag.name)) << argument;
    EXPECT_THAT(help.str(), HasSubstr("--" + std::string(flag.name)));
    EXPECT_FALSE(flag.help.empty() || flag.help.back() == '.') << argument;
    EXPECT_EQ(flag.kind == FlagKind::Switch, flag.accepts.empty()) << argument << ": say what it accepts";
  }
}

TEST(FlagsTest, UsageErrorsExitWithTwoAndPointToTheHelp) {
  std::ostringstream out, err;
  const char *arguments[] = {"jit-run", "--nonsense"};
  EXPECT_EQ(jitRun(2, arguments, out, err), kUsage);
  EXPECT_THAT(err.str(), HasSubstr("jit-run: error: unknown flag '--nonsense'"));
  EXPECT_THAT(err.str(), HasSubstr("jit-run --help"));
  EXPECT_EQ(out.str(), "") << "results only on stdout";
}

TEST(FlagsTest, ValuesOutsideALimitOrAListAreRefused) {
  EXPECT_EQ(flagErrorOf({"--threads=1025", "m"}),
            "--threads: '1025' is not in range; expected 0 to 1024; 0 is the device's "
            "choice");
  EXPECT_THAT(flagErrorOf({"--timeout=1e10", "m"}), HasSubstr("--timeout: '1e10' is not in range"));
  EXPECT_EQ(flagErrorOf({"--profile=memory", "m"}),
            "--profile: 'memory' is not known; expected run or compile");
  EXPECT_THAT(flagErrorOf({"--bench=many", "m"}), HasSubstr("--bench: 'many' is not a count"));
  EXPECT_THAT(flagErrorOf({"--bench=", "m"}), HasSubstr("--bench: '' is not a count"));
  EXPECT_THAT(flagErrorOf({"--json=yes", "m"}), HasSubstr("--json: takes no value"));
  EXPECT_THAT(flagErrorOf({"-x", "m"}), HasSubstr("unknown flag '-x'"));
  EXPECT_THAT(flagErrorOf({"--generate=pdf"}),
              HasSubstr("--generate: 'pdf' is not known; expected man, bash"));
}

TEST(FlagsTest, AMissingValueNamesItsOwnFlagNotOneThatBeginsTheSame) {
  EXPECT_THAT(flagErrorOf({"m", "--inputs"}), HasSubstr("--inputs: a value is missing; expected FILE.npz"));
  EXPECT_THAT(flagErrorOf({"m", "--generate"}), HasSubstr("--generate: a value is missing"));
}

TEST(FlagsTest, AnOptionalFlagMayRepeatBareAndWithAValue) {
  auto flags = parseWords({"--profile", "--profile=compile", "m"});
  ASSERT_TRUE(flags.ok()) << flags.status().message();
  EXPECT_EQ(flags->all("profile"), (std::vector<std::string>{"run", "compile"}));
}

TEST(FlagsTest, HelpAndVersionExitWithZero) {
  for (const char *flag : {"-h", "--help", "--version"}) {
    std::ostringstream out, err;
    const char *arguments[] = {"jit-run", flag};
    EXPECT_EQ(jitRun(2, arguments, out, err), kYes) << flag;
    EXPECT_THAT(out.str(), HasSubstr("jit-run")) << flag;
    EXPECT_EQ(err.str(), "") << flag;
  }
}

} // namespace
