// MemoryTest.cpp: allocation, alignment, parts of buffers, import, map, statistics, limits.
#include "tests/conformance/Harness.h"

namespace kiln::conformance {
namespace {

using ::testing::Each;
using ::testing::Eq;
using ::testing::Ge;
using ::testing::Le;
using ::testing::Ne;

class MemoryTest : public DeviceTest {
protected:
  uint64_t bytesInUse() { return device().memoryStats()->bytes_in_use; }
};

TEST_F(MemoryTest, EverySizeCanBeWrittenAndReadBack) {
  for (uint64_t bytes : {1, 2, 3, 63, 64, 65, 4095, 4096, 4097, 1 << 20}) {
    std::vector<uint8_t> data = pattern(bytes);
    CONFORM_THAT(download(upload(data)), Eq(data));
  }
}

TEST_F(MemoryTest, AddressesAreAlignedAndNeverZero) {
  uint64_t own = DeviceUnderTest::get().description().alignmentBytes;
  CONFORM_THAT(own & (own - 1), Eq(0u)) << "a power of two";
  for (uint64_t alignment : {uint64_t(0), uint64_t(1), uint64_t(64), uint64_t(256), uint64_t(4096)}) {
    ASSERT_OK_AND_ASSIGN(Buffer buffer, device().allocate(100, alignment));
    CONFORM_THAT(buffer.address(), Ne(0u));
    CONFORM_THAT(buffer.address() % std::max({alignment, own, uint64_t(1)}), Eq(0u));
  }
}

TEST_F(MemoryTest, WrongSizesAndAlignmentsAreRefused) {
  KilnDeviceAddress address = 0;
  const KilnDeviceOps &ops = device().ops();
  CONFORM_CODE(fromC(ops.memory_allocate(device().handle(), 0, 0, &address)), Code::InvalidArgument);
  CONFORM_CODE(fromC(ops.memory_allocate(device().handle(), 64, 3, &address)), Code::InvalidArgument);
  CONFORM_CODE(fromC(ops.memory_allocate(device().handle(), UINT64_MAX, 0, &address)),
               Code::ResourceExhausted);
  CONFORM_CODE(fromC(ops.memory_allocate(device().handle(), UINT64_MAX - 4095, 4096, &address)),
               Code::ResourceExhausted);
  CONFORM_THAT(address, Eq(0u)) << "out-parameters are untouched on error";
}

TEST_F(MemoryTest, AllocationsDoNotOverlap) {
  std::vector<Buffer> buffers;
  for (unsigned i = 0; i < 16; ++i)
    buffers.push_back(upload(pattern(1000 + i, i)));
  for (unsigned i = 0; i < 16; ++i)
    CONFORM_THAT(download(buffers[i]), Eq(pattern(1000 + i, i)));
}

TEST_F(MemoryTest, PartsOfABufferAreAddresses) {
  Buffer whole = upload(pattern(1024));
  ASSERT_OK_AND_ASSIGN(Buffer part, whole.subrange(100, 200));
  std::vector<uint8_t> all = pattern(1024);
  CONFORM_THAT(download(part), Eq(std::vector<uint8_t>(all.begin() + 100, all.begin() + 300)));
  CONFORM_OK(queue().fill(part.address(), 0xab, 1, 200));
  std::fill(all.begin() + 100, all.begin() + 300, 0xab);
  CONFORM_THAT(download(whole), Eq(all));
  CONFORM_CODE(whole.subrange(1000, 25), Code::OutOfRange);
}

TEST_F(MemoryTest, StatisticsFollowAllocationAndRelease) {
  uint64_t before = bytesInUse();
  {
    Buffer buffer = allocate(1 << 20);
    CONFORM_THAT(bytesInUse(), Ge(before + (1 << 20)));
    ASSERT_OK_AND_ASSIGN(KilnMemoryStats stats, device().memoryStats());
    CONFORM_THAT(stats.bytes_peak, Ge(stats.bytes_in_use));
    CONFORM_THAT(stats.bytes_in_use, Le(stats.bytes_limit));
    CONFORM_THAT(stats.allocations, Ge(1u));
  }
  CONFORM_THAT(bytesInUse(), Eq(before)) << "released memory is free again";
}

TEST_F(MemoryTest, ALimitIsKeptAndSaidInTheError) {
  Device::OpenOptions options;
  options.memoryLimitBytes = 1 << 20;
  ASSERT_OK_AND_ASSIGN(std::shared_ptr<Device> small, Device::open(device().type(), options));
  CONFORM_THAT(small->memoryStats()->bytes_limit, Eq(1u << 20));
  CONFORM_CODE(small->allocate((1 << 20) + 1), Code::ResourceExhausted);
  Result<Buffer> half = small->allocate(1 << 19);
  CONFORM_OK(half);
  CONFORM_CODE(small->allocate((1 << 19) + 1), Code::ResourceExhausted);
  half = Buffer();
  CONFORM_OK(small->allocate((1 << 20) - 8192)) << "what was released can be had again";
}

TEST_F(MemoryTest, ImportedMemoryIsUsedInPlace) {
  alignas(4096) static uint8_t memory[8192];
  std::vector<uint8_t> data = pattern(sizeof memory);
  std::copy(data.begin(), data.end(), memory);
  bool isReleased = false;
  Result<Buffer> imported = device().importHost(memory, sizeof memory, [&] { isReleased = true; });
  if (imported.status().code() == Code::Unimplemented)
    CONFORM_REFUSED("import of host memory", imported.status());
  CONFORM_OK(imported);
  CONFORM_THAT(download(*imported), Eq(data));
  CONFORM_OK(queue().fill(imported->address(), 7, 1, 4096));
  CONFORM_OK(queue().synchronize());
  CONFORM_THAT(std::vector<uint8_t>(memory, memory + 4096), Each(Eq(7)));
  imported = Buffer();
  CONFORM_THAT(isReleased, Eq(true)) << "the owner is told when the last user is gone";
}

TEST_F(MemoryTest, ImportOfUnalignedHostMemoryWorksOrIsRefused) {
  static uint8_t memory[4097];
  Result<Buffer> imported = device().importHost(memory + 1, 4000);
  if (imported.status().code() == Code::Unimplemented)
    CONFORM_REFUSED("import of host memory", imported.status());
  if (imported.ok())
    CONFORM_THAT(download(*imported).size(), Eq(4000u));
  else
    CONFORM_CODE(imported, Code::InvalidArgument);
}

TEST_F(MemoryTest, MappedMemoryIsTheDevicesMemory) {
  Buffer buffer = upload(pattern(512));
  Result<void *> mapped = device().map(buffer);
  if (mapped.status().code() == Code::Unimplemented)
    CONFORM_REFUSED("mapping of device memory", mapped.status());
  CONFORM_OK(mapped);
  auto *bytes = static_cast<uint8_t *>(*mapped);
  CONFORM_THAT(std::vector<uint8_t>(bytes, bytes + 512), Eq(pattern(512)));
  bytes[3] = 99;
  CONFORM_THAT(download(buffer)[3], Eq(99));
}

TEST_F(MemoryTest, TheEmbeddersAllocatorIsAskedOnDevicesWithHostMemory) {
  if (!DeviceUnderTest::get().description().memoryIsHostMemory)
    GTEST_SKIP() << "the device's memory is not the host's, so it needs no allocator of the embedder";
  static int allocations, releases;
  allocations = releases = 0;
  Device::OpenOptions options;
  options.allocator.allocate = [](void *, size_t bytes, size_t alignment) {
    ++allocations;
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  };
  options.allocator.deallocate = [](void *, void *memory, size_t, size_t) {
    ++releases;
    std::free(memory);
  };
  ASSERT_OK_AND_ASSIGN(std::shared_ptr<Device> own, Device::open(device().type(), options));
  {
    Result<Buffer> buffer = own->allocate(1000);
    CONFORM_OK(buffer);
  }
  own.reset();
  CONFORM_THAT(allocations, Ge(1));
  CONFORM_THAT(releases, Eq(allocations));
}

} // namespace
} // namespace kiln::conformance
