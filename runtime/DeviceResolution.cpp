// DeviceResolution.cpp: from "npu:1", an alias or nothing to a device: the part of BackendRegistry that
// chooses.
#include "runtime/BackendEntry.h"
#include "runtime/BackendRegistry.h"
#include "runtime/Error.h"
#include "runtime/Log.h"

#include <algorithm>
#include <charconv>

namespace kiln {

namespace {

constexpr std::string_view kFallbackDevice = "host"; // always works

struct DeviceSpec {
  std::string_view type;
  std::optional<uint32_t> ordinal;
};

Result<DeviceSpec> parseSpec(std::string_view text) {
  size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    return DeviceSpec{text, std::nullopt};
  std::string_view digits = text.substr(colon + 1);
  uint32_t ordinal = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  if (error != std::errc() || end != digits.data() + digits.size())
    return invalidArgument("device '{}': '{}' is no number; expected TYPE[:ORDINAL]", clipped(text),
                           clipped(digits));
  return DeviceSpec{text.substr(0, colon), ordinal};
}

uint32_t countPresent(const DeviceType &type) {
  Result<uint32_t> count = countDevices(type);
  if (count.ok())
    return *count;
  logWarn("backend", "device type '{}' counts as absent: {}", type.name, count.status().message());
  return 0;
}

// The type or alias among those of one backend: another's alias of the same name may have been registered
// first.
std::shared_ptr<const DeviceType> typeOf(const RegistrySnapshot &snapshot, std::string_view backend,
                                         std::string_view typeOrAlias) {
  std::shared_ptr<const DeviceType> byAlias;
  for (const auto &type : snapshot.deviceTypes) {
    if (type->backend != backend)
      continue;
    if (type->name == typeOrAlias)
      return type;
    if (std::find(type->aliases.begin(), type->aliases.end(), typeOrAlias) != type->aliases.end())
      byAlias = type;
  }
  return byAlias;
}

} // namespace

BackendEntry *BackendRegistry::findByDevice(std::string_view typeOrAlias) const {
  // A type's name wins over any alias; then the order of search.
  for (bool byAlias : {false, true})
    for (const auto &entry : entries)
      if (entry->fixedState != BackendState::Shadowed && entry->fixedState != BackendState::Disabled &&
          (byAlias ? entry->declaresAlias(typeOrAlias) : entry->declares(typeOrAlias)))
        return entry.get();
  return nullptr;
}

Result<std::shared_ptr<const DeviceType>> BackendRegistry::deviceType(std::string_view typeOrAlias) {
  BackendEntry *entry = findByDevice(typeOrAlias);
  if (!entry)
    return unknownDevice(typeOrAlias);
  if (Status status = load(*entry); !status.ok())
    return withContext(status, "device '{}'", typeOrAlias);
  if (std::shared_ptr<const DeviceType> type = typeOf(*snapshot(), entry->name, typeOrAlias))
    return type;
  return unknownDevice(typeOrAlias);
}

Result<DeviceChoice> BackendRegistry::resolve(std::string_view device) {
  KILN_RETURN_IF_ERROR(requireAll());
  if (device.empty() || device == "auto")
    return defaultDevice();
  KILN_ASSIGN_OR_RETURN(DeviceSpec spec, parseSpec(device));
  BackendEntry *entry = findByDevice(spec.type);
  if (entry && entry->mayLoad() && entry->library().state() == BackendState::Discovered)
    if (std::string absent = entry->whyAbsent(environment.variables); !absent.empty())
      return unavailable("device '{}' is absent: {} ({})", device, absent, entry->path);
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<const DeviceType> type, deviceType(spec.type));
  uint32_t count = countPresent(*type);
  if (count == 0)
    return unavailable("device '{}': no device of type '{}' is present", device, type->name);
  uint32_t ordinal = spec.ordinal.value_or(0);
  if (ordinal >= count) {
    std::vector<uint32_t> ordinals(std::min(count, 8u));
    for (uint32_t i = 0; i < ordinals.size(); ++i)
      ordinals[i] = i;
    return notFound("unknown device '{}'; '{}' has {} device{} ({}{})", device, type->name, count,
                    count == 1 ? "" : "s", fmt::join(ordinals, ", "), count > 8 ? ", ..." : "");
  }
  return DeviceChoice{std::move(type), ordinal};
}

