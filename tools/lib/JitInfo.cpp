// JitInfo.cpp: jit-info's tables: devices, backends, places, variables; dispatch of its commands.
#include "tools/lib/JitInfo.h"

#include "runtime/HostTable.h"
#include "tools/lib/TextTable.h"
#include "tools/lib/ToolMain.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

namespace kiln::tools {
namespace {

using Json = nlohmann::ordered_json;

const char *kindName(KilnDeviceKind kind) { return kind == KILN_DEVICE_HARDWARE ? "hardware" : "software"; }

std::string gibibytes(uint64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1u << 30));
}

// Loads every backend that is loaded without being named; failures stand in their states.
Status loadAll(BackendRegistry &registry) {
  for (const BackendReport &report : registry.backends())
    if (report.state == BackendState::Discovered && report.manifest && !report.manifest->explicitOnly)
      (void)registry.load(report.name).ok();
  return {};
}

std::string deviceNames(const BackendReport &report) {
  std::vector<std::string> names;
  if (report.manifest)
    for (const ManifestDevice &device : report.manifest->devices)
      names.push_back(device.type);
  return fmt::format("{}", fmt::join(names, ","));
}

Json backendJson(const BackendReport &report) {
  Json json = {{"name", report.name},
               {"version", report.version},
               {"state", stateName(report.state)},
               {"reason", report.reason},
               {"manifest", report.manifestPath},
               {"found_by", report.foundBy},
               {"load_ms", static_cast<double>(report.loadNs) / 1e6}};
  Json devices = Json::array();
  if (report.manifest) {
    for (const ManifestDevice &device : report.manifest->devices)
      devices.push_back({{"type", device.type},
                         {"kind", kindName(device.kind)},
                         {"aliases", device.aliases},
                         {"priority", device.priority}});
    json["has_compiler"] = !report.manifest->compiler.empty();
    json["activation"] = report.manifest->explicitOnly ? "explicit" : "default";
  }
  json["devices"] = devices;
  return json;
}

// Commands without an operand; explain and validate have one.
constexpr std::pair<std::string_view, Result<int> (*)(const InfoContext &)> kCommands[] = {
    {"devices", infoDevices}, {"backends", infoBackends}, {"passes", infoPasses},
    {"paths", infoPaths},     {"env", infoEnvironment},
};

// What is wrong with the words of the command line; "" if nothing is.
std::string usageProblem(const std::vector<std::string> &words) {
  bool takesName = words[0] == "explain" || words[0] == "validate";
  bool isKnown = takesName;
  for (const auto &[name, run] : kCommands)
    isKnown |= name == words[0];
  if (!isKnown)
    return fmt::format("unknown command '{}'; expected {}", words[0], kJitInfoSpec.operandHelp);
  if (words.size() != (takesName ? 2u : 1u))
    return fmt::format("{}: {} operands; expected {}", words[0], words.size() - 1,
                       takesName ? "one" : "none");
  return "";
}

Result<int> dispatch(const ParsedFlags &flags, std::ostream &out, std::ostream &err) {
  const std::vector<std::string> &words = flags.operands();
  if (std::string problem = usageProblem(words); !problem.empty()) {
    err << "jit-info: error: " << problem << "\n";
    return kUsage;
  }
  if (words[0] == "validate")
    return infoValidate(words[1], out);
  BackendRegistry::Options options;
  options.directories = flags.all("backend-dir");
  KILN_ASSIGN_OR_RETURN(BackendRegistry * registry, BackendRegistry::get(options));
  InfoContext context{*registry, flags, out};
  for (const auto &[name, run] : kCommands)
    if (name == words[0])
      return run(context);
  return infoExplain(context, words[1]);
}

} // namespace

