// JitCacheKeep.cpp: jit-cache verify, gc, clear, pack, unpack.
#include "runtime/Error.h"
#include "runtime/cache/PackFile.h"
#include "tools/lib/JitCache.h"
#include "tools/lib/ReadFile.h"
#include "tools/lib/ToolMain.h"

#include <fmt/format.h>

#include <ostream>

namespace kiln::tools {
namespace {

using Json = nlohmann::ordered_json;

/// A flag that says more than the parser can check.
Result<uint64_t> sizeLimit(const CacheContext &context) {
  if (!context.flags.given("size"))
    return context.settings.maxBytes;
  std::string text = context.flags.text("size");
  if (std::optional<uint64_t> bytes = parseBytes(text))
    return *bytes;
  return invalidArgument("--size: '{}'; expected bytes, as 5368709120 or 5G", text);
}

} // namespace

Result<int> cacheVerify(const CacheContext &context) {
  KILN_ASSIGN_OR_RETURN(std::vector<KnownEntry> entries, knownEntries(context));
  Json bad = Json::array();
  uint64_t good = 0, others = 0;
  for (const KnownEntry &known : entries) {
    EntryFault fault = EntryFault::None;
    Result<CacheEntry> entry = context.folder.read(known.path, fault);
    if (entry.ok()) {
      ++good;
      continue;
    }
    if (entry.status().code() == Code::Unimplemented) { // of another version of Kiln
      ++others;
      continue;
    }
    bad.push_back(
        {{"path", known.path}, {"fault", entryFaultName(fault)}, {"message", entry.status().message()}});
    if (!context.wantsJson())
      context.out << fmt::format("{}: {}: {}\n", known.path, entryFaultName(fault), entry.status().message());
    if (context.flags.given("repair"))
      context.folder.quarantine(known.path, fault);
  }
  if (context.wantsJson())
    printCacheJson({{"good", good}, {"other_versions", others}, {"bad", bad}}, context.out);
  else
    context.out << fmt::format("{} entries hold, {} do not, {} are of other versions\n", good, bad.size(),
                               others);
  return bad.empty() ? kYes : kNo;
}

Result<int> cacheCollect(const CacheContext &context) {
  KILN_ASSIGN_OR_RETURN(uint64_t limit, sizeLimit(context));
  KILN_ASSIGN_OR_RETURN(CacheDirectory::Collected collected, context.folder.collect(limit));
  if (context.wantsJson())
    printCacheJson({{"entries", collected.entries},
                    {"bytes", collected.bytes},
                    {"evicted", collected.evicted},
                    {"evicted_bytes", collected.evictedBytes},
                    {"temporaries", collected.temporaries},
                    {"quarantined", collected.bad}},
                   context.out);
  else
    context.out << fmt::format(
        "{} entries evicted ({}), {} left ({}); {} temporaries and {} quarantined removed\n",
        collected.evicted, bytesText(collected.evictedBytes), collected.entries, bytesText(collected.bytes),
        collected.temporaries, collected.bad);
  return kYes;
}

Result<int> cacheClear(const CacheContext &context) {
  KILN_ASSIGN_OR_RETURN(std::vector<KnownEntry> entries, knownEntries(context));
  uint64_t removed = 0, bytes = 0;
  for (const KnownEntry &known : entries) {
    Status status = context.folder.remove(known.path);
    if (!status.ok() && status.code() != Code::NotFound) // another process was faster
      return status;
    removed += status.ok();
    bytes += status.ok() ? known.bytes : 0;
  }
  if (context.wantsJson())
    printCacheJson({{"removed", removed}, {"bytes", bytes}}, context.out);
  else
    context.out << fmt::format("{} entries removed ({})\n", removed, bytesText(bytes));
  return kYes;
}

Result<int> cachePack(const CacheContext &context) {
  KILN_ASSIGN_OR_RETURN(std::vector<KnownEntry> entries, knownEntries(context));
  KILN_ASSIGN_OR_RETURN(PackWriter writer, PackWriter::create(context.operands[0]));
  uint64_t packed = 0, left = 0, bytes = 0;
  for (const KnownEntry &known : entries) {
    EntryFault fault = EntryFault::None;
    Result<CacheEntry> entry = context.folder.read(known.path, fault);
    if (!entry.ok() || entry->kind == EntryKind::Digest) { // digests hold for this machine's files only
      left += !entry.ok();
      continue;
    }
    KILN_ASSIGN_OR_RETURN(std::vector<std::byte> file, readFile(context.folder.name() + "/v1/" + known.path));
    KILN_RETURN_IF_ERROR(
        writer.add(entry->kind, entry->key, {reinterpret_cast<const uint8_t *>(file.data()), file.size()}));
    ++packed;
    bytes += file.size();
  }
  KILN_RETURN_IF_ERROR(writer.finish());
  if (context.wantsJson())
    printCacheJson({{"packed", packed}, {"bytes", bytes}, {"left_out", left}}, context.out);
  else
    context.out << fmt::format("{} entries packed ({}), {} left out that do not hold\n", packed,
                               bytesText(bytes), left);
  return kYes;
}

Result<int> cacheUnpack(const CacheContext &context) {
  KILN_ASSIGN_OR_RETURN(auto pack, PackFile::open(context.operands[0], /*mustBeOurs=*/false));
  uint64_t unpacked = 0, bad = 0;
  for (const PackFile::Record &record : pack->records()) {
    EntryFault fault = EntryFault::None;
    Result<CacheEntry> entry =
        decodeEntry(pack->entryBytes(record), {record.kind, record.key, std::nullopt}, fault);
    if (!entry.ok()) {
      ++bad;
      if (!context.wantsJson())
        context.out << fmt::format("{} {}: {}\n", entryKindName(record.kind), record.key.hex(),
                                   entry.status().message());
      continue;
    }
    EntryLayout layout = record.kind == EntryKind::Weight ? EntryLayout::Pages : EntryLayout::Compact;
    KILN_ASSIGN_OR_RETURN(EncodedEntry encoded,
                          encodeEntry(record.kind, record.key, entry->info, entry->payload.bytes, layout));
    KILN_RETURN_IF_ERROR(context.folder.publish(addressOf(*entry), encoded));
    ++unpacked;
  }
  if (context.wantsJson())
    printCacheJson({{"unpacked", unpacked}, {"bad", bad}}, context.out);
  else
    context.out << fmt::format("{} entries unpacked, {} do not hold\n", unpacked, bad);
  return bad == 0 ? kYes : kNo;
}

} // namespace kiln::tools
