// CacheDirectoryTest.cpp: layout, whom a folder may belong to, quarantine, recency, eviction.
#include "runtime/cache/CacheDirectory.h"

#include "tests/unit/cache/TemporaryFolder.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class CacheDirectoryTest : public ::testing::Test {
protected:
  std::unique_ptr<CacheDirectory> open(CacheDirectory::Options options = {.isWritable = true}) {
    auto directory = CacheDirectory::open(root(), options, counters);
    EXPECT_OK(directory);
    return directory.ok() ? *std::move(directory) : nullptr;
  }
  std::string root() const { return folder.path("cache"); }
  std::string pathOf(const EntryAddress &address) const { return root() + "/v1/" + address.path(); }
  std::string payloadAt(CacheDirectory &directory, const EntryAddress &address) {
    Lookup lookup = directory.find(address, std::nullopt);
    return lookup.entry ? textOf(lookup.entry->payload.bytes) : "(" + lookup.detail + ")";
  }
  void age(const EntryAddress &address, int64_t seconds) {
    timespec times[2] = {{::time(nullptr) - seconds, 0}, {::time(nullptr) - seconds, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, pathOf(address).c_str(), times, 0), 0);
  }
  std::vector<std::string> entries() const {
    std::vector<std::string> files = filesBelow(root());
    std::erase_if(files, [](const std::string &file) { return !file.starts_with("v1/fake/"); });
    return files;
  }
  TemporaryFolder folder;
  CacheCounters counters;
};

TEST_F(CacheDirectoryTest, EntriesLieBySpaceAndKey) {
  auto directory = open();
  EntryAddress address = addressOf("a");
  EXPECT_FALSE(directory->contains(address));
  EXPECT_EQ(directory->find(address, std::nullopt).reason, MissReason::Absent);
  ASSERT_OK(directory->publish(address, entryOf(address, "payload")));
  std::string hex = address.key.hex();
  EXPECT_THAT(entries(), ElementsAre("v1/fake/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".kc"));
  EXPECT_TRUE(directory->contains(address));
  EXPECT_EQ(payloadAt(*directory, address), "payload");
  EXPECT_EQ(counters.entriesWritten, 1u);
  EXPECT_GT(counters.bytesRead, 0u);
  ASSERT_OK(directory->publish(address, entryOf(address, "other")));
  EXPECT_EQ(payloadAt(*directory, address), "other") << "replaced as a whole";
  EXPECT_THAT(filesBelow(root() + "/v1/tmp"), IsEmpty());
}

TEST_F(CacheDirectoryTest, FoldersAndFilesAreTheUsersAlone) {
  auto directory = open();
  EntryAddress address = addressOf("a");
  ASSERT_OK(directory->publish(address, entryOf(address, "payload")));
  for (const auto &entry : std::filesystem::recursive_directory_iterator(root()))
    EXPECT_EQ(static_cast<int>(entry.status().permissions()) & 077, 0) << entry.path();
}

TEST_F(CacheDirectoryTest, AFolderThatOthersMayWriteToIsRefused) {
  ASSERT_TRUE(std::filesystem::create_directory(root()));
  for (mode_t mode : {0770, 0707, 0720, 01777}) {
    ASSERT_EQ(::chmod(root().c_str(), mode), 0);
    for (bool isWritable : {true, false})
      EXPECT_THAT(CacheDirectory::open(root(), {.isWritable = isWritable}, counters),
                  StatusIs(Code::PermissionDenied, HasSubstr("writable by group or others")));
  }
  ASSERT_EQ(::chmod(root().c_str(), 0700), 0);
  open();
  ASSERT_EQ(::chmod((root() + "/v1").c_str(), 0777), 0);
  EXPECT_THAT(CacheDirectory::open(root(), {.isWritable = true}, counters),
              StatusIs(Code::PermissionDenied, HasSubstr("/v1': writable by group or others")));
}

TEST_F(CacheDirectoryTest, AFolderOfSomebodyElseIsRefused) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give a folder away";
  open();
  ASSERT_EQ(::chown(root().c_str(), 12345, 12345), 0);
  EXPECT_THAT(CacheDirectory::open(root(), {.isWritable = true}, counters),
              StatusIs(Code::PermissionDenied, HasSubstr("owned by user 12345; expected 0")));
  EXPECT_THAT(CacheDirectory::open(root(), {}, counters),
              StatusIs(Code::PermissionDenied, HasSubstr("owned by user 12345")));
}

TEST_F(CacheDirectoryTest, AForeignEntryIsRefused) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give a file away";
  auto directory = open();
  EntryAddress address = addressOf("a");
  ASSERT_OK(directory->publish(address, entryOf(address, "payload")));
  ASSERT_EQ(::chown(pathOf(address).c_str(), 12345, 12345), 0);
  Lookup lookup = directory->find(address, std::nullopt);
  EXPECT_FALSE(lookup.entry);
  EXPECT_EQ(lookup.reason, MissReason::Unreadable);
  EXPECT_THAT(lookup.detail, HasSubstr("owned by user 12345"));
}

