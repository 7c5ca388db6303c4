// EntryFile.cpp: nothing of an entry is believed before its checksum holds; lengths are compared with what is
// there.
#include "runtime/cache/EntryFile.h"

#include "runtime/Error.h"
#include "runtime/Sha256.h"

#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace kiln {

namespace {

static_assert(std::endian::native == std::endian::little, "headers are copied as they are");

constexpr char kEntryMagic[4] = {'K', 'L', 'N', 'C'};
constexpr uint16_t kEntryFormat = 1;
constexpr uint8_t kCompressed = 1; // in flags
constexpr uint32_t kMaxMetadataBytes = 1u << 20;
constexpr int kZstdLevel = 3;
constexpr size_t kTrailerBytes = 16;

struct EntryHeader {
  char magic[4];
  uint16_t format;
  uint8_t kind, flags;
  uint32_t metadataBytes, payloadOffset;
  uint8_t key[32];
  uint64_t rawBytes, storedBytes;
};
static_assert(sizeof(EntryHeader) == 64);

enum class Tag : uint16_t {
  Name = 1,
  DeviceType = 2,
  Features = 3,
  Producer = 4,
  Symbol = 5,
  Arguments = 6,
  Created = 7,   // u64, seconds since 1970
  CompileUs = 8, // u64
  Field = 9,     // tag, NUL, digest; repeats
};

struct RecordHeader {
  uint16_t tag, reserved;
  uint32_t bytes;
};
static_assert(sizeof(RecordHeader) == 8);

void append(std::string &out, Tag tag, std::string_view value) {
  if (value.empty())
    return;
  RecordHeader header = {static_cast<uint16_t>(tag), 0, static_cast<uint32_t>(value.size())};
  out.append(reinterpret_cast<const char *>(&header), sizeof(header));
  out.append(value);
}

void append(std::string &out, Tag tag, uint64_t value) {
  if (value != 0)
    append(out, tag, std::string_view(reinterpret_cast<const char *>(&value), sizeof(value)));
}

std::string encodeInfo(const EntryInfo &info) {
  std::string out;
  append(out, Tag::Name, info.name);
  append(out, Tag::DeviceType, info.deviceType);
  append(out, Tag::Features, info.features);
  append(out, Tag::Producer, info.producer);
  append(out, Tag::Symbol, info.symbol);
  append(out, Tag::Arguments, info.arguments);
  append(out, Tag::Created, info.createdUnixS);
  append(out, Tag::CompileUs, info.compileUs);
  for (const auto &[tag, digest] : info.fields)
    append(out, Tag::Field, tag + '\0' + digest);
  return out;
}

std::optional<uint64_t> toNumber(std::string_view value) {
  uint64_t number = 0;
  if (value.size() != sizeof(number))
    return std::nullopt;
  std::memcpy(&number, value.data(), sizeof(number));
  return number;
}

// Unknown tags are passed over: a later version of this format may add some.
bool takeRecord(EntryInfo &info, uint16_t tag, std::string_view value) {
  switch (static_cast<Tag>(tag)) {
  case Tag::Name:
    return info.name = value, true;
  case Tag::DeviceType:
    return info.deviceType = value, true;
  case Tag::Features:
    return info.features = value, true;
  case Tag::Producer:
    return info.producer = value, true;
  case Tag::Symbol:
    return info.symbol = value, true;
  case Tag::Arguments:
    return info.arguments = value, true;
  case Tag::Created:
    return toNumber(value) && (info.createdUnixS = *toNumber(value), true);
  case Tag::CompileUs:
    return toNumber(value) && (info.compileUs = *toNumber(value), true);
  case Tag::Field: {
    size_t zero = value.find('\0');
    if (zero == std::string_view::npos)
      return false;
    info.fields.emplace_back(value.substr(0, zero), value.substr(zero + 1));
    return true;
  }
  }
  return true;
}

bool decodeInfo(std::string_view bytes, EntryInfo &info) {
  while (!bytes.empty()) {
    RecordHeader header;
    if (bytes.size() < sizeof(header))
      return false;
    std::memcpy(&header, bytes.data(), sizeof(header));
    bytes.remove_prefix(sizeof(header));
    if (header.bytes > bytes.size() || !takeRecord(info, header.tag, bytes.substr(0, header.bytes)))
      return false;
    bytes.remove_prefix(header.bytes);
  }
  return true;
}

/// XXH3-128 over pieces.
class EntryChecksum {
public:
  EntryChecksum() : state(XXH3_createState(), XXH3_freeState) { XXH3_128bits_reset(state.get()); }
  void add(const void *bytes, size_t size) { XXH3_128bits_update(state.get(), bytes, size); }
  std::array<uint8_t, kTrailerBytes> finish() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state.get()));
    std::array<uint8_t, kTrailerBytes> bytes;
    std::memcpy(bytes.data(), canonical.digest, bytes.size());
    return bytes;
  }

