// Shrink.cpp: rounds over the variables until a round changes nothing.
#include "tools/lib/Shrink.h"

#include <algorithm>

namespace kiln::tools {

Variables shrink(Variables failing, const std::function<bool(const Variables &)> &fails, size_t budget) {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[name, value] : failing) {
      for (int64_t step = value - 1; step >= 1;) { // down to 1 at once, then by ever smaller steps
        if (budget-- == 0)
          return failing;
        Variables tried = failing;
        tried[name] = value - step;
        if (fails(tried)) {
          value -= step;
          changed = true;
          step = std::min(step, value - 1);
        } else {
          step /= 2;
        }
      }
    }
  }
  return failing;
}

} // namespace kiln::tools
