// FlagPages.cpp: -h, --help and the Markdown page of docs/reference.
#include "tools/lib/FlagRows.h"

#include <fmt/format.h>

#include <limits>
#include <ostream>

namespace kiln::tools {
namespace {

constexpr size_t kHelpColumn = 34; // where a flag's text starts

constexpr FlagSpec kCommon[] = {
    {"help", "", "", FlagCategory::General, FlagKind::Switch, false, "", "show this help; -h is shorter"},
    {"version", "", "", FlagCategory::General, FlagKind::Switch, false, "", "print the version"},
    {"generate", "KIND", "", FlagCategory::General, FlagKind::Text, false, "man, bash, zsh or fish",
     "print the manual page or a shell's completion script", "man|bash|zsh|fish"},
};

constexpr std::string_view kExitCodes[] = {
    "0  yes: done, and every check holds",
    "1  the answer is no: a mismatch, a bad entry, a required backend that cannot be used",
    "2  usage: the command line is wrong",
    "3  it could not be done: bad input, an unsupported model, a device that failed, a time-out",
    "4  a bug of ours",
};

} // namespace

const std::span<const FlagSpec> kCommonFlags = kCommon;
const std::span<const std::string_view> kExitCodeLines = kExitCodes;

std::vector<std::string_view> choicesOf(const FlagSpec &flag) {
  std::vector<std::string_view> choices;
  for (std::string_view rest = flag.choices; !rest.empty();) {
    size_t bar = std::min(rest.find('|'), rest.size());
    choices.push_back(rest.substr(0, bar));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return choices;
}

std::string flagHead(const FlagSpec &flag) {
  std::string head = fmt::format("--{}", flag.name);
  if (isOptionalValue(flag))
    head += fmt::format("[={}]", flag.value);
  else if (takesValue(flag))
    head += fmt::format(" {}", flag.value);
  return head;
}

std::string usageLine(const ToolSpec &spec) {
  std::string line = fmt::format("{} [FLAGS]", spec.name);
  if (!spec.operand.empty())
    line += fmt::format("{}{}{}{}", spec.operandRequired ? " " : " [", spec.operand,
                        spec.operandRepeats ? "..." : "", spec.operandRequired ? "" : "]");
  return line;
}

std::string_view categoryTitle(FlagCategory category) {
  switch (category) {
  case FlagCategory::Target:
    return "Target";
  case FlagCategory::Input:
    return "Inputs";
  case FlagCategory::Check:
    return "Checking";
  case FlagCategory::Output:
    return "Results";
  case FlagCategory::Run:
    return "Running";
  case FlagCategory::Measure:
    return "Measuring";
  case FlagCategory::Compile:
    return "Compiling";
  case FlagCategory::Show:
    return "Showing";
  case FlagCategory::General:
    return "General";
  }
  return "";
}

void printShortHelp(const ToolSpec &spec, std::ostream &out) {
  out << fmt::format("usage: {}\n", usageLine(spec));
  byCategory(
      spec, [&](std::string_view title) { out << fmt::format("{}:\n", title); },
      [&](const FlagSpec &flag) {
        out << fmt::format("  {:<{}} {}\n", flagHead(flag), kHelpColumn - 3, flag.help);
      });
}

void printLongHelp(const ToolSpec &spec, std::ostream &out) {
  out << fmt::format("usage: {}\n", usageLine(spec));
  out << fmt::format("\n{}.\n", spec.sentence);
  if (!spec.operand.empty())
    out << fmt::format("\n  {}: {}\n", spec.operand, spec.operandHelp);
  out << "\nExamples:\n";
  for (std::string_view example : spec.examples)
    out << fmt::format("  {}\n", example);
  byCategory(
      spec, [&](std::string_view title) { out << fmt::format("\n{}:\n", title); },
      [&](const FlagSpec &flag) {
        out << fmt::format("  {:<{}} {}\n", flagHead(flag), kHelpColumn - 3, flag.help);
        if (!flag.accepts.empty())
          out << fmt::format("{:{}}accepts {}{}\n", "", kHelpColumn, flag.accepts,
                             flag.repeats ? "; repeats" : "");
        if (!flag.defaultValue.empty())
          out << fmt::format("{:{}}default {}\n", "", kHelpColumn, flag.defaultValue);
      });
  if (!spec.environment.empty())
    out << "\nEnvironment:\n";
  for (const EnvironmentEntry &entry : spec.environment)
    out << fmt::format("  {:<{}} {}\n", entry.name, kHelpColumn - 3, entry.help);
  out << "\nExit codes:\n";
  for (std::string_view line : kExitCodeLines)
    out << fmt::format("  {}\n", line);
}

void printReference(const ToolSpec &spec, std::ostream &out) {
  out << fmt::format("# {}\n\n{}.\n\n    {}\n\n", spec.name, spec.sentence, usageLine(spec));
  out << "```sh\n";
  for (std::string_view example : spec.examples)
    out << example << "\n";
  out << "```\n";
  byCategory(
      spec,
      [&](std::string_view title) {
        out << fmt::format("\n## {}\n\n| flag | meaning | accepts | default |\n|---|---|---|---|\n", title);
      },
      [&](const FlagSpec &flag) {
        std::string accepts(flag.accepts);
        for (size_t at = 0; (at = accepts.find('|', at)) != std::string::npos; at += 2)
          accepts.insert(at, "\\");
        out << fmt::format("| `{}` | {} | {} | {} |\n", flagHead(flag), flag.help, accepts,
                           flag.defaultValue);
      });
  out << "\n## Exit codes\n\n";
  for (std::string_view line : kExitCodeLines)
    out << fmt::format("    {}\n", line);
}

} // namespace kiln::tools
