// Manifest.cpp: reads NAME.kiln.json in two passes: StrictJson refuses what a DOM would hide (duplicate keys,
// depth), then the fields one by one. Inside this file an error is thrown as a Refusal and becomes a
// Status at the end.
#include "runtime/Manifest.h"

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

constexpr std::array<std::string_view, 7> kStageNames = {"graph",  "form",  "tensor", "tile",
                                                         "buffer", "lower", "emit"};
// Words that cannot name a backend: KILN_<WORD>_... means something else.
constexpr std::array<std::string_view, 8> kReservedNames = {"backend", "backends", "cache", "device",
                                                            "log",     "require",  "test",  "torch"};

struct Refusal {
  std::string text; // without the file's name
};

const char *kindOf(const Json &value) {
  switch (value.type()) {
  case Json::value_t::null:
    return "null";
  case Json::value_t::object:
    return "an object";
  case Json::value_t::array:
    return "a list";
  case Json::value_t::string:
    return "a string";
  case Json::value_t::boolean:
    return "a boolean";
  case Json::value_t::number_integer:
  case Json::value_t::number_unsigned:
    return "an integer";
  case Json::value_t::number_float:
    return "a fraction";
  case Json::value_t::binary:
  case Json::value_t::discarded:
    break;
  }
  return "nothing";
}

/// A JSON value and where it stands; every getter throws a Refusal that names the place.
class Field {
public:
  Field(const Json &value, std::string pointer) : value(&value), pointer(std::move(pointer)) {}

  [[noreturn]] void refuse(const std::string &text) const {
    throw Refusal{fmt::format(" {}: {}", pointer.empty() ? "/" : pointer, text)};
  }
  [[noreturn]] void wrongKind(const char *expected) const {
    refuse(fmt::format("{}; expected {}", kindOf(*value), expected));
  }
  std::optional<Field> find(const char *key) const {
    auto it = value->find(key);
    if (it == value->end())
      return std::nullopt;
    return Field(*it, pointer + "/" + key);
  }
  Field get(const char *key) const {
    if (std::optional<Field> field = find(key))
      return *field;
    refuse(fmt::format("'{}' is missing", key));
  }
  std::string text() const {
    if (!value->is_string())
      wrongKind("a string");
    std::string result = value->get<std::string>();
    if (result.find('\0') != std::string::npos)
      refuse("a NUL byte in a string");
    return result;
  }
  std::string textOr(const char *key, std::string fallback) const {
    std::optional<Field> field = find(key);
    return field ? field->text() : fallback;
  }
  int64_t integer() const {
    if (!value->is_number_integer() || (value->is_number_unsigned() && value->get<uint64_t>() > INT64_MAX))
      wrongKind("an integer of 64 bits");
    return value->get<int64_t>();
  }
  std::vector<Field> list() const {
    if (!value->is_array())
      wrongKind("a list");
    std::vector<Field> fields;
    for (size_t i = 0; i < value->size(); ++i)
      fields.emplace_back((*value)[i], fmt::format("{}/{}", pointer, i));
    return fields;
  }
  std::vector<std::string> texts(const char *key) const {
    std::vector<std::string> result;
    if (std::optional<Field> field = find(key))
      for (const Field &element : field->list())
        result.push_back(element.text());
    return result;
  }
  const Field &object() const {
    if (!value->is_object())
      wrongKind("an object");
    return *this;
  }
  const Json &json() const { return *value; }

private:
  const Json *value;
  std::string pointer;
};

