// ArenaPlannerTest.cpp: buffers that live together never overlap; memory is used again.
#include "jit/ArenaPlanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

using namespace kiln::jit;
using ::testing::ElementsAre;

namespace {
bool overlap(const ArenaPlan &plan, const std::vector<ArenaInterval> &intervals, size_t a, size_t b) {
  bool inTime = intervals[a].begin <= intervals[b].end && intervals[b].begin <= intervals[a].end;
  bool inSpace = plan.offsets[a] < plan.offsets[b] + intervals[b].bytes &&
                 plan.offsets[b] < plan.offsets[a] + intervals[a].bytes;
  return inTime && inSpace;
}
} // namespace

TEST(ArenaPlannerTest, ChainTakesTwoBuffers) {
  // Each op reads the buffer before it: two are alive at a time.
  ArenaPlan plan = planArena({{64, 0, 1}, {64, 1, 2}, {64, 2, 3}, {64, 3, 4}});
  EXPECT_EQ(plan.bytes, 128);
  EXPECT_THAT(plan.offsets, ElementsAre(0, 64, 0, 64));
}

TEST(ArenaPlannerTest, TakesTheSmallestGapThatFits) {
  // Live all the time at [0, 256), [256, 384) and [384, 448); then 64 bytes fit where the third was, not the
  // second.
  ArenaPlan plan = planArena({{256, 0, 9}, {128, 0, 3}, {64, 5, 9}, {64, 0, 3}});
  EXPECT_EQ(plan.offsets[0], 0);
  EXPECT_EQ(plan.bytes, 448);
}

TEST(ArenaPlannerTest, OffsetsAreAlignedAndEmptyPlansAreEmpty) {
  ArenaPlan plan = planArena({{1, 0, 2}, {65, 0, 2}, {0, 0, 2}});
  for (int64_t offset : plan.offsets)
    EXPECT_EQ(offset % kArenaAlignmentBytes, 0) << offset;
  EXPECT_EQ(plan.bytes, 192);
  EXPECT_EQ(planArena({}).bytes, 0);
}

TEST(ArenaPlannerTest, NothingThatLivesTogetherOverlaps) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<ArenaInterval> intervals;
    int64_t sum = 0;
    for (int i = 0; i < 60; ++i) {
      uint32_t begin = random() % 100;
      intervals.push_back(
          {static_cast<int64_t>(random() % 5000), begin, begin + static_cast<uint32_t>(random() % 30)});
      sum += intervals.back().bytes + kArenaAlignmentBytes;
    }
    ArenaPlan plan = planArena(intervals);
    for (size_t a = 0; a < intervals.size(); ++a) {
      EXPECT_LE(plan.offsets[a] + intervals[a].bytes, plan.bytes);
      for (size_t b = a + 1; b < intervals.size(); ++b)
        ASSERT_FALSE(overlap(plan, intervals, a, b)) << "round " << round << ": " << a << " and " << b;
    }
    EXPECT_LT(plan.bytes, sum) << "no memory was used again";
  }
}
