// JitCacheShow.cpp: jit-cache stats, ls, inspect.
#include "runtime/Error.h"
#include "tools/lib/JitCache.h"
#include "tools/lib/TextTable.h"
#include "tools/lib/ToolMain.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <map>
#include <ostream>

namespace kiln::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string ageText(int64_t since) {
  int64_t age = ::time(nullptr) - since;
  if (age < 0)
    return "future";
  if (age < 120)
    return fmt::format("{} s", age);
  if (age < 7200)
    return fmt::format("{} min", age / 60);
  return age < 2 * 86400 ? fmt::format("{} h", age / 3600) : fmt::format("{} d", age / 86400);
}

} // namespace

std::string shortKey(const EntryKey &key) { return key.hex().substr(0, 12); }

Json cacheEntryJson(const KnownEntry &known) {
  Json json = {{"path", known.path}, {"bytes", known.bytes}, {"used", known.usedS}};
  if (!known.problem.empty()) {
    json["problem"] = known.problem;
    return json;
  }
  const EntryInfo &info = known.entry.info;
  json["key"] = known.entry.key.hex();
  json["kind"] = entryKindName(known.entry.kind);
  json["name"] = info.name;
  json["device"] = info.deviceType;
  json["features"] = info.features;
  json["created"] = info.createdUnixS;
  json["compile_us"] = info.compileUs;
  return json;
}

Result<int> cacheStats(const CacheContext &context) {
  KILN_ASSIGN_OR_RETURN(std::vector<KnownEntry> entries, knownEntries(context));
  struct Sum {
    uint64_t entries = 0, bytes = 0, compileUs = 0;
  };
  std::map<std::string, Sum> byKind; // "host kernel"
  Sum all;
  for (const KnownEntry &entry : entries) {
    std::string kind = entry.problem.empty() ? std::string(entryKindName(entry.entry.kind)) : "unreadable";
    for (Sum *sum : {&byKind[entry.path.substr(0, entry.path.find('/')) + " " + kind], &all}) {
      ++sum->entries;
      sum->bytes += entry.bytes;
      sum->compileUs += entry.entry.info.compileUs;
    }
  }
  if (context.wantsJson()) {
    Json kinds = Json::array();
    for (const auto &[name, sum] : byKind)
      kinds.push_back({{"space", name.substr(0, name.find(' '))},
                       {"kind", name.substr(name.find(' ') + 1)},
                       {"entries", sum.entries},
                       {"bytes", sum.bytes},
                       {"compile_us", sum.compileUs}});
    printCacheJson({{"folder", context.folder.name()},
                    {"mode", cacheModeName(context.settings.mode)},
                    {"entries", all.entries},
                    {"bytes", all.bytes},
                    {"limit_bytes", context.settings.maxBytes},
                    {"kinds", kinds}},
                   context.out);
    return kYes;
  }
  context.out << fmt::format("{}: {} entries, {} of {}, mode {}\n", context.folder.name(), all.entries,
                             bytesText(all.bytes), bytesText(context.settings.maxBytes),
                             cacheModeName(context.settings.mode));
  TextTable table({"SPACE", "KIND", "ENTRIES", "SIZE", "COST"});
  for (const auto &[name, sum] : byKind)
    table.add({name.substr(0, name.find(' ')), name.substr(name.find(' ') + 1), fmt::to_string(sum.entries),
               bytesText(sum.bytes), fmt::format("{:.1f} s", static_cast<double>(sum.compileUs) * 1e-6)});
  if (!table.empty())
    table.print(context.out);
  return kYes;
}

Result<int> cacheList(const CacheContext &context) {
  KILN_ASSIGN_OR_RETURN(std::vector<KnownEntry> entries, knownEntries(context));
  if (context.wantsJson()) {
    Json list = Json::array();
    for (const KnownEntry &entry : entries)
      list.push_back(cacheEntryJson(entry));
    printCacheJson({{"entries", list}}, context.out);
    return kYes;
  }
  TextTable table({"KEY", "KIND", "DEVICE", "SIZE", "USED", "COST", "NAME"});
  for (const KnownEntry &known : entries) {
    const EntryInfo &info = known.entry.info;
    if (!known.problem.empty())
      table.add({known.path, "?", "", bytesText(known.bytes), ageText(known.usedS), "", known.problem});
    else
      table.add({shortKey(known.entry.key), std::string(entryKindName(known.entry.kind)), info.deviceType,
                 bytesText(known.bytes), ageText(known.usedS),
                 fmt::format("{:.1f} ms", static_cast<double>(info.compileUs) * 1e-3), info.name});
  }
  if (!table.empty())
    table.print(context.out);
  return kYes;
}

Result<int> cacheInspect(const CacheContext &context) {
  KILN_ASSIGN_OR_RETURN(KnownEntry known, entryByKey(context, context.operands[0]));
  EntryFault fault = EntryFault::None;
  Result<CacheEntry> entry = context.folder.read(known.path, fault);
  const EntryInfo &info = known.entry.info;
  Json json = cacheEntryJson(known);
  json["verified"] = entry.ok();
  if (!entry.ok())
    json["fault"] = std::string(entryFaultName(fault)) + ": " + entry.status().message();
  else
    json["payload_bytes"] = entry->payload.bytes.size();
  json["compressed"] = known.entry.isCompressed;
  json["symbol"] = info.symbol;
  json["arguments"] = info.arguments;
  for (const auto &[tag, digest] : info.fields)
    json["fields"][tag] = digest;
  if (entry.ok() && context.flags.given("payload")) {
    std::ofstream file(context.flags.text("payload"), std::ios::binary);
    file.write(reinterpret_cast<const char *>(entry->payload.bytes.data()),
               static_cast<std::streamsize>(entry->payload.bytes.size()));
    if (!file.flush())
      return unavailable("--payload: cannot write '{}'", context.flags.text("payload"));
  }
  if (context.wantsJson()) {
    printCacheJson(json, context.out);
  } else {
    for (const auto &[name, value] : json.items())
      if (name == "fields")
        for (const auto &[tag, digest] : value.items())
          context.out << fmt::format("  field {:<16} {}\n", tag, digest.get<std::string>());
      else if (!value.is_string() || !value.get<std::string>().empty())
        context.out << fmt::format("{:<13} {}\n", name,
                                   value.is_string() ? value.get<std::string>() : value.dump());
  }
  return entry.ok() ? kYes : kNo;
}

} // namespace kiln::tools
