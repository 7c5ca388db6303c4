// Environment.h: the KILN_ variables of the process, read once.
#ifndef KILN_RUNTIME_ENVIRONMENT_H
#define KILN_RUNTIME_ENVIRONMENT_H

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kiln {

/// A snapshot of the variables whose names start with KILN_ (and XDG_CACHE_HOME, XDG_DATA_HOME, HOME).
/// Ownership: owns its strings. Threads: immutable, safe from any thread.
class Environment {
public:
  using Variables = std::map<std::string, std::string, std::less<>>;

  explicit Environment(Variables variables) : variables(std::move(variables)) {}
  /// Of this process, taken at the first call and never again: a later setenv is not seen.
  static const Environment &process();

  /// Nothing if the variable is not set; an empty value counts as set.
  std::optional<std::string_view> find(std::string_view name) const;
  std::string_view get(std::string_view name, std::string_view fallback = "") const;
  const Variables &all() const { return variables; }

private:
  Variables variables;
};

} // namespace kiln
#endif // KILN_RUNTIME_ENVIRONMENT_H