bool isWord(std::string_view text) {
  return !text.empty() && text.size() <= 64 && text[0] >= 'a' && text[0] <= 'z' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

std::string word(const Field &field) {
  std::string text = field.text();
  if (!isWord(text) || text == "auto")
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
      if (kind == Kind::PciId && condition.pattern.find(':') == std::string::npos)
        pattern->refuse(fmt::format("'{}'; expected VENDOR:DEVICE, four hexadecimal digits or * each",
                                    condition.pattern));
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

std::string scalarText(const Field &field) {
  if (field.json().is_boolean())
    return field.json().get<bool>() ? "1" : "0";
  return field.json().is_string() ? field.text() : std::to_string(field.integer());
}

OptionSchema option(const std::string &key, const Field &field) {
  OptionSchema result;
  result.key = key;
  if (!isWord(key))
    field.refuse(fmt::format("'{}' is no option name; expected letters a-z, digits, - and _", key));
  std::string type = field.object().get("type").text();
  using Type = OptionSchema::Type;
  if (type == "string")
    result.type = Type::String;
  else if (type == "integer")
    result.type = Type::Integer;
  else if (type == "boolean")
    result.type = Type::Boolean;
  else
    field.get("type").refuse(fmt::format("'{}'; expected string, integer or boolean", type));
  if (std::optional<Field> range = field.find("range")) {
    std::vector<Field> ends = range->list();
    if (result.type != Type::Integer || ends.size() != 2 || ends[0].integer() > ends[1].integer())
      range->refuse("expected [least, greatest] of an integer option");
    result.minimum = ends[0].integer();
    result.maximum = ends[1].integer();
  }
  result.values = field.texts("values");
  if (result.type != Type::String && !result.values.empty())
    field.get("values").refuse("only a string option lists its values");
  result.help = field.get("help").text();
  Field byDefault = field.get("default");
  Result<std::string> checked = checkOptionValue(result, scalarText(byDefault), "default");
  if (!checked.ok())
    byDefault.refuse(checked.status().message());
  result.defaultValue = *checked;
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
  }
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
  if (std::optional<Field> options = root.find("options"))
    for (auto &[key, value] : options->object().json().items())
      manifest.options.push_back(option(key, *options->find(key.c_str())));
  if (std::optional<Field> devices = root.find("devices"))
    for (const Field &element : devices->list())
      manifest.devices.push_back(device(element));
  checkDistinct(root, manifest);
  if (std::optional<Field> extends = root.find("extends"))
    for (const Field &element : extends->list()) {
      bool after = element.object().find("after").has_value();
      if (after == element.find("before").has_value())
        element.refuse("expected one of 'before' and 'after', a stage");
      Field where = element.get(after ? "after" : "before");
      manifest.extends.push_back({word(element.get("target")), stage(where), after});
    }
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

std::string optionPrefix(std::string_view backend) { return optionVariable(backend, ""); }

std::string optionVariable(std::string_view backend, std::string_view key) {
  std::string name = fmt::format("kiln_{}_{}", backend, key);
  for (char &c : name)
    c = c == '-' ? '_' : static_cast<char>(toupper(static_cast<unsigned char>(c)));
  return name;
}

Status checkBackendName(std::string_view name) {
  if (!isWord(name))
    return invalidArgument("'{}' is no backend name; expected letters a-z, digits, - and _", name);
  if (std::find(kReservedNames.begin(), kReservedNames.end(), name) != kReservedNames.end())
    return invalidArgument("'{}' is a reserved word and names no backend", name);
  return {};
}

Result<std::string> checkOptionValue(const OptionSchema &schema, std::string_view value,
                                     std::string_view where) {
  switch (schema.type) {
  case OptionSchema::Type::String:
    if (value.find(';') != std::string_view::npos)
      return invalidArgument("{}: '{}' has a semicolon, which separates options", where, value);
    if (schema.values.empty() ||
        std::find(schema.values.begin(), schema.values.end(), value) != schema.values.end())
      return std::string(value);
    return invalidArgument("{}: '{}'; expected one of {}", where, value, fmt::join(schema.values, ", "));
  case OptionSchema::Type::Integer: {
    int64_t number = 0;
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    bool whole = error == std::errc() && end == value.data() + value.size();
    if (whole && number >= schema.minimum && number <= schema.maximum)
      return std::to_string(number);
    return invalidArgument("{}: '{}' is {}; expected {} to {}", where, value,
                           whole ? "out of range" : "not an integer", schema.minimum, schema.maximum);
  }
  case OptionSchema::Type::Boolean:
    for (std::string_view yes : {"1", "on", "true", "yes"})
      if (value == yes)
        return std::string("1");
    for (std::string_view no : {"0", "off", "false", "no"})
      if (value == no)
        return std::string("0");
    return invalidArgument("{}: '{}' is not a boolean; expected 1 or 0", where, value);
  }
  return internalError("{}: unknown option type", where);
}

} // namespace kiln
