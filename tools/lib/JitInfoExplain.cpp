// JitInfoExplain.cpp: jit-info explain NAME and validate FILE: one backend in full.
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

// "" if the tier's library fits this process, else why not.
std::string fitProblem(Tier tier, const std::string &declared, const std::string &library) {
  if (std::string why = fingerprintMismatch(tier, declared, ownFingerprint(tier)); !why.empty())
    return "manifest: " + why;
  Result<std::string> note = readElfNote(library);
  if (!note.ok())
    return note.status().message();
  std::string why = fingerprintMismatch(tier, *note, ownFingerprint(tier));
  return why.empty() ? "" : library + ": " + why;
}

std::vector<std::string> libraryProblems(const Manifest &manifest) {
  std::vector<std::string> problems;
  if (!manifest.abi.present)
    return {"/abi is missing; add_kiln_backend writes it"};
  if (std::string why = fitProblem(Tier::Runtime, manifest.abi.runtime, manifest.libraryPath()); !why.empty())
    problems.push_back(why);
  if (!manifest.compiler.empty())
    if (std::string why = fitProblem(Tier::Compiler, manifest.abi.compiler, manifest.compilerPath());
        !why.empty())
      problems.push_back(why);
  return problems;
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

} // namespace

Result<int> infoExplain(const InfoContext &context, const std::string &name) {
  std::vector<BackendReport> reports = context.registry.backends();
  const BackendReport *found = findReport(reports, name);
  if (!found) // the registry's error lists every backend
    return withContext(context.registry.load(name), "explain");
  std::string backend = found->name;
  Status loaded = context.registry.load(backend);
  reports = context.registry.backends(); // with the state after loading
  const BackendReport &report = *findReport(reports, backend);
  if (report.manifest)
    printManifest(*report.manifest, context.out);
  else
    context.out << fmt::format("backend      {}\nmanifest     {}\n", report.name, report.manifestPath);
  context.out << fmt::format("found by     {}\nstate        {}\n", report.foundBy, stateName(report.state));
  if (report.loadNs)
    context.out << fmt::format("loaded in    {:.2f} ms\n", static_cast<double>(report.loadNs) / 1e6);
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

Result<int> infoValidate(const std::string &path, std::ostream &out) {
  Result<Manifest> manifest = Manifest::load(path);
  if (!manifest.ok()) {
    if (manifest.status().code() != Code::InvalidArgument)
      return manifest.status(); // it could not be read: nothing was validated
    out << manifest.status().message() << "\n";
    return kNo;
  }
  printManifest(*manifest, out);
  std::vector<std::string> problems = libraryProblems(*manifest);
  for (const std::string &problem : problems)
    out << "problem      " << problem << "\n";
  out << (problems.empty() ? "valid\n" : "not valid\n");
  return problems.empty() ? kYes : kNo;
}

} // namespace kiln::tools
