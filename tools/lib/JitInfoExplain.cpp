// JitInfoExplain.cpp: jit-info explain NAME: one backend in full.
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

const BackendReport *findReport(const std::vector<BackendReport> &reports, const std::string &name) {
  for (const BackendReport &report : reports)
    if (report.name == name && report.state != BackendState::Shadowed)
      return &report;
  for (const BackendReport &report : reports) // a device's name or alias
    if (report.manifest && report.state != BackendState::Shadowed)
      for (const ManifestDevice &device : report.manifest->devices)
        if (device.type == name || std::count(device.aliases.begin(), device.aliases.end(), name))
          return &report;
  return nullptr;
}

nlohmann::ordered_json explainJson(const InfoContext &context, const BackendReport *report,
                                   const Status &loaded) {
  nlohmann::ordered_json json = {{"places", placesJson(context.registry)},
                                 {"filters", filtersInForce()},
                                 {"state", report ? stateName(report->state) : "UNKNOWN"},
                                 {"reason", loaded.message()}};
  if (report) {
    json["name"] = report->name;
    json["manifest"] = report->manifestPath;
    json["found_by"] = report->foundBy;
    json["load_ms"] = static_cast<double>(report->times.totalNs()) / 1e6;
  }
  return json;
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
  if (context.wantsJson()) {
    printJson(explainJson(context, found, loaded), context.out);
    return loaded.ok() ? kYes : found ? kNo : kFailed;
  }
  printPlaces(context);
  for (const std::string &filter : filtersInForce())
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
  for (const BackendReport &other : reports)
    if (other.name == backend && other.state == BackendState::Shadowed)
      context.out << fmt::format("shadows      {}\n", other.manifestPath);
  if (report.manifest)
    for (const OptionSchema &option : report.manifest->options) {
      Result<std::string_view> value = context.registry.option(backend, option.key);
      context.out << fmt::format("option       {} = '{}' ({}; {})\n", option.key, value.ok() ? *value : "?",
                                 optionVariable(backend, option.key), option.help);
    }
  if (loaded.ok())
    return kYes;
  context.out << fmt::format("reason       {}\n", loaded.message());
  return kNo;
}

} // namespace kiln::tools
