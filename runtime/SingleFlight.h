// SingleFlight.h: a sharded map that computes each missing value once, however many threads ask for it.
#ifndef KILN_RUNTIME_SINGLEFLIGHT_H
#define KILN_RUNTIME_SINGLEFLIGHT_H

#include "runtime/Error.h"

#include <array>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>

namespace kiln {

/// Values by key: Pending while one thread makes it, then Ready or Failed. Failures that would come again
/// (InvalidArgument, Unimplemented) are kept, others are forgotten so that the next caller tries anew.
/// Ownership: Value is cheap to copy, as a shared_ptr. Threads: every member is safe; no lock is held while a
/// value is made; a thread that asks for a key that it is making gets InProgress.
template <typename Value> class SingleFlight {
public:
  enum class Source { Resident, Made, Waited };
  using Make = std::function<Result<Value>()>;

  /// The value of `key`; makes it with `make` if there is none. `source`, if given, says how it came.
  Result<Value> get(const std::string &key, const Make &make, Source *source = nullptr) {
    Shard &shard = shards[std::hash<std::string>()(key) % kShards];
    std::shared_ptr<Entry> entry;
    {
      std::unique_lock lock(shard.mutex);
      auto [it, isNew] = shard.entries.try_emplace(key);
      if (isNew)
        it->second = std::make_shared<Entry>();
      entry = it->second;
      if (!isNew)
        return await(lock, shard, *entry, key, source);
    }
    if (source)
      *source = Source::Made;
    return fill(shard, entry, key, make);
  }
  /// The value if it is there; nothing while it is being made.
  std::optional<Value> find(const std::string &key) {
    Shard &shard = shards[std::hash<std::string>()(key) % kShards];
    std::scoped_lock lock(shard.mutex);
    auto it = shard.entries.find(key);
    if (it == shard.entries.end() || it->second->state != State::Ready)
      return std::nullopt;
    return it->second->value;
  }

private:
  enum class State { Pending, Ready, Failed };
  struct Entry {
    State state = State::Pending;
    std::thread::id maker = std::this_thread::get_id();
    std::optional<Value> value;
    Status failure;
  };
  struct Shard {
    std::mutex mutex;
    std::condition_variable changed;
    std::unordered_map<std::string, std::shared_ptr<Entry>> entries;
  };
  static constexpr size_t kShards = 16;

  static Result<Value> await(std::unique_lock<std::mutex> &lock, Shard &shard, Entry &entry,
                             const std::string &key, Source *source) {
    if (source)
      *source = entry.state == State::Pending ? Source::Waited : Source::Resident;
    if (entry.state == State::Pending && entry.maker == std::this_thread::get_id())
      return inProgress("key '{}': asked for while this thread is making it", key);
    shard.changed.wait(lock, [&] { return entry.state != State::Pending; });
    if (entry.state == State::Failed)
      return entry.failure;
    return *entry.value;
  }

  static Result<Value> fill(Shard &shard, const std::shared_ptr<Entry> &entry, const std::string &key,
                            const Make &make) {
    Result<Value> made = make();
    {
      std::scoped_lock lock(shard.mutex);
      entry->state = made.ok() ? State::Ready : State::Failed;
      if (made.ok())
        entry->value = *made;
      else
        entry->failure = made.status();
      bool comesAgain =
          made.status().code() == Code::InvalidArgument || made.status().code() == Code::Unimplemented;
      if (!made.ok() && !comesAgain)
        shard.entries.erase(key); // those who wait still share the entry
    }
    shard.changed.notify_all();
    return made;
  }

  std::array<Shard, kShards> shards;
};

} // namespace kiln
#endif // KILN_RUNTIME_SINGLEFLIGHT_H
