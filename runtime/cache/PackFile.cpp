// PackFile.cpp: the index is copied and checked when the file is opened; entries check themselves.
#include "runtime/cache/PackFile.h"

#include "runtime/Error.h"
#include "runtime/Log.h"
#include "runtime/cache/FileOps.h"

#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <sys/mman.h>
#include <unistd.h>

namespace kiln {

namespace {

constexpr char kPackMagic[8] = {'K', 'L', 'N', 'P', 'A', 'C', 'K', '\0'};
constexpr uint32_t kPackFormat = 1;
constexpr uint64_t kMaxRecords = 1u << 24;

struct PackChecksum {
  uint8_t bytes[16];
  static PackChecksum of(const void *data, size_t size) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, size));
    PackChecksum sum;
    std::memcpy(sum.bytes, canonical.digest, sizeof(sum.bytes));
    return sum;
  }
  bool operator==(const PackChecksum &other) const {
    return std::memcmp(bytes, other.bytes, sizeof(bytes)) == 0;
  }
};

struct PackHeader {
  char magic[8];
  uint32_t format, reserved;
  uint64_t indexOffset, records;
  PackChecksum index;
  PackChecksum header; // of all that stands before it
};
static_assert(sizeof(PackHeader) == 64);

struct StoredRecord {
  uint8_t key[32];
  uint32_t kind, reserved;
  uint64_t offset, bytes;
};
static_assert(sizeof(StoredRecord) == 56);

auto order(const PackFile::Record &record) { return std::pair(record.kind, record.key); }

Status systemError(const std::string &path, const char *action) {
  int error = errno;
  return Status(error == ENOENT                      ? Code::NotFound
                : error == ENOSPC || error == EDQUOT ? Code::ResourceExhausted
                                                     : Code::Unknown,
                fmt::format("pack '{}': cannot {}: {}", path, action, std::strerror(error)));
}

Result<OwnedBytes> mapPack(const std::string &path, bool mustBeOurs) {
  FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | (mustBeOurs ? O_NOFOLLOW : 0)));
  struct stat info = {};
  if (!file || ::fstat(file.get(), &info) != 0)
    return systemError(path, "open");
  if (!S_ISREG(info.st_mode))
    return invalidArgument("pack '{}': not a regular file", path);
  bool isOurs = (info.st_uid == ::geteuid() || info.st_uid == 0) && !(info.st_mode & (S_IWGRP | S_IWOTH));
  if (mustBeOurs && !isOurs)
    return permissionDenied(
        "pack '{}': owned by user {}, mode {:o}; expected one that only its user can write to", path,
        info.st_uid, info.st_mode & 07777);
  auto size = static_cast<size_t>(info.st_size);
  if (size == 0)
    return dataLoss("pack '{}': empty", path);
  void *memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (memory == MAP_FAILED)
    return systemError(path, "map");
  std::shared_ptr<const void> owner(memory, [size](void *p) { ::munmap(p, size); });
  return OwnedBytes{{static_cast<const uint8_t *>(memory), size}, std::move(owner)};
}

class PackLayer final : public CacheLayer {
public:
  PackLayer(std::shared_ptr<const PackFile> file, std::string path, CacheCounters &counters)
      : file(std::move(file)), path(std::move(path)), counters(counters) {}
  LayerKind kind() const override { return LayerKind::Pack; }
  std::string name() const override { return path; }
  Lookup find(const EntryAddress &address, std::optional<std::string_view> features) override {
    const PackFile::Record *record = file->find(address.kind, address.key);
    if (!record)
      return {};
    EntryFault fault = EntryFault::None;
    Lookup lookup = checkEntry(file->entryBytes(*record), address, features, fault);
    if (lookup.entry) {
      counters.bytesRead += record->bytes;
    } else {
      lookup.detail = path + ": " + lookup.detail;
      logWarn("cache", "entry {}: {}", address.path(), lookup.detail);
    }
    return lookup;
  }
  void insert(const EntryAddress &, const EncodedEntry &) override {}
  void describeAll(EntryKind kind, const std::string &space,
                   const std::function<void(const std::string &, CacheEntry)> &visit) override {
    for (const PackFile::Record &record : file->records()) {
      EntryFault fault = EntryFault::None;
      Result<CacheEntry> entry = describeEntry(file->entryBytes(record).bytes, record.bytes, fault);
      if (entry.ok() && entry->kind == kind && addressOf(*entry).space == space)
        visit(path + ": " + addressOf(*entry).path(), *std::move(entry));
    }
  }

private:
  const std::shared_ptr<const PackFile> file;
  const std::string path;
  CacheCounters &counters;
};

} // namespace

bool PackFile::recognise(ByteSpan head) {
  return head.size() >= sizeof(kPackMagic) && std::memcmp(head.data(), kPackMagic, sizeof(kPackMagic)) == 0;
}

