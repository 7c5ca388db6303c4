// BackendOptions.cpp: option values checked against a manifest's schema; hints by edit distance.
#include "runtime/BackendOptions.h"

#include "runtime/BackendSearch.h"
#include "runtime/Error.h"

#include <algorithm>

namespace kiln {

namespace {

std::vector<std::string> keysOf(const Manifest &manifest) {
  std::vector<std::string> keys;
  for (const OptionSchema &option : manifest.options)
    keys.push_back(option.key);
  return keys;
}

constexpr size_t kMaxQuoted = 120;  // bytes of foreign text in a message
constexpr size_t kMaxMisspelt = 64; // no name is longer; the distance costs the product of two lengths

// Levenshtein's, one row at a time.
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

} // namespace

Result<BackendOptions> BackendOptions::fromEnvironment(const Manifest &manifest,
                                                       const Environment &environment) {
  BackendOptions options;
  for (const OptionSchema &schema : manifest.options) {
    std::string variable = optionVariable(manifest.name, schema.key);
    std::optional<std::string_view> text = environment.find(variable);
    if (!text) {
      options.values[schema.key] = schema.defaultValue;
      continue;
    }
    KILN_ASSIGN_OR_RETURN(options.values[schema.key], checkOptionValue(schema, *text, variable));
  }
  return options;
}

const std::string *BackendOptions::find(std::string_view key) const {
  auto it = values.find(key);
  return it == values.end() ? nullptr : &it->second;
}

std::vector<std::string> unknownOptionVariables(const Manifest &manifest, const Environment &environment,
                                                const std::vector<std::string> &others) {
  std::vector<std::string> warnings, known;
  for (const OptionSchema &schema : manifest.options)
    known.push_back(optionVariable(manifest.name, schema.key));
  std::string prefix = optionPrefix(manifest.name);
  for (const auto &[name, value] : environment.all()) {
    if (!name.starts_with(prefix) || std::find(known.begin(), known.end(), name) != known.end())
      continue;
    bool belongsToAnother = std::any_of(others.begin(), others.end(), [&](const std::string &other) {
      std::string theirs = optionPrefix(other);
      return theirs.size() > prefix.size() && name.starts_with(theirs);
    });
    if (!belongsToAnother)
      warnings.push_back(
          fmt::format("{}: backend '{}' has no such option{}", name, manifest.name, didYouMean(name, known)));
  }
  return warnings;
}

Result<OptionList> parseOptions(const Manifest &manifest, std::string_view text) {
  OptionList list;
  for (const std::string &part : splitList(text, ";")) {
    size_t equals = part.find('=');
    if (equals == std::string::npos)
      return invalidArgument("option '{}' of '{}': no value; expected key=value", clipped(part),
                             manifest.name);
    std::string key = part.substr(0, equals);
    const OptionSchema *schema = manifest.findOption(key);
    if (!schema) {
      std::vector<std::string> keys = keysOf(manifest);
      return invalidArgument("option '{}': '{}' has no such option{}; it has {}", clipped(key), manifest.name,
                             didYouMean(key, keys),
                             keys.empty() ? "none" : fmt::format("{}", fmt::join(keys, ", ")));
    }
    if (std::any_of(list.begin(), list.end(), [&](const auto &other) { return other.first == key; }))
      return invalidArgument("option '{}' of '{}': given twice", key, manifest.name);
    KILN_ASSIGN_OR_RETURN(std::string value,
                          checkOptionValue(*schema, part.substr(equals + 1),
                                           fmt::format("option '{}' of '{}'", key, manifest.name)));
    list.emplace_back(std::move(key), std::move(value));
  }
  return list;
}

std::string clipped(std::string_view text) {
  if (text.size() <= kMaxQuoted)
    return std::string(text);
  return fmt::format("{}... ({} bytes)", text.substr(0, kMaxQuoted), text.size());
}

std::string didYouMean(std::string_view word, const std::vector<std::string> &candidates) {
  if (word.size() > kMaxMisspelt)
    return "";
  const std::string *best = nullptr;
  size_t least = std::max<size_t>(2, word.size() / 3) + 1; // farther is no typing error
  for (const std::string &candidate : candidates)
    if (size_t distance = editDistance(word, candidate); distance < least) {
      least = distance;
      best = &candidate;
    }
  return best ? fmt::format(", did you mean '{}'?", *best) : "";
}

} // namespace kiln