private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t *)> state;
};

/// A header whose lengths fit the file.
struct ReadLayout {
  EntryHeader header;
  std::string_view metadata;
};

Result<ReadLayout> readLayout(ByteSpan head, uint64_t fileBytes, EntryFault &fault) {
  ReadLayout layout;
  EntryHeader &header = layout.header;
  fault = EntryFault::Magic;
  if (head.size() < sizeof(kEntryMagic) || std::memcmp(head.data(), kEntryMagic, sizeof(kEntryMagic)) != 0)
    return dataLoss("no cache entry: its first bytes are not '{}'",
                    std::string_view(kEntryMagic, sizeof(kEntryMagic)));
  fault = EntryFault::Size;
  if (head.size() < sizeof(header))
    return dataLoss("{} bytes; truncated inside the header", fileBytes);
  std::memcpy(&header, head.data(), sizeof(header));
  fault = EntryFault::Format;
  if (header.format != kEntryFormat || (header.flags & ~kCompressed) != 0 ||
      entryKindName(static_cast<EntryKind>(header.kind)) == "?")
    return unimplemented("format {}, flags {}, kind {}; this Kiln reads format {}", header.format,
                         header.flags, header.kind, kEntryFormat);
  fault = EntryFault::Size;
  bool isCompressed = header.flags & kCompressed;
  if (header.metadataBytes > kMaxMetadataBytes ||
      header.payloadOffset < sizeof(header) + header.metadataBytes ||
      header.payloadOffset - sizeof(header) - header.metadataBytes >= kEntryPageBytes)
    return dataLoss("{} bytes of metadata, payload at {}; the header contradicts itself",
                    header.metadataBytes, header.payloadOffset);
  if (fileBytes < header.payloadOffset + kTrailerBytes ||
      fileBytes - header.payloadOffset - kTrailerBytes != header.storedBytes)
    return dataLoss("{} bytes; the header speaks of a payload of {} at {}: truncated or overwritten",
                    fileBytes, header.storedBytes, header.payloadOffset);
  if (isCompressed ? header.rawBytes > kMaxInflatedBytes : header.rawBytes != header.storedBytes)
    return dataLoss("a payload of {} bytes in {}; at most {} are inflated", header.rawBytes,
                    header.storedBytes, kMaxInflatedBytes);
  if (head.size() < sizeof(header) + header.metadataBytes)
    return dataLoss("{} bytes; truncated inside the metadata", head.size());
  layout.metadata = {reinterpret_cast<const char *>(head.data()) + sizeof(header), header.metadataBytes};
  return layout;
}

Result<CacheEntry> readHead(ByteSpan head, uint64_t fileBytes, ReadLayout &layout, EntryFault &fault) {
  KILN_ASSIGN_OR_RETURN(layout, readLayout(head, fileBytes, fault));
  CacheEntry entry;
  entry.kind = static_cast<EntryKind>(layout.header.kind);
  std::copy(std::begin(layout.header.key), std::end(layout.header.key), entry.key.bytes.begin());
  entry.fileBytes = fileBytes;
  entry.isCompressed = layout.header.flags & kCompressed;
  if (!decodeInfo(layout.metadata, entry.info))
    return dataLoss("its metadata are no list of records");
  return entry;
}

