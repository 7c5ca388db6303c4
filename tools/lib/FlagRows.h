// FlagRows.h: what the pages and scripts made from a flag table share: order, heads of rows, the common
// flags.
#ifndef KILN_TOOLS_LIB_FLAGROWS_H
#define KILN_TOOLS_LIB_FLAGROWS_H

#include "tools/lib/Flags.h"

namespace kiln::tools {

/// The flags that every tool has besides its own; the parser knows them by name.
extern const std::span<const FlagSpec> kCommonFlags;
/// Meaning of every exit code, one line each.
extern const std::span<const std::string_view> kExitCodeLines;

inline bool takesValue(const FlagSpec &flag) { return flag.kind != FlagKind::Switch; }
inline bool isOptionalValue(const FlagSpec &flag) {
  return flag.kind == FlagKind::OptionalText || flag.kind == FlagKind::OptionalCount;
}
inline bool takesFile(const FlagSpec &flag) {
  return flag.value.find("FILE") != std::string_view::npos ||
         flag.value.find("DIR") != std::string_view::npos;
}
/// The values of a flag with a closed list, else nothing.
std::vector<std::string_view> choicesOf(const FlagSpec &flag);
/// "--seed N", "--profile[=WHAT]".
std::string flagHead(const FlagSpec &flag);
/// "usage: jit-run [FLAGS] MODEL" without "usage: ".
std::string usageLine(const ToolSpec &spec);

/// Calls `row` for every flag, by category in their order, the common ones last, and `title` before each
/// category that has some.
template <typename Title, typename Row> void byCategory(const ToolSpec &spec, Title title, Row row) {
  for (FlagCategory category : {FlagCategory::Target, FlagCategory::Input, FlagCategory::Check,
                                FlagCategory::Output, FlagCategory::Run, FlagCategory::Measure,
                                FlagCategory::Compile, FlagCategory::Show, FlagCategory::General}) {
    bool first = true;
    for (std::span<const FlagSpec> flags : {spec.flags, kCommonFlags})
      for (const FlagSpec &flag : flags) {
        if (flag.category != category)
          continue;
        if (first)
          title(categoryTitle(category));
        first = false;
        row(flag);
      }
  }
}

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_FLAGROWS_H
