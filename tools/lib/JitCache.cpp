// JitCache.cpp: jit-cache: dispatch, and what its commands share.
#include "tools/lib/JitCache.h"

#include "runtime/Error.h"
#include "tools/lib/ToolMain.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace kiln::tools {
namespace {

struct Command {
  std::string_view name;
  size_t operands;
  bool writes;
  Result<int> (*run)(const CacheContext &);
};
constexpr Command kCacheCommands[] = {
    {"stats", 0, false, cacheStats},     {"ls", 0, false, cacheList},
    {"inspect", 1, false, cacheInspect}, {"verify", 0, false, cacheVerify},
    {"gc", 0, true, cacheCollect},       {"pack", 1, false, cachePack},
    {"unpack", 1, true, cacheUnpack},    {"explain", 1, false, cacheExplain},
    {"clear", 0, true, cacheClear},
};

Result<int> dispatchCache(const ParsedFlags &flags, std::ostream &out, std::ostream &err) {
  const std::vector<std::string> &words = flags.operands();
  auto command = std::find_if(std::begin(kCacheCommands), std::end(kCacheCommands),
                              [&](const Command &one) { return one.name == words[0]; });
  if (command == std::end(kCacheCommands))
    return usageError(kJitCacheSpec,
                      fmt::format("unknown command '{}'; expected {}", words[0], kJitCacheSpec.operandHelp),
                      err);
  if (words.size() != command->operands + 1)
    return usageError(
        kJitCacheSpec,
        fmt::format("{}: {} operands; expected {}", words[0], words.size() - 1, command->operands), err);
  CacheSettings settings = CacheSettings::of(Environment::process());
  if (flags.given("dir"))
    settings.folder = flags.text("dir");
  if (settings.folder.empty())
    return failedPrecondition(
        "no cache folder: KILN_CACHE_DIR, XDG_CACHE_HOME and HOME are not set; expected "
        "--dir");
  CacheCounters counters;
  bool writes = command->writes || flags.given("repair");
  KILN_ASSIGN_OR_RETURN(std::unique_ptr<CacheDirectory> folder,
                        CacheDirectory::open(settings.folder, {writes, settings.maxBytes}, counters));
  std::vector<std::string> operands(words.begin() + 1, words.end());
  return command->run({*folder, settings, counters, flags, operands, out});
}

} // namespace

std::string bytesText(uint64_t bytes) {
  constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

void printCacheJson(const nlohmann::ordered_json &json, std::ostream &out) {
  out << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
}

Result<std::vector<KnownEntry>> knownEntries(const CacheContext &context) {
  std::optional<EntryKind> kind = parseEntryKind(context.flags.text("kind"));
  std::string space = context.flags.given("device") ? spaceOf(context.flags.text("device")) + "/" : "";
  std::vector<KnownEntry> entries;
  KILN_RETURN_IF_ERROR(context.folder.visit([&](const ListedEntry &listed) {
    if (!listed.path.starts_with(space))
      return;
    KnownEntry known;
    known.path = listed.path;
    known.bytes = static_cast<uint64_t>(listed.info.st_size);
    known.usedS = listed.info.st_mtim.tv_sec;
    EntryFault fault = EntryFault::None;
    Result<CacheEntry> entry = context.folder.describe(listed.path, fault);
    if (entry.ok())
      known.entry = *std::move(entry);
    else
      known.problem = entry.status().message();
    if (!kind || (entry.ok() && known.entry.kind == *kind))
      entries.push_back(std::move(known));
  }));
  std::sort(entries.begin(), entries.end(),
            [](const KnownEntry &a, const KnownEntry &b) { return a.path < b.path; });
  return entries;
}

Result<KnownEntry> entryByKey(const CacheContext &context, const std::string &prefix) {
  KILN_ASSIGN_OR_RETURN(std::vector<KnownEntry> entries, knownEntries(context));
  std::vector<KnownEntry> found;
  for (KnownEntry &entry : entries) {
    std::string hex = entry.path.substr(entry.path.find('/') + 1);
    hex.erase(2, 1); // the slash between shard and name
    if (hex.starts_with(prefix))
      found.push_back(std::move(entry));
  }
  if (found.empty())
    return notFound("key '{}': no entry in '{}' starts so", prefix, context.folder.name());
  if (found.size() > 1)
    return invalidArgument("key '{}': {} entries start so, as {} and {}; expected more digits", prefix,
                           found.size(), found[0].path, found[1].path);
  return std::move(found.front());
}

int jitCache(int argc, const char *const *argv, std::ostream &out, std::ostream &err) {
  return runTool(kJitCacheSpec, argc, argv, out, err, dispatchCache);
}

} // namespace kiln::tools