Result<OwnedBytes> inflate(ByteSpan stored, uint64_t rawBytes) {
  unsigned long long announced = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (announced != rawBytes)
    return dataLoss("its zstd frame does not announce the {} bytes that the header speaks of", rawBytes);
  auto memory = std::shared_ptr<void>(std::aligned_alloc(64, (rawBytes + 63) / 64 * 64 + 64), std::free);
  if (!memory)
    return resourceExhausted("no memory for {} bytes", rawBytes);
  size_t size = ZSTD_decompress(memory.get(), rawBytes, stored.data(), stored.size());
  if (ZSTD_isError(size) || size != rawBytes)
    return dataLoss("its payload cannot be inflated: {}",
                    ZSTD_isError(size) ? ZSTD_getErrorName(size) : "shorter than announced");
  return OwnedBytes{{static_cast<const uint8_t *>(memory.get()), rawBytes}, memory};
}

std::string compress(ByteSpan payload) {
  std::string out(ZSTD_compressBound(payload.size()), '\0');
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx *)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kZstdLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, 1);
  size_t size = ZSTD_compress2(context.get(), out.data(), out.size(), payload.data(), payload.size());
  out.resize(ZSTD_isError(size) ? 0 : size);
  return out;
}

std::vector<std::string_view> splitFeatures(std::string_view text) {
  std::vector<std::string_view> features;
  while (!text.empty()) {
    size_t comma = std::min(text.find(','), text.size());
    if (comma != 0)
      features.push_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return features;
}

constexpr std::pair<EntryKind, std::string_view> kKinds[] = {
    {EntryKind::Kernel, "kernel"}, {EntryKind::Program, "program"}, {EntryKind::Weight, "weight"},
    {EntryKind::Packed, "packed"}, {EntryKind::Model, "model"},     {EntryKind::Shapes, "shapes"},
    {EntryKind::Digest, "digest"}, {EntryKind::Bundle, "bundle"},
};

} // namespace

std::string_view entryKindName(EntryKind kind) {
  for (auto [known, name] : kKinds)
    if (known == kind)
      return name;
  return "?";
}

std::optional<EntryKind> parseEntryKind(std::string_view name) {
  for (auto [kind, known] : kKinds)
    if (known == name)
      return kind;
  return std::nullopt;
}

std::string_view entryFaultName(EntryFault fault) {
  switch (fault) {
  case EntryFault::None:
    return "none";
  case EntryFault::Magic:
    return "magic";
  case EntryFault::Format:
    return "format";
  case EntryFault::Size:
    return "size";
  case EntryFault::Key:
    return "key";
  case EntryFault::Features:
    return "features";
  case EntryFault::Checksum:
    return "checksum";
  case EntryFault::Payload:
    return "payload";
  }
  return "?";
}

std::optional<EntryKey> EntryKey::fromHex(std::string_view hex) {
  if (!Sha256::isHexDigest(hex))
    return std::nullopt;
  auto digit = [](char c) { return static_cast<uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); };
  EntryKey key;
  for (size_t i = 0; i < key.bytes.size(); ++i)
    key.bytes[i] = static_cast<uint8_t>(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
  return key;
}

std::string EntryKey::hex() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string EncodedEntry::whole() const {
  std::string bytes = head;
  bytes.append(reinterpret_cast<const char *>(payload().data()), payload().size());
  bytes.append(reinterpret_cast<const char *>(trailer.data()), trailer.size());
  return bytes;
}

