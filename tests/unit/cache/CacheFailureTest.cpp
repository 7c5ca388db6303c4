// CacheFailureTest.cpp: file systems that fail: every failure is a miss or an entry not kept, never an error.
#include "runtime/cache/CacheStack.h"

#include "tests/unit/cache/TemporaryFolder.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <map>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A file system in which single calls fail with an error of choice.
class FailingFiles final : public FileOps {
public:
  std::map<std::string, int> errors; // by the call's name: errno
  int64_t now = 0;                   // 0: the true time
  uint64_t writeLimit = UINT64_MAX;  // bytes of one write; a short write is none of the errors
  int fails(const char *call) {
    auto it = errors.find(call);
    return it == errors.end() ? 0 : -it->second;
  }
  int openAt(int folder, const char *path, int flags, mode_t mode) override {
    int error = fails(flags & O_CREAT ? "create" : "open");
    return error ? error : FileOps::openAt(folder, path, flags, mode);
  }
  int64_t write(int fd, const void *bytes, size_t size) override {
    int error = fails("write");
    return error ? error : FileOps::write(fd, bytes, std::min<uint64_t>(size, writeLimit));
  }
  int64_t read(int fd, void *bytes, size_t size, uint64_t offset) override {
    int error = fails("read");
    return error ? error : FileOps::read(fd, bytes, size, offset);
  }
  int renameAt(int folder, const char *from, const char *to) override {
    int error = fails("rename");
    return error ? error : FileOps::renameAt(folder, from, to);
  }
  int unlinkAt(int folder, const char *path) override {
    int error = fails("unlink");
    return error ? error : FileOps::unlinkAt(folder, path);
  }
  int mkdirAt(int folder, const char *path, mode_t mode) override {
    int error = fails("mkdir");
    return error ? error : FileOps::mkdirAt(folder, path, mode);
  }
  int tryLock(int fd) override {
    int error = fails("lock");
    return error ? error : FileOps::tryLock(fd);
  }
  int touch(int fd) override {
    int error = fails("touch");
    return error ? error : FileOps::touch(fd);
  }
  int64_t nowS() override { return now ? now : FileOps::nowS(); }
};

class CacheFailureTest : public ::testing::Test {
protected:
  std::shared_ptr<CacheStack> open(CacheMode mode = CacheMode::ReadWrite) {
    CacheSettings settings;
    settings.mode = mode;
    settings.folder = folder.path("cache");
    return CacheStack::open(settings, files);
  }
  void put(CacheStack &stack, const std::string &name) {
    EntryInfo info;
    stack.insert(addressOf(name), info, spanOf(name), EntryLayout::Compact);
  }
  bool has(CacheStack &stack, const std::string &name) {
    return stack.find(addressOf(name), std::nullopt).has_value();
  }
  TemporaryFolder folder;
  FailingFiles files;
};

TEST_F(CacheFailureTest, AnEntryThatCannotBeWrittenIsCountedAndLeavesNothingBehind) {
  auto stack = open();
  uint64_t failures = 0;
  for (const char *call : {"create", "write", "rename"})
    for (int error : {ENOSPC, EROFS, EIO, EDQUOT, ESTALE, EXDEV, EACCES, EMFILE}) {
      files.errors = {{call, error}};
      put(*stack, "a");
      files.errors.clear();
      EXPECT_EQ(stack->counters().writeFailures, ++failures) << call << " " << error;
      EXPECT_FALSE(has(*stack, "a"));
      EXPECT_THAT(filesBelow(folder.path("cache/v1/tmp")), IsEmpty()) << call << " " << error;
      put(*stack, "other"); // a success between: it does not give up
    }
  put(*stack, "a");
  EXPECT_TRUE(has(*stack, "a"));
}

TEST_F(CacheFailureTest, AfterManyFailuresNothingMoreIsTried) {
  auto stack = open();
  files.errors = {{"write", ENOSPC}};
  for (int i = 0; i < 20; ++i)
    put(*stack, std::to_string(i));
  EXPECT_EQ(stack->counters().writeFailures, 8u);
}

TEST_F(CacheFailureTest, WhatCannotBeReadIsAbsent) {
  auto stack = open();
  put(*stack, "a");
  uint64_t unreadable = 0;
  for (const char *call : {"open", "read"})
    for (int error : {EIO, ESTALE, EACCES, EMFILE}) {
      files.errors = {{call, error}};
      EXPECT_FALSE(has(*stack, "a"));
      EXPECT_EQ(stack->counters().misses[static_cast<size_t>(MissReason::Unreadable)], ++unreadable);
    }
  files.errors.clear();
  EXPECT_TRUE(has(*stack, "a")) << "it was not quarantined";
}

TEST_F(CacheFailureTest, ShortWritesAreGoneOnWith) {
  auto stack = open();
  files.writeLimit = 7;
  put(*stack, "a");
  EXPECT_TRUE(has(*stack, "a"));
}

TEST_F(CacheFailureTest, AFileSystemWithoutLocksStillCaches) {
  files.errors = {{"lock", ENOLCK}};
  auto stack = open();
  CacheStack::Turn turn = stack->takeTurn(addressOf("a"));
  EXPECT_EQ(turn.lock.outcome(), StripeLocks::Outcome::Unavailable);
  put(*stack, "a");
  EXPECT_TRUE(has(*stack, "a"));
}

