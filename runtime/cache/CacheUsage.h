// CacheUsage.h: how much a cache folder holds, and which entries go when it is too much.
#ifndef KILN_RUNTIME_CACHE_CACHEUSAGE_H
#define KILN_RUNTIME_CACHE_CACHEUSAGE_H

#include "runtime/cache/CacheLayer.h"
#include "runtime/cache/FileOps.h"

#include <mutex>

namespace kiln {

/// A running count in `stats/usage`, shared by processes: close, never exact; what is lost is found by the
/// next full count. Above the limit (the high watermark) entries go until four fifths of it (the low one) are
/// left, a few shards after each put. Ownership: borrows files, folder and counters. Threads: every member is
/// safe from any thread.
class CacheUsage {
public:
  CacheUsage(FileOps &files, const FileHandle &folder, uint64_t maxBytes, CacheCounters &counters)
      : files(files), folder(folder), maxBytes(maxBytes), counters(counters) {}
  struct Total {
    uint64_t bytes = 0, entries = 0;
  };
  /// After an entry was put (positive) or taken away. Evicts; waits for nobody.
  void changed(int64_t bytes, int64_t entries);
  /// Counts every entry and writes that down.
  Total recount();
  /// Evicts in all shards until at most `target` bytes are left of `total`.
  void evictTo(uint64_t target, Total &total);
  /// `visit(path, info)` for each entry.
  int visit(const std::function<void(const std::string &path, const struct stat &info)> &visit);

private:
  struct Candidate {
    int64_t usedS;
    uint64_t bytes;
    std::string path;
  };
  std::vector<std::string> shards();
  int visitShard(const std::string &shard,
                 const std::function<void(const std::string &path, const struct stat &info)> &visit);
  int64_t usedS(const struct stat &info);
  int64_t ageLimit(const std::vector<std::string> &shards, double share);
  void evictSome(Total &total);
  bool evictShard(const std::string &shard, int64_t limitS, uint64_t target, Total &total);
  FileOps &files;
  const FileHandle &folder;
  const uint64_t maxBytes;
  CacheCounters &counters;
  std::mutex mutex;                                        // of the thread that brings the file up to date
  std::atomic<int64_t> pendingBytes{0}, pendingEntries{0}; // not yet in the file
};

} // namespace kiln
#endif // KILN_RUNTIME_CACHE_CACHEUSAGE_H