TEST_F(CacheDirectoryTest, LinksAreNotFollowed) {
  auto directory = open();
  EntryAddress address = addressOf("a"), other = addressOf("b");
  ASSERT_OK(directory->publish(address, entryOf(address, "payload")));
  // An entry that is a link.
  std::string outside = folder.path("outside.kc");
  std::filesystem::rename(pathOf(address), outside);
  std::filesystem::create_symlink(outside, pathOf(address));
  EXPECT_EQ(directory->find(address, std::nullopt).reason, MissReason::Unreadable);
  // A shard that is a link.
  ASSERT_OK(directory->publish(other, entryOf(other, "other")));
  std::string shard = std::filesystem::path(pathOf(other)).parent_path();
  std::filesystem::rename(shard, folder.path("shard"));
  std::filesystem::create_directory_symlink(folder.path("shard"), shard);
  EXPECT_EQ(directory->find(other, std::nullopt).reason, MissReason::Unreadable);
  // The cache itself.
  std::filesystem::create_directory_symlink(root(), folder.path("link"));
  EXPECT_THAT(CacheDirectory::open(folder.path("link"), {.isWritable = true}, counters),
              StatusIs(Code::Unknown, HasSubstr("Not a directory")));
}

TEST_F(CacheDirectoryTest, WhatIsNoFileIsNoEntry) {
  auto directory = open();
  EntryAddress address = addressOf("a"), fifo = addressOf("b");
  std::filesystem::create_directories(pathOf(address));
  EXPECT_EQ(directory->find(address, std::nullopt).reason, MissReason::Unreadable);
  std::filesystem::create_directories(std::filesystem::path(pathOf(fifo)).parent_path());
  ASSERT_EQ(::mkfifo(pathOf(fifo).c_str(), 0600), 0);
  EXPECT_EQ(directory->find(fifo, std::nullopt).reason, MissReason::Unreadable)
      << "and nobody waits for a writer";
}

TEST_F(CacheDirectoryTest, DamagedEntriesAreQuarantined) {
  auto directory = open();
  EntryAddress address = addressOf("a");
  std::string file = entryOf(address, std::string(2000, 'x')).whole();
  std::filesystem::create_directories(std::filesystem::path(pathOf(address)).parent_path());
  struct Case {
    std::string bytes, fault;
  };
  std::string flipped = file;
  flipped[file.size() - 20] ^= 1;
  for (const Case &one : {Case{flipped, "checksum"}, Case{file.substr(0, file.size() - 5), "size"},
                          Case{"", "magic"}, Case{entryOf(addressOf("b"), "x").whole(), "key"}}) {
    writeWhole(pathOf(address), one.bytes);
    uint64_t before = counters.quarantined;
    Lookup lookup = directory->find(address, std::nullopt);
    EXPECT_FALSE(lookup.entry);
    EXPECT_EQ(lookup.reason, MissReason::Damaged);
    EXPECT_EQ(counters.quarantined, before + 1);
    EXPECT_FALSE(directory->contains(address));
    EXPECT_THAT(filesBelow(root() + "/v1/bad"), Contains(EndsWith("." + one.fault)));
  }
  ASSERT_OK(directory->publish(address, entryOf(address, "anew")));
  EXPECT_EQ(payloadAt(*directory, address), "anew");
}

