// CrossFlags.cpp: sets of several senders are gathered in rounds; a round that is full counts up every
// receiver's flag.
#include "kiln/devicekit/CrossFlags.h"

namespace kiln::devicekit {
namespace {

uint64_t keyOf(uint32_t core, uint32_t id) { return uint64_t(core) << 8 | id; }

} // namespace

std::optional<std::string> CrossFlags::set(uint32_t core, uint32_t mode, uint32_t id, uint64_t time,
                                           const std::shared_ptr<const std::vector<uint32_t>> &knows) {
  Route route = router(core, mode);
  if (route.receivers.empty())
    return "mode " + std::to_string(mode) + " reaches no core from here";
  std::vector<uint32_t> told;
  {
    std::lock_guard lock(mutex);
    Gathering &gathering = gatherings[uint64_t(mode) << 40 | keyOf(route.senders.front(), id)];
    uint32_t round = gathering.setsBy[core]++ - gathering.finished;
    if (round >= gathering.rounds.size())
      gathering.rounds.resize(round + 1);
    Round &mine = gathering.rounds[round];
    ++mine.arrived;
    mine.time = std::max(mine.time, time);
    mine.clock.joinOthers(knows);
    if (mine.arrived < route.senders.size())
      return std::nullopt;
    for (uint32_t receiver : route.receivers) {
      auto &count = counts[keyOf(receiver, id)];
      if (count.size() >= options.most)
        return "cross-core flag " + std::to_string(id) + " of core " + std::to_string(receiver) +
               " would count beyond " + std::to_string(options.most);
      count.push_back({mine.time + options.cycles, mine.clock.others});
      told.push_back(receiver);
    }
    gathering.rounds.pop_front();
    ++gathering.finished;
  }
  if (onCount)
    for (uint32_t receiver : told)
      onCount(receiver);
  return std::nullopt;
}

std::optional<uint64_t> CrossFlags::peek(uint32_t core, uint32_t id) {
  std::lock_guard lock(mutex);
  auto found = counts.find(keyOf(core, id));
  return found == counts.end() || found->second.empty() ? std::nullopt
                                                        : std::optional(found->second.front().time);
}

CrossFlags::Taken CrossFlags::take(uint32_t core, uint32_t id) {
  std::lock_guard lock(mutex);
  auto &count = counts[keyOf(core, id)];
  Taken taken = std::move(count.front());
  count.pop_front();
  return taken;
}

std::optional<std::pair<uint32_t, uint32_t>> CrossFlags::leftOver() {
  std::lock_guard lock(mutex);
  std::optional<uint64_t> least;
  for (const auto &[key, count] : counts)
    if (!count.empty() && (!least || key < *least))
      least = key;
  if (!least)
    return std::nullopt;
  return std::pair(static_cast<uint32_t>(*least >> 8), static_cast<uint32_t>(*least & 0xff));
}

} // namespace kiln::devicekit
