// Flags.cpp: parses a command line against its table (tokens by CLI11) and prints the help pages.
#include "tools/lib/Flags.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>

namespace kiln::tools {
namespace {

constexpr size_t kHelpColumn = 34; // where a flag's text starts

std::string flagHead(const FlagSpec &flag) {
  std::string head = fmt::format("--{}", flag.name);
  if (flag.kind == FlagKind::OptionalText)
    head += fmt::format("[={}]", flag.value);
  else if (flag.kind != FlagKind::Switch)
    head += fmt::format(" {}", flag.value);
  return head;
}

bool isCount(const std::string &text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool isNumber(const std::string &text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value) && value >= 0;
}

Status badValue(const FlagSpec &flag, std::string_view value, std::string_view what) {
  return {Code::InvalidArgument,
          fmt::format("--{}: '{}' is not {}; expected {}", flag.name, value, what, flag.accepts)};
}

Status checkValue(const FlagSpec &flag, const std::string &value) {
  if (flag.kind == FlagKind::Count && !isCount(value))
    return badValue(flag, value, "a count");
  if (flag.kind == FlagKind::Number && !isNumber(value))
    return badValue(flag, value, "a number");
  if (flag.kind == FlagKind::Text && value.empty())
    return badValue(flag, value, "a value");
  return {};
}

size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

Status unknownFlag(const ToolSpec &spec, const std::string &token) {
  std::string name =
      token.substr(token.find_first_not_of('-') == std::string::npos ? 0 : token.find_first_not_of('-'));
  name = name.substr(0, name.find('='));
  std::vector<std::string_view> names;
  for (const FlagSpec &flag : spec.flags)
    names.push_back(flag.name);
  std::string hint;
  if (std::string_view nearest = nearestName(name, names); !nearest.empty())
    hint = fmt::format("; did you mean '--{}'?", nearest);
  return {Code::InvalidArgument, fmt::format("unknown flag '--{}'{}", name, hint)};
}

Status checkOperands(const ToolSpec &spec, const std::vector<std::string> &operands) {
  if (operands.empty() && spec.operandRequired)
    return {Code::InvalidArgument, fmt::format("{} is missing: {}", spec.operand, spec.operandHelp)};
  if (operands.size() > (spec.operand.empty() ? 0u : 1u) && !spec.operandRepeats)
    return {Code::InvalidArgument,
            fmt::format("'{}' is one operand too many; expected {}", operands.back(),
                        spec.operand.empty() ? "flags only" : fmt::format("one {}", spec.operand))};
  return {};
}

void printUsage(const ToolSpec &spec, std::ostream &out) {
  out << fmt::format("usage: {} [FLAGS]", spec.name);
  if (!spec.operand.empty())
    out << (spec.operandRequired ? " " : " [") << spec.operand << (spec.operandRepeats ? "..." : "")
        << (spec.operandRequired ? "" : "]");
  out << "\n";
}

/// Calls `row` for every flag, by category in their order, and `title` before each category that has some.
template <typename Title, typename Row> void byCategory(const ToolSpec &spec, Title title, Row row) {
  for (FlagCategory category :
       {FlagCategory::Target, FlagCategory::Input, FlagCategory::Check, FlagCategory::Output,
        FlagCategory::Run, FlagCategory::Measure, FlagCategory::Compile, FlagCategory::Show}) {
    bool first = true;
    for (const FlagSpec &flag : spec.flags) {
      if (flag.category != category)
        continue;
      if (first)
        title(categoryTitle(category));
      first = false;
      row(flag);
    }
  }
}

constexpr std::string_view kExitCodes[] = {
    "0  yes: done, and every check holds",
    "1  the answer is no: a mismatch, a bad entry, a required backend that cannot be used",
    "2  usage: the command line is wrong",
    "3  it could not be done: bad input, an unsupported model, a device that failed, a time-out",
    "4  a bug of ours",
};

} // namespace

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
  }
  return "";
}

std::string_view nearestName(std::string_view name, std::span<const std::string_view> names) {
  std::string_view best;
  size_t bestDistance = std::max<size_t>(2, name.size() / 3) + 1;
  for (std::string_view candidate : names)
    if (size_t distance = editDistance(name, candidate); distance < bestDistance)
      best = candidate, bestDistance = distance;
  return best;
}

std::string ParsedFlags::text(std::string_view flag) const {
  if (auto it = values.find(flag); it != values.end())
    return it->second.back();
  for (const FlagSpec &known : spec->flags)
    if (known.name == flag)
      return std::string(known.defaultValue);
  return {};
}

std::vector<std::string> ParsedFlags::all(std::string_view flag) const {
  auto it = values.find(flag);
  return it == values.end() ? std::vector<std::string>() : it->second;
}

