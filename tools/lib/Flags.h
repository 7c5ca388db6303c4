// Flags.h: command lines from one table: parser, short and long help, completion and docs all read it.
#ifndef KILN_TOOLS_LIB_FLAGS_H
#define KILN_TOOLS_LIB_FLAGS_H

#include "kiln/Status.h"

#include <iosfwd>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::tools {

enum class FlagCategory { Target, Input, Check, Output, Run, Measure, Compile, Show, General };
std::string_view categoryTitle(FlagCategory category);

/// What a value must look like; the parser checks it and puts the flag's name into the error.
enum class FlagKind { Switch, Text, OptionalText, Count, OptionalCount, Number };

/// One flag. `value` is the placeholder in the help ("NAME"), empty for a switch; `accepts` says what values
/// there are. A flag of an optional kind may stand alone (`--bench`); its value is attached (`--bench=7`).
struct FlagSpec {
  std::string_view name, value, defaultValue;
  FlagCategory category;
  FlagKind kind;
  bool repeats;
  std::string_view accepts, help; // help: one line, no period
  std::string_view choices = "";  // "man|bash": the only values of a Text or OptionalText
  double most = 0x1p64;           // the largest Count or Number
};

struct EnvironmentEntry {
  std::string_view name, help;
};

/// A program's whole command line.
struct ToolSpec {
  std::string_view name;    // "jit-run"
  std::string_view operand; // "MODEL", "" if there is none
  std::string_view operandHelp;
  bool operandRepeats, operandRequired;
  std::string_view sentence; // what the tool does
  std::span<const std::string_view> examples;
  std::span<const FlagSpec> flags; // -h, --help, --version and --generate are added
  std::span<const EnvironmentEntry> environment;
};

/// A parsed command line. Values were checked against their FlagKind. Immutable; safe to share.
class ParsedFlags {
public:
  bool given(std::string_view flag) const { return values.find(flag) != values.end(); }
  /// The value given last, or the default; the default too for a flag of an optional kind that stands alone.
  std::string text(std::string_view flag) const;
  std::vector<std::string> all(std::string_view flag) const; // of a flag that repeats
  uint64_t count(std::string_view flag) const;
  double number(std::string_view flag) const;
  const std::vector<std::string> &operands() const { return theOperands; }
  enum class Wish { Run, ShortHelp, LongHelp, Version, Generate } wish = Wish::Run;

private:
  friend Result<ParsedFlags> parseFlags(const ToolSpec &, int, const char *const *);
  const ToolSpec *spec = nullptr;
  std::map<std::string, std::vector<std::string>, std::less<>> values;
  std::vector<std::string> theOperands;
};

/// `--flag value`, `--flag=value`, `--` ends flags. InvalidArgument: an unknown flag (with the nearest name),
/// a missing or malformed value, a missing or surplus operand.
Result<ParsedFlags> parseFlags(const ToolSpec &spec, int argc, const char *const *argv);

void printShortHelp(const ToolSpec &spec, std::ostream &out);
void printLongHelp(const ToolSpec &spec, std::ostream &out);
/// The same as a Markdown page for docs/reference.
void printReference(const ToolSpec &spec, std::ostream &out);
/// "man": a manual page (section 1); "bash", "zsh" or "fish": a completion script for that shell.
void printGenerated(const ToolSpec &spec, std::string_view kind, std::ostream &out);

/// The name among `names` that is closest to `name`, or "" if none is close.
std::string_view nearestName(std::string_view name, std::span<const std::string_view> names);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_FLAGS_H
