// JitCache.h: the commands of jit-cache.
#ifndef KILN_TOOLS_LIB_JITCACHE_H
#define KILN_TOOLS_LIB_JITCACHE_H

#include "runtime/cache/CacheStack.h"
#include "tools/lib/Flags.h"

#include <nlohmann/json.hpp>

#include <iosfwd>

namespace kiln::tools {

extern const ToolSpec kJitCacheSpec;

/// What a command works on. Borrowed for the call.
struct CacheContext {
  CacheDirectory &folder;
  const CacheSettings &settings;
  CacheCounters &counters;
  const ParsedFlags &flags;
  const std::vector<std::string> &operands; // behind the command
  std::ostream &out;
  bool wantsJson() const { return flags.given("json"); }
};

/// An entry in the folder with what it says of itself; `problem`: why it says nothing.
struct KnownEntry {
  std::string path, problem;
  CacheEntry entry; // without payload
  uint64_t bytes = 0;
  int64_t usedS = 0; // since 1970
};

// Each prints to `out` and gives an exit code, or the error that kept it from doing so.
Result<int> cacheStats(const CacheContext &context);
Result<int> cacheList(const CacheContext &context);
Result<int> cacheInspect(const CacheContext &context);
/// Checks every entry as a reader would; kNo if one does not hold.
Result<int> cacheVerify(const CacheContext &context);
Result<int> cacheCollect(const CacheContext &context);
Result<int> cachePack(const CacheContext &context);
Result<int> cacheUnpack(const CacheContext &context);
/// Of an entry: in which fields of the key it differs from the nearest other one. Of a model: what a run of
/// it would not find, and why; kNo if that is anything.
Result<int> cacheExplain(const CacheContext &context);
Result<int> cacheClear(const CacheContext &context);

// Parts that several commands share.
/// The entries that --kind and --device ask for, by path.
Result<std::vector<KnownEntry>> knownEntries(const CacheContext &context);
/// The one entry whose key starts like this. NotFound; InvalidArgument: several do.
Result<KnownEntry> entryByKey(const CacheContext &context, const std::string &prefix);
std::string bytesText(uint64_t bytes); // "1.5 MiB"
std::string shortKey(const EntryKey &key);
nlohmann::ordered_json cacheEntryJson(const KnownEntry &known);
void printCacheJson(const nlohmann::ordered_json &json, std::ostream &out);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_JITCACHE_H