Result<DeviceChoice> BackendRegistry::defaultDevice() {
  // Devices that somebody named, in order: by the API, then by KILN_DEVICE.
  std::vector<std::string> named = options.defaultDevices;
  for (std::string &name : splitList(environment.variables.get("KILN_DEVICE"), ","))
    named.push_back(std::move(name));
  Status problem;
  for (const std::string &name : named) {
    if (name == "auto")
      continue;
    Result<DeviceChoice> choice = resolve(name);
    if (choice.ok())
      return choice;
    if (problem.ok())
      problem = withContext(choice.status(), "default device (KILN_DEVICE or API)");
    if (&name != &named.back())
      logWarn("backend", "default device '{}' cannot be used: {}", name, choice.status().message());
  }
  KILN_RETURN_IF_ERROR(problem);

  // Real hardware whose probe holds, the highest priority first; software devices are used by name only.
  struct Candidate {
    BackendEntry *entry;
    const ManifestDevice *device;
  };
  std::vector<Candidate> candidates;
  for (const auto &entry : entries)
    if (entry->mayLoad() && !entry->manifest->explicitOnly)
      for (const ManifestDevice &device : entry->manifest->devices)
        if (device.kind == KILN_DEVICE_HARDWARE && device.type != kFallbackDevice &&
            whyAbsent(device, environment.variables, kPciRoot).empty())
          candidates.push_back({entry.get(), &device});
  std::sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
    return a.device->priority != b.device->priority ? a.device->priority > b.device->priority
                                                    : a.device->type < b.device->type;
  });
  std::vector<DeviceChoice> usable; // those of one priority
  for (const Candidate &candidate : candidates) {
    if (!usable.empty() && usable.front().type->priority != candidate.device->priority)
      break;
    if (Status status = load(*candidate.entry); !status.ok()) {
      if (isStrict)
        return withContext(status, "KILN_BACKEND_POLICY=strict");
      continue; // warned about when it failed
    }
    std::shared_ptr<const DeviceType> type = snapshot()->findDeviceType(candidate.device->type);
    if (type && countPresent(*type) > 0)
      usable.push_back({std::move(type), 0});
  }
  if (usable.size() > 1)
    logWarn("backend", "'{}' and '{}' have the same priority; '{}' is the default device (set KILN_DEVICE)",
            usable[0].type->name, usable[1].type->name, usable[0].type->name);
  if (!usable.empty())
    return usable.front();
  return resolve(kFallbackDevice);
}

Result<std::vector<DeviceChoice>> BackendRegistry::devices() {
  KILN_RETURN_IF_ERROR(requireAll());
  std::vector<DeviceChoice> result;
  for (const auto &entry : entries) {
    if (!entry->mayLoad() ||
        (entry->manifest->explicitOnly && entry->library().state() != BackendState::Ready))
      continue;
    if (!entry->whyAbsent(environment.variables).empty())
      continue;
    if (Status status = load(*entry); !status.ok() && isStrict)
      return withContext(status, "KILN_BACKEND_POLICY=strict");
  }
  std::shared_ptr<const RegistrySnapshot> now = snapshot();
  for (const auto &type : now->deviceTypes)
    for (uint32_t i = 0, count = countPresent(*type); i < count; ++i)
      result.push_back({type, i});
  return result;
}

Status BackendRegistry::requireAll() {
  for (const std::string &required : splitList(environment.variables.get("KILN_BACKENDS_REQUIRE"), ","))
    if (Status status = load(required); !status.ok())
      return withContext(status, "KILN_BACKENDS_REQUIRE");
  return {};
}

std::string BackendRegistry::listBackends() const {
  std::vector<BackendReport> reports = backends();
  if (reports.empty())
    return found.autoloadIsOn ? "; no backend was found (jit-info paths shows where they are looked for)"
                              : "; no backend was found: autoload is off (KILN_BACKEND_AUTOLOAD)";
  std::string text;
  for (const BackendReport &report : reports)
    text += fmt::format("\nnote: backend '{}': {}{}{} ({})", report.name, stateName(report.state),
                        report.reason.empty() ? "" : ": ", report.reason, report.manifestPath);
  return text;
}

Status BackendRegistry::unknownDevice(std::string_view spelled) const {
  std::vector<std::string> known;
  for (const auto &entry : entries)
    if (entry->mayLoad())
      for (const ManifestDevice &device : entry->manifest->devices) {
        known.push_back(device.type);
        known.insert(known.end(), device.aliases.begin(), device.aliases.end());
      }
  return notFound("unknown device '{}'{}{}", clipped(spelled), didYouMean(spelled, known), listBackends());
}

} // namespace kiln
