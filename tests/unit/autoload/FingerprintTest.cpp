// FingerprintTest.cpp: which libraries fit this process, and reading their notes from sound and damaged
// files.
#include "runtime/Fingerprint.h"
#include "tests/unit/autoload/Fixtures.h"

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Our own fingerprint with one value changed.
std::string changed(Tier tier, const std::string &key, const std::string &value) {
  std::string text(ownFingerprint(tier));
  std::string old = key + "=" + std::string(fingerprintValue(text, key));
  size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << key << " in " << text;
  return text.replace(at, old.size(), key + "=" + value);
}
std::string mismatch(Tier tier, const std::string &key, const std::string &value) {
  return fingerprintMismatch(tier, changed(tier, key, value), ownFingerprint(tier));
}

TEST(FingerprintTest, OwnFitsOwn) {
  for (Tier tier : {Tier::Runtime, Tier::Compiler})
    EXPECT_EQ(fingerprintMismatch(tier, ownFingerprint(tier), ownFingerprint(tier)), "");
  EXPECT_EQ(fingerprintValue(ownFingerprint(Tier::Compiler), "llvm"), "19.1.7");
  EXPECT_EQ(fingerprintValue(ownFingerprint(Tier::Compiler), "libmlir").size(), 40u) << "a SHA-1 build id";
  EXPECT_EQ(fingerprintValue("ab=1;b=2", "b"), "2");
  EXPECT_EQ(fingerprintValue("ab=1", "c"), "");
}

TEST(FingerprintTest, TheCompilerTierMustBeIdentical) {
  EXPECT_EQ(mismatch(Tier::Compiler, "llvm", "19.1.4"), "built for LLVM 19.1.4, this is 19.1.7");
  EXPECT_THAT(mismatch(Tier::Compiler, "libmlir", "00"),
              StartsWith("built for the libMLIR with build id 00"));
  EXPECT_THAT(mismatch(Tier::Compiler, "libllvm", "00"),
              StartsWith("built for the libLLVM with build id 00"));
  EXPECT_EQ(mismatch(Tier::Compiler, "rtti", "0"), "built for RTTI = 0, this is 1");
  EXPECT_THAT(mismatch(Tier::Compiler, "cxxlib", "libc++.1"), StartsWith("built for C++ library libc++.1"));
  EXPECT_THAT(mismatch(Tier::Compiler, "kiln", "0.0.9"), StartsWith("built for Kiln's version 0.0.9"));
}

TEST(FingerprintTest, TheRuntimeTierIsPlainC) {
  EXPECT_EQ(mismatch(Tier::Runtime, "cxxlib", "libc++.1"), "");
  EXPECT_EQ(mismatch(Tier::Runtime, "abi", "2.0"), "built for Kiln's ABI 2.0, this is 1.0");
  EXPECT_EQ(mismatch(Tier::Runtime, "abi", "1.1"), "built for Kiln's ABI 1.1, this is 1.0");
  EXPECT_THAT(mismatch(Tier::Runtime, "sanitizer", "memory"), StartsWith("built for sanitizer memory"));
  EXPECT_THAT(mismatch(Tier::Runtime, "tier", "compiler"), StartsWith("a library of the compiler tier"));
  EXPECT_EQ(fingerprintMismatch(Tier::Runtime, "", ownFingerprint(Tier::Runtime)),
            "built for Kiln's ABI , this is 1.0");
}

TEST(ElfNoteTest, IsReadWithoutLoadingTheLibrary) {
  std::string path = pluginFolder("good") + "/libkiln_good.so";
  ASSERT_OK_AND_ASSIGN(std::string note, readElfNote(path));
  EXPECT_EQ(note, ownFingerprint(Tier::Runtime));
  ASSERT_OK_AND_ASSIGN(std::string id, readBuildId(path));
  EXPECT_THAT(id, ::testing::MatchesRegex("[0-9a-f]{40}"));
  ASSERT_OK_AND_ASSIGN(std::string other, readBuildId(pluginFolder("newer_abi") + "/libkiln_newer_abi.so"));
  EXPECT_NE(id, other);
}

TEST(ElfNoteTest, ForeignAndDamagedFilesAreRefused) {
  TempFolder folder;
  EXPECT_THAT(readElfNote(folder.path("none.so")), StatusIs(Code::NotFound, HasSubstr("No such file")));
  EXPECT_THAT(readElfNote(folder.write("text.so", "#!/bin/sh\n")),
              StatusIs(Code::InvalidArgument, HasSubstr("not an ELF file")));
  EXPECT_THAT(readElfNote(folder.write("empty.so", "")),
              StatusIs(Code::InvalidArgument, HasSubstr("not an ELF file")));
  EXPECT_THAT(readElfNote("/proc/self/exe"), StatusIs(Code::NotFound, HasSubstr("no Kiln note")));
}

TEST(ElfNoteTest, EveryTruncationAndEveryDamagedHeaderByteIsSurvived) {
  TempFolder folder;
  std::string bytes = readFile(pluginFolder("good") + "/libkiln_good.so");
  for (size_t size = 0; size < 1200; size += 7)
    (void)readElfNote(folder.write("cut.so", bytes.substr(0, size))).ok();
  EXPECT_FALSE(readElfNote(folder.write("cut.so", bytes.substr(0, 200))).ok()) << "the note lies further on";
  for (size_t at = 16; at < 1024; ++at) { // headers, segments and notes
    std::string damaged = bytes.substr(0, 8192);
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    Result<std::string> note = readElfNote(folder.write("damaged.so", damaged));
    if (!note.ok())
      EXPECT_THAT(note.status().message(), HasSubstr("damaged.so"));
  }
}

} // namespace
} // namespace kiln
