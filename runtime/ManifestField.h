// ManifestField.h: a value of a manifest and where it stands: getters that refuse what they did not expect.
//
// Inside the reader of manifests an error is thrown as a Refusal; Manifest::parse makes it a Status.
#ifndef KILN_RUNTIME_MANIFESTFIELD_H
#define KILN_RUNTIME_MANIFESTFIELD_H

#include "runtime/Manifest.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace kiln {

/// What is wrong with a manifest; never leaves Manifest::parse.
struct Refusal {
  std::string text; // without the file's name
};

/// A JSON value with its pointer. Borrows the value; used by one thread.
class ManifestField {
public:
  ManifestField(const nlohmann::json &value, std::string pointer)
      : value(&value), pointer(std::move(pointer)) {}

  [[noreturn]] void refuse(const std::string &text) const {
    throw Refusal{fmt::format(" {}: {}", pointer.empty() ? "/" : pointer, text)};
  }
  [[noreturn]] void wrongKind(const char *expected) const;
  std::optional<ManifestField> find(const std::string &key) const {
    auto it = value->find(key);
    if (it == value->end())
      return std::nullopt;
    return ManifestField(*it, pointer + "/" + key);
  }
  ManifestField get(const char *key) const {
    if (std::optional<ManifestField> field = find(key))
      return *field;
    refuse(fmt::format("'{}' is missing", key));
  }
  std::string text() const {
    if (!value->is_string())
      wrongKind("a string");
    std::string result = value->get<std::string>();
    // Names and paths reach C functions and terminals.
    auto isControl = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    if (auto at = std::find_if(result.begin(), result.end(), isControl); at != result.end())
      refuse(fmt::format("the control character U+{:04X} in a string", static_cast<unsigned char>(*at)));
    return result;
  }
  std::string textOr(const char *key, std::string fallback) const {
    std::optional<ManifestField> field = find(key);
    return field ? field->text() : fallback;
  }
  int64_t integer() const {
    if (!value->is_number_integer() || (value->is_number_unsigned() && value->get<uint64_t>() > INT64_MAX))
      wrongKind("an integer of 64 bits");
    return value->get<int64_t>();
  }
  std::vector<ManifestField> list() const {
    if (!value->is_array())
      wrongKind("a list");
    std::vector<ManifestField> fields;
    for (size_t i = 0; i < value->size(); ++i)
      fields.emplace_back((*value)[i], fmt::format("{}/{}", pointer, i));
    return fields;
  }
  std::vector<std::string> texts(const char *key) const {
    std::vector<std::string> result;
    if (std::optional<ManifestField> field = find(key))
      for (const ManifestField &element : field->list())
        result.push_back(element.text());
    return result;
  }
  const ManifestField &object() const {
    if (!value->is_object())
      wrongKind("an object");
    return *this;
  }
  const nlohmann::json &json() const { return *value; }

private:
  const nlohmann::json *value;
  std::string pointer;
};

/// a-z, 0-9, - and _, starting with a letter, at most 64 of them.
bool isManifestWord(std::string_view text);
/// The declared option `key`, its default checked. ManifestOptions.cpp.
OptionSchema readOption(const std::string &key, const ManifestField &field);
/// Refuses keys that differ only in - and _: one variable would set both.
void checkOptionVariables(const ManifestField &options, const Manifest &manifest);

} // namespace kiln
#endif // KILN_RUNTIME_MANIFESTFIELD_H
