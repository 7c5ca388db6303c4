// SingleFlight.h: a map that computes each missing value once, however many threads ask for it.
#ifndef KILN_RUNTIME_SINGLEFLIGHT_H
#define KILN_RUNTIME_SINGLEFLIGHT_H

#include "runtime/Error.h"
#include "runtime/ForkGuard.h"
#include "runtime/StripedLock.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kiln {

/// Hashes the digests in hex that keys are: their first digits are as good as any hash of all of them.
struct DigestHash {
  using is_transparent = void;
  size_t operator()(std::string_view key) const {
    uint64_t head[2];
    if (key.size() < sizeof(head))
      return std::hash<std::string_view>()(key);
    std::memcpy(head, key.data(), sizeof(head));
    // Multiplied, since hex digits use few bits of each byte; the high half has taken in all of them.
    uint64_t mixed = (head[0] ^ (head[1] << 7)) * 0x9e3779b97f4a7c15u;
    return mixed ^ (mixed >> 32);
  }
};

/// Values by key: Pending while one thread makes it, then Ready or Failed. Failures that would come again
/// (InvalidArgument, Unimplemented) are kept, others are forgotten so that the next caller tries anew.
/// Ownership: Value is cheap to copy, as a shared_ptr. Threads: every member is safe; no lock is held while a
/// value is made or evicted; a thread that asks for a key that it is making gets InProgress. A thread that
/// asks for values that are there writes to nothing that other threads use, but for the values' own counts.
/// In the child of a fork the values stay; what another thread was making is made anew by whoever asks for
/// it.
template <typename Value> class SingleFlight final : ForkGuard {
public:
  enum class Source { Resident, Made, Waited };

  /// The value of `key`; makes it with `make`, a function that gives a Result<Value>, if there is none.
  /// `source`, if given, says how it came.
  template <typename Make> Result<Value> get(std::string_view key, Make make, Source *source = nullptr) {
    {
      StripedLock::Reading reading(readers);
      auto it = entries.find(key);
      if (it != entries.end() && it->second->state == State::Ready) [[likely]] {
        touch(*it->second);
        if (source)
          *source = Source::Resident;
        return *it->second->value;
      }
    }
    std::unique_lock lock(mutex);
    auto it = entries.find(key);
    if (it != entries.end()) {
      touch(*it->second);
      return await(lock, it->second, key, source);
    }
    auto entry = std::make_shared<Entry>();
    entry->lastUse = clock.fetch_add(1, std::memory_order_relaxed) + 1;
    {
      std::scoped_lock writing(readers);
      entries.emplace(key, entry);
    }
    lock.unlock();
    if (source)
      *source = Source::Made;
    return fill(entry, key, make);
  }
  /// The value if it is there; nothing while it is being made.
  std::optional<Value> find(std::string_view key) {
    StripedLock::Reading reading(readers);
    auto it = entries.find(key);
    if (it == entries.end() || it->second->state != State::Ready)
      return std::nullopt;
    touch(*it->second);
    return it->second->value;
  }
  /// Values and kept failures.
  size_t size() const { return kept.load(std::memory_order_relaxed); }

  /// Forgets values and kept failures, the longest unused first, until `enough()`; uses between two additions
  /// count as one time. A value for which
  /// `inUse(value)` holds stays: it is asked under a lock that keeps others from taking the value.
  /// `gone(value)` is told of each value that went.
  template <typename Enough, typename InUse, typename Gone>
  void evict(Enough enough, InUse inUse, Gone gone) {
    std::vector<std::pair<uint64_t, std::string>> byAge;
    {
      std::scoped_lock lock(mutex);
      for (const auto &[key, entry] : entries)
        if (entry->state != State::Pending)
          byAge.emplace_back(entry->lastUse.load(std::memory_order_relaxed), key);
    }
    std::sort(byAge.begin(), byAge.end());
    for (auto &[lastUse, key] : byAge) {
      if (enough())
        return;
      std::shared_ptr<Entry> victim;
      {
        std::scoped_lock lock(mutex);
        std::scoped_lock writing(readers);
        auto it = entries.find(key);
        if (it == entries.end() || it->second->lastUse != lastUse || isBusy(it->second, inUse))
          continue;
        victim = std::move(it->second);
        entries.erase(it);
        --kept;
      }
      if (victim->value)
        gone(*std::move(victim->value));
    }
  }

private:
  void beforeFork() override {
    mutex.lock();
    readers.lock();
  }
  void afterFork(bool isChild) override {
    if (isChild) {
      (void)changed.release();
      changed = std::make_unique<std::condition_variable>();
      std::erase_if(entries, [](const auto &item) {
        return item.second->state == State::Pending && item.second->maker != std::this_thread::get_id();
      });
    }
    readers.unlock();
    mutex.unlock();
  }

  enum class State { Pending, Ready, Failed };
  struct Entry {
    State state = State::Pending;
    std::thread::id maker = std::this_thread::get_id();
    std::atomic<uint64_t> lastUse{0}; // by `clock`
    std::optional<Value> value;
    Status failure;
  };

  // Written only if something was added since, so that readers of one value do not take turns at its line.
  void touch(Entry &entry) {
    uint64_t now = clock.load(std::memory_order_relaxed);
    if (entry.lastUse.load(std::memory_order_relaxed) != now)
      entry.lastUse.store(now, std::memory_order_relaxed);
  }

  template <typename InUse> static bool isBusy(const std::shared_ptr<Entry> &entry, InUse inUse) {
    return entry->state == State::Pending || entry.use_count() > 1 || // a thread is about to take its value
           (entry->value && inUse(*entry->value));
  }

  Result<Value> await(std::unique_lock<std::mutex> &lock, const std::shared_ptr<Entry> &found,
                      std::string_view key, Source *source) {
    if (source)
      *source = found->state == State::Pending ? Source::Waited : Source::Resident;
    if (found->state == State::Pending && found->maker == std::this_thread::get_id())
      return inProgress("key '{}': asked for while this thread is making it", key);
    std::shared_ptr<Entry> entry = found; // the map may forget it meanwhile
    changed->wait(lock, [&] { return entry->state != State::Pending; });
    if (entry->state == State::Failed)
      return entry->failure;
    return *entry->value;
  }

  template <typename Make>
  Result<Value> fill(const std::shared_ptr<Entry> &entry, std::string_view key, Make &make) {
    Result<Value> made = make();
    {
      std::scoped_lock lock(mutex);
      std::scoped_lock writing(readers);
      entry->state = made.ok() ? State::Ready : State::Failed;
      if (made.ok())
        entry->value = *made;
      else
        entry->failure = made.status();
      bool comesAgain =
          made.status().code() == Code::InvalidArgument || made.status().code() == Code::Unimplemented;
      if (made.ok() || comesAgain)
        ++kept;
      else
        entries.erase(entries.find(key)); // those who wait still share the entry
    }
    changed->notify_all();
    return made;
  }

  std::mutex mutex; // of those who write entries, who hold `readers` too, and of those who wait
  StripedLock readers;
  // Replaced in the child of a fork: the old one counts waiters that are gone, which its destructor would
  // wait for.
  std::unique_ptr<std::condition_variable> changed = std::make_unique<std::condition_variable>();
  std::unordered_map<std::string, std::shared_ptr<Entry>, DigestHash, std::equal_to<>> entries;
  std::atomic<uint64_t> clock{0}; // of additions
  std::atomic<size_t> kept{0};
  ForkGuard::Entry guard{*this}; // last: made once the rest is there
};

} // namespace kiln
#endif // KILN_RUNTIME_SINGLEFLIGHT_H
