// FlagScriptsTest.cpp: the manual page and the completion scripts hold every flag; bash runs its own.
#include "tools/lib/FlagRows.h"
#include "tools/lib/JitBench.h"
#include "tools/lib/JitInfo.h"
#include "tools/lib/JitRunFlags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

using namespace kiln::tools;
using testing::HasSubstr;

namespace {

std::string generated(const ToolSpec &spec, std::string_view kind) {
  std::ostringstream out;
  printGenerated(spec, kind, out);
  return out.str();
}

/// What bash offers for a command line whose last word is being typed.
std::string completed(const std::string &words, int current) {
  std::string script = testing::TempDir() + "/completion.bash";
  std::ofstream(script) << generated(kJitRunSpec, "bash") << "COMP_WORDS=(" << words
                        << ")\nCOMP_CWORD=" << current << "\n_jit_run\necho \"${COMPREPLY[*]}\"\n";
  std::string result;
  FILE *pipe = popen(("bash " + script + " 2>&1").c_str(), "r");
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;)
    result += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0) << result;
  return result.substr(0, result.find_last_not_of('\n') + 1);
}

TEST(FlagScriptsTest, EveryKindNamesEveryFlagOfEveryTool) {
  for (const ToolSpec *spec : {&kJitRunSpec, &kJitInfoSpec, &kJitBenchSpec})
    for (std::span<const FlagSpec> flags : {spec->flags, kCommonFlags})
      for (const FlagSpec &flag : flags) {
        std::string name(flag.name), dashes = "--" + name;
        EXPECT_THAT(generated(*spec, "bash"), HasSubstr(dashes)) << spec->name;
        EXPECT_THAT(generated(*spec, "zsh"), HasSubstr(dashes)) << spec->name;
        EXPECT_THAT(generated(*spec, "fish"), HasSubstr(" -l " + name + " ")) << spec->name;
        std::string escaped = "\\fB\\-\\-";
        for (char c : name)
          escaped += c == '-' ? "\\-" : std::string(1, c);
        EXPECT_THAT(generated(*spec, "man"), HasSubstr(escaped)) << spec->name;
      }
}

TEST(FlagScriptsTest, TheManualPageHasItsSections) {
  std::string page = generated(kJitRunSpec, "man");
  EXPECT_TRUE(page.starts_with(".TH JIT-RUN 1 "));
  for (const char *section : {"NAME", "SYNOPSIS", "OPTIONS", "ENVIRONMENT", "EXIT STATUS", "EXAMPLES"})
    EXPECT_THAT(page, HasSubstr(std::string(".SH ") + section + "\n"));
}

TEST(FlagScriptsTest, BashCompletesFlagsAndClosedLists) {
  EXPECT_EQ(completed("jit-run --prof", 1), "--profile");
  EXPECT_EQ(completed("jit-run --profile = co", 3), "compile");
  EXPECT_EQ(completed("jit-run --generate f", 2), "fish");
  EXPECT_EQ(completed("jit-run --generate =", 2), "man bash zsh fish");
  EXPECT_EQ(completed("jit-run --seed ''", 2), "") << "a number has no list";
}

} // namespace
