// Flags.cpp: parses a command line against its table.
#include "tools/lib/FlagRows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kiln::tools {
namespace {

bool isCount(const std::string &text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool isNumber(const std::string &text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

bool isWithin(const FlagSpec &flag, const std::string &text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value >= 0 && value <= flag.most;
}

Status badValue(const FlagSpec &flag, std::string_view value, std::string_view what) {
  return {Code::InvalidArgument,
          fmt::format("--{}: '{}' is not {}; expected {}", flag.name, value, what, flag.accepts)};
}

Status checkValue(const FlagSpec &flag, const std::string &value) {
  bool isCounted = flag.kind == FlagKind::Count || flag.kind == FlagKind::OptionalCount;
  if (isCounted && !isCount(value))
    return badValue(flag, value, "a count");
  if (flag.kind == FlagKind::Number && !isNumber(value))
    return badValue(flag, value, "a number");
  if ((isCounted || flag.kind == FlagKind::Number) && !isWithin(flag, value))
    return badValue(flag, value, "in range");
  if (takesValue(flag) && value.empty())
    return badValue(flag, value, "a value");
  std::vector<std::string_view> choices = choicesOf(flag);
  if (!choices.empty() && std::find(choices.begin(), choices.end(), value) == choices.end())
    return badValue(flag, value, "known");
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

const FlagSpec *findFlag(const ToolSpec &spec, std::string_view name) {
  for (std::span<const FlagSpec> flags : {spec.flags, kCommonFlags})
    for (const FlagSpec &flag : flags)
      if (flag.name == name)
        return &flag;
  return nullptr;
}

Status unknownFlag(const ToolSpec &spec, std::string_view token) {
  std::string_view name = token.substr(std::min(token.find_first_not_of('-'), token.size()));
  std::vector<std::string_view> names;
  for (std::span<const FlagSpec> flags : {spec.flags, kCommonFlags})
    for (const FlagSpec &flag : flags)
      names.push_back(flag.name);
  std::string hint;
  if (std::string_view nearest = nearestName(name, names); !nearest.empty())
    hint = fmt::format("; did you mean '--{}'?", nearest);
  return {Code::InvalidArgument, fmt::format("unknown flag '{}'{}", token, hint)};
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

} // namespace

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
  ParsedFlags result;
  result.spec = &spec;
  bool flagsEnded = false;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "-h")
      result.wish = ParsedFlags::Wish::ShortHelp;
    if (flagsEnded || argument == "-" || !argument.starts_with("-")) {
      result.theOperands.push_back(argument);
      continue;
    }
    flagsEnded = argument == "--";
    if (flagsEnded || argument == "-h")
      continue;
    size_t equals = argument.find('=');
    std::string name = argument.substr(0, equals);
    const FlagSpec *flag =
        name.starts_with("--") ? findFlag(spec, std::string_view(name).substr(2)) : nullptr;
    if (!flag)
      return unknownFlag(spec, name);
    std::string value;
    if (equals != std::string::npos) {
      if (!takesValue(*flag))
        return Status(Code::InvalidArgument, fmt::format("{}: takes no value", name));
      value = argument.substr(equals + 1);
      KILN_RETURN_IF_ERROR(checkValue(*flag, value));
    } else if (isOptionalValue(*flag)) {
      value = flag->defaultValue;
    } else if (takesValue(*flag)) {
      if (i + 1 == argc)
        return Status(Code::InvalidArgument,
                      fmt::format("{}: a value is missing; expected {}", name, flag->accepts));
      value = argv[++i];
      KILN_RETURN_IF_ERROR(checkValue(*flag, value));
    }
    result.values[std::string(flag->name)].push_back(value);
  }
  for (const auto &[name, wish] :
       {std::pair("help", ParsedFlags::Wish::LongHelp), std::pair("version", ParsedFlags::Wish::Version),
        std::pair("generate", ParsedFlags::Wish::Generate)})
    if (result.given(name) && result.wish == ParsedFlags::Wish::Run)
      result.wish = wish;
  if (result.wish != ParsedFlags::Wish::Run)
    return result;
  for (const FlagSpec &flag : spec.flags)
    if (auto given = result.values.find(flag.name);
        given != result.values.end() && given->second.size() > 1 && takesValue(flag) && !flag.repeats)
      return Status(Code::InvalidArgument,
                    fmt::format("--{}: given {} times; expected once", flag.name, given->second.size()));
  KILN_RETURN_IF_ERROR(checkOperands(spec, result.theOperands));
  return result;
}

} // namespace kiln::tools
