// JitInfoExplain.cpp: jit-info explain NAME: one backend in full.
#include "runtime/DType.h"
#include "runtime/Device.h"
#include "runtime/Error.h"
#include "runtime/Fingerprint.h"
#include "tools/lib/JitInfo.h"
#include "tools/lib/TextTable.h"
#include "tools/lib/ToolMain.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace kiln::tools {
namespace {

std::string probeText(const ManifestDevice &device) {
  std::vector<std::string> parts;
  for (const ProbeCondition &condition : device.probe)
    switch (condition.kind) {
    case ProbeCondition::Kind::Always:
      parts.emplace_back("always");
      break;
    case ProbeCondition::Kind::PciId:
      parts.push_back("PCI device " + condition.pattern);
      break;
    case ProbeCondition::Kind::File:
      parts.push_back("file " + condition.pattern);
      break;
    case ProbeCondition::Kind::Variable:
      parts.push_back("variable " + condition.pattern);
      break;
    }
  return parts.empty() ? "always" : fmt::format("{}", fmt::join(parts, " or "));
}

// The one that the registry means by the name: a manifest that holds before a broken file of the name.
const BackendReport *findReport(const std::vector<BackendReport> &reports, const std::string &name) {
  for (bool isBroken : {false, true})
    for (const BackendReport &report : reports)
      if (report.name == name && report.state != BackendState::Shadowed && !report.manifest == isBroken)
        return &report;
  for (const BackendReport &report : reports) // a device's name or alias
    if (report.manifest && report.state != BackendState::Shadowed)
      for (const ManifestDevice &device : report.manifest->devices)
        if (device.type == name || std::count(device.aliases.begin(), device.aliases.end(), name))
          return &report;
  return nullptr;
}

// "integer 0 to 9", "string, one of a, b".
std::string typeText(const OptionSchema &option) {
  switch (option.type) {
  case OptionSchema::Type::Integer:
    if (option.minimum == INT64_MIN && option.maximum == INT64_MAX)
      return "integer";
    return fmt::format("integer {} to {}", option.minimum, option.maximum);
  case OptionSchema::Type::Boolean:
    return "boolean";
  case OptionSchema::Type::String:
    return option.values.empty() ? "string" : fmt::format("one of {}", fmt::join(option.values, ", "));
  }
  return "";
}

// Whether the target's manifest lets this one's passes in.
std::string extensionVerdict(const std::vector<BackendReport> &reports, const ManifestExtension &extension) {
  for (const BackendReport &report : reports) {
    if (!report.manifest || report.state == BackendState::Shadowed ||
        !report.manifest->findDevice(extension.target))
      continue;
    const std::vector<std::string> &allowed = report.manifest->extensible;
    if (std::count(allowed.begin(), allowed.end(), extension.stage))
      return fmt::format("allowed by {}", report.manifestPath);
    return fmt::format("left out: not in \"extensible\" of {}", report.manifestPath);
  }
  return "no backend has this device type";
}

// Other files of the name, which do not count.
std::vector<std::string> namesakes(const std::vector<BackendReport> &reports, const BackendReport &chosen) {
  std::vector<std::string> list;
  for (const BackendReport &report : reports)
    if (report.name == chosen.name && report.manifestPath != chosen.manifestPath)
      list.push_back(fmt::format("{} ({}): {}", report.manifestPath, stateName(report.state), report.reason));
  return list;
}

nlohmann::ordered_json explainJson(const InfoContext &context, const BackendReport *report,
                                   const CompilerTrial &compiler, const Status &loaded) {
  nlohmann::ordered_json json = {{"places", placesJson(context.registry)},
                                 {"filters", report ? filtersFor(report->name) : filtersInForce()},
                                 {"state", report ? stateName(report->state) : "UNKNOWN"},
                                 {"reason", loaded.message()}};
  if (report) {
    json["name"] = report->name;
    json["manifest"] = report->manifestPath;
    json["found_by"] = report->foundBy;
    json["load_ms"] = static_cast<double>(report->times.totalNs()) / 1e6;
    json["compiler"] = {{"state", compiler.state}, {"reason", compiler.reason}};
    json["namesakes"] = namesakes(context.registry.backends(), *report);
  }
  return json;
}

// What each device of a ready backend says of its machine model.
Result<nlohmann::ordered_json> propertiesJson(const InfoContext &context, const BackendReport &report) {
  auto all = nlohmann::ordered_json::object();
  for (const auto &type : context.registry.snapshot()->deviceTypes) {
    if (type->backend != report.name || !type->ops.properties)
      continue;
    auto list = nlohmann::ordered_json::array();
    KilnPropertyFn add = [](void *to, const KilnDeviceProperty *property) {
      static_cast<nlohmann::ordered_json *>(to)->push_back({{"name", toView(property->name)},
                                                            {"value", toView(property->value)},
                                                            {"unit", toView(property->unit)},
                                                            {"source", toView(property->source)},
                                                            {"assumed", property->is_assumed != 0}});
    };
    KILN_RETURN_IF_ERROR(fromC(type->ops.properties(type->self, {}, add, &list)));
    if (!list.empty())
      all[type->name] = list;
  }
  return all;
}

void printProperties(const nlohmann::ordered_json &all, std::ostream &out) {
  for (const auto &[device, list] : all.items()) {
    out << fmt::format("\nmachine model of '{}'\n", device);
    TextTable table({"FIGURE", "VALUE", "UNIT", "", "SOURCE"});
    for (const auto &property : list)
      table.add({property["name"].get<std::string>(), property["value"].get<std::string>(),
                 property["unit"].get<std::string>(), property["assumed"].get<bool>() ? "assumed" : "",
                 property["source"].get<std::string>()});
    table.print(out);
  }
}

// The element types that each device of a ready backend holds and computes in.
Result<nlohmann::ordered_json> typesJson(const InfoContext &context, const BackendReport &report) {
  auto all = nlohmann::ordered_json::object();
  auto names = [](uint64_t types) {
    auto list = nlohmann::ordered_json::array();
    for (KilnDType dtype = KILN_F16; dtype <= KILN_U4; ++dtype)
      if (types & KILN_TYPE_BIT(dtype))
        list.push_back(dtypeName(dtype));
    return list;
  };
  for (const auto &type : context.registry.snapshot()->deviceTypes) {
    if (type->backend != report.name)
      continue;
    KILN_ASSIGN_OR_RETURN(TargetDescription target, targetOf(*type, ""));
    all[type->name] = {{"holds", names(target.storageTypes)}, {"computes", names(target.arithmeticTypes)}};
  }
  return all;
}

void printTypes(const nlohmann::ordered_json &all, std::ostream &out) {
  for (const auto &[device, types] : all.items())
    for (const auto &[use, list] : types.items())
      out << fmt::format("{:<12} '{}': {}\n", use, device,
                         list.empty()
                             ? "not stated"
                             : fmt::format("{}", fmt::join(list.get<std::vector<std::string>>(), " ")));
}

} // namespace