uint64_t ParsedFlags::count(std::string_view flag) const {
  std::string value = text(flag);
  uint64_t result = 0;
  std::from_chars(value.data(), value.data() + value.size(), result);
  return result;
}

double ParsedFlags::number(std::string_view flag) const {
  std::string value = text(flag);
  double result = 0;
  std::from_chars(value.data(), value.data() + value.size(), result);
  return result;
}

Result<ParsedFlags> parseFlags(const ToolSpec &spec, int argc, const char *const *argv) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras(); // unknown flags come back as extras, for our own message
  bool shortHelp = false, longHelp = false, version = false;
  app.add_flag("-h", shortHelp);
  app.add_flag("--help", longHelp);
  app.add_flag("--version", version);

  std::vector<std::vector<std::string>> given(spec.flags.size());
  std::vector<CLI::Option *> options;
  for (size_t i = 0; i < spec.flags.size(); ++i) {
    const FlagSpec &flag = spec.flags[i];
    CLI::Option *option = app.add_option(fmt::format("--{}", flag.name), given[i]);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
    option->expected(flag.kind == FlagKind::Switch ? 0 : 1);
    options.push_back(option);
  }
  // A bare `--profile` has no value: `--profile MODEL` must not take MODEL, so CLI11 does not see it.
  std::vector<std::string> arguments;
  ParsedFlags result;
  result.spec = &spec;
  bool flagsEnded = false;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    auto bare = std::find_if(spec.flags.begin(), spec.flags.end(), [&](const FlagSpec &flag) {
      return flag.kind == FlagKind::OptionalText && argument.starts_with("--") &&
             argument.substr(2) == flag.name;
    });
    if (flagsEnded)
      result.theOperands.emplace_back(argument);
    else if (argument == "--")
      flagsEnded = true;
    else if (bare != spec.flags.end())
      result.values[std::string(bare->name)] = {""};
    else
      arguments.emplace_back(argument);
  }
  std::reverse(arguments.begin(), arguments.end()); // CLI11 takes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::ArgumentMismatch &error) {
    for (const FlagSpec &flag : spec.flags)
      if (std::string(error.what()).find(fmt::format("--{}", flag.name)) != std::string::npos)
        return Status(Code::InvalidArgument,
                      flag.kind == FlagKind::Switch
                          ? fmt::format("--{}: takes no value", flag.name)
                          : fmt::format("--{}: a value is missing; expected {}", flag.name, flag.accepts));
    return Status(Code::InvalidArgument, error.what());
  } catch (const CLI::ParseError &error) {
    return Status(Code::InvalidArgument, error.what());
  }
  if (shortHelp || longHelp || version) {
    result.wish = shortHelp  ? ParsedFlags::Wish::ShortHelp
                  : longHelp ? ParsedFlags::Wish::LongHelp
                             : ParsedFlags::Wish::Version;
    return result;
  }
  std::vector<std::string> operands;
  for (std::string &extra : app.remaining()) {
    if (extra.size() > 1 && extra.front() == '-')
      return unknownFlag(spec, extra);
    operands.push_back(std::move(extra));
  }
  result.theOperands.insert(result.theOperands.begin(), operands.begin(), operands.end());
  for (size_t i = 0; i < spec.flags.size(); ++i) {
    const FlagSpec &flag = spec.flags[i];
    if (options[i]->count() == 0)
      continue;
    for (const std::string &value : given[i])
      KILN_RETURN_IF_ERROR(checkValue(flag, value));
    if (given[i].size() > 1 && !flag.repeats)
      return Status(Code::InvalidArgument,
                    fmt::format("--{}: given {} times; expected once", flag.name, given[i].size()));
    result.values[std::string(flag.name)] = given[i].empty() ? std::vector<std::string>{""} : given[i];
  }
  KILN_RETURN_IF_ERROR(checkOperands(spec, result.theOperands));
  return result;
}

void printShortHelp(const ToolSpec &spec, std::ostream &out) {
  printUsage(spec, out);
  byCategory(
      spec, [&](std::string_view title) { out << fmt::format("{}:\n", title); },
      [&](const FlagSpec &flag) {
        out << fmt::format("  {:<{}} {}\n", flagHead(flag), kHelpColumn - 3, flag.help);
      });
}

void printLongHelp(const ToolSpec &spec, std::ostream &out) {
  printUsage(spec, out);
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
  for (std::string_view line : kExitCodes)
    out << fmt::format("  {}\n", line);
}

void printReference(const ToolSpec &spec, std::ostream &out) {
  out << fmt::format("# {}\n\n{}.\n\n    {} [FLAGS] {}\n\n", spec.name, spec.sentence, spec.name,
                     spec.operand);
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
  for (std::string_view line : kExitCodes)
    out << fmt::format("    {}\n", line);
}

} // namespace kiln::tools
