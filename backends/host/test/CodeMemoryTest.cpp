// CodeMemoryTest.cpp: arenas are shared, reused, never writable and executable, and not shared with a fork's
// child.
#include "CodeMemory.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln::host {
namespace {

/// `mov $value, %eax; ret`
std::vector<std::byte> returning(uint32_t value) {
  std::vector<std::byte> code(6, std::byte(0xb8));
  std::memcpy(code.data() + 1, &value, sizeof(value));
  code[5] = std::byte(0xc3);
  return code;
}
uint32_t call(std::byte *code) { return reinterpret_cast<uint32_t (*)()>(code)(); }

TEST(CodeMemoryTest, RunsWhatWasWritten) {
  CodeMemory memory;
  std::byte *first = *memory.allocate(6, 1), *second = *memory.allocate(6, 1);
  ASSERT_TRUE(memory.write(first, returning(7)).ok());
  ASSERT_TRUE(memory.write(second, returning(9)).ok());
  EXPECT_EQ(call(first), 7u);
  EXPECT_EQ(call(second), 9u);
}

TEST(CodeMemoryTest, NothingIsWritableAndExecutable) {
  CodeMemory memory;
  std::byte *code = *memory.allocate(6, 1);
  ASSERT_TRUE(memory.write(code, returning(1)).ok());
  std::ifstream maps("/proc/self/maps");
  std::string line;
  bool found = false;
  while (std::getline(maps, line)) {
    if (line.find("kiln-code") == std::string::npos)
      continue;
    found = true;
    EXPECT_EQ(line.substr(line.find(' ') + 1, 3), "r-x") << line;
  }
  EXPECT_TRUE(found);
}

TEST(CodeMemoryTest, ManyKernelsNeedFewMappings) {
  CodeMemory memory;
  std::vector<std::byte *> kernels;
  for (uint32_t i = 0; i < 40000; ++i) {
    Result<std::byte *> code = memory.allocate(1500, 64);
    ASSERT_TRUE(code.ok()) << "kernel " << i << ": " << code.status().message();
    kernels.push_back(*code);
  }
  EXPECT_LT(memory.usage().arenas, 100u);
  ASSERT_TRUE(memory.write(kernels.back(), returning(5)).ok());
  EXPECT_EQ(call(kernels.back()), 5u);
  for (std::byte *kernel : kernels)
    memory.free(kernel);
  EXPECT_EQ(memory.usage().arenas, 1u);
  EXPECT_EQ(memory.usage().bytesUsed, 0u);
}

TEST(CodeMemoryTest, FreedRoomIsUsedAgain) {
  CodeMemory memory;
  std::vector<std::byte *> blocks;
  for (int i = 0; i < 64; ++i)
    blocks.push_back(*memory.allocate(4000 + i * 100, 64));
  for (int i : {1, 3, 2, 0}) // neighbours in every order: holes must join
    memory.free(blocks[i]);
  std::byte *joined = *memory.allocate(4 * 4000, 64);
  EXPECT_EQ(joined, blocks[0]);
  memory.free(joined);
  for (int i = 4; i < 64; ++i)
    memory.free(blocks[i]);
  EXPECT_EQ(*memory.allocate(1000000, 64), blocks[0]) << "an empty arena is one hole";
}

TEST(CodeMemoryTest, CodeIsWrittenBesideABreakpoint) {
  CodeMemory memory;
  std::byte *first = *memory.allocate(6, 1), *second = *memory.allocate(6, 1);
  ASSERT_TRUE(memory.write(first, returning(7)).ok());
  // What a debugger does, through /proc/self/mem: the page becomes a private copy.
  std::fstream debugger("/proc/self/mem", std::ios::in | std::ios::out | std::ios::binary);
  debugger.seekp(reinterpret_cast<std::streamoff>(first));
  debugger.put('\xcc').flush();
  ASSERT_TRUE(debugger.good());
  EXPECT_EQ(*first, std::byte(0xcc));
  ASSERT_TRUE(memory.write(second, returning(9)).ok());
  EXPECT_EQ(call(second), 9u);
}

TEST(CodeMemoryTest, TracedCodeKeepsABreakpointWhileMoreIsWritten) {
  CodeMemory memory;
  std::byte *first = *memory.allocate(6, 1, CodeUse::Traced);
  std::byte *second = *memory.allocate(6, 1, CodeUse::Traced);
  ASSERT_TRUE(memory.write(first, returning(7)).ok());
  std::fstream debugger("/proc/self/mem", std::ios::in | std::ios::out | std::ios::binary);
  debugger.seekp(reinterpret_cast<std::streamoff>(first));
  debugger.put('\xcc').flush();
  ASSERT_TRUE(debugger.good());
  ASSERT_TRUE(memory.write(second, returning(9)).ok());
  EXPECT_EQ(*first, std::byte(0xcc));
  EXPECT_EQ(call(second), 9u);
  memory.free(first);
  EXPECT_EQ(*memory.allocate(6, 1, CodeUse::Traced), first);
  ASSERT_TRUE(memory.write(first, returning(8)).ok());
  EXPECT_EQ(call(first), 8u);
  ASSERT_TRUE(memory.allocate(6, 1).ok());
  EXPECT_EQ(memory.usage().arenas, 2u) << "other code lies elsewhere";
}

TEST(CodeMemoryTest, TracedCodeIsAnonymousAndNeverWritableWhenExecutable) {
  CodeMemory memory;
  std::byte *code = *memory.allocate(6, 1, CodeUse::Traced);
  ASSERT_TRUE(memory.write(code, returning(1)).ok());
  std::ifstream maps("/proc/self/maps");
  uintptr_t address = reinterpret_cast<uintptr_t>(code);
  bool found = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0, inode = 0;
    char rights[5] = {};
    ASSERT_EQ(std::sscanf(line.c_str(), "%lx-%lx %4s %*x %*x:%*x %lu", &begin, &end, rights, &inode), 4);
    if (address < begin || address >= end)
      continue;
    found = true;
    EXPECT_STREQ(rights, "r-xp") << line;
    EXPECT_EQ(inode, 0u) << line << "\nperf looks up names for anonymous memory only";
  }
  EXPECT_TRUE(found);
}

TEST(CodeMemoryTest, KeepsAlignmentAndLargeBlocks) {
  CodeMemory memory;
  ASSERT_TRUE(memory.allocate(10, 1).ok());
  std::byte *page = *memory.allocate(10, 4096);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(page) % 4096, 0u);
  std::byte *large = *memory.allocate(5 << 20, 64);
  ASSERT_TRUE(memory.write(large, std::vector<std::byte>(5 << 20, std::byte(0x90))).ok());
  EXPECT_EQ(large[(5 << 20) - 1], std::byte(0x90));
}

TEST(CodeMemoryTest, AForkedChildDoesNotWriteToItsParent) {
  CodeMemory memory;
  std::byte *mine = *memory.allocate(6, 1);
  ASSERT_TRUE(memory.write(mine, returning(1)).ok());
  memory.free(mine);
  std::byte *again = *memory.allocate(6, 1);
  ASSERT_TRUE(memory.write(again, returning(2)).ok());
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Result<std::byte *> own = memory.allocate(6, 1);
    bool good = own.ok() && memory.write(*own, returning(3)).ok() && call(*own) == 3 && call(again) == 2 &&
                *own != again;
    memory.free(again); // of before the fork: ignored
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(call(again), 2u);
}

} // namespace
} // namespace kiln::host
