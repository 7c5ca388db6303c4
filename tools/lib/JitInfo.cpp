// JitInfo.cpp: jit-info's tables of devices and backends; dispatch of its commands.
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

constexpr size_t kMaxListed = 4; // devices of a backend in a line of a table

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
  size_t shown = names.size() > kMaxListed + 1 ? kMaxListed : names.size();
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ","));
  return shown == names.size() ? text : fmt::format("{} and {} more", text, names.size() - shown);
}

Json backendJson(const BackendReport &report) {
  Json json = {{"name", report.name},
               {"version", report.version},
               {"state", stateName(report.state)},
               {"reason", report.reason},
               {"manifest", report.manifestPath},
               {"found_by", report.foundBy},
               {"load_ms", static_cast<double>(report.times.totalNs()) / 1e6}};
  Json devices = Json::array();
  if (report.manifest) {
    for (const ManifestDevice &device : report.manifest->devices)
      devices.push_back({{"type", device.type},
                         {"kind", kindName(device.kind)},
                         {"aliases", device.aliases},
                         {"priority", device.priority}});
    json["has_compiler"] = !report.manifest->compiler.empty();
    json["activation"] = report.manifest->explicitOnly ? "explicit" : "default";
    if (!report.manifest->frameworks.empty())
      json["frameworks"] = Json::parse(report.manifest->frameworks);
  }
  json["devices"] = devices;
  return json;
}

// Commands without an operand; explain and validate have one.
constexpr std::pair<std::string_view, Result<int> (*)(const InfoContext &)> kInfoCommands[] = {
    {"devices", infoDevices}, {"backends", infoBackends}, {"passes", infoPasses},
    {"paths", infoPaths},     {"env", infoEnvironment},   {"doctor", infoDoctor},
};

// What is wrong with the words of the command line; "" if nothing is.
std::string infoUsageProblem(const std::vector<std::string> &words) {
  bool takesName = words[0] == "explain" || words[0] == "validate";
  bool isKnown = takesName;
  for (const auto &[name, run] : kInfoCommands)
    isKnown |= name == words[0];
  if (!isKnown)
    return fmt::format("unknown command '{}'; expected {}", words[0], kJitInfoSpec.operandHelp);
  if (words.size() != (takesName ? 2u : 1u))
    return fmt::format("{}: {} operands; expected {}", words[0], words.size() - 1,
                       takesName ? "one" : "none");
  return "";
}

Result<int> dispatchInfo(const ParsedFlags &flags, std::ostream &out, std::ostream &err) {
  const std::vector<std::string> &words = flags.operands();
  if (std::string problem = infoUsageProblem(words); !problem.empty()) {
    err << "jit-info: error: " << problem << "\n";
    return kUsage;
  }
  if (words[0] == "validate")
    return infoValidate(words[1], flags.given("json"), out);
  KILN_ASSIGN_OR_RETURN(BackendRegistry * registry, BackendRegistry::get(searchOptions(flags)));
  InfoContext context{*registry, flags, out};
  for (const auto &[name, run] : kInfoCommands)
    if (name == words[0])
      return run(context);
  return infoExplain(context, words[1]);
}

} // namespace

const char *kindName(KilnDeviceKind kind) { return kind == KILN_DEVICE_HARDWARE ? "hardware" : "software"; }

void printJson(const Json &json, std::ostream &out) {
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

BackendRegistry::Options searchOptions(const ParsedFlags &flags) {
  BackendRegistry::Options options;
  options.directories = flags.all("backend-dir");
  options.packageDirectories = flags.all("package-dir");
  return options;
}

Result<int> infoDevices(const InfoContext &context) {
  KILN_ASSIGN_OR_RETURN(std::vector<DeviceChoice> devices, context.registry.devices());
  Result<DeviceChoice> byDefault = context.registry.resolve("auto");
  TextTable table({"DEVICE", "KIND", "BACKEND", "MEMORY", "DESCRIPTION"});
  Json list = Json::array();
  for (const DeviceChoice &device : devices) {
    Result<KilnDeviceInfo> described = deviceInfo(*device.type, device.ordinal);
    KilnDeviceInfo info = {};
    if (described.ok())
      info = *described;
    else
      info.name = toStr(described.status().message()); // one that cannot say what it is harms no other
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
  if (context.wantsJson()) {
    printJson(Json{{"devices", list}}, context.out);
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
  if (context.wantsJson()) {
    Json list = Json::array();
    for (const BackendReport &report : reports)
      list.push_back(backendJson(report));
    Json json = {{"backends", list}};
    if (!required.ok())
      json["required"] = required.message();
    printJson(json, context.out);
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

int jitInfo(int argc, const char *const *argv, std::ostream &out, std::ostream &err) {
  return runTool(kJitInfoSpec, argc, argv, out, err, dispatchInfo);
}

} // namespace kiln::tools