void printManifest(const Manifest &manifest, std::ostream &out) {
  out << fmt::format(
      "backend      {} {}\nmanifest     {}\nlibrary      {}\ncompiler     {}\nactivation   {}\n",
      manifest.name, manifest.version, manifest.path, manifest.libraryPath(),
      manifest.compiler.empty() ? "none" : manifest.compilerPath(),
      manifest.explicitOnly ? "explicit" : "default");
  for (const ManifestDevice &device : manifest.devices)
    out << fmt::format("device       {} ({}, priority {}, aliases: {}, present: {})\n", device.type,
                       device.kind == KILN_DEVICE_HARDWARE ? "hardware" : "software", device.priority,
                       device.aliases.empty() ? "none" : fmt::format("{}", fmt::join(device.aliases, ", ")),
                       probeText(device));
  for (const ManifestExtension &extension : manifest.extends)
    out << fmt::format("extends      {} stage '{}' of '{}'\n", extension.after ? "after" : "before",
                       extension.stage, extension.target);
  if (!manifest.extensible.empty())
    out << fmt::format("extensible   {}\n", fmt::join(manifest.extensible, ", "));
}

Result<int> infoExplain(const InfoContext &context, const std::string &name) {
  std::vector<BackendReport> reports = context.registry.backends();
  const BackendReport *found = findReport(reports, name);
  Status loaded;
  if (!found)
    loaded = context.registry.load(name); // not found: the error lists every backend
  std::string backend = found ? found->name : name;
  if (found) {
    loaded = context.registry.load(backend);
    reports = context.registry.backends(); // with the state after loading
    found = findReport(reports, backend);
  }
  CompilerTrial compiler;
  if (found && loaded.ok())
    compiler = tryCompilerTier(context, *found);
  const bool isSound = loaded.ok() && (compiler.state == "READY" || compiler.state == "none");
  auto properties = nlohmann::ordered_json::object(), types = nlohmann::ordered_json::object();
  if (found && loaded.ok()) {
    KILN_ASSIGN_OR_RETURN(types, typesJson(context, *found));
    KILN_ASSIGN_OR_RETURN(properties, propertiesJson(context, *found));
  }
  if (context.wantsJson()) {
    nlohmann::ordered_json json = explainJson(context, found, compiler, loaded);
    json["types"] = types;
    json["properties"] = properties;
    printJson(json, context.out);
    return isSound ? kYes : found ? kNo : kFailed;
  }
  printPlaces(context);
  for (const std::string &filter : found ? filtersFor(found->name) : filtersInForce())
    context.out << fmt::format("filter       {}\n", filter);
  if (!found)
    return withContext(loaded, "explain");
  const BackendReport &report = *found;
  if (report.manifest)
    printManifest(*report.manifest, context.out);
  else
    context.out << fmt::format("backend      {}\nmanifest     {}\n", report.name, report.manifestPath);
  context.out << fmt::format("found by     {}\nstate        {}\n", report.foundBy, stateName(report.state));
  if (uint64_t ns = report.times.totalNs())
    context.out << fmt::format("loaded in    {:.2f} ms\n", static_cast<double>(ns) / 1e6);
  for (const std::string &other : namesakes(reports, report))
    context.out << fmt::format("namesake     {}\n", other);
  if (report.manifest)
    for (const ManifestExtension &extension : report.manifest->extends)
      context.out << fmt::format("extension    stage '{}' of '{}': {}\n", extension.stage, extension.target,
                                 extensionVerdict(reports, extension));
  if (report.manifest)
    for (const OptionSchema &option : report.manifest->options) {
      Result<std::string_view> value = context.registry.option(backend, option.key);
      context.out << fmt::format("option       {} = '{}' ({}; {}; default '{}'; {})\n", option.key,
                                 value.ok() ? clipped(*value) : "?", optionVariable(backend, option.key),
                                 typeText(option), clipped(option.defaultValue), clipped(option.help));
    }
  if (!loaded.ok()) {
    context.out << fmt::format("reason       {}\n", loaded.message());
    if (report.state == BackendState::RejectedAbi && report.manifest)
      for (const std::string &problem : fingerprintProblems(*report.manifest))
        context.out << fmt::format("differs      {}\n", problem);
    return kNo;
  }
  if (compiler.state != "none")
    context.out << fmt::format("compiler is  {}\n", compiler.state);
  if (!compiler.reason.empty())
    context.out << fmt::format("reason       {}\n", compiler.reason);
  printTypes(types, context.out);
  printProperties(properties, context.out);
  return isSound ? kYes : kNo;
}

} // namespace kiln::tools
