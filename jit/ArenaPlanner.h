// ArenaPlanner.h: places buffers that live at different times into one arena.
#ifndef KILN_JIT_ARENAPLANNER_H
#define KILN_JIT_ARENAPLANNER_H

#include <cstdint>
#include <vector>

namespace kiln::jit {

inline constexpr int64_t kArenaAlignmentBytes = 64; // a cache line; the widest vector

/// A buffer that lives in the closed interval [begin, end] of instruction positions.
struct ArenaInterval {
  int64_t bytes;
  uint32_t begin, end;
};

struct ArenaPlan {
  std::vector<int64_t> offsets; // by interval, multiples of kArenaAlignmentBytes
  int64_t bytes = 0;
};

/// Best fit, largest first: buffers that live at the same time never overlap. Deterministic.
ArenaPlan planArena(const std::vector<ArenaInterval> &intervals);

} // namespace kiln::jit
#endif // KILN_JIT_ARENAPLANNER_H
