// ModelContentTest.cpp: what a model's files hold, remembered by their identity, with the files it names.
#include "runtime/ModelContent.h"
#include "runtime/Sha256.h"
#include "tests/unit/cache/TemporaryFolder.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <thread>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

/// An entry of external_data with this location, as protobuf writes it.
std::string entry(const std::string &location) {
  std::string text = "\x0a\x08location\x12";
  if (location.size() >= 0x80)
    text += static_cast<char>(0x80 | (location.size() & 0x7f));
  text += static_cast<char>(location.size() >= 0x80 ? location.size() >> 7 : location.size());
  return text + location;
}

class ModelContentTest : public ::testing::Test {
protected:
  ModelContentTest() {
    CacheSettings settings;
    settings.mode = CacheMode::ReadWrite;
    settings.folder = folder.path("cache");
    stack = CacheStack::open(settings);
  }
  std::string write(const std::string &name, const std::string &text) {
    writeWhole(folder.path(name), text);
    return folder.path(name);
  }
  Result<ModelContent> read(const std::string &text) { return modelContent(*stack, write("model", text)); }
  /// Makes a file older than what may still change unseen.
  static void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(3100)); }
  uint64_t hits() { return stack->counters().hits[static_cast<size_t>(LayerKind::Directory)]; }
  static std::string digest(std::string_view text) { return Sha256::of(text); }

  TemporaryFolder folder;
  std::shared_ptr<CacheStack> stack;
};

TEST_F(ModelContentTest, AFileIsItsDigest) {
  ASSERT_OK_AND_ASSIGN(ModelContent content, read("one"));
  EXPECT_EQ(content.digest, digest("one"));
  EXPECT_EQ(content.wholeDigest(), digest("one"));
  EXPECT_THAT(content.files, IsEmpty());
  EXPECT_TRUE(content.isUnchanged());
  EXPECT_THAT(modelContent(*stack, folder.path("absent")), StatusIs(Code::NotFound, HasSubstr("absent")));
  EXPECT_THAT(modelContent(*stack, folder.path()),
              StatusIs(Code::InvalidArgument, HasSubstr("not a regular file")));
  ASSERT_OK_AND_ASSIGN(ModelContent empty, read(""));
  EXPECT_EQ(empty.digest, digest(""));
}

TEST_F(ModelContentTest, SettledFilesAreNotReadAgain) {
  std::string path = write("model", "one"), weights = write("w.bin", "weights");
  ASSERT_OK(modelContent(*stack, path));
  ASSERT_OK(modelContent(*stack, path));
  EXPECT_EQ(hits(), 0u) << "a file this young may change within its time stamp";
  write("model", entry("w.bin"));
  settle();
  for (uint64_t wanted : {0, 2}) {
    ASSERT_OK_AND_ASSIGN(ModelContent content, modelContent(*stack, path));
    EXPECT_EQ(content.digest, digest(entry("w.bin")));
    EXPECT_THAT(content.files, ElementsAre(Pair("w.bin", digest("weights"))));
    EXPECT_EQ(hits(), wanted);
  }
}

TEST_F(ModelContentTest, FilesThatAModelNamesCount) {
  std::string text = "head " + entry("w.bin") + " and " + entry("below/v.bin") + entry("w.bin") + " tail";
  std::filesystem::create_directory(folder.path("below"));
  write("w.bin", "weights");
  write("below/v.bin", "others");
  ASSERT_OK_AND_ASSIGN(ModelContent before, read(text));
  EXPECT_THAT(before.files,
              ElementsAre(Pair("below/v.bin", digest("others")), Pair("w.bin", digest("weights"))));
  EXPECT_NE(before.wholeDigest(), before.digest);
  write("below/v.bin", "other");
  EXPECT_FALSE(before.isUnchanged());
  ASSERT_OK_AND_ASSIGN(ModelContent after, read(text));
  EXPECT_EQ(after.digest, before.digest);
  EXPECT_NE(after.wholeDigest(), before.wholeDigest());
  std::filesystem::remove(folder.path("below/v.bin"));
  EXPECT_FALSE(after.isUnchanged());
  ASSERT_OK_AND_ASSIGN(ModelContent without, read(text));
  EXPECT_THAT(without.files, ElementsAre(Pair("below/v.bin", "absent"), Pair("w.bin", digest("weights"))));
  EXPECT_TRUE(without.isUnchanged());
  write("below/v.bin", "back");
  EXPECT_FALSE(without.isUnchanged());
}

TEST_F(ModelContentTest, FilesThatNoImporterOpensAreNotOpened) {
  std::string text;
  for (const std::string &location :
       {std::string("/etc/passwd"), std::string("../w"), std::string(), std::string("a\0b", 3)})
    text += entry(location);
  ASSERT_OK_AND_ASSIGN(ModelContent content, read(text));
  ASSERT_EQ(content.files.size(), 4u);
  for (const auto &[location, fileDigest] : content.files)
    EXPECT_EQ(fileDigest, "not allowed") << location;
  std::filesystem::create_directory(folder.path("d"));
  ASSERT_OK_AND_ASSIGN(ModelContent directory, read(entry("d")));
  EXPECT_THAT(directory.files, ElementsAre(Pair("d", "absent"))) << "no regular file";
  EXPECT_TRUE(directory.isUnchanged());
}

TEST_F(ModelContentTest, LongNamesAreRead) {
  std::string name = std::string(200, 'n');
  write(name, "weights");
  ASSERT_OK_AND_ASSIGN(ModelContent content, read(entry(name)));
  EXPECT_THAT(content.files, ElementsAre(Pair(name, digest("weights"))));
}

TEST_F(ModelContentTest, WhatIsNotUnderstoodIsSaid) {
  std::string key = "\x0a\x08location";
  for (const std::string &text :
       {key, key + "\x12", key + "\x12\x05" + "abc", key + "\x1a\x01" + "a", key + "\x12\xff\xff\x01",
        key + "\x12\xff\x7f" + std::string(20000, 'a'), "\x12\x05w.bin" + key}) {
    EXPECT_THAT(read(text), StatusIs(Code::Unimplemented, HasSubstr("not understood")));
  }
}

TEST_F(ModelContentTest, ADamagedMemoryIsNoMemory) {
  std::string path = write("model", "one");
  settle();
  ASSERT_OK(modelContent(*stack, path));
  ASSERT_OK(modelContent(*stack, path));
  EXPECT_EQ(hits(), 1u);
  std::string file;
  CacheCounters counters;
  ASSERT_OK_AND_ASSIGN(auto directory,
                       CacheDirectory::open(folder.path("cache"), {.isWritable = true}, counters));
  ASSERT_OK(directory->visit([&](const ListedEntry &listed) { file = listed.path; }));
  std::string bytes = readWhole(folder.path("cache/v1/" + file));
  bytes[bytes.size() - 20] ^= 1;
  writeWhole(folder.path("cache/v1/" + file), bytes);
  ASSERT_OK_AND_ASSIGN(ModelContent content, modelContent(*stack, path));
  EXPECT_EQ(content.digest, digest("one"));
  EXPECT_EQ(hits(), 1u);
}

} // namespace
} // namespace kiln
