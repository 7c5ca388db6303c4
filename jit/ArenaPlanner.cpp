// ArenaPlanner.cpp: greedy by size (TensorFlow Lite's memory planner): within a few per cent of the lower
// bound on networks.
#include "jit/ArenaPlanner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace kiln::jit;

ArenaPlan kiln::jit::planArena(const std::vector<ArenaInterval> &intervals) {
  ArenaPlan plan;
  plan.offsets.assign(intervals.size(), 0);
  auto roundUp = [](int64_t bytes) {
    return static_cast<int64_t>(llvm::alignTo(bytes, kArenaAlignmentBytes));
  };

  std::vector<size_t> bySize(intervals.size());
  std::iota(bySize.begin(), bySize.end(), 0);
  llvm::sort(bySize, [&](size_t a, size_t b) {
    return std::make_pair(-intervals[a].bytes, a) < std::make_pair(-intervals[b].bytes, b);
  });

  std::vector<size_t> placed; // by offset
  for (size_t index : bySize) {
    const ArenaInterval &interval = intervals[index];
    int64_t bytes = roundUp(interval.bytes);
    int64_t bestOffset = -1, bestGap = std::numeric_limits<int64_t>::max();
    int64_t free = 0; // end of what lives at the same time below the gap looked at
    for (size_t other : placed) {
      if (intervals[other].end < interval.begin || interval.end < intervals[other].begin)
        continue;
      int64_t gap = plan.offsets[other] - free;
      if (gap >= bytes && gap < bestGap) {
        bestOffset = free;
        bestGap = gap;
      }
      free = std::max(free, plan.offsets[other] + roundUp(intervals[other].bytes));
    }
    plan.offsets[index] = bestOffset >= 0 ? bestOffset : free;
    plan.bytes = std::max(plan.bytes, plan.offsets[index] + bytes);
    placed.insert(llvm::upper_bound(placed, index,
                                    [&](size_t a, size_t b) { return plan.offsets[a] < plan.offsets[b]; }),
                  index);
  }
  return plan;
}
