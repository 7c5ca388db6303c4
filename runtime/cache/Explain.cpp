// Explain.cpp: compares digests of fields; the values themselves are not kept.
#include "runtime/cache/Explain.h"

#include "runtime/Error.h"

#include <algorithm>

namespace kiln {

std::vector<std::string> differingTags(const KeyFields &wanted, const KeyFields &found) {
  std::vector<std::string> tags;
  auto digestIn = [](const KeyFields &fields, const std::string &tag) -> const std::string * {
    auto it =
        std::find_if(fields.begin(), fields.end(), [&](const auto &field) { return field.first == tag; });
    return it == fields.end() ? nullptr : &it->second;
  };
  for (const auto &[tag, digest] : wanted)
    if (const std::string *other = digestIn(found, tag); !other || *other != digest)
      tags.push_back(tag);
  for (const auto &[tag, digest] : found)
    if (!digestIn(wanted, tag))
      tags.push_back(tag);
  return tags;
}

size_t keyDistance(const std::vector<std::string> &tags) {
  constexpr size_t otherComputation = 1000; // more than a key has fields
  bool isOther = std::any_of(tags.begin(), tags.end(), [](const std::string &tag) {
    return tag == "ir" || tag == "model" || tag == "content";
  });
  return tags.size() + (isOther ? otherComputation : 0);
}

NearestEntry nearestEntry(CacheStack &stack, const EntryAddress &address, const KeyFields &fields,
                          const std::function<bool(const EntryKey &key)> &isPassedOver) {
  NearestEntry nearest;
  for (const std::unique_ptr<CacheLayer> &layer : stack.layers())
    layer->describeAll(address.kind, address.space, [&](const std::string &path, CacheEntry entry) {
      if (entry.info.fields.empty() || (isPassedOver && isPassedOver(entry.key)))
        return;
      std::vector<std::string> differing = differingTags(fields, entry.info.fields);
      if (nearest.path.empty() || keyDistance(differing) < keyDistance(nearest.differing))
        nearest = {path, std::move(entry.info), std::move(differing)};
    });
  return nearest;
}

std::string explainMiss(CacheStack &stack, const EntryAddress &address, const KeyFields &fields) {
  NearestEntry nearest = nearestEntry(stack, address, fields);
  if (nearest.path.empty())
    return fmt::format("there is no {} of '{}' at all", entryKindName(address.kind), address.space);
  if (nearest.differing.empty())
    return fmt::format("an entry with the same fields lies at {}", nearest.path);
  return fmt::format("the nearest, '{}' ({}), differs in {}", nearest.info.name, nearest.path,
                     fmt::join(nearest.differing, ", "));
}

} // namespace kiln
