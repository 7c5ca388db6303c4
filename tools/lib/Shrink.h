// Shrink.h: the smallest case that still fails.
#ifndef KILN_TOOLS_LIB_SHRINK_H
#define KILN_TOOLS_LIB_SHRINK_H

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace kiln::tools {

using Variables = std::map<std::string, int64_t>;

/// Makes the values of a failing case smaller, one variable after another, as long as `fails` says so: first
/// 1, then half, then one less. Greedy: none of the result's variables can get smaller alone by these steps.
/// Calls `fails` at most `budget` times.
Variables shrink(Variables failing, const std::function<bool(const Variables &)> &fails, size_t budget = 40);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_SHRINK_H
