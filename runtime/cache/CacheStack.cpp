// CacheStack.cpp: opens the layers, asks them in order.
#include "runtime/cache/CacheStack.h"

#include "runtime/Error.h"
#include "runtime/Log.h"
#include "runtime/cache/PackFile.h"

#include <algorithm>
#include <filesystem>

namespace kiln {

namespace {

class RemoteLayer final : public CacheLayer {
public:
  RemoteLayer(std::unique_ptr<RemoteStore> store, CacheCounters &counters)
      : store(std::move(store)), counters(counters) {}
  LayerKind kind() const override { return LayerKind::Remote; }
  std::string name() const override { return store->name(); }

  Lookup find(const EntryAddress &address, std::optional<std::string_view> features) override {
    Lookup lookup;
    Result<OwnedBytes> bytes = store->get(address.path());
    if (!bytes.ok()) {
      if (bytes.status().code() != Code::NotFound) {
        lookup.reason = MissReason::Unreadable;
        lookup.detail = name() + ": " + bytes.status().message();
      }
      return lookup;
    }
    EntryFault fault = EntryFault::None;
    uint64_t size = bytes->bytes.size();
    lookup = checkEntry(*std::move(bytes), address, features, fault);
    if (lookup.entry) {
      counters.bytesRead += size;
    } else {
      lookup.detail = name() + ": " + lookup.detail;
      logWarn("cache", "entry {}: {}", address.path(), lookup.detail);
    }
    return lookup;
  }

  void insert(const EntryAddress &address, const EncodedEntry &entry) override {
    if (Status status = store->put(address.path(), entry); !status.ok()) {
      ++counters.writeFailures;
      logInfo("cache", "{}: {}", name(), status.message());
    }
  }

private:
  const std::unique_ptr<RemoteStore> store;
  CacheCounters &counters;
};

} // namespace

std::unique_ptr<CacheLayer> remoteLayer(std::unique_ptr<RemoteStore> store, CacheCounters &counters) {
  return std::make_unique<RemoteLayer>(std::move(store), counters);
}

std::shared_ptr<CacheStack> CacheStack::open(const CacheSettings &settings, FileOps &files) {
  auto stack = std::make_shared<CacheStack>(settings);
  if (settings.mode == CacheMode::Off)
    return stack;
  auto addFolder = [&](const std::string &path, const CacheDirectory::Options &options, bool mayBeAbsent) {
    auto folder = CacheDirectory::open(path, options, stack->theCounters, files);
    if (folder.ok())
      stack->addLayer(*std::move(folder));
    else if (!mayBeAbsent || folder.status().code() != Code::NotFound)
      logWarn("cache", "{}; it is not used", folder.status().message());
  };
  if (settings.folder.empty())
    logInfo("cache", "no folder: neither KILN_CACHE_DIR, XDG_CACHE_HOME nor HOME is set");
  else
    addFolder(settings.folder, {stack->writes(), settings.maxBytes, /*isOwn=*/true},
              /*mayBeAbsent=*/!stack->writes());
  for (const std::string &path : settings.readOnly) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
      addFolder(path, {}, /*mayBeAbsent=*/false);
      continue;
    }
    auto pack = PackFile::open(path, /*mustBeOurs=*/true);
    if (pack.ok())
      stack->addLayer(packLayer(*std::move(pack), path, stack->theCounters));
    else
      logWarn("cache", "{}; it is not used", pack.status().message());
  }
  return stack;
}

void CacheStack::addLayer(std::unique_ptr<CacheLayer> layer) {
  if (theLayers.empty() && layer->kind() == LayerKind::Directory && writes())
    directory = static_cast<CacheDirectory *>(layer.get());
  theLayers.push_back(std::move(layer));
}

std::optional<CacheEntry> CacheStack::find(const EntryAddress &address,
                                           std::optional<std::string_view> features) {
  if (!reads() || theLayers.empty())
    return std::nullopt;
  Lookup told; // the first layer's reason that is more than absence
  for (const std::unique_ptr<CacheLayer> &layer : theLayers) {
    Lookup lookup = layer->find(address, features);
    if (!lookup.entry) {
      if (told.reason == MissReason::Absent)
        told = std::move(lookup);
      continue;
    }
    ++theCounters.hits[static_cast<size_t>(layer->kind())];
    theCounters.savedUs += lookup.entry->info.compileUs;
    if (layer.get() != directory && writes() && directory) { // nearer for the next time
      EntryLayout layout = address.kind == EntryKind::Weight ? EntryLayout::Pages : EntryLayout::Compact;
      Result<EncodedEntry> encoded =
          encodeEntry(address.kind, address.key, lookup.entry->info, lookup.entry->payload.bytes, layout);
      if (encoded.ok())
        directory->insert(address, *encoded);
    }
    return std::move(lookup.entry);
  }
  ++theCounters.misses[static_cast<size_t>(told.reason)];
  noteMiss(address, told);
  return std::nullopt;
}

void CacheStack::noteMiss(const EntryAddress &address, const Lookup &lookup) {
  bool isOfInterest = address.kind == EntryKind::Model || address.kind == EntryKind::Program ||
                      address.kind == EntryKind::Kernel;
  if (!isOfInterest)
    return;
  std::scoped_lock lock(missesMutex);
  bool isKnown = std::any_of(theMisses.begin(), theMisses.end(),
                             [&](const Miss &miss) { return miss.address.key == address.key; });
  if (!isKnown && theMisses.size() < kMaxMisses)
    theMisses.push_back({address, lookup.reason, lookup.detail, "", {}});
}

void CacheStack::describeMiss(const EntryAddress &address, std::string name, KeyFields fields) {
  std::scoped_lock lock(missesMutex);
  for (Miss &miss : theMisses)
    if (miss.address.key == address.key) {
      miss.name = std::move(name);
      miss.fields = std::move(fields);
      return;
    }
}

std::vector<CacheStack::Miss> CacheStack::misses() {
  std::scoped_lock lock(missesMutex);
  return theMisses;
}

void CacheStack::insert(const EntryAddress &address, EntryInfo info, ByteSpan payload, EntryLayout layout) {
  if (!writes() || theLayers.empty())
    return;
  if (address.kind == EntryKind::Kernel && info.compileUs < theSettings.minCompileUs)
    return;
  if (info.createdUnixS == 0)
    info.createdUnixS = static_cast<uint64_t>(std::max<int64_t>(FileOps::system().nowS(), 0));
  Result<EncodedEntry> entry = encodeEntry(address.kind, address.key, info, payload, layout);
  if (!entry.ok()) {
    logWarn("cache", "{}", entry.status().message());
    return;
  }
  for (const std::unique_ptr<CacheLayer> &layer : theLayers)
    layer->insert(address, *entry);
}

CacheStack::Turn CacheStack::takeTurn(const EntryAddress &address) {
  Turn turn;
  if (!writes() || !directory)
    return turn;
  StripeLocks::Lock lock = directory->locks().acquire(address.key, kTurnTimeout);
  // Whoever had the lock, now or a moment ago, may have made the entry.
  bool again = reads() && directory->contains(address);
  return {std::move(lock), again};
}

} // namespace kiln
