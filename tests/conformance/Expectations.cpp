// Expectations.cpp: reads the JSON file strictly: an unknown key or an empty reason is an error.
#include "tests/conformance/Expectations.h"

#include "runtime/BackendSearch.h"
#include "runtime/Error.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace kiln::conformance {

Result<Expectations> Expectations::load(const std::string &path) {
  std::ifstream stream(path);
  if (!stream)
    return notFound("{}: cannot be read", path);
  nlohmann::json json = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return invalidArgument("{}: not a JSON object", path);
  Expectations result;
  for (const auto &[key, rules] : json.items()) {
    if ((key != "unsupported" && key != "expected_failures") || !rules.is_object())
      return invalidArgument("{}: '{}'; expected the objects unsupported and expected_failures", path, key);
    for (const auto &[test, reason] : rules.items()) {
      if (!reason.is_string() || reason.get<std::string>().empty())
        return invalidArgument("{}: /{}/{}: expected a reason", path, key, test);
      (key == "unsupported" ? result.unsupported : result.failing)
          .emplace_back(test, reason.get<std::string>());
    }
  }
  return result;
}

std::string Expectations::find(const Rules &rules, std::string_view test) {
  for (const auto &[pattern, reason] : rules)
    if (matchesGlob(pattern, test))
      return reason;
  return "";
}

} // namespace kiln::conformance