TEST_F(CacheFailureTest, AnEntryThatCannotBeMovedAwayIsRemoved) {
  auto stack = open();
  put(*stack, "a");
  writeWhole(folder.path("cache/v1/" + addressOf("a").path()), "damaged");
  files.errors = {{"rename", EXDEV}};
  EXPECT_FALSE(has(*stack, "a"));
  EXPECT_EQ(stack->counters().quarantined, 1u);
  EXPECT_FALSE(stack->contains(addressOf("a")));
  files.errors = {{"rename", EROFS}, {"unlink", EROFS}};
  writeWhole(folder.path("cache/v1/" + addressOf("a").path()), "damaged");
  EXPECT_FALSE(has(*stack, "a")) << "it stays, and stays absent";
  EXPECT_EQ(stack->counters().quarantined, 1u);
}

TEST_F(CacheFailureTest, AFolderThatCannotBeMadeIsLeftOut) {
  files.errors = {{"mkdir", EROFS}};
  auto stack = open();
  EXPECT_THAT(stack->layers(), IsEmpty());
  put(*stack, "a");
  EXPECT_FALSE(has(*stack, "a"));
}

TEST_F(CacheFailureTest, JumpsOfTheClockHarmNothing) {
  auto stack = open();
  put(*stack, "a");
  for (int64_t now : {int64_t(1), int64_t(4102444800), int64_t(1) << 40}) { // 1970, 2100, far away
    files.now = now;
    EXPECT_TRUE(has(*stack, "a"));
    put(*stack, std::to_string(now));
    EXPECT_TRUE(has(*stack, std::to_string(now)));
    EXPECT_OK(stack->folder()->collect(UINT64_MAX));
    EXPECT_TRUE(has(*stack, "a"));
  }
}

TEST_F(CacheFailureTest, ReadOnlyModeMakesNoFolder) {
  auto stack = open(CacheMode::ReadOnly);
  EXPECT_FALSE(std::filesystem::exists(folder.path("cache")));
  put(*stack, "a");
  EXPECT_FALSE(has(*stack, "a"));
}

/// A small file system that only one process sees: root may mount one, others may in a user namespace.
class SmallDiskTest : public CacheFailureTest {
protected:
  static constexpr int kNoLeave = 77;

  /// Runs `body` in a child that has a disk of these `options`.
  template <typename Body> void onDisk(const char *options, Body body) {
    std::filesystem::create_directory(folder.path("disk"));
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool mounted =
          hasOwnMounts() && ::mount("tmpfs", folder.path("disk").c_str(), "tmpfs", 0, options) == 0;
      if (mounted)
        body();
      std::fflush(nullptr);
      ::_exit(!mounted ? kNoLeave : HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNoLeave)
      GTEST_SKIP() << "no leave to mount a small file system";
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
  }
  std::shared_ptr<CacheStack> openThere() {
    CacheSettings settings;
    settings.mode = CacheMode::ReadWrite;
    settings.folder = folder.path("disk/cache");
    return CacheStack::open(settings);
  }

private:
  static bool hasOwnMounts() {
    const std::string uid = std::to_string(::getuid()), gid = std::to_string(::getgid());
    if (::unshare(CLONE_NEWNS) != 0) {
      if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return false;
      writeWhole("/proc/self/setgroups", "deny");
      writeWhole("/proc/self/gid_map", gid + " " + gid + " 1");
      writeWhole("/proc/self/uid_map", uid + " " + uid + " 1");
    }
    return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  }
};

TEST_F(SmallDiskTest, AFullDiskMakesRoomOrKeepsNothing) {
  onDisk("size=1m,mode=700", [this] {
    auto stack = openThere();
    std::string noise;
    for (uint32_t x = 1; noise.size() < (100 << 10); x = x * 1664525 + 1013904223)
      noise += static_cast<char>(x >> 24);
    for (int i = 0; i < 40; ++i) {
      std::string name = std::to_string(i);
      stack->insert(addressOf(name), {}, spanOf(noise), EntryLayout::Compact);
    }
    EXPECT_GT(stack->counters().evicted, 10u);
    EXPECT_TRUE(stack->find(addressOf("39"), std::nullopt)) << "the newest is there";
    noise.resize(2 << 20, 'x'); // more than the disk
    stack->insert(addressOf("huge"), {}, spanOf(noise), EntryLayout::Pages);
    EXPECT_EQ(stack->counters().writeFailures, 1u);
    EXPECT_THAT(filesBelow(folder.path("disk/cache/v1/tmp")), IsEmpty());
  });
}

TEST_F(SmallDiskTest, NoInodesLeftIsAFullDiskToo) {
  onDisk("size=10m,nr_inodes=60,mode=700", [this] {
    auto stack = openThere();
    for (int i = 0; i < 100; ++i)
      put(*stack, std::to_string(i));
    EXPECT_GT(stack->counters().entriesWritten, 5u);
    EXPECT_GT(stack->counters().writeFailures + stack->counters().evicted, 0u);
    EXPECT_THAT(filesBelow(folder.path("disk/cache/v1/tmp")), IsEmpty());
  });
}

} // namespace
} // namespace kiln
