// Manifest.cpp: reads NAME.kiln.json in two passes: StrictJson refuses what a DOM would hide (duplicate keys,
// depth), then the fields one by one.
#include "runtime/ManifestField.h"

#include "runtime/BackendOptions.h"
#include "runtime/Error.h"
#include "runtime/StrictJson.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln {

namespace {

using Json = nlohmann::json;
using Field = ManifestField;

constexpr std::string_view kHostName = "host";
constexpr std::array<std::string_view, 7> kStageNames = {"graph",  "form",  "tensor", "tile",
                                                         "buffer", "lower", "emit"};
// Words that cannot name a backend: KILN_<WORD>_... means something else.
constexpr std::array<std::string_view, 9> kReservedNames = {
    "backend", "backends", "cache", "compiler", "device", "log", "require", "test", "torch"};

std::string word(const Field &field) {
  std::string text = field.text();
  if (!isManifestWord(text) || text == "auto")
    field.refuse(fmt::format("'{}' is no name; expected letters a-z, digits, - and _, not 'auto'", text));
  return text;
}

// A file beside the manifest: never the system's library path, never outside the folder.
std::string fileName(const Field &field) {
  std::string text = field.text();
  if (text.empty() || text[0] == '/' || text == ".." || text.starts_with("../") ||
      text.find("/../") != std::string::npos || text.ends_with("/.."))
    field.refuse(fmt::format("'{}' is no path below the manifest's folder", text));
  return text;
}

std::string stage(const Field &field) {
  std::string text = field.text();
  if (std::find(kStageNames.begin(), kStageNames.end(), text) == kStageNames.end())
    field.refuse(fmt::format("'{}' is no stage; expected one of {}", text, fmt::join(kStageNames, ", ")));
  return text;
}

// A probe is asked by every process that lists devices: it must be cheap, whatever the manifest says.
void checkPattern(const Field &field, const ProbeCondition &condition) {
  const std::string &text = condition.pattern;
  switch (condition.kind) {
  case ProbeCondition::Kind::Always:
    return;
  case ProbeCondition::Kind::PciId:
    if (std::count(text.begin(), text.end(), ':') != 1 || text.size() > 9 ||
        text.find_first_not_of("0123456789abcdef*?:") != std::string::npos)
      field.refuse(fmt::format("'{}'; expected VENDOR:DEVICE, four lower-case hexadecimal digits or * each",
                               clipped(text)));
    return;
  case ProbeCondition::Kind::File:
    if (text[0] != '/' || text.substr(0, text.rfind('/')).find_first_of("*?[") != std::string::npos)
      field.refuse(
          fmt::format("'{}'; expected an absolute path with * and ? in its last part only", clipped(text)));
    return;
  case ProbeCondition::Kind::Variable:
    if (text.find('=') != std::string::npos)
      field.refuse(fmt::format("'{}'; expected the name of a variable", clipped(text)));
    return;
  }
}

ProbeCondition probeCondition(const Field &field) {
  if (field.json().is_string()) {
    if (field.text() != "always")
      field.refuse(fmt::format("'{}'; expected \"always\" or an object", field.text()));
    return {};
  }
  if (field.object().json().size() != 1)
    field.refuse("expected one key of pci, file, environment");
  using Kind = ProbeCondition::Kind;
  for (auto [key, kind] :
       {std::pair{"pci", Kind::PciId}, {"file", Kind::File}, {"environment", Kind::Variable}})
    if (std::optional<Field> pattern = field.find(key)) {
      ProbeCondition condition{kind, pattern->text()};
      if (condition.pattern.empty())
        pattern->refuse("expected a pattern");
      checkPattern(*pattern, condition);
      return condition;
    }
  field.refuse(fmt::format("'{}'; expected one key of pci, file, environment", field.json().begin().key()));
}

ManifestDevice device(const Field &field) {
  ManifestDevice result;
  result.type = word(field.object().get("type"));
  std::string kind = field.textOr("kind", "hardware");
  if (kind != "hardware" && kind != "software")
    field.get("kind").refuse(fmt::format("'{}'; expected hardware or software", kind));
  result.kind = kind == "software" ? KILN_DEVICE_SOFTWARE : KILN_DEVICE_HARDWARE;
  if (std::optional<Field> aliases = field.find("aliases"))
    for (const Field &alias : aliases->list())
      result.aliases.push_back(word(alias));
  if (std::optional<Field> priority = field.find("priority"))
    result.priority = priority->integer();
  if (std::optional<Field> probe = field.find("probe")) {
    if (probe->json().is_array())
      for (const Field &condition : probe->list())
        result.probe.push_back(probeCondition(condition));
    else
      result.probe.push_back(probeCondition(*probe));
  }
  return result;
}

ManifestAbi abiBlock(const Field &field) {
  ManifestAbi abi;
  abi.present = true;
  auto number = [&](const char *key) {
    Field part = field.object().get(key);
    int64_t value = part.integer();
    if (value < 0 || value > UINT32_MAX)
      part.refuse(fmt::format("{}; expected a version number", value));
    return static_cast<uint32_t>(value);
  };
  abi.major = number("major");
  abi.minor = number("minor");
  abi.llvm = field.textOr("llvm", "");
  abi.runtime = field.textOr("runtime", "");
  abi.compiler = field.textOr("compiler", "");
  return abi;
}

// Names that must differ: device types and their aliases.
void checkDistinct(const Field &root, const Manifest &manifest) {
  std::set<std::string_view> seen;
  for (const ManifestDevice &device : manifest.devices) {
    std::vector<std::string_view> names(device.aliases.begin(), device.aliases.end());
    names.push_back(device.type);
    for (std::string_view name : names)
      if (!seen.insert(name).second)
        root.get("devices").refuse(fmt::format("'{}' names two devices", name));
      else if (name == kHostName && manifest.name != kHostName)
        root.get("devices").refuse("'host' names the device that always works; only backend 'host' has it");
  }
}

ManifestExtension extension(const Field &field, const Manifest &manifest) {
  bool after = field.object().find("after").has_value();
  if (after == field.find("before").has_value())
    field.refuse("expected one of 'before' and 'after', a stage");
  Field where = field.get(after ? "after" : "before"), target = field.get("target");
  ManifestExtension result{word(target), stage(where), after};
  if (manifest.findDevice(result.target))
    target.refuse(
        fmt::format("'{}' is a device of this manifest; its own stages need no 'extends'", result.target));
  for (const ManifestExtension &other : manifest.extends)
    if (other.target == result.target && other.stage == result.stage && other.after == result.after)
      field.refuse("stands twice in 'extends'");
  return result;
}

// What torch_kiln reads: the device it offers, the dispatch key it asks for, who goes first.
void checkTorch(const Field &torch, const Manifest &manifest) {
  if (std::optional<Field> device = torch.find("device"))
    if (std::string type = device->text(); !manifest.findDevice(type))
      device->refuse(fmt::format("'{}' is none of the manifest's devices", type));
  if (std::optional<Field> slot = torch.find("slot"))
    slot->text();
  if (std::optional<Field> priority = torch.find("priority"))
    priority->integer();
}

Manifest readFields(const Field &root) {
  Manifest manifest;
  Field major = root.object().get("manifest");
  if (int64_t value = major.integer(); value != 1)
    major.refuse(fmt::format("version {}; this Kiln reads version 1", value));
  Field name = root.get("name");
  manifest.name = name.text();
  if (Status status = checkBackendName(manifest.name); !status.ok())
    name.refuse(status.message());
  manifest.version = root.get("version").text();
  manifest.library = fileName(root.get("library"));
  if (std::optional<Field> compiler = root.find("compiler"))
    manifest.compiler = fileName(*compiler);
  manifest.arch = root.textOr("arch", "");
  if (std::optional<Field> abi = root.find("abi"))
    manifest.abi = abiBlock(*abi);
  std::string activation = root.textOr("activation", "default");
  if (activation != "default" && activation != "explicit")
    root.get("activation").refuse(fmt::format("'{}'; expected default or explicit", activation));
  manifest.explicitOnly = activation == "explicit";
  if (std::optional<Field> options = root.find("options")) {
    for (auto &[key, value] : options->object().json().items())
      manifest.options.push_back(readOption(key, *options->find(key)));
    checkOptionVariables(*options, manifest);
  }
  if (std::optional<Field> devices = root.find("devices"))
    for (const Field &element : devices->list())
      manifest.devices.push_back(device(element));
  checkDistinct(root, manifest);
  if (std::optional<Field> extends = root.find("extends"))
    for (const Field &element : extends->list())
      manifest.extends.push_back(extension(element, manifest));
  if (std::optional<Field> extensible = root.find("extensible"))
    for (const Field &element : extensible->list())
      manifest.extensible.push_back(stage(element));
  manifest.dialects = root.texts("dialects");
  manifest.pipelines = root.texts("pipelines");
  if (std::optional<Field> frameworks = root.find("frameworks")) {
    if (std::optional<Field> torch = frameworks->object().find("torch"))
      checkTorch(torch->object(), manifest);
    manifest.frameworks = frameworks->json().dump();
  }
  return manifest;
}

} // namespace

