// PackFileTest.cpp: packs: what was put in is found, what is damaged is not.
#include "runtime/cache/PackFile.h"

#include "runtime/cache/CacheStack.h"
#include "tests/unit/cache/TemporaryFolder.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <sys/stat.h>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PackFileTest : public ::testing::Test {
protected:
  PackFileTest() {
    auto writer = PackWriter::create(path());
    EXPECT_OK(writer);
    for (const char *name : {"a", "b", "c", "a"})
      EXPECT_OK(writer->add(EntryKind::Kernel, addressOf(name).key,
                            spanOf(entryOf(addressOf(name), std::string(5000, *name)).whole())));
    EXPECT_OK(writer->finish());
  }
  std::string path() const { return folder.path("all.kpack"); }
  std::shared_ptr<CacheStack> open() {
    CacheSettings settings;
    settings.mode = CacheMode::ReadOnly;
    settings.readOnly = {path()};
    return CacheStack::open(settings);
  }
  bool has(CacheStack &stack, const char *name) {
    std::optional<CacheEntry> entry = stack.find(addressOf(name), std::nullopt);
    return entry && textOf(entry->payload.bytes) == std::string(5000, *name);
  }
  TemporaryFolder folder;
};

TEST_F(PackFileTest, EntriesAreFoundOnceEach) {
  ASSERT_OK_AND_ASSIGN(auto pack, PackFile::open(path(), true));
  EXPECT_EQ(pack->records().size(), 3u);
  for (const PackFile::Record &record : pack->records())
    EXPECT_EQ(record.offset % kEntryPageBytes, 0u);
  EXPECT_EQ(pack->find(EntryKind::Program, addressOf("a").key), nullptr);
  auto stack = open();
  for (const char *name : {"a", "b", "c"})
    EXPECT_TRUE(has(*stack, name));
  EXPECT_FALSE(has(*stack, "d"));
  EXPECT_EQ(stack->counters().hits[static_cast<size_t>(LayerKind::Pack)], 3u);
}

TEST_F(PackFileTest, DamageOfHeaderAndIndexIsFoundAtOnceThatOfEntriesWhenTheyAreAsked) {
  std::string bytes = readWhole(path());
  size_t indexOffset = bytes.size() - 3 * 56;
  for (size_t at = 0; at < bytes.size(); at += at < 64 || at >= indexOffset ? 1 : 37) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    writeWhole(path(), damaged);
    bool opens = PackFile::open(path(), true).ok();
    EXPECT_EQ(opens, at >= 64 && at < indexOffset) << at;
    auto stack = open();
    int found = has(*stack, "a") + has(*stack, "b") + has(*stack, "c");
    EXPECT_GE(found, opens ? 2 : 0) << at; // what lies between entries is nobody's
    EXPECT_LE(found, opens ? 3 : 0) << at;
  }
  for (size_t size = 0; size < bytes.size(); size += 64) {
    writeWhole(path(), bytes.substr(0, size));
    EXPECT_THAT(PackFile::open(path(), true), StatusIs(Code::DataLoss, HasSubstr(path()))) << size;
  }
}

TEST_F(PackFileTest, PacksThatOthersMayWriteToAreRefusedAsLayers) {
  ASSERT_EQ(::chmod(path().c_str(), 0666), 0);
  EXPECT_THAT(PackFile::open(path(), true), StatusIs(Code::PermissionDenied, HasSubstr("only its user")));
  EXPECT_OK(PackFile::open(path(), false));
  EXPECT_THAT(open()->layers(), IsEmpty());
  EXPECT_THAT(PackFile::open(folder.path("absent"), true), StatusIs(Code::NotFound, HasSubstr("absent")));
}

TEST_F(PackFileTest, WhatIsNotFinishedLeavesNothing) {
  {
    ASSERT_OK_AND_ASSIGN(PackWriter writer, PackWriter::create(folder.path("half.kpack")));
    ASSERT_OK(writer.add(EntryKind::Kernel, addressOf("a").key, spanOf("x")));
  }
  EXPECT_EQ(filesBelow(folder.path()).size(), 1u);
  EXPECT_THAT(PackWriter::create(folder.path("nowhere/x.kpack")),
              StatusIs(Code::NotFound, HasSubstr("nowhere")));
}

} // namespace
} // namespace kiln