Result<int> infoDevices(const InfoContext &context) {
  KILN_ASSIGN_OR_RETURN(std::vector<DeviceChoice> devices, context.registry.devices());
  Result<DeviceChoice> byDefault = context.registry.resolve("auto");
  TextTable table({"DEVICE", "KIND", "BACKEND", "MEMORY", "DESCRIPTION"});
  Json list = Json::array();
  for (const DeviceChoice &device : devices) {
    KilnDeviceInfo info = {};
    info.struct_size = sizeof info;
    KILN_RETURN_IF_ERROR(fromC(device.type->ops.describe(device.type->self, device.ordinal, &info)));
    bool isDefault = byDefault.ok() && byDefault->name() == device.name();
    table.add({device.name() + (isDefault ? " *" : ""), kindName(info.kind), device.type->backend,
               gibibytes(info.memory_bytes), std::string(toView(info.name))});
    list.push_back({{"name", device.name()},
                    {"default", isDefault},
                    {"kind", kindName(info.kind)},
                    {"backend", device.type->backend},
                    {"memory_bytes", info.memory_bytes},
                    {"compute_units", info.compute_units},
                    {"description", toView(info.name)}});
  }
  if (context.flags.given("json")) {
    context.out << Json{{"devices", list}}.dump(2) << "\n";
    return kYes;
  }
  table.print(context.out);
  if (byDefault.ok())
    context.out << "* is the default device\n";
  return kYes;
}

Result<int> infoBackends(const InfoContext &context) {
  if (context.flags.given("load"))
    KILN_RETURN_IF_ERROR(loadAll(context.registry));
  Status required = context.registry.requireAll();
  std::vector<BackendReport> reports = context.registry.backends();
  if (context.flags.given("json")) {
    Json list = Json::array();
    for (const BackendReport &report : reports)
      list.push_back(backendJson(report));
    Json json = {{"backends", list}};
    if (!required.ok())
      json["required"] = required.message();
    context.out << json.dump(2) << "\n";
    return required.ok() ? kYes : kNo;
  }
  TextTable table({"BACKEND", "VERSION", "STATE", "DEVICES", "COMPILER", "MANIFEST"});
  for (const BackendReport &report : reports)
    table.add({report.name, report.version, stateName(report.state), deviceNames(report),
               report.manifest && !report.manifest->compiler.empty() ? "yes" : "no", report.manifestPath});
  table.print(context.out);
  for (const BackendReport &report : reports)
    if (!report.reason.empty())
      context.out << fmt::format("{}: {}: {}\n", report.name, stateName(report.state), report.reason);
  if (reports.empty())
    context.out << "no backend was found; 'jit-info paths' shows where they are looked for\n";
  if (!required.ok())
    context.out << required.message() << "\n";
  return required.ok() ? kYes : kNo;
}

Result<int> infoPaths(const InfoContext &context) {
  const BackendSearchResult &search = context.registry.search();
  TextTable table({"FOUND BY", "MANIFESTS", "PLACE"});
  for (const SearchPlace &place : search.places) {
    auto count = std::count_if(search.files.begin(), search.files.end(), [&](const FoundManifest &file) {
      return file.foundBy == place.foundBy &&
             (file.path == place.path || file.path.starts_with(place.path + "/"));
    });
    table.add({place.foundBy, place.problem.empty() ? std::to_string(count) : "-",
               place.path + (place.problem.empty() ? "" : ": " + place.problem)});
  }
  table.print(context.out);
  for (const std::string &warning : search.warnings)
    context.out << warning << "\n";
  return kYes;
}

Result<int> infoEnvironment(const InfoContext &context) {
  const Environment &environment = Environment::process();
  TextTable table({"VARIABLE", "VALUE", "MEANING"});
  for (const EnvironmentEntry &entry : kJitInfoSpec.environment)
    table.add(
        {std::string(entry.name), std::string(environment.get(entry.name, "-")), std::string(entry.help)});
  for (const BackendReport &report : context.registry.backends()) {
    if (!report.manifest || report.state == BackendState::Shadowed)
      continue;
    for (const OptionSchema &option : report.manifest->options) {
      std::string variable = optionVariable(report.name, option.key);
      table.add({variable, std::string(environment.get(variable, "-")),
                 fmt::format("{} (default '{}')", option.help, option.defaultValue)});
    }
  }
  table.print(context.out);
  return kYes;
}

int jitInfo(int argc, const char *const *argv, std::ostream &out, std::ostream &err) {
  return runTool(kJitInfoSpec, argc, argv, out, err, dispatch);
}

} // namespace kiln::tools
