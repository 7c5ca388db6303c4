// kiln/devicekit/AccessCell.h: the accesses to one block of 32 bytes that a later one may race with: exact,
// byte by byte.
#ifndef KILN_DEVICEKIT_ACCESSCELL_H
#define KILN_DEVICEKIT_ACCESSCELL_H

#include "kiln/devicekit/VectorClock.h"

#include <optional>

namespace kiln::devicekit {

/// What one instruction did to some bytes of a block.
struct BlockAccess {
  uint32_t number = 0; // of the pipe's instruction, from 1
  uint32_t mask = 0;   // a bit a byte
  uint16_t core = 0;
  uint8_t pipe = 0;
  bool isWrite = false, isAtomic = false;
};

/// Keeps every access that an unordered later one could meet. One that a newer access knows to have ended,
/// and with which everything conflicts that conflicts with the old one, stands for it: knowing is transitive.
/// Used by one thread at a time.
class AccessCell {
public:
  uint32_t initialised = 0; // bytes that were written, a bit each

  /// Records `now`, whose clock is `knows`. The earlier access that it races with, if there is one: of two
  /// that overlap one writes, not both are atomic, and the clock does not have the first one's end.
  std::optional<BlockAccess> record(const BlockAccess &now, const VectorClock &knows) {
    size_t kept = 0;
    bool isJoined = false;
    for (size_t i = 0; i < count; ++i) {
      BlockAccess &then = at(i);
      if (uint32_t overlap = then.mask & now.mask) {
        bool isSame = then.core == now.core && then.pipe == now.pipe && then.number == now.number;
        bool isKnown = hasEnded(then, now.core, knows);
        if (!isSame && !isKnown && (then.isWrite || now.isWrite) && !(then.isAtomic && now.isAtomic))
          return then;
        bool isNewer = then.core == now.core && then.pipe == now.pipe && then.isWrite == now.isWrite &&
                       then.isAtomic == now.isAtomic;
        if (isNewer || (isKnown && (now.isWrite || !then.isWrite) && !now.isAtomic))
          then.mask &= ~overlap;
      }
      if (!isJoined && then.core == now.core && then.pipe == now.pipe && then.number == now.number &&
          then.isWrite == now.isWrite && then.isAtomic == now.isAtomic) {
        then.mask |= now.mask;
        isJoined = true;
      }
      if (then.mask)
        at(kept++) = then;
    }
    resize(kept);
    if (!isJoined) {
      resize(kept + 1);
      at(kept) = now;
    }
    if (now.isWrite)
      initialised |= now.mask;
    return std::nullopt;
  }

private:
  static constexpr size_t kFew = 3;
  static bool hasEnded(const BlockAccess &then, uint32_t core, const VectorClock &knows) {
    return then.core == core ? knows.own[then.pipe] >= then.number
                             : knows.knowsOther(then.core, then.pipe, then.number);
  }
  BlockAccess &at(size_t i) { return i < kFew ? few[i] : (*more)[i - kFew]; }
  void resize(size_t size) {
    count = static_cast<uint32_t>(size);
    if (size > kFew && !more)
      more = std::make_unique<std::vector<BlockAccess>>();
    if (more)
      more->resize(size > kFew ? size - kFew : 0);
  }

  uint32_t count = 0;
  std::array<BlockAccess, kFew> few;
  std::unique_ptr<std::vector<BlockAccess>> more;
};

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_ACCESSCELL_H
