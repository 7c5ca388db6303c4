// AccessCellTest.cpp: a block's record finds exactly the races that a list of all accesses finds.
#include "kiln/devicekit/AccessCell.h"

#include <gtest/gtest.h>

#include <random>

using namespace kiln::devicekit;

namespace {

BlockAccess access(uint32_t pipe, uint32_t number, uint32_t mask, bool isWrite, uint16_t core = 0) {
  return {number, mask, core, static_cast<uint8_t>(pipe), isWrite, false};
}

/// A clock that knows the first `counts[i]` instructions of pipe i.
VectorClock knowing(std::initializer_list<uint32_t> counts) {
  VectorClock clock;
  std::copy(counts.begin(), counts.end(), clock.own.begin());
  return clock;
}

} // namespace

TEST(AccessCellTest, OtherBytesOfAPipeAreNotForgotten) {
  AccessCell cell;
  EXPECT_FALSE(cell.record(access(1, 1, 0x0000000f, true), {}));
  EXPECT_FALSE(cell.record(access(1, 2, 0x000f0000, true), knowing({0, 1})));
  std::optional<BlockAccess> race = cell.record(access(2, 1, 0x0000000f, false), {});
  ASSERT_TRUE(race) << "the pipe's last write was elsewhere in the block";
  EXPECT_EQ(race->number, 1u);
  EXPECT_FALSE(cell.record(access(2, 2, 0x000000f0, false), {})) << "nobody wrote these bytes";
}

TEST(AccessCellTest, EveryReaderCounts) {
  for (uint16_t unknown = 0; unknown < 5; ++unknown) {
    AccessCell cell;
    VectorClock writer;
    for (uint16_t core = 0; core < 5; ++core) {
      EXPECT_FALSE(cell.record(access(1, 1, 1, false, core), {}));
      if (core == unknown)
        continue;
      VectorClock reader;
      reader.own[1] = 1;
      writer.joinOthers(reader.exported(core));
    }
    std::optional<BlockAccess> race = cell.record(access(1, 1, 1, true, 9), writer);
    ASSERT_TRUE(race) << "reader " << unknown;
    EXPECT_EQ(race->core, unknown);
  }
}

TEST(AccessCellTest, FindsWhatAListOfAllAccessesFinds) {
  constexpr size_t kPipes = 4;
  int races = 0, steps = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    std::mt19937_64 random(seed);
    AccessCell cell;
    std::vector<BlockAccess> all;
    VectorClock clocks[kPipes];
    uint32_t numbers[kPipes] = {};
    uint64_t syncs = 2 + random() % 6; // of 8 steps
    for (int step = 0; step < 200; ++step, ++steps) {
      uint32_t pipe = random() % kPipes;
      if (random() % 8 < syncs) { // all that another pipe has done and knows
        uint32_t other = random() % kPipes;
        clocks[other].own[other] = numbers[other];
        clocks[pipe].join(clocks[other]);
        continue;
      }
      BlockAccess now =
          access(pipe, ++numbers[pipe], 1u << random() % 4 | 1u << random() % 4, random() % 3 == 0);
      now.isAtomic = now.isWrite && random() % 4 == 0;
      bool expected = std::any_of(all.begin(), all.end(), [&](const BlockAccess &then) {
        return (then.mask & now.mask) && (then.isWrite || now.isWrite) && !(then.isAtomic && now.isAtomic) &&
               clocks[pipe].own[then.pipe] < then.number;
      });
      ASSERT_EQ(cell.record(now, clocks[pipe]).has_value(), expected) << "seed " << seed << ", step " << step;
      races += expected;
      if (expected)
        break;
      all.push_back(now);
    }
  }
  EXPECT_GT(races, 500);
  EXPECT_GT(steps, 20000);
}
