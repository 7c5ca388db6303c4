// SharedPortTest.cpp: transfers of one group queue at its port: with channels reads behind reads only.
#include "kiln/devicekit/SharedPort.h"

#include <gtest/gtest.h>

using kiln::devicekit::SharedPort;

namespace {

constexpr uint64_t kBytes = 8192; // 16 lines

/// A port of 100 bytes a cycle whose cache holds all that the tests move.
class Port {
public:
  explicit Port(bool hasChannels) : port({100, 100, 1e9, 100, 1 << 20, 2, hasChannels}) {
    move(0, 0, false); // into the cache
    begin = move(0, 0, false);
  }
  uint64_t move(uint64_t start, uint32_t group, bool isWrite) {
    return port.finish(start, {group, 0, 1, kBytes, 0, isWrite, 1.0});
  }
  SharedPort port;
  uint64_t begin; // when group 0 is free
};

} // namespace

TEST(SharedPortTest, ReadsOfAGroupQueue) {
  for (bool hasChannels : {false, true}) {
    Port port(hasChannels);
    uint64_t first = port.move(port.begin, 0, false);
    EXPECT_EQ(first, port.begin + 82); // 8192 / 100, rounded up
    EXPECT_GE(port.move(port.begin, 0, false), first + 81);
  }
}

TEST(SharedPortTest, WritesWaitForReadsOnlyInOneChannel) {
  Port shared(false), apart(true);
  uint64_t read = shared.move(shared.begin, 0, false);
  EXPECT_GE(shared.move(shared.begin, 0, true), read + 81);
  apart.move(apart.begin, 0, false);
  EXPECT_EQ(apart.move(apart.begin, 0, true), apart.begin + 82);
}

TEST(SharedPortTest, GroupsDoNotWaitForEachOther) {
  Port port(true);
  port.move(port.begin, 0, false);
  port.move(port.begin, 0, false);
  EXPECT_EQ(port.move(port.begin, 1, false), port.begin + 82);
}