TEST_F(CacheDirectoryTest, EntriesOfOtherVersionsAndDevicesStay) {
  auto directory = open();
  EntryAddress address = addressOf("a"), v4 = addressOf("b");
  std::string file = entryOf(address, "payload").whole();
  file[4] = 99; // the format
  std::filesystem::create_directories(std::filesystem::path(pathOf(address)).parent_path());
  writeWhole(pathOf(address), file);
  EXPECT_EQ(directory->find(address, std::nullopt).reason, MissReason::OtherVersion);
  EntryInfo info;
  info.features = "+avx512f";
  ASSERT_OK(directory->publish(v4, *encodeEntry(v4.kind, v4.key, info, {}, EntryLayout::Compact)));
  EXPECT_EQ(directory->find(v4, "+avx2").reason, MissReason::OtherFeatures);
  EXPECT_TRUE(directory->find(v4, "+avx2,+avx512f").entry);
  EXPECT_EQ(entries().size(), 2u);
  EXPECT_EQ(counters.quarantined, 0u);
}

TEST_F(CacheDirectoryTest, ReadOnlyFoldersAreNotTouched) {
  EntryAddress address = addressOf("a"), bad = addressOf("b");
  {
    auto directory = open();
    ASSERT_OK(directory->publish(address, entryOf(address, "payload")));
    ASSERT_OK(directory->publish(bad, entryOf(bad, "payload")));
  }
  writeWhole(pathOf(bad), "damaged");
  std::vector<std::string> before = filesBelow(root());
  auto directory = open({});
  EXPECT_EQ(directory->kind(), LayerKind::ReadOnly);
  EXPECT_EQ(payloadAt(*directory, address), "payload");
  EXPECT_EQ(directory->find(bad, std::nullopt).reason, MissReason::Damaged);
  directory->insert(addressOf("c"), entryOf(addressOf("c"), "x"));
  EXPECT_EQ(filesBelow(root()), before);
  EXPECT_THAT(directory->collect(0), StatusIs(Code::FailedPrecondition, HasSubstr("only read")));
  EXPECT_THAT(CacheDirectory::open(folder.path("nowhere"), {}, counters),
              StatusIs(Code::NotFound, HasSubstr("nowhere")));
}

TEST_F(CacheDirectoryTest, TheLastUseIsKeptToTheHour) {
  auto directory = open();
  EntryAddress address = addressOf("a");
  ASSERT_OK(directory->publish(address, entryOf(address, "payload")));
  auto modified = [&] {
    struct stat info = {};
    ::stat(pathOf(address).c_str(), &info);
    return ::time(nullptr) - info.st_mtim.tv_sec;
  };
  age(address, 1800);
  (void)directory->find(address, std::nullopt);
  EXPECT_GE(modified(), 1800);
  age(address, 7200);
  (void)directory->find(address, std::nullopt);
  EXPECT_LT(modified(), 60);
  age(address, -100000); // the clock was ahead
  (void)directory->find(address, std::nullopt);
  EXPECT_LT(std::abs(modified()), 60);
}

std::string keyText(int i) { return "entry " + std::to_string(i); }

TEST_F(CacheDirectoryTest, TheLongestUnusedEntriesMakeRoom) {
  const std::string payload = [] { // of 4 KiB that does not shrink
    std::string bytes;
    for (uint32_t x = 1; bytes.size() < 4096; x = x * 1664525 + 1013904223)
      bytes += static_cast<char>(x >> 24);
    return bytes;
  }();
  const uint64_t each = entryOf(addressOf("0"), payload).bytes();
  auto directory = open({.isWritable = true, .maxBytes = 100 * each});
  for (int i = 0; i < 100; ++i) {
    ASSERT_OK(directory->publish(addressOf(keyText(i)), entryOf(addressOf(keyText(i)), payload)));
    age(addressOf(keyText(i)), 100000 - 100 * i);
  }
  EXPECT_EQ(counters.evicted, 0u);
  for (int i = 100; i < 140; ++i)
    ASSERT_OK(directory->publish(addressOf(keyText(i)), entryOf(addressOf(keyText(i)), payload)));
  size_t left = entries().size();
  EXPECT_LE(left, 126u) << "at most a quarter beyond the limit";
  EXPECT_GT(counters.evicted, 10u);
  size_t newest = 0;
  for (int i = 100; i < 140; ++i)
    newest += directory->contains(addressOf(keyText(i)));
  EXPECT_GE(newest, 36u) << "what is new stays";
  ASSERT_OK_AND_ASSIGN(CacheDirectory::Collected collected, directory->collect(50 * each));
  EXPECT_LE(collected.entries, 40u);
  EXPECT_EQ(collected.entries, entries().size());
  EXPECT_EQ(collected.bytes, collected.entries * each);
}

