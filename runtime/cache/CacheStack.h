// CacheStack.h: the places with cache entries below memory, asked in order, and what the mode allows.
#ifndef KILN_RUNTIME_CACHE_CACHESTACK_H
#define KILN_RUNTIME_CACHE_CACHESTACK_H

#include "runtime/cache/CacheDirectory.h"
#include "runtime/cache/CacheSettings.h"

#include <functional>

namespace kiln {

/// A shared store elsewhere, as a server of objects by name: the same bytes as entries on disk. Blocking
/// calls; errors are OK to return, never fatal. Threads: called from any thread.
class RemoteStore {
public:
  virtual ~RemoteStore() = default;
  virtual std::string name() const = 0;
  virtual Result<OwnedBytes> get(const std::string &path) = 0; // NotFound
  virtual Status put(const std::string &path, const EncodedEntry &entry) = 0;
};
std::unique_ptr<CacheLayer> remoteLayer(std::unique_ptr<RemoteStore> store, CacheCounters &counters);

/// Writable folder, read-only folders, packs, a server: whatever of them there is.
/// What a lower layer has is written into the folder. A key that is made in one process is waited for, for a
/// while, by the others.
/// Ownership: owns its layers. Threads: every member is safe from any thread.
class CacheStack {
public:
  /// Opens what the settings name. What cannot be used is warned about and left out.
  static std::shared_ptr<CacheStack> open(const CacheSettings &settings, FileOps &files = FileOps::system());
  explicit CacheStack(const CacheSettings &settings) : theSettings(settings) {}

  const CacheSettings &settings() const { return theSettings; }
  CacheCounters &counters() { return theCounters; }
  bool reads() const { return theSettings.mode != CacheMode::Off && theSettings.mode != CacheMode::Refresh; }
  bool writes() const {
    return theSettings.mode == CacheMode::ReadWrite || theSettings.mode == CacheMode::Refresh;
  }
  bool isRequired() const { return theSettings.mode == CacheMode::Require; }

  /// At the end; before anybody uses the stack.
  void addLayer(std::unique_ptr<CacheLayer> layer);
  /// The writable one; null if there is none.
  CacheDirectory *folder() { return directory; }
  const std::vector<std::unique_ptr<CacheLayer>> &layers() const { return theLayers; }

  /// The entry of the first layer that has one; counts hit or miss.
  std::optional<CacheEntry> find(const EntryAddress &address, std::optional<std::string_view> features);

  /// A model, program or kernel that no layer had.
  struct Miss {
    EntryAddress address;
    MissReason reason = MissReason::Absent;
    std::string detail, name; // for people; "" if not known
    KeyFields fields;
  };
  /// What the one who missed knows of it.
  void describeMiss(const EntryAddress &address, std::string name, KeyFields fields);
  /// Each once, in order; the first kMaxMisses of the process.
  std::vector<Miss> misses();
  static constexpr size_t kMaxMisses = 256;
  /// Whether the writable folder has an entry there; not checked.
  bool contains(const EntryAddress &address) { return directory && directory->contains(address); }
  /// Encodes and writes into every layer that takes it. Does nothing if the mode does not write, or
  /// with a kernel that was compiled more quickly than the settings ask.
  void insert(const EntryAddress &address, EntryInfo info, ByteSpan payload, EntryLayout layout);

  /// To be held while the entry of a key is made. `again`: another process may have made it meanwhile.
  struct Turn {
    StripeLocks::Lock lock;
    bool again = false;
  };
  Turn takeTurn(const EntryAddress &address);

  /// Of the wait for another process that makes the same entry.
  static constexpr std::chrono::milliseconds kTurnTimeout{30000};

private:
  const CacheSettings theSettings;
  CacheCounters theCounters;
  std::vector<std::unique_ptr<CacheLayer>> theLayers;
  CacheDirectory *directory = nullptr; // the first layer, if there is a writable folder
  void noteMiss(const EntryAddress &address, const Lookup &lookup);
  std::mutex missesMutex;
  std::vector<Miss> theMisses;
};

} // namespace kiln
#endif // KILN_RUNTIME_CACHE_CACHESTACK_H
