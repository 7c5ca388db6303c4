// CacheUsage.cpp: the count is changed under a lock that is never waited for; which entries are old enough to
// go is judged from a few shards, so that no put looks at all of them.
#include "runtime/cache/CacheUsage.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <unistd.h>
#include <xxhash.h>

namespace kiln {

namespace {

constexpr const char *kUsageFile = "stats/usage";
constexpr const char *kEvictionLock = "locks/eviction";
constexpr size_t kShardsPerPut = 16;
constexpr size_t kSampledShards = 32;
constexpr int64_t kClockSlackS = 24 * 3600; // a time this far in the future was a jump of the clock

struct UsageRecord {
  uint64_t bytes, entries, checksum;
  uint64_t expected() const { return XXH3_64bits(this, offsetof(UsageRecord, checksum)); }
};

/// A lock that is tried once.
class TriedLock {
public:
  TriedLock(FileOps &files, int fd) : files(files), fd(fd) { isHeld = fd >= 0 && files.tryLock(fd) == 0; }
  ~TriedLock() {
    if (isHeld)
      (void)files.unlock(fd);
  }
  explicit operator bool() const { return isHeld; }

private:
  FileOps &files;
  const int fd;
  bool isHeld;
};

uint64_t moved(uint64_t value, int64_t by) {
  if (by >= 0)
    return value + static_cast<uint64_t>(by);
  return value - std::min(value, static_cast<uint64_t>(-by));
}

bool isShardName(std::string_view name) {
  return name.size() == 2 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool isSpaceName(std::string_view name) {
  return name != "tmp" && name != "locks" && name != "bad" && name != "stats";
}

bool isEntryName(std::string_view name) { return name.size() == 62 + 3 && name.ends_with(".kc"); }

std::mt19937_64 &randomSource() {
  thread_local std::mt19937_64 source(std::random_device{}());
  return source;
}

} // namespace

std::vector<std::string> CacheUsage::shards() {
  std::vector<std::string> result;
  visitFolder(files, folder.get(), ".", [&](const char *space) {
    if (isSpaceName(space))
      visitFolder(files, folder.get(), space, [&](const char *shard) {
        if (isShardName(shard))
          result.push_back(std::string(space) + "/" + shard);
      });
  });
  return result;
}

int CacheUsage::visitShard(const std::string &shard,
                           const std::function<void(const std::string &, const struct stat &)> &visit) {
  return visitFolder(files, folder.get(), shard.c_str(), [&](const char *name) {
    if (!isEntryName(name))
      return;
    std::string path = shard + "/" + name;
    struct stat info = {};
    if (files.statAt(folder.get(), path.c_str(), info) == 0 && S_ISREG(info.st_mode))
      visit(path, info);
  });
}

int CacheUsage::visit(const std::function<void(const std::string &, const struct stat &)> &visit) {
  for (const std::string &shard : shards())
    if (int error = visitShard(shard, visit); error < 0 && error != -ENOENT)
      return error;
  return 0;
}

// A time that the clock has not reached yet says nothing: such entries count as the oldest.
int64_t CacheUsage::usedS(const struct stat &info) {
  return info.st_mtim.tv_sec > files.nowS() + kClockSlackS ? 0 : info.st_mtim.tv_sec;
}

void CacheUsage::changed(int64_t bytes, int64_t entries) {
  pendingBytes += bytes, pendingEntries += entries;
  std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock) // another thread is at it: the next put tells the file
    return;
  FileHandle file(files.openAt(folder.get(), kUsageFile, O_RDWR | O_CREAT, 0600));
  Total total;
  {
    TriedLock held(files, file.get());
    if (!held)
      return;
    UsageRecord record = {};
    bool known = files.read(file.get(), &record, sizeof(record), 0) == sizeof(record) &&
                 record.checksum == record.expected();
    int64_t newBytes = pendingBytes.exchange(0), newEntries = pendingEntries.exchange(0);
    if (!known) {
      total = recount();
    } else {
      total = {moved(record.bytes, newBytes), moved(record.entries, newEntries)};
      record = {total.bytes, total.entries, 0};
      record.checksum = record.expected();
      if (::lseek(file.get(), 0, SEEK_SET) != 0 ||
          files.write(file.get(), &record, sizeof(record)) != sizeof(record))
        return;
    }
  }
  if (total.bytes > maxBytes)
    evictSome(total);
}

CacheUsage::Total CacheUsage::recount() {
  Total total;
  (void)visit([&](const std::string &, const struct stat &info) {
    total.bytes += static_cast<uint64_t>(info.st_size);
    ++total.entries;
  });
  UsageRecord record = {total.bytes, total.entries, 0};
  record.checksum = record.expected();
  FileHandle file(files.openAt(folder.get(), kUsageFile, O_RDWR | O_CREAT, 0600));
  if (file)
    (void)files.write(file.get(), &record, sizeof(record));
  return total;
}

// The time before which entries are used that hold `share` of all bytes, judged from some shards.
int64_t CacheUsage::ageLimit(const std::vector<std::string> &shards, double share) {
  std::vector<std::pair<int64_t, uint64_t>> sample; // (used, bytes)
  uint64_t bytes = 0;
  for (size_t i = 0; i < std::min(shards.size(), kSampledShards); ++i)
    visitShard(shards[i], [&](const std::string &, const struct stat &info) {
      sample.emplace_back(usedS(info), static_cast<uint64_t>(info.st_size));
      bytes += static_cast<uint64_t>(info.st_size);
    });
  std::sort(sample.begin(), sample.end());
  double wanted = share * static_cast<double>(bytes);
  for (const auto &[used, size] : sample) {
    wanted -= static_cast<double>(size);
    if (wanted <= 0)
      return used;
  }
  return INT64_MAX;
}

bool CacheUsage::evictShard(const std::string &shard, int64_t limitS, uint64_t target, Total &total) {
  std::vector<Candidate> old;
  visitShard(shard, [&](const std::string &path, const struct stat &info) {
    if (usedS(info) <= limitS)
      old.push_back({usedS(info), static_cast<uint64_t>(info.st_size), path});
  });
  std::sort(old.begin(), old.end(), [](const Candidate &a, const Candidate &b) { return a.usedS < b.usedS; });
  for (const Candidate &candidate : old) {
    if (total.bytes <= target)
      return true;
    if (files.unlinkAt(folder.get(), candidate.path.c_str()) != 0)
      continue;
    ++counters.evicted;
    counters.evictedBytes += candidate.bytes;
    total.bytes -= std::min(total.bytes, candidate.bytes);
    total.entries -= std::min<uint64_t>(total.entries, 1);
    pendingBytes -= static_cast<int64_t>(candidate.bytes);
    --pendingEntries;
  }
  return total.bytes <= target;
}

// A few shards, from a random one on. Called with the mutex held.
void CacheUsage::evictSome(Total &total) {
  FileHandle file(files.openAt(folder.get(), kEvictionLock, O_RDWR | O_CREAT, 0600));
  TriedLock held(files, file.get());
  if (!held)
    return;
  uint64_t target = maxBytes / 5 * 4;
  std::vector<std::string> all = shards();
  std::shuffle(all.begin(), all.end(), randomSource());
  int64_t limit = ageLimit(all, 1.0 - static_cast<double>(target) / static_cast<double>(total.bytes));
  for (size_t i = 0; i < std::min(all.size(), kShardsPerPut); ++i)
    if (evictShard(all[i], limit, target, total))
      return;
  if (total.bytes > maxBytes + maxBytes / 4) // puts come faster than they are answered
    for (size_t i = kShardsPerPut; i < all.size(); ++i)
      if (evictShard(all[i], limit, target, total))
        return;
}

void CacheUsage::evictTo(uint64_t target, Total &total) {
  std::vector<Candidate> all;
  (void)visit([&](const std::string &path, const struct stat &info) {
    all.push_back({usedS(info), static_cast<uint64_t>(info.st_size), path});
  });
  std::sort(all.begin(), all.end(), [](const Candidate &a, const Candidate &b) { return a.usedS < b.usedS; });
  for (const Candidate &candidate : all) {
    if (total.bytes <= target)
      return;
    if (files.unlinkAt(folder.get(), candidate.path.c_str()) != 0)
      continue;
    ++counters.evicted;
    counters.evictedBytes += candidate.bytes;
    total.bytes -= std::min(total.bytes, candidate.bytes);
    total.entries -= std::min<uint64_t>(total.entries, 1);
  }
}

} // namespace kiln