TEST_F(CacheDirectoryTest, EntriesFromTheFutureAreTheFirstToGo) {
  auto directory = open();
  for (int i = 0; i < 10; ++i)
    ASSERT_OK(directory->publish(addressOf(keyText(i)), entryOf(addressOf(keyText(i)), "payload")));
  age(addressOf(keyText(3)), -10 * 24 * 3600);
  uint64_t each = entryOf(addressOf("0"), "payload").bytes();
  ASSERT_OK(directory->collect(each * 9 + 1));
  EXPECT_FALSE(directory->contains(addressOf(keyText(3))));
}

TEST_F(CacheDirectoryTest, CollectingRemovesWhatIsLeftBehind) {
  auto directory = open();
  std::string old = root() + "/v1/tmp/1-2-3", young = root() + "/v1/tmp/4-5-6",
              bad = root() + "/v1/bad/x.checksum";
  for (const std::string &path : {old, young, bad})
    writeWhole(path, "half an entry");
  timespec times[2] = {{::time(nullptr) - 8 * 24 * 3600, 0}, {::time(nullptr) - 8 * 24 * 3600, 0}};
  for (const std::string &path : {old, bad})
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  ASSERT_OK_AND_ASSIGN(CacheDirectory::Collected collected, directory->collect(UINT64_MAX));
  EXPECT_EQ(collected.temporaries, 1u);
  EXPECT_EQ(collected.bad, 1u);
  EXPECT_TRUE(std::filesystem::exists(young));
}

TEST_F(CacheDirectoryTest, AnUnreadableCountIsMadeAnew) {
  EntryAddress address = addressOf("a");
  for (const char *count : {"", "nonsense", "000000000000000000000000"}) {
    {
      auto directory = open();
      writeWhole(root() + "/v1/stats/usage", count);
      ASSERT_OK(directory->publish(address, entryOf(address, "payload")));
    }
    EXPECT_EQ(std::filesystem::file_size(root() + "/v1/stats/usage"), 24u);
  }
}

TEST_F(CacheDirectoryTest, EntriesAreListedReadAndRemoved) {
  auto directory = open();
  for (const char *name : {"a", "b"})
    ASSERT_OK(directory->publish(addressOf(name), entryOf(addressOf(name), name)));
  std::vector<std::string> paths;
  ASSERT_OK(directory->visit([&](const ListedEntry &entry) { paths.push_back(entry.path); }));
  ASSERT_EQ(paths.size(), 2u);
  EntryFault fault;
  ASSERT_OK_AND_ASSIGN(CacheEntry entry, directory->read(addressOf("a").path(), fault));
  EXPECT_EQ(textOf(entry.payload.bytes), "a");
  std::filesystem::rename(pathOf(addressOf("a")), pathOf(addressOf("b")));
  EXPECT_THAT(directory->read(addressOf("b").path(), fault), StatusIs(Code::DataLoss, HasSubstr("expected")));
  EXPECT_EQ(fault, EntryFault::Key);
  ASSERT_OK(directory->remove(addressOf("b").path()));
  EXPECT_THAT(directory->remove(addressOf("b").path()), StatusIs(Code::NotFound, HasSubstr("no such entry")));
}

TEST(SpaceTest, DeviceTypesThatCannotBeFoldersGetAnother) {
  EXPECT_EQ(spaceOf("host"), "host");
  for (const char *type : {"", "tmp", "locks", "bad", "stats", "weights", "models", "../x", "a/b", "A", "."})
    EXPECT_THAT(spaceOf(type), StartsWith("device-")) << type;
  EXPECT_NE(spaceOf("tmp"), spaceOf("bad"));
}

} // namespace
} // namespace kiln
