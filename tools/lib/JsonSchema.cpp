// JsonSchema.cpp: walks schema and value together.
#include "tools/lib/JsonSchema.h"

#include "tools/ManifestSchema.h" // kManifestSchema, written by CMake from the installed file

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace kiln::tools {
namespace {

constexpr size_t kMaxMatched = 4096; // std::regex recurses for every character

bool hasType(const nlohmann::json &value, std::string_view type) {
  return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
         (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
         (type == "integer" && value.is_number_integer()) || (type == "number" && value.is_number()) ||
         (type == "null" && value.is_null());
}

std::string brief(const nlohmann::json &value) {
  std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

class Checker {
public:
  explicit Checker(const nlohmann::json &root) : root(root) {}
  SchemaFindings findings;

  void check(const nlohmann::json &schema, const nlohmann::json &value, const std::string &pointer) {
    if (auto reference = schema.find("$ref"); reference != schema.end())
      check(root.at(nlohmann::json::json_pointer(reference->get<std::string>().substr(1))), value, pointer);
    checkValue(schema, value, pointer);
    if (value.is_object())
      checkObject(schema, value, pointer);
    if (value.is_array())
      checkArray(schema, value, pointer);
    checkCombined(schema, value, pointer);
  }

private:
  void refuse(const std::string &pointer, const std::string &text) {
    findings.violations.push_back((pointer.empty() ? "/" : pointer) + ": " + text);
  }
  bool holds(const nlohmann::json &schema, const nlohmann::json &value) const {
    Checker inner(root);
    inner.check(schema, value, "");
    return inner.findings.violations.empty();
  }

  void checkValue(const nlohmann::json &schema, const nlohmann::json &value, const std::string &pointer) {
    if (auto type = schema.find("type"); type != schema.end()) {
      std::vector<std::string> types =
          type->is_array() ? type->get<std::vector<std::string>>() : std::vector{type->get<std::string>()};
      if (std::none_of(types.begin(), types.end(), [&](const auto &one) { return hasType(value, one); }))
        refuse(pointer, fmt::format("{}; expected type {}", brief(value), fmt::join(types, " or ")));
    }
    if (auto constant = schema.find("const"); constant != schema.end() && value != *constant)
      refuse(pointer, fmt::format("{}; expected {}", brief(value), brief(*constant)));
    if (auto list = schema.find("enum");
        list != schema.end() && std::find(list->begin(), list->end(), value) == list->end())
      refuse(pointer, fmt::format("{}; expected one of {}", brief(value), list->dump()));
    if (auto minimum = schema.find("minimum");
        minimum != schema.end() && value.is_number() && value < *minimum)
      refuse(pointer, fmt::format("{}; expected at least {}", brief(value), minimum->dump()));
    if (auto pattern = schema.find("pattern"); pattern != schema.end() && value.is_string()) {
      const auto &text = value.get_ref<const std::string &>();
      if (text.size() > kMaxMatched || !std::regex_search(text, std::regex(pattern->get<std::string>())))
        refuse(pointer, fmt::format("{}; expected a match of {}", brief(value), pattern->get<std::string>()));
    }
  }

  void checkObject(const nlohmann::json &schema, const nlohmann::json &value, const std::string &pointer) {
    if (auto required = schema.find("required"); required != schema.end())
      for (const nlohmann::json &key : *required)
        if (!value.contains(key.get<std::string>()))
          refuse(pointer, fmt::format("'{}' is missing", key.get<std::string>()));
    if (value.size() < schema.value("minProperties", size_t(0)) ||
        value.size() > schema.value("maxProperties", SIZE_MAX))
      refuse(pointer, fmt::format("{} keys; expected {}", value.size(), schema.value("minProperties", 0)));
    auto properties = schema.find("properties");
    auto additional = schema.find("additionalProperties");
    for (const auto &[key, member] : value.items()) {
      std::string place = pointer + "/" + key;
      if (properties != schema.end() && properties->contains(key))
        check((*properties)[key], member, place);
      else if (additional != schema.end() && additional->is_object())
        check(*additional, member, place);
      else if (additional != schema.end() && *additional == false)
        refuse(place, "unknown key");
      else if (properties != schema.end())
        findings.unknownKeys.push_back(place);
    }
  }

  void checkArray(const nlohmann::json &schema, const nlohmann::json &value, const std::string &pointer) {
    if (value.size() < schema.value("minItems", size_t(0)) ||
        value.size() > schema.value("maxItems", SIZE_MAX))
      refuse(pointer, fmt::format("{} elements; expected {}", value.size(), schema.value("minItems", 0)));
    if (auto items = schema.find("items"); items != schema.end())
      for (size_t i = 0; i < value.size(); ++i)
        check(*items, value[i], fmt::format("{}/{}", pointer, i));
  }

  void checkCombined(const nlohmann::json &schema, const nlohmann::json &value, const std::string &pointer) {
    auto count = [&](const nlohmann::json &list) {
      return std::count_if(list.begin(), list.end(),
                           [&](const nlohmann::json &one) { return holds(one, value); });
    };
    if (auto list = schema.find("anyOf"); list != schema.end() && count(*list) == 0)
      refuse(pointer, fmt::format("{}; expected one of {} forms", brief(value), list->size()));
    if (auto list = schema.find("oneOf"); list != schema.end() && count(*list) != 1)
      refuse(pointer, fmt::format("{}; expected exactly one of {} forms", brief(value), list->size()));
    if (auto refused = schema.find("not"); refused != schema.end() && holds(*refused, value))
      refuse(pointer, fmt::format("{} is reserved", brief(value)));
  }

  const nlohmann::json &root;
};

} // namespace

SchemaFindings checkSchema(const nlohmann::json &schema, const nlohmann::json &value) {
  Checker checker(schema);
  checker.check(schema, value, "");
  return std::move(checker.findings);
}

const nlohmann::json &manifestSchema() {
  static const nlohmann::json schema = nlohmann::json::parse(kManifestSchema);
  return schema;
}

} // namespace kiln::tools