Result<std::shared_ptr<const PackFile>> PackFile::open(const std::string &path, bool mustBeOurs) {
  auto pack = std::shared_ptr<PackFile>(new PackFile());
  KILN_ASSIGN_OR_RETURN(pack->theBytes, mapPack(path, mustBeOurs));
  ByteSpan bytes = pack->theBytes.bytes;
  PackHeader header;
  if (!recognise(bytes) || bytes.size() < sizeof(header))
    return dataLoss("'{}': no pack of cache entries", path);
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (!(header.header == PackChecksum::of(bytes.data(), offsetof(PackHeader, header))))
    return dataLoss("pack '{}': the checksum of its header does not match", path);
  if (header.format != kPackFormat)
    return unimplemented("pack '{}': format {}; this Kiln reads {}", path, header.format, kPackFormat);
  if (header.records > kMaxRecords || header.indexOffset > bytes.size() ||
      bytes.size() - header.indexOffset != header.records * sizeof(StoredRecord))
    return dataLoss(
        "pack '{}': {} bytes; an index of {} entries at {} does not fit: truncated or overwritten", path,
        bytes.size(), header.records, header.indexOffset);
  ByteSpan index = bytes.subspan(header.indexOffset);
  if (!(header.index == PackChecksum::of(index.data(), index.size())))
    return dataLoss("pack '{}': the checksum of its index does not match", path);
  for (uint64_t i = 0; i < header.records; ++i) {
    StoredRecord stored;
    std::memcpy(&stored, index.data() + i * sizeof(stored), sizeof(stored));
    Record record;
    std::copy(std::begin(stored.key), std::end(stored.key), record.key.bytes.begin());
    record.kind = static_cast<EntryKind>(stored.kind);
    record.offset = stored.offset, record.bytes = stored.bytes;
    if (stored.offset % kEntryPageBytes != 0 || stored.offset > header.indexOffset ||
        stored.bytes > header.indexOffset - stored.offset ||
        (i > 0 && !(order(pack->theRecords.back()) < order(record))))
      return dataLoss("pack '{}': entry {} of its index contradicts the file", path, i);
    pack->theRecords.push_back(record);
  }
  return std::shared_ptr<const PackFile>(std::move(pack));
}

const PackFile::Record *PackFile::find(EntryKind kind, const EntryKey &key) const {
  auto it = std::lower_bound(theRecords.begin(), theRecords.end(), std::pair(kind, key),
                             [](const Record &record, const auto &wanted) { return order(record) < wanted; });
  return it != theRecords.end() && it->kind == kind && it->key == key ? &*it : nullptr;
}

OwnedBytes PackFile::entryBytes(const Record &record) const {
  return {theBytes.bytes.subspan(record.offset, record.bytes), theBytes.owner};
}

std::unique_ptr<CacheLayer> packLayer(std::shared_ptr<const PackFile> file, std::string name,
                                      CacheCounters &counters) {
  return std::make_unique<PackLayer>(std::move(file), std::move(name), counters);
}

struct PackWriter::State {
  std::string path, temporary;
  FileHandle file;
  uint64_t offset = 0;
  std::vector<PackFile::Record> records;
  std::set<std::pair<EntryKind, EntryKey>> known;
  bool isFinished = false;

  Status write(const void *bytes, size_t size) {
    const char *from = static_cast<const char *>(bytes);
    while (size > 0) {
      ssize_t written = ::write(file.get(), from, size);
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return systemError(temporary, "write");
      from += written;
      size -= static_cast<size_t>(written);
      offset += static_cast<uint64_t>(written);
    }
    return {};
  }
  Status pad() {
    static constexpr char zeros[kEntryPageBytes] = {};
    return write(zeros, (kEntryPageBytes - offset % kEntryPageBytes) % kEntryPageBytes);
  }
};

PackWriter::PackWriter(std::unique_ptr<State> state) : state(std::move(state)) {}
PackWriter::PackWriter(PackWriter &&) noexcept = default;
PackWriter::~PackWriter() {
  if (state && !state->isFinished)
    ::unlink(state->temporary.c_str());
}

Result<PackWriter> PackWriter::create(const std::string &path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->temporary = fmt::format("{}.tmp.{}", path, ::getpid());
  state->file = FileHandle(
      ::open(state->temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!state->file)
    return systemError(state->temporary, "create");
  const PackHeader header = {};
  KILN_RETURN_IF_ERROR(state->write(&header, sizeof(header))); // its place
  return PackWriter(std::move(state));
}

Status PackWriter::add(EntryKind kind, const EntryKey &key, ByteSpan entry) {
  if (!state->known.emplace(kind, key).second)
    return {};
  KILN_RETURN_IF_ERROR(state->pad());
  state->records.push_back({key, kind, state->offset, entry.size()});
  return state->write(entry.data(), entry.size());
}

Status PackWriter::finish() {
  KILN_RETURN_IF_ERROR(state->pad());
  std::sort(state->records.begin(), state->records.end(),
            [](const auto &a, const auto &b) { return order(a) < order(b); });
  std::vector<StoredRecord> index;
  for (const PackFile::Record &record : state->records) {
    StoredRecord &stored = index.emplace_back();
    std::copy(record.key.bytes.begin(), record.key.bytes.end(), stored.key);
    stored.kind = static_cast<uint32_t>(record.kind);
    stored.offset = record.offset, stored.bytes = record.bytes;
  }
  PackHeader header = {};
  std::memcpy(header.magic, kPackMagic, sizeof(kPackMagic));
  header.format = kPackFormat;
  header.indexOffset = state->offset;
  header.records = index.size();
  header.index = PackChecksum::of(index.data(), index.size() * sizeof(StoredRecord));
  header.header = PackChecksum::of(&header, offsetof(PackHeader, header));
  KILN_RETURN_IF_ERROR(state->write(index.data(), index.size() * sizeof(StoredRecord)));
  if (::pwrite(state->file.get(), &header, sizeof(header), 0) != sizeof(header))
    return systemError(state->temporary, "write");
  if (::rename(state->temporary.c_str(), state->path.c_str()) != 0)
    return systemError(state->path, "rename to");
  state->isFinished = true;
  return {};
}

} // namespace kiln
