// HostMemoryTest.cpp: alignment, limits, figures, the embedder's allocator.
#include "HostMemory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace kiln::host {
namespace {

using testing::HasSubstr;

TEST(HostMemoryTest, AlignsToAtLeastACacheLine) {
  HostMemory memory(1 << 20, {});
  for (uint64_t alignment : {0, 1, 32, 64, 256, 4096}) {
    Result<KilnDeviceAddress> address = memory.allocate(3, alignment);
    ASSERT_TRUE(address.ok());
    EXPECT_EQ(*address % std::max<uint64_t>(alignment, 64), 0u);
    EXPECT_TRUE(memory.free(*address));
  }
}

TEST(HostMemoryTest, CountsUseAndPeak) {
  HostMemory memory(1000, {});
  KilnDeviceAddress a = *memory.allocate(300, 0), b = *memory.allocate(400, 0);
  EXPECT_TRUE(memory.free(a));
  KilnMemoryStats stats = memory.stats();
  EXPECT_EQ(stats.bytes_in_use, 400u);
  EXPECT_EQ(stats.bytes_peak, 700u);
  EXPECT_EQ(stats.bytes_limit, 1000u);
  EXPECT_EQ(stats.allocations, 2u);
  EXPECT_TRUE(memory.free(b));
  EXPECT_EQ(memory.stats().bytes_in_use, 0u);
}

TEST(HostMemoryTest, SaysWhatIsFreeWhenTheLimitIsReached) {
  HostMemory memory(4096, {});
  ASSERT_TRUE(memory.allocate(3072, 0).ok());
  Result<KilnDeviceAddress> more = memory.allocate(2048, 0);
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.status().code(), Code::ResourceExhausted);
  EXPECT_EQ(more.status().message(), "host memory: wants 2.0 KiB; 1.0 KiB of 4.0 KiB free");
  EXPECT_TRUE(memory.allocate(1024, 0).ok()) << "a refusal reserves nothing";
}

TEST(HostMemoryTest, RefusesWhatNoSystemHas) {
  HostMemory memory(UINT64_MAX, {});
  Result<KilnDeviceAddress> address = memory.allocate(UINT64_MAX / 2, 0);
  ASSERT_FALSE(address.ok());
  EXPECT_EQ(address.status().code(), Code::ResourceExhausted);
  EXPECT_EQ(memory.allocate(UINT64_MAX, 0).status().code(), Code::ResourceExhausted);
  EXPECT_EQ(memory.stats().bytes_in_use, 0u);
}

TEST(HostMemoryTest, RefusesWrongArguments) {
  HostMemory memory(4096, {});
  EXPECT_EQ(memory.allocate(0, 0).status().code(), Code::InvalidArgument);
  Result<KilnDeviceAddress> odd = memory.allocate(8, 48);
  ASSERT_FALSE(odd.ok());
  EXPECT_EQ(odd.status().code(), Code::InvalidArgument);
  EXPECT_THAT(odd.status().message(), HasSubstr("48; expected a power of two"));
  EXPECT_FALSE(memory.free(12345)) << "not an allocation";
}

TEST(HostMemoryTest, UsesTheEmbeddersAllocator) {
  struct Embedder {
    int live = 0;
    bool refuse = false;
    size_t lastAlignment = 0;
  } embedder;
  KilnAllocator allocator = {[](void *self, size_t bytes, size_t alignment) -> void * {
                               auto &embedder = *static_cast<Embedder *>(self);
                               embedder.lastAlignment = alignment;
                               if (embedder.refuse)
                                 return nullptr;
                               ++embedder.live;
                               return std::aligned_alloc(alignment,
                                                         (bytes + alignment - 1) / alignment * alignment);
                             },
                             [](void *self, void *memory, size_t, size_t) {
                               --static_cast<Embedder *>(self)->live;
                               std::free(memory);
                             },
                             &embedder};
  {
    HostMemory memory(4096, allocator);
    KilnDeviceAddress a = *memory.allocate(8, 0);
    ASSERT_TRUE(memory.allocate(8, 128).ok());
    EXPECT_EQ(embedder.lastAlignment, 128u);
    EXPECT_EQ(embedder.live, 2);
    EXPECT_TRUE(memory.free(a));
    EXPECT_EQ(embedder.live, 1);
    embedder.refuse = true;
    Result<KilnDeviceAddress> refused = memory.allocate(8, 0);
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.status().message(), HasSubstr("embedder's allocator"));
    EXPECT_EQ(memory.stats().bytes_in_use, 8u);
  }
  EXPECT_EQ(embedder.live, 0) << "what was left is freed with the device";
}

TEST(HostMemoryTest, KnowsTheMachinesMemory) { EXPECT_GT(usableMemoryBytes(), uint64_t(64) << 20); }

} // namespace
} // namespace kiln::host
