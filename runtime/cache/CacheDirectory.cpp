// CacheDirectory.cpp: reading believes nothing, writing replaces whole files; no call of the system may fail
// the caller.
#include "runtime/cache/CacheDirectory.h"

#include "runtime/Error.h"
#include "runtime/Log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <unistd.h>

namespace kiln {

namespace {

constexpr const char *kLayoutVersion = "v1";
constexpr const char *kOwnFolders[] = {"tmp", "locks", "bad", "stats"};
constexpr uint64_t kMapFromBytes = 1u << 20; // smaller files are read: cheaper than page faults
constexpr int64_t kTouchAfterS = 3600;
constexpr int64_t kTemporaryLifeS = 3600;
constexpr int64_t kBadLifeS = 7 * 24 * 3600;
constexpr size_t kMaxBad = 64;
constexpr size_t kDescribeBytes = 4096, kDescribeMostBytes = (1 << 20) + 4096;
constexpr uint64_t kRoomFactor = 4;  // a full disk: so much of what an entry needs goes
constexpr uint32_t kGiveUpAfter = 8; // writes that failed one after another

bool isAway(int64_t nowS, const struct stat &info, int64_t lifeS) {
  int64_t age = nowS - info.st_mtim.tv_sec;
  return age > lifeS || age < -lifeS; // the clock jumped
}

std::string temporaryName() {
  static std::atomic<uint64_t> next{std::random_device{}()};
  return fmt::format("tmp/{}-{:x}-{:x}", ::getpid(), ++next, std::random_device{}());
}

Status writeError(int64_t error, std::string_view action, const std::string &path) {
  std::string text =
      fmt::format("'{}': cannot {}: {}", path, action, std::strerror(static_cast<int>(-error)));
  bool full = error == -ENOSPC || error == -EDQUOT;
  return Status(full ? Code::ResourceExhausted : Code::Unavailable, text);
}

} // namespace

CacheDirectory::CacheDirectory(std::string root, FileHandle folder, const Options &options,
                               CacheCounters &counters, FileOps &files)
    : root(std::move(root)), folder(std::move(folder)), options(options), counters(counters), files(files),
      stripeLocks(files, this->folder, counters), usage(files, this->folder, options.maxBytes, counters) {}

Result<std::unique_ptr<CacheDirectory>> CacheDirectory::open(const std::string &root, const Options &options,
                                                             CacheCounters &counters, FileOps &files) {
  {
    KILN_ASSIGN_OR_RETURN(FileHandle outer, openCacheFolder(files, root, options.isWritable));
  }
  KILN_ASSIGN_OR_RETURN(FileHandle folder,
                        openCacheFolder(files, root + "/" + kLayoutVersion, options.isWritable));
  if (options.isWritable)
    for (const char *name : kOwnFolders)
      if (int error = files.mkdirAt(folder.get(), name, 0700); error < 0 && error != -EEXIST)
        return writeError(error, "make the folder", root + "/" + kLayoutVersion + "/" + name);
  return std::unique_ptr<CacheDirectory>(
      new CacheDirectory(root, std::move(folder), options, counters, files));
}

bool CacheDirectory::contains(const EntryAddress &address) {
  struct stat info = {};
  return files.statAt(folder.get(), address.path().c_str(), info) == 0 && S_ISREG(info.st_mode);
}

Lookup CacheDirectory::find(const EntryAddress &address, std::optional<std::string_view> features) {
  std::string path = address.path();
  struct stat info = {};
  Lookup lookup;
  Result<OwnedBytes> bytes = readCacheFile(files, folder.get(), path, kMapFromBytes, info);
  if (!bytes.ok()) {
    if (bytes.status().code() != Code::NotFound) {
      lookup.reason = MissReason::Unreadable;
      lookup.detail = root + ": " + bytes.status().message();
      logWarn("cache", "{}; it counts as absent", lookup.detail);
    }
    return lookup;
  }
  EntryFault fault = EntryFault::None;
  uint64_t size = bytes->bytes.size();
  lookup = checkEntry(*std::move(bytes), address, features, fault);
  if (lookup.entry) {
    counters.bytesRead += size;
    keepRecent(path, info);
    return lookup;
  }
  lookup.detail = fmt::format("{}/{}: {}", root, path, lookup.detail);
  if (lookup.reason != MissReason::Damaged) {
    logInfo("cache", "entry {}", lookup.detail);
    return lookup;
  }
  logWarn("cache", "entry {}{}", lookup.detail, options.isWritable ? "; moved to bad/" : "");
  if (options.isWritable)
    quarantine(path, fault);
  return lookup;
}

// The time of the last use, kept to the hour: eviction needs no more, and most hits then write nothing.
void CacheDirectory::keepRecent(const std::string &path, const struct stat &info) {
  if (!options.isWritable || !isAway(files.nowS(), info, kTouchAfterS))
    return;
  FileHandle file(files.openAt(folder.get(), path.c_str(), O_RDONLY | O_NONBLOCK, 0));
  if (file)
    (void)files.touch(file.get());
}

void CacheDirectory::insert(const EntryAddress &address, const EncodedEntry &entry) {
  if (!options.isWritable || failuresInARow >= kGiveUpAfter)
    return;
  Status status = publish(address, entry);
  if (status.ok()) {
    failuresInARow = 0;
    return;
  }
  ++counters.writeFailures;
  uint32_t failures = ++failuresInARow;
  if (failures == 1)
    logWarn("cache", "{}: {}; the entry is not kept", root, status.message());
  if (failures == kGiveUpAfter)
    logWarn("cache", "{}: {} entries could not be written; no more are in this process", root, failures);
}

Status CacheDirectory::publish(const EntryAddress &address, const EncodedEntry &entry) {
  std::string temporary = temporaryName(), path = address.path();
  Status status = writeTemporary(temporary, entry);
  if (status.code() == Code::ResourceExhausted) { // once more, with room made
    CacheUsage::Total total = usage.recount();
    usage.evictTo(total.bytes - std::min(total.bytes, kRoomFactor * entry.bytes()), total);
    usage.recount();
    status = writeTemporary(temporary, entry);
  }
  KILN_RETURN_IF_ERROR(status);
  struct stat before = {};
  bool replaces = files.statAt(folder.get(), path.c_str(), before) == 0;
  int error = files.renameAt(folder.get(), temporary.c_str(), path.c_str());
  if (error == -ENOENT) { // the first of its shard
    std::string shard = path.substr(0, path.rfind('/'));
    (void)files.mkdirAt(folder.get(), address.space.c_str(), 0700);
    (void)files.mkdirAt(folder.get(), shard.c_str(), 0700);
    error = files.renameAt(folder.get(), temporary.c_str(), path.c_str());
  }
  if (error < 0) {
    (void)files.unlinkAt(folder.get(), temporary.c_str());
    return writeError(error, "rename to", path);
  }
  ++counters.entriesWritten;
  counters.bytesWritten += entry.bytes();
  auto size = static_cast<int64_t>(entry.bytes());
  usage.changed(replaces ? size - before.st_size : size, replaces ? 0 : 1);
  return {};
}

Status CacheDirectory::writeTemporary(const std::string &path, const EncodedEntry &entry) {
  FileHandle file(files.openAt(folder.get(), path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600));
  if (!file)
    return writeError(file.get(), "create", path);
  for (ByteSpan piece : {ByteSpan(reinterpret_cast<const uint8_t *>(entry.head.data()), entry.head.size()),
                         entry.payload(), ByteSpan(entry.trailer)})
    while (!piece.empty()) {
      int64_t written = files.write(file.get(), piece.data(), piece.size());
      if (written == -EINTR)
        continue;
      if (written <= 0) {
        (void)files.unlinkAt(folder.get(), path.c_str());
        return writeError(written == 0 ? -EIO : written, "write", path);
      }
      piece = piece.subspan(static_cast<size_t>(written));
    }
  return {};
}

Status CacheDirectory::visit(const std::function<void(const ListedEntry &)> &visitor) {
  int error = usage.visit([&](const std::string &path, const struct stat &info) { visitor({path, info}); });
  if (error < 0)
    return unavailable("'{}': cannot be listed: {}", root, std::strerror(-error));
  return {};
}

Result<CacheEntry> CacheDirectory::read(const std::string &path, EntryFault &fault) {
  struct stat info = {};
  KILN_ASSIGN_OR_RETURN(OwnedBytes bytes, readCacheFile(files, folder.get(), path, kMapFromBytes, info));
  EntryExpectation expected;
  std::string hex =
      path.size() > 68 ? path.substr(path.size() - 68, 2) + path.substr(path.size() - 65, 62) : "";
  expected.key = EntryKey::fromHex(hex);
  return decodeEntry(std::move(bytes), expected, fault);
}

Result<CacheEntry> CacheDirectory::describe(const std::string &path, EntryFault &fault) {
  FileHandle file(files.openAt(folder.get(), path.c_str(), O_RDONLY | O_NONBLOCK, 0));
  struct stat info = {};
  if (!file || files.stat(file.get(), info) < 0 || !S_ISREG(info.st_mode))
    return notFound("'{}/{}': cannot be opened", root, path);
  std::vector<uint8_t> head(kDescribeBytes);
  for (size_t wanted : {kDescribeBytes, kDescribeMostBytes}) { // most metadata are short
    head.resize(wanted);
    int64_t got = files.read(file.get(), head.data(), wanted, 0);
    head.resize(static_cast<size_t>(std::max<int64_t>(got, 0)));
    Result<CacheEntry> entry = describeEntry(head, static_cast<uint64_t>(info.st_size), fault);
    if (entry.ok() || head.size() < wanted || wanted == kDescribeMostBytes)
      return entry;
  }
  return dataLoss("'{}/{}': cannot be read", root, path);
}

void CacheDirectory::describeAll(EntryKind kind, const std::string &space,
                                 const std::function<void(const std::string &, CacheEntry)> &visitor) {
  (void)visit([&](const ListedEntry &listed) {
    if (!listed.path.starts_with(space + "/"))
      return;
    EntryFault fault = EntryFault::None;
    Result<CacheEntry> entry = describe(listed.path, fault);
    if (entry.ok() && entry->kind == kind)
      visitor(listed.path, *std::move(entry));
  });
}

Status CacheDirectory::remove(const std::string &path) {
  struct stat info = {};
  if (files.statAt(folder.get(), path.c_str(), info) != 0)
    return notFound("'{}/{}': no such entry", root, path);
  if (int error = files.unlinkAt(folder.get(), path.c_str()); error < 0)
    return writeError(error, "remove", path);
  usage.changed(-info.st_size, -1);
  return {};
}

void CacheDirectory::quarantine(const std::string &path, EntryFault fault) {
  size_t count = 0;
  visitFolder(files, folder.get(), "bad", [&](const char *) { ++count; });
  std::string name = path;
  std::replace(name.begin(), name.end(), '/', '-');
  std::string away = fmt::format("bad/{}.{}", name, entryFaultName(fault));
  if (count >= kMaxBad || files.renameAt(folder.get(), path.c_str(), away.c_str()) < 0)
    if (files.unlinkAt(folder.get(), path.c_str()) < 0)
      return;
  ++counters.quarantined;
}

Result<CacheDirectory::Collected> CacheDirectory::collect(uint64_t limit) {
  if (!options.isWritable)
    return failedPrecondition("'{}': only read; nothing can be collected", root);
  Collected result;
  int64_t now = files.nowS();
  auto sweep = [&](const char *where, int64_t lifeS, uint64_t &removed) {
    std::vector<std::string> old;
    visitFolder(files, folder.get(), where, [&](const char *name) {
      std::string path = std::string(where) + "/" + name;
      struct stat info = {};
      if (files.statAt(folder.get(), path.c_str(), info) == 0 && isAway(now, info, lifeS))
        old.push_back(path);
    });
    for (const std::string &path : old)
      removed += files.unlinkAt(folder.get(), path.c_str()) == 0;
  };
  sweep("tmp", kTemporaryLifeS, result.temporaries);
  sweep("bad", kBadLifeS, result.bad);
  CacheUsage::Total total = usage.recount(), left = total;
  if (left.bytes > limit) {
    usage.evictTo(limit / 5 * 4, left);
    left = usage.recount();
  }
  result.entries = left.entries, result.bytes = left.bytes;
  result.evicted = total.entries - std::min(total.entries, left.entries);
  result.evictedBytes = total.bytes - std::min(total.bytes, left.bytes);
  return result;
}

} // namespace kiln
