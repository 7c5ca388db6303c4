// PackFile.h: many entries in one file that is mapped and only read: a layer, and the body of a bundle.
//
// Layout, little-endian: header (64 bytes) | entries, each at a multiple of 4096 | index, sorted by kind and
// key.
#ifndef KILN_RUNTIME_CACHE_PACKFILE_H
#define KILN_RUNTIME_CACHE_PACKFILE_H

#include "runtime/cache/CacheLayer.h"

#include <functional>
#include <span>

namespace kiln {

/// Ownership: maps the file; entries keep the mapping alive. Threads: immutable.
class PackFile {
public:
  /// Where one entry's bytes are.
  struct Record {
    EntryKey key;
    EntryKind kind = EntryKind::Kernel;
    uint64_t offset = 0, bytes = 0;
  };
  /// `mustBeOurs`: PermissionDenied for a file that somebody else may write to, as in a cache folder.
  /// NotFound; DataLoss: no pack, truncated, or the checksum of its index does not match; Unimplemented: a
  /// pack of another version. Entries are checked when they are found.
  static Result<std::shared_ptr<const PackFile>> open(const std::string &path, bool mustBeOurs);
  static bool recognise(ByteSpan head);

  std::span<const Record> records() const { return theRecords; }
  uint64_t bytes() const { return theBytes.bytes.size(); }
  /// Null if there is none.
  const Record *find(EntryKind kind, const EntryKey &key) const;
  OwnedBytes entryBytes(const Record &record) const;

private:
  PackFile() = default;
  OwnedBytes theBytes;
  std::vector<Record> theRecords;
};

/// A pack as the third kind of layer.
std::unique_ptr<CacheLayer> packLayer(std::shared_ptr<const PackFile> file, std::string name,
                                      CacheCounters &counters);

/// Writes a pack entry by entry, by way of a temporary beside it. Used by one thread.
class PackWriter {
public:
  static Result<PackWriter> create(const std::string &path);
  PackWriter(PackWriter &&) noexcept;
  ~PackWriter(); // removes what was not finished
  /// A whole entry file. Entries that were added before are passed over.
  Status add(EntryKind kind, const EntryKey &key, ByteSpan entry);
  Status finish();

private:
  struct State;
  explicit PackWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace kiln
#endif // KILN_RUNTIME_CACHE_PACKFILE_H
