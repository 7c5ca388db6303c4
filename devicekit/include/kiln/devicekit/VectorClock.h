// kiln/devicekit/VectorClock.h: what a pipe knows to have ended, on its own core and on others.
#ifndef KILN_DEVICEKIT_VECTORCLOCK_H
#define KILN_DEVICEKIT_VECTORCLOCK_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace kiln::devicekit {

inline constexpr size_t kMostPipes = 8; // of a core

/// Numbers of instructions by pipe: all up to the number are known to have ended. Cheap to copy while no
/// other core is known.
struct VectorClock {
  std::array<uint32_t, kMostPipes> own = {};           // pipes of this core
  std::shared_ptr<const std::vector<uint32_t>> others; // by core * kMostPipes + pipe; null: nothing known

  void join(const VectorClock &other) {
    for (size_t i = 0; i < kMostPipes; ++i)
      own[i] = std::max(own[i], other.own[i]);
    joinOthers(other.others);
  }
  void joinOthers(const std::shared_ptr<const std::vector<uint32_t>> &from) {
    if (!from || from == others)
      return;
    if (!others) {
      others = from;
      return;
    }
    auto joined = std::make_shared<std::vector<uint32_t>>(*others);
    joined->resize(std::max(joined->size(), from->size()));
    for (size_t i = 0; i < from->size(); ++i)
      (*joined)[i] = std::max((*joined)[i], (*from)[i]);
    others = std::move(joined);
  }
  /// What other cores learn from this one.
  std::shared_ptr<const std::vector<uint32_t>> exported(uint32_t core) const {
    auto all =
        others ? std::make_shared<std::vector<uint32_t>>(*others) : std::make_shared<std::vector<uint32_t>>();
    all->resize(std::max(all->size(), (core + 1) * kMostPipes));
    for (size_t i = 0; i < kMostPipes; ++i)
      (*all)[core * kMostPipes + i] = std::max((*all)[core * kMostPipes + i], own[i]);
    return all;
  }
  bool knowsOther(uint32_t core, uint32_t pipe, uint32_t number) const {
    size_t at = core * kMostPipes + pipe;
    return others && at < others->size() && (*others)[at] >= number;
  }
};

/// One access of one instruction, as shadow memory records it.
struct Accessor {
  uint32_t core, pipe, number; // number counts the pipe's instructions from 1
  const VectorClock &knows;
};

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_VECTORCLOCK_H
