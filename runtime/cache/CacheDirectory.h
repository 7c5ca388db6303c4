// CacheDirectory.h: a folder of cache entries: found without locks, published by rename, quarantined,
// evicted.
#ifndef KILN_RUNTIME_CACHE_CACHEDIRECTORY_H
#define KILN_RUNTIME_CACHE_CACHEDIRECTORY_H

#include "runtime/cache/CacheUsage.h"
#include "runtime/cache/StripeLocks.h"

namespace kiln {

/// One entry as a listing shows it.
struct ListedEntry {
  std::string path; // below the folder "v1"
  struct stat info = {};
};

/// `ROOT/v1/<space>/<hh>/<62 hex>.kc`, and tmp/ locks/ bad/ stats/ beside the spaces.
/// Every error of the file system is a miss or an entry not written; both are counted.
/// Ownership: borrows files and counters. Threads: every member is safe from any thread, and beside other
/// processes.
class CacheDirectory final : public CacheLayer {
public:
  struct Options {
    bool isWritable = false;
    uint64_t maxBytes = UINT64_MAX; // beyond it the longest unused entries go
    bool isOwn = false;             // counts as the user's own folder, also where it is only read
  };
  /// PermissionDenied: what openCacheFolder turns down; else the system's reason.
  static Result<std::unique_ptr<CacheDirectory>> open(const std::string &root, const Options &options,
                                                      CacheCounters &counters,
                                                      FileOps &files = FileOps::system());

  LayerKind kind() const override {
    return options.isWritable || options.isOwn ? LayerKind::Directory : LayerKind::ReadOnly;
  }
  std::string name() const override { return root; }
  Lookup find(const EntryAddress &address, std::optional<std::string_view> features) override;
  void insert(const EntryAddress &address, const EncodedEntry &entry) override;
  void describeAll(EntryKind kind, const std::string &space,
                   const std::function<void(const std::string &name, CacheEntry entry)> &visit) override;
  /// As insert, with the reason if it failed.
  Status publish(const EntryAddress &address, const EncodedEntry &entry);
  bool contains(const EntryAddress &address);

  StripeLocks &locks() { return stripeLocks; }

  /// Every entry, in no order.
  Status visit(const std::function<void(const ListedEntry &)> &visit);
  /// Of an entry that visit() named: NotFound, DataLoss and so on, as decodeEntry; `fault` as there.
  Result<CacheEntry> read(const std::string &path, EntryFault &fault);
  /// Kind, key and metadata only; nothing is verified.
  Result<CacheEntry> describe(const std::string &path, EntryFault &fault);
  Status remove(const std::string &path);
  /// Moves an entry to bad/, or away altogether if it cannot be moved or bad/ is full.
  void quarantine(const std::string &path, EntryFault fault);
  struct Collected {
    uint64_t entries = 0, bytes = 0;                                  // that are left
    uint64_t evicted = 0, evictedBytes = 0, temporaries = 0, bad = 0; // that went
  };
  /// Counts anew, evicts down to the low watermark if there is more than `maxBytes`, removes temporaries that
  /// nobody writes any more and what was quarantined a week ago.
  Result<Collected> collect(uint64_t maxBytes);
  uint64_t maxBytes() const { return options.maxBytes; }

private:
  CacheDirectory(std::string root, FileHandle folder, const Options &options, CacheCounters &counters,
                 FileOps &files);
  Status writeTemporary(const std::string &path, const EncodedEntry &entry);
  void keepRecent(const std::string &path, const struct stat &info);
  const std::string root;
  const FileHandle folder; // v1
  const Options options;
  CacheCounters &counters;
  FileOps &files;
  StripeLocks stripeLocks;
  CacheUsage usage;
  std::atomic<uint32_t> failuresInARow{0};
};

} // namespace kiln
#endif // KILN_RUNTIME_CACHE_CACHEDIRECTORY_H
