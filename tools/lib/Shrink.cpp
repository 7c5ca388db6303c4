// Shrink.cpp: rounds over the variables until a round changes nothing.
#include "tools/lib/Shrink.h"

namespace kiln::tools {

Variables shrink(Variables failing, const std::function<bool(const Variables &)> &fails, size_t budget) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[name, value] : failing) {
      for (bool smaller = true; smaller;) {
        smaller = false;
        for (int64_t candidate : {int64_t{1}, value / 2, value - 1}) {
          if (candidate < 1 || candidate >= value)
            continue;
          if (budget-- == 0)
            return failing;
          Variables tried = failing;
          tried[name] = candidate;
          if (!fails(tried))
            continue;
          value = candidate;
          changed = smaller = true;
          break;
        }
      }
    }
  }
  return failing;
}

} // namespace kiln::tools
