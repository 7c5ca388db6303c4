// OptionText.h: the text of options that a device is opened with, "KEY=VALUE;KEY=VALUE".
#ifndef KILN_SDK_OPTIONTEXT_H
#define KILN_SDK_OPTIONTEXT_H

#include "kiln/Status.h"

#include <string>
#include <string_view>

namespace kiln::sdk {

/// Calls `set(key, value)`, which returns a Status, for each entry of `text` in its order; empty entries are
/// passed over. Both views are into `text`. Errors: InvalidArgument for an entry without '='; the first that
/// `set` returns.
template <typename Set> Status forEachOption(std::string_view text, Set &&set) {
  while (!text.empty()) {
    std::string_view entry = text.substr(0, text.find(';'));
    text.remove_prefix(entry.size() < text.size() ? entry.size() + 1 : entry.size());
    if (entry.empty())
      continue;
    size_t equals = entry.find('=');
    if (equals == std::string_view::npos)
      return Status(Code::InvalidArgument,
                    "option '" + std::string(entry) + "': no value; expected KEY=VALUE");
    KILN_RETURN_IF_ERROR(set(entry.substr(0, equals), entry.substr(equals + 1)));
  }
  return {};
}

} // namespace kiln::sdk
#endif // KILN_SDK_OPTIONTEXT_H