Result<EncodedEntry> encodeEntry(EntryKind kind, const EntryKey &key, const EntryInfo &info, ByteSpan payload,
                                 EntryLayout layout) {
  std::string metadata = encodeInfo(info);
  if (metadata.size() > kMaxMetadataBytes)
    return invalidArgument("entry '{}': {} bytes of metadata; at most {}", info.name, metadata.size(),
                           kMaxMetadataBytes);
  EncodedEntry entry;
  entry.borrowed = payload;
  if (layout == EntryLayout::Compact && !payload.empty() && payload.size() <= kMaxInflatedBytes) {
    entry.compressed = compress(payload);
    if (entry.compressed.size() >= payload.size())
      entry.compressed.clear();
  }
  uint64_t alignment = layout == EntryLayout::Pages ? kEntryPageBytes : 64; // flatbuffers are read in place
  uint64_t offset = (sizeof(EntryHeader) + metadata.size() + alignment - 1) / alignment * alignment;
  EntryHeader header = {};
  std::memcpy(header.magic, kEntryMagic, sizeof(kEntryMagic));
  header.format = kEntryFormat;
  header.kind = static_cast<uint8_t>(kind);
  header.flags = entry.compressed.empty() ? 0 : kCompressed;
  header.metadataBytes = static_cast<uint32_t>(metadata.size());
  header.payloadOffset = static_cast<uint32_t>(offset);
  std::copy(key.bytes.begin(), key.bytes.end(), header.key);
  header.rawBytes = payload.size();
  header.storedBytes = entry.payload().size();
  entry.head.assign(reinterpret_cast<const char *>(&header), sizeof(header));
  entry.head += metadata;
  entry.head.resize(offset, '\0');
  EntryChecksum checksum;
  checksum.add(entry.head.data(), entry.head.size());
  checksum.add(entry.payload().data(), entry.payload().size());
  entry.trailer = checksum.finish();
  return entry;
}

Result<CacheEntry> describeEntry(ByteSpan head, uint64_t fileBytes, EntryFault &fault) {
  ReadLayout layout;
  KILN_ASSIGN_OR_RETURN(CacheEntry entry, readHead(head, fileBytes, layout, fault));
  fault = EntryFault::None;
  return entry;
}

Result<CacheEntry> decodeEntry(OwnedBytes file, const EntryExpectation &expected, EntryFault &fault) {
  ReadLayout layout;
  KILN_ASSIGN_OR_RETURN(CacheEntry entry, readHead(file.bytes, file.bytes.size(), layout, fault));
  fault = EntryFault::Key;
  if ((expected.kind && *expected.kind != entry.kind) || (expected.key && *expected.key != entry.key))
    return dataLoss("holds {} {}; expected {} {}", entryKindName(entry.kind), entry.key.hex(),
                    entryKindName(expected.kind.value_or(entry.kind)),
                    expected.key.value_or(entry.key).hex());
  fault = EntryFault::Features;
  if (expected.features)
    if (std::string missing = missingFeatures(entry.info.features, *expected.features); !missing.empty())
      return failedPrecondition("needs {}; the device has {}", missing, *expected.features);
  fault = EntryFault::Checksum;
  size_t covered = file.bytes.size() - kTrailerBytes;
  EntryChecksum checksum;
  checksum.add(file.bytes.data(), covered);
  std::array<uint8_t, kTrailerBytes> computed = checksum.finish();
  if (std::memcmp(computed.data(), file.bytes.data() + covered, kTrailerBytes) != 0)
    return dataLoss("its checksum does not match what it holds");
  fault = EntryFault::Payload;
  ByteSpan stored = file.bytes.subspan(layout.header.payloadOffset, layout.header.storedBytes);
  if (entry.isCompressed) {
    KILN_ASSIGN_OR_RETURN(entry.payload, inflate(stored, layout.header.rawBytes));
  } else {
    entry.payload = {stored, std::move(file.owner)};
  }
  fault = EntryFault::None;
  return entry;
}

std::string missingFeatures(std::string_view needed, std::string_view present) {
  std::vector<std::string_view> have = splitFeatures(present);
  std::string missing;
  for (std::string_view feature : splitFeatures(needed))
    if (std::find(have.begin(), have.end(), feature) == have.end())
      missing.append(missing.empty() ? "" : ",").append(feature);
  return missing;
}

} // namespace kiln
