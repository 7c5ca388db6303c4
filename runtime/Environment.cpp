// Environment.cpp: takes the snapshot from environ.
#include "runtime/Environment.h"

#include <unistd.h>

namespace kiln {

namespace {

bool isOurs(std::string_view name) {
  return name.starts_with("KILN_") || name == "XDG_CACHE_HOME" || name == "XDG_DATA_HOME" || name == "HOME";
}

Environment::Variables snapshot() {
  Environment::Variables variables;
  for (char **entry = environ; entry && *entry; ++entry) {
    std::string_view text = *entry;
    size_t equals = text.find('=');
    if (equals == std::string_view::npos || !isOurs(text.substr(0, equals)))
      continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1)); // the first wins, as in getenv
  }
  return variables;
}

} // namespace

const Environment &Environment::process() {
  static const Environment *const environment = new Environment(snapshot()); // outlives exit-time users
  return *environment;
}

std::optional<std::string_view> Environment::find(std::string_view name) const {
  auto it = variables.find(name);
  if (it == variables.end())
    return std::nullopt;
  return it->second;
}

std::string_view Environment::get(std::string_view name, std::string_view fallback) const {
  return find(name).value_or(fallback);
}

} // namespace kiln
