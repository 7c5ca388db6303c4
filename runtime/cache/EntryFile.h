// EntryFile.h: the bytes of a cache entry (.kc): header, metadata, payload, checksum; docs/cache.md has the
// table.
#ifndef KILN_RUNTIME_CACHE_ENTRYFILE_H
#define KILN_RUNTIME_CACHE_ENTRYFILE_H

#include "kiln/Status.h"
#include "runtime/Bytes.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kiln {

/// What an entry's payload is. Numbers are part of the format.
enum class EntryKind : uint8_t {
  Kernel = 1,  // a KernelObject flatbuffer
  Program = 2, // a Program flatbuffer
  Weight = 3,  // raw bytes of one tensor, by their own SHA-256
  Packed = 4,  // what a program's prologue made of its weights: where each buffer's bytes are
  Model = 5,   // what a model's file declares: ports, files beside it
  Shapes = 6,  // the dynamic variants that there are of a model
  Digest = 7,  // SHA-256 of a file, by its identity
  Bundle = 8,  // what a bundle holds
};
/// "kernel"; "?" for a number that is none.
std::string_view entryKindName(EntryKind kind);
std::optional<EntryKind> parseEntryKind(std::string_view name);

/// A SHA-256. Plain data.
struct EntryKey {
  std::array<uint8_t, 32> bytes{};

  /// Nothing unless `hex` is 64 lower-case hex digits.
  static std::optional<EntryKey> fromHex(std::string_view hex);
  std::string hex() const;
  friend bool operator==(const EntryKey &, const EntryKey &) = default;
  friend auto operator<=>(const EntryKey &, const EntryKey &) = default;
};

/// What an entry says of itself; readable without inflating the payload. Plain data.
struct EntryInfo {
  std::string name;       // for people: of the kernel, the model, the weight
  std::string deviceType; // "" where it is for any
  std::string features;   // ISA features that the payload needs, "+avx2,+fma"
  std::string producer;   // build ids of what made it
  std::string symbol, arguments;
  uint64_t createdUnixS = 0, compileUs = 0;
  std::vector<std::pair<std::string, std::string>> fields; // of the key: (tag, digest), for explain
};

/// Why an entry was turned down, in the order of the checks.
enum class EntryFault : uint8_t { None, Magic, Format, Size, Key, Features, Checksum, Payload };
std::string_view entryFaultName(EntryFault fault); // "checksum"

/// A checked entry. Ownership: shares the file's bytes, or owns the inflated payload. Plain data.
struct CacheEntry {
  EntryKind kind = EntryKind::Kernel;
  EntryKey key;
  EntryInfo info;
  OwnedBytes payload;
  uint64_t fileBytes = 0;
  bool isCompressed = false;
};

/// An entry as it is written: three pieces, one after another. Borrows a payload that is stored as it is.
struct EncodedEntry {
  std::string head; // header, metadata, padding
  std::string compressed;
  ByteSpan borrowed;
  std::array<uint8_t, 16> trailer{};

  ByteSpan payload() const {
    return compressed.empty()
               ? borrowed
               : ByteSpan(reinterpret_cast<const uint8_t *>(compressed.data()), compressed.size());
  }
  uint64_t bytes() const { return head.size() + payload().size() + trailer.size(); }
  /// The whole file in one piece; copies.
  std::string whole() const;
};

/// Compact: zstd where that is smaller. Pages: as it is, at a multiple of 4096 in the file, to be mapped.
enum class EntryLayout { Compact, Pages };

constexpr uint64_t kMaxInflatedBytes = 256ull << 20; // of a compressed payload
constexpr uint64_t kEntryPageBytes = 4096;

/// `payload` must outlive the result. InvalidArgument: more than 1 MiB of metadata; a compact payload beyond
/// kMaxInflatedBytes is stored as it is.
Result<EncodedEntry> encodeEntry(EntryKind kind, const EntryKey &key, const EntryInfo &info, ByteSpan payload,
                                 EntryLayout layout);

/// What the reader wants; what is absent is not compared.
struct EntryExpectation {
  std::optional<EntryKind> kind;
  std::optional<EntryKey> key;
  std::optional<std::string_view> features; // that the device has
};

/// Checks, in this order: magic, format, sizes, key, features, checksum; then inflates. `fault` says which
/// check failed. DataLoss: damaged; Unimplemented: of another version; FailedPrecondition: features.
Result<CacheEntry> decodeEntry(OwnedBytes file, const EntryExpectation &expected, EntryFault &fault);

/// Kind, key and metadata alone, from the beginning of a file: neither checksum nor payload is looked at.
Result<CacheEntry> describeEntry(ByteSpan head, uint64_t fileBytes, EntryFault &fault);

/// The features in `needed` ("+a,+b") that `present` lacks, separated by commas; "" if none.
std::string missingFeatures(std::string_view needed, std::string_view present);

} // namespace kiln
#endif // KILN_RUNTIME_CACHE_ENTRYFILE_H
