// JitInfoEnvironment.cpp: jit-info env: variables of Kiln, options of backends, and names that nobody knows.
#include "runtime/Variables.h"
#include "tools/lib/JitInfo.h"
#include "tools/lib/TextTable.h"
#include "tools/lib/ToolMain.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace kiln::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Variable {
  std::string name, value, origin, meaning;
};

std::vector<Variable> variablesInForce(const BackendRegistry &registry) {
  const Environment &environment = Environment::process();
  std::vector<Variable> list;
  for (const VariableInfo &info : knownVariables()) {
    std::optional<std::string_view> value = environment.find(info.name);
    list.push_back({std::string(info.name), std::string(value.value_or(info.defaultText)),
                    value ? "environment" : "default", std::string(info.help)});
  }
  for (const BackendReport &report : registry.backends()) {
    if (!report.manifest || report.state == BackendState::Shadowed)
      continue;
    for (const OptionSchema &option : report.manifest->options) {
      std::string name = optionVariable(report.name, option.key);
      std::optional<std::string_view> value = environment.find(name);
      list.push_back({name, std::string(value.value_or(option.defaultValue)),
                      value ? "environment" : "manifest of " + report.name, option.help});
    }
  }
  return list;
}

// Variables of the process that start with KILN_ and that nothing reads: those of tools/dev and of tests left
// out.
std::vector<std::string> unknownNames(const std::vector<Variable> &known) {
  std::vector<std::string> names;
  for (const auto &[name, value] : Environment::process().all()) {
    bool isKnown = !name.starts_with("KILN_") || name.starts_with("KILN_TEST_") || name == "KILN_JOBS" ||
                   name == "KILN_PRESET" ||
                   std::any_of(known.begin(), known.end(), [&](const Variable &v) { return v.name == name; });
    if (!isKnown)
      names.push_back(name);
  }
  return names;
}

} // namespace

Result<int> infoEnvironment(const InfoContext &context) {
  std::vector<Variable> known = variablesInForce(context.registry);
  std::vector<std::string> unknown = unknownNames(known);
  std::vector<std::string_view> names;
  for (const Variable &variable : known)
    names.push_back(variable.name);
  if (context.wantsJson()) {
    Json json = {{"variables", Json::array()}, {"unknown", Json::array()}};
    for (const Variable &variable : known)
      json["variables"].push_back({{"name", variable.name},
                                   {"value", variable.value},
                                   {"origin", variable.origin},
                                   {"meaning", variable.meaning}});
    for (const std::string &name : unknown)
      json["unknown"].push_back({{"name", name}, {"nearest", nearestName(name, names)}});
    printJson(json, context.out);
    return kYes;
  }
  TextTable table({"VARIABLE", "VALUE", "FROM", "MEANING"});
  for (const Variable &variable : known)
    table.add(
        {variable.name, variable.value.empty() ? "-" : variable.value, variable.origin, variable.meaning});
  table.print(context.out);
  for (const std::string &name : unknown) {
    std::string_view nearest = nearestName(name, names);
    context.out << fmt::format("{}: unknown, nothing reads it{}\n", name,
                               nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest));
  }
  return kYes;
}

} // namespace kiln::tools