std::string Manifest::folder() const {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

const OptionSchema *Manifest::findOption(std::string_view key) const {
  auto it = std::find_if(options.begin(), options.end(), [&](const OptionSchema &o) { return o.key == key; });
  return it == options.end() ? nullptr : &*it;
}

const ManifestDevice *Manifest::findDevice(std::string_view type) const {
  auto it =
      std::find_if(devices.begin(), devices.end(), [&](const ManifestDevice &d) { return d.type == type; });
  return it == devices.end() ? nullptr : &*it;
}

Result<Manifest> Manifest::parse(std::string_view text, std::string_view path) {
  if (text.size() > kMaxManifestBytes)
    return invalidArgument("{}: {} bytes; a manifest has at most {}", path, text.size(), kMaxManifestBytes);
  if (size_t nul = text.find('\0'); nul != std::string_view::npos) // the parser would take it for the end
    return invalidArgument("{}: a NUL byte at offset {}; expected plain UTF-8", path, nul);
  if (text.starts_with("\xef\xbb\xbf"))
    return invalidArgument("{}:1:1: a byte order mark; expected plain UTF-8", path);
  try {
    if (std::string problem = strictJsonProblem(text, kMaxManifestDepth); !problem.empty())
      return invalidArgument("{}:{}", path, problem);
    Json json = Json::parse(text);
    Manifest manifest = readFields(Field(json, ""));
    manifest.path = path;
    return manifest;
  } catch (const Refusal &refusal) {
    return invalidArgument("{}:{}", path, refusal.text);
  } catch (const std::exception &error) { // out of memory, or a case that the checks above missed
    return invalidArgument("{}: {}", path, error.what());
  }
}

Result<Manifest> Manifest::load(std::string_view path) {
  KILN_ASSIGN_OR_RETURN(std::string text, readFile(path));
  return parse(text, path);
}

Result<std::string> Manifest::readFile(std::string_view path) {
  std::string name(path);
  // O_NONBLOCK: a FIFO in the folder must not hang the process.
  int fd = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return Status(errno == ENOENT ? Code::NotFound : Code::PermissionDenied,
                  fmt::format("{}: cannot be read: {}", path, strerror(errno)));
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return invalidArgument("{}: not a regular file", path);
  }
  std::string text;
  char chunk[16384];
  ssize_t count = 0;
  while (text.size() <= kMaxManifestBytes && (count = ::read(fd, chunk, sizeof chunk)) > 0)
    text.append(chunk, count);
  ::close(fd);
  if (count < 0)
    return invalidArgument("{}: cannot be read: {}", path, strerror(errno));
  return text;
}

Status checkBackendName(std::string_view name) {
  if (!isManifestWord(name))
    return invalidArgument("'{}' is no backend name; expected letters a-z, digits, - and _", name);
  if (std::find(kReservedNames.begin(), kReservedNames.end(), name) != kReservedNames.end())
    return invalidArgument("'{}' is a reserved word and names no backend", name);
  return {};
}

} // namespace kiln
