// Variables.h: every KILN_ variable that Kiln itself reads; those of backends stand in their manifests.
#ifndef KILN_RUNTIME_VARIABLES_H
#define KILN_RUNTIME_VARIABLES_H

#include <span>
#include <string_view>

namespace kiln {

struct VariableInfo {
  std::string_view name, defaultText, help; // help: one line for people
};

/// In alphabetical order. docs/autoload.md has the same table; a test compares both with the sources.
std::span<const VariableInfo> knownVariables();

} // namespace kiln
#endif // KILN_RUNTIME_VARIABLES_H
