// CacheLayer.h: what one place with cache entries does: a folder, a pack, a server.
#ifndef KILN_RUNTIME_CACHE_CACHELAYER_H
#define KILN_RUNTIME_CACHE_CACHELAYER_H

#include "runtime/cache/EntryFile.h"

#include <atomic>
#include <functional>

namespace kiln {

/// Where an entry belongs.
struct EntryAddress {
  EntryKind kind = EntryKind::Kernel;
  EntryKey key;
  std::string space; // a folder's name: spaceOf(device type), "weights", "models"

  /// "host/3f/9c0a....kc"
  std::string path() const;
};

/// Where an entry that says nothing else belongs, by its kind and device type.
EntryAddress addressOf(const CacheEntry &entry);

constexpr const char *kWeightSpace = "weights";
constexpr const char *kModelSpace = "models";
/// The device type where it can be a folder's name that nothing else has, else a form of it that can.
std::string spaceOf(std::string_view deviceType);

enum class MissReason : uint8_t { Absent, Unreadable, Damaged, OtherVersion, OtherFeatures };
std::string_view missReasonName(MissReason reason); // "absent"
constexpr size_t kMissReasons = 5;

struct Lookup {
  std::optional<CacheEntry> entry;
  MissReason reason = MissReason::Absent; // without an entry
  std::string detail;                     // for people; "" if absent
};

enum class LayerKind : uint8_t { Directory, ReadOnly, Pack, Remote };
std::string_view layerKindName(LayerKind kind); // "directory"
constexpr size_t kLayerKinds = 4;

/// Fields of a key as entries keep them: (tag, digest).
using KeyFields = std::vector<std::pair<std::string, std::string>>;

/// What a cache did. Added to from many threads.
struct CacheCounters {
  using Count = std::atomic<uint64_t>;
  std::array<Count, kLayerKinds> hits{};
  std::array<Count, kMissReasons> misses{}; // by the first layer that had something to say
  Count bytesRead{0}, bytesWritten{0}, entriesWritten{0};
  Count savedUs{0}; // that the entries found had cost to make
  Count quarantined{0}, writeFailures{0}, evicted{0}, evictedBytes{0};
  Count lockWaits{0}, lockTimeouts{0}, waitedUs{0}, notFoundTwice{0};
};

/// Threads: every member is safe from any thread.
class CacheLayer {
public:
  virtual ~CacheLayer() = default;
  virtual LayerKind kind() const = 0;
  virtual std::string name() const = 0; // for people: its path
  /// A checked entry. What cannot be read or believed counts as absent, with a reason. `features`: of the
  /// device, absent where the entry is for any.
  virtual Lookup find(const EntryAddress &address, std::optional<std::string_view> features) = 0;
  /// Best effort; a layer that cannot write counts why. Does nothing where a layer is only read.
  virtual void insert(const EntryAddress &address, const EncodedEntry &entry) = 0;
  /// Each entry of a kind and space, without payload and not checked, with a name for people. None where the
  /// layer cannot be listed.
  virtual void describeAll(EntryKind, const std::string &, // NOLINT(readability-named-parameter)
                           const std::function<void(const std::string &name, CacheEntry entry)> &) {}
};

/// Decodes bytes that a layer found, as a Lookup.
Lookup checkEntry(OwnedBytes bytes, const EntryAddress &address, std::optional<std::string_view> features,
                  EntryFault &fault);

} // namespace kiln
#endif // KILN_RUNTIME_CACHE_CACHELAYER_H
