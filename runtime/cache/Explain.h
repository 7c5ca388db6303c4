// Explain.h: why a key has no entry: the entry whose key comes nearest, field by field.
#ifndef KILN_RUNTIME_CACHE_EXPLAIN_H
#define KILN_RUNTIME_CACHE_EXPLAIN_H

#include "runtime/cache/CacheStack.h"

namespace kiln {

/// Tags whose digests differ, or that only one side has, in the order of `wanted`, then of `found`.
std::vector<std::string> differingTags(const KeyFields &wanted, const KeyFields &found);

/// How far keys that differ in these fields are apart: another computation is farther than any other target.
size_t keyDistance(const std::vector<std::string> &tags);

struct NearestEntry {
  std::string path; // below v1, behind the name of a pack; "" if there is no entry of this kind
  EntryInfo info;
  std::vector<std::string> differing;
};
/// Of the folders and packs in a stack; reads the beginning of every entry of the address's kind and space.
/// `isPassedOver`: of entries that do not count; may be null.
NearestEntry nearestEntry(CacheStack &stack, const EntryAddress &address, const KeyFields &fields,
                          const std::function<bool(const EntryKey &key)> &isPassedOver = nullptr);

/// "the nearest entry, 'matmul' (host/3f/9c.kc), differs in features, options".
std::string explainMiss(CacheStack &stack, const EntryAddress &address, const KeyFields &fields);

} // namespace kiln
#endif // KILN_RUNTIME_CACHE_EXPLAIN_H
