// JitInfoPlaces.cpp: jit-info paths: where manifests are looked for, and what explain and doctor show of it.
#include "tools/lib/JitInfo.h"
#include "tools/lib/TextTable.h"
#include "tools/lib/ToolMain.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace kiln::tools {
namespace {

using Json = nlohmann::ordered_json;

int64_t countIn(const BackendSearchResult &search, const SearchPlace &place) {
  return std::count_if(search.files.begin(), search.files.end(), [&](const FoundManifest &file) {
    return file.foundBy == place.foundBy &&
           (file.path == place.path || file.path.substr(0, file.path.rfind('/')) == place.path);
  });
}

} // namespace

void printPlaces(const InfoContext &context) {
  const BackendSearchResult &search = context.registry.search();
  TextTable table({"FOUND BY", "MANIFESTS", "PLACE"});
  for (const SearchPlace &place : search.places)
    table.add({place.foundBy, place.problem.empty() ? std::to_string(countIn(search, place)) : "-",
               place.path + (place.problem.empty() ? "" : ": " + place.problem)});
  table.print(context.out);
  for (const std::string &warning : search.warnings)
    context.out << warning << "\n";
}

Json placesJson(const BackendRegistry &registry) {
  Json list = Json::array();
  for (const SearchPlace &place : registry.search().places)
    list.push_back({{"path", place.path},
                    {"found_by", place.foundBy},
                    {"manifests", countIn(registry.search(), place)},
                    {"problem", place.problem}});
  return list;
}

std::vector<std::string> filtersInForce() {
  std::vector<std::string> filters;
  for (std::string_view name :
       {"KILN_BACKEND_AUTOLOAD", "KILN_BACKEND_FILES", "KILN_BACKENDS_SELECT", "KILN_BACKENDS_DISABLE",
        "KILN_BACKENDS_REQUIRE", "KILN_BACKEND_POLICY", "KILN_BACKEND_PREFLIGHT"})
    if (std::optional<std::string_view> value = Environment::process().find(name))
      filters.push_back(fmt::format("{}={}", name, *value));
  return filters;
}

std::vector<std::string> filtersFor(const std::string &backend) {
  const Environment &environment = Environment::process();
  const std::string against = BackendFilter(environment).reasonAgainst(backend);
  std::vector<std::string> filters;
  for (const std::string &filter : filtersInForce()) {
    bool isSelect = filter.starts_with("KILN_BACKENDS_SELECT="),
         isDisable = filter.starts_with("KILN_BACKENDS_DISABLE=");
    std::string effect;
    if (isSelect || (isDisable && !environment.find("KILN_BACKENDS_SELECT")))
      effect = against.empty() ? fmt::format(": lets '{}' pass", backend)
                               : fmt::format(": keeps '{}' out", backend);
    filters.push_back(filter + effect);
  }
  return filters;
}

Result<int> infoPaths(const InfoContext &context) {
  if (context.wantsJson()) {
    Json json = {{"places", placesJson(context.registry)},
                 {"warnings", context.registry.search().warnings},
                 {"filters", filtersInForce()}};
    printJson(json, context.out);
    return kYes;
  }
  printPlaces(context);
  for (const std::string &filter : filtersInForce())
    context.out << filter << "\n";
  return kYes;
}

} // namespace kiln::tools
