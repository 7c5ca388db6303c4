// FlagScripts.cpp: the manual page (troff, man(7)) and completion scripts, from the flag table.
#include "tools/lib/FlagRows.h"

#include "kiln/kiln.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace kiln::tools {
namespace {

/// Every character of `special` in `text` replaced by `replacement` of it.
template <typename Replace>
std::string escaped(std::string_view text, std::string_view special, Replace replace) {
  std::string result;
  for (char c : text)
    if (special.find(c) == std::string_view::npos)
      result += c;
    else
      result += replace(c);
  return result;
}

std::string troff(std::string_view text) {
  std::string line = escaped(text, "\\-", [](char c) { return c == '\\' ? "\\e" : "\\-"; });
  return line.starts_with('.') || line.starts_with('\'') ? "\\&" + line : line;
}

std::string shellQuoted(std::string_view text) {
  return "'" + escaped(text, "'", [](char) { return "'\\''"; }) + "'";
}

std::string joined(const std::vector<std::string_view> &words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string upperCase(std::string_view text) {
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return upper;
}

void printMan(const ToolSpec &spec, std::ostream &out) {
  out << fmt::format(".TH {} 1 \"\" \"Kiln {}\" \"Kiln\"\n", upperCase(spec.name), kiln_version());
  std::string sentence(spec.sentence);
  sentence[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(sentence[0])));
  out << fmt::format(".SH NAME\n{} \\- {}\n", troff(spec.name), troff(sentence));
  out << fmt::format(".SH SYNOPSIS\n{}\n", troff(usageLine(spec)));
  if (!spec.operand.empty())
    out << fmt::format(".SH DESCRIPTION\n{} is {}.\n", spec.operand, troff(spec.operandHelp));
  out << ".SH OPTIONS\n";
  byCategory(
      spec, [&](std::string_view title) { out << fmt::format(".SS {}\n", title); },
      [&](const FlagSpec &flag) {
        out << fmt::format(".TP\n\\fB{}\\fR\n{}.\n", troff(flagHead(flag)), troff(flag.help));
        if (!flag.accepts.empty())
          out << fmt::format("Accepts {}{}.\n", troff(flag.accepts), flag.repeats ? "; repeats" : "");
        if (!flag.defaultValue.empty())
          out << fmt::format("Default: {}.\n", troff(flag.defaultValue));
      });
  if (!spec.environment.empty())
    out << ".SH ENVIRONMENT\n";
  for (const EnvironmentEntry &entry : spec.environment)
    out << fmt::format(".TP\n{}\n{}.\n", troff(entry.name), troff(entry.help));
  out << ".SH EXIT STATUS\n";
  for (std::string_view line : kExitCodeLines)
    out << fmt::format(".TP\n{}\n{}.\n", line.substr(0, 1), troff(line.substr(3)));
  out << ".SH EXAMPLES\n.nf\n";
  for (std::string_view example : spec.examples)
    out << troff(example) << "\n";
  out << ".fi\n";
}

/// A value stands behind '=' or, unless it is optional, as the next word; bash splits words at '='.
void printBash(const ToolSpec &spec, std::ostream &out) {
  std::string function = escaped(spec.name, "-", [](char) { return "_"; });
  std::string all;
  std::string cases;
  byCategory(
      spec, [](std::string_view) {},
      [&](const FlagSpec &flag) {
        all += fmt::format("{}--{}", all.empty() ? "" : " ", flag.name);
        if (!takesValue(flag))
          return;
        std::string reply =
            !choicesOf(flag).empty()
                ? fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))", joined(choicesOf(flag)))
            : takesFile(flag) ? "COMPREPLY=($(compgen -f -- \"$word\"))"
                              : "COMPREPLY=()";
        std::string attached = fmt::format("=--{}", flag.name);
        std::string pattern =
            isOptionalValue(flag) ? attached : fmt::format("{} | {}", attached.substr(1), attached);
        cases += fmt::format("    {}) {}; return ;;\n", pattern, reply);
      });
  out << fmt::format(R"(# Completion of {0} for bash; made by '{0} --generate bash'.
_{1}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} flag=${{COMP_WORDS[COMP_CWORD - 1]}}
  if [[ $word == '=' ]]; then
    word= flag="=$flag"
  elif [[ $flag == '=' ]]; then
    flag="=${{COMP_WORDS[COMP_CWORD - 2]}}"
  fi
  case $flag in
{2}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W '{3}' -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _{1} {0}
)",
                     spec.name, function, cases, all);
}

void printZsh(const ToolSpec &spec, std::ostream &out) {
  auto text = [](std::string_view words) {
    return escaped(words, "[]:\\", [](char c) { return std::string("\\") + c; });
  };
  out << fmt::format("#compdef {0}\n# Completion of {0} for zsh; made by '{0} --generate zsh'.\n_arguments",
                     spec.name);
  byCategory(
      spec, [](std::string_view) {},
      [&](const FlagSpec &flag) {
        std::string entry = fmt::format("{}--{}", flag.repeats ? "*" : "", flag.name);
        if (takesValue(flag))
          entry += isOptionalValue(flag) ? "=-" : "=";
        entry += fmt::format("[{}]", text(flag.help));
        if (takesValue(flag)) {
          std::string action = !choicesOf(flag).empty() ? fmt::format("({})", joined(choicesOf(flag)))
                               : takesFile(flag)        ? "_files"
                                                        : " ";
          entry += fmt::format("{}{}:{}", isOptionalValue(flag) ? "::" : ":", text(flag.value), action);
        }
        out << " \\\n  " << shellQuoted(entry);
      });
  if (!spec.operand.empty())
    out << " \\\n  "
        << shellQuoted(fmt::format("{}:{}:_files", spec.operandRepeats ? "*" : "", spec.operand));
  out << "\n";
}

void printFish(const ToolSpec &spec, std::ostream &out) {
  out << fmt::format("# Completion of {0} for fish; made by '{0} --generate fish'.\n", spec.name);
  byCategory(
      spec, [](std::string_view) {},
      [&](const FlagSpec &flag) {
        out << fmt::format("complete -c {} -l {} -d {}", spec.name, flag.name, shellQuoted(flag.help));
        if (!choicesOf(flag).empty())
          out << fmt::format(" -x -a {}", shellQuoted(joined(choicesOf(flag))));
        else if (takesFile(flag))
          out << " -r -F";
        else if (takesValue(flag) && !isOptionalValue(flag))
          out << " -x";
        out << "\n";
      });
}

} // namespace

void printGenerated(const ToolSpec &spec, std::string_view kind, std::ostream &out) {
  if (kind == "man")
    printMan(spec, out);
  else if (kind == "bash")
    printBash(spec, out);
  else if (kind == "zsh")
    printZsh(spec, out);
  else
    printFish(spec, out);
}

} // namespace kiln::tools
