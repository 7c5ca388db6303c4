// ManifestOptions.cpp: the options that a manifest declares, the variables that set them, values against
// them.
#include "runtime/ManifestField.h"

#include "runtime/BackendOptions.h"
#include "runtime/BackendSearch.h"
#include "runtime/Error.h"

#include <charconv>
#include <map>

namespace kiln {

namespace {

const char *kindOf(const nlohmann::json &value) {
  switch (value.type()) {
  case nlohmann::json::value_t::null:
    return "null";
  case nlohmann::json::value_t::object:
    return "an object";
  case nlohmann::json::value_t::array:
    return "a list";
  case nlohmann::json::value_t::string:
    return "a string";
  case nlohmann::json::value_t::boolean:
    return "a boolean";
  case nlohmann::json::value_t::number_integer:
  case nlohmann::json::value_t::number_unsigned:
    return "an integer";
  case nlohmann::json::value_t::number_float:
    return "a number with a fraction or beyond 64 bits";
  case nlohmann::json::value_t::binary:
  case nlohmann::json::value_t::discarded:
    break;
  }
  return "nothing";
}

std::string scalarText(const ManifestField &field) {
  if (field.json().is_boolean())
    return field.json().get<bool>() ? "1" : "0";
  return field.json().is_string() ? field.text() : std::to_string(field.integer());
}

} // namespace

void ManifestField::wrongKind(const char *expected) const {
  refuse(fmt::format("{}; expected {}", kindOf(*value), expected));
}

bool isManifestWord(std::string_view text) {
  return !text.empty() && text.size() <= 64 && text[0] >= 'a' && text[0] <= 'z' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

OptionSchema readOption(const std::string &key, const ManifestField &field) {
  OptionSchema result;
  result.key = key;
  if (!isManifestWord(key))
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
  if (std::optional<ManifestField> range = field.find("range")) {
    std::vector<ManifestField> ends = range->list();
    if (result.type != Type::Integer || ends.size() != 2 || ends[0].integer() > ends[1].integer())
      range->refuse("expected [least, greatest] of an integer option");
    result.minimum = ends[0].integer();
    result.maximum = ends[1].integer();
  }
  result.values = field.texts("values");
  if (result.type != Type::String && !result.values.empty())
    field.get("values").refuse("only a string option lists its values");
  for (const std::string &value : result.values)
    if (value.find(';') != std::string::npos)
      field.get("values").refuse(
          fmt::format("'{}' has a semicolon, which separates options", clipped(value)));
  result.help = field.get("help").text();
  ManifestField byDefault = field.get("default");
  Result<std::string> checked = checkOptionValue(result, scalarText(byDefault), "default");
  if (!checked.ok())
    byDefault.refuse(checked.status().message());
  result.defaultValue = *checked;
  return result;
}

void checkOptionVariables(const ManifestField &options, const Manifest &manifest) {
  std::map<std::string, std::string_view> keys;
  for (const OptionSchema &option : manifest.options) {
    std::string variable = optionVariable(manifest.name, option.key);
    auto [first, isNew] = keys.emplace(variable, option.key);
    if (!isNew)
      options.refuse(
          fmt::format("'{}' and '{}' have the same variable {}", first->second, option.key, variable));
  }
}

std::string optionPrefix(std::string_view backend) { return optionVariable(backend, ""); }

std::string optionVariable(std::string_view backend, std::string_view key) {
  std::string name = fmt::format("kiln_{}_{}", backend, key);
  for (char &c : name)
    c = c == '-' ? '_' : static_cast<char>(toupper(static_cast<unsigned char>(c)));
  return name;
}

Result<std::string> checkOptionValue(const OptionSchema &schema, std::string_view value,
                                     std::string_view where) {
  switch (schema.type) {
  case OptionSchema::Type::String:
    if (value.find(';') != std::string_view::npos)
      return invalidArgument("{}: '{}' has a semicolon, which separates options", where, clipped(value));
    if (schema.values.empty() ||
        std::find(schema.values.begin(), schema.values.end(), value) != schema.values.end())
      return std::string(value);
    return invalidArgument("{}: '{}'; expected one of {}", where, clipped(value),
                           fmt::join(schema.values, ", "));
  case OptionSchema::Type::Integer: {
    int64_t number = 0;
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    bool whole = error == std::errc() && end == value.data() + value.size();
    if (whole && number >= schema.minimum && number <= schema.maximum)
      return std::to_string(number);
    const bool hasRange = schema.minimum != INT64_MIN || schema.maximum != INT64_MAX;
    return invalidArgument("{}: '{}' is {}; expected {}", where, clipped(value),
                           whole ? "out of range" : "not an integer",
                           hasRange ? fmt::format("{} to {}", schema.minimum, schema.maximum)
                                    : std::string("an integer of 64 bits"));
  }
  case OptionSchema::Type::Boolean:
    if (std::optional<bool> on = parseSwitch(value))
      return std::string(*on ? "1" : "0");
    return invalidArgument("{}: '{}' is not a boolean; expected 1 or 0", where, clipped(value));
  }
  return internalError("{}: unknown option type", where);
}

} // namespace kiln
