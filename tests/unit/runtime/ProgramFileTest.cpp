// ProgramFileTest.cpp: program files on disk: round trip, truncation, flipped bits, foreign files.
#include "runtime/ProgramFile.h"

#include "runtime/Sha256.h"
#include "tests/unit/runtime/ProgramMaker.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::HasSubstr;

std::vector<uint8_t> readAll(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void writeAll(const std::string &path, ByteSpan bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

class ProgramFileTest : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder =
        std::filesystem::temp_directory_path() / ("kiln-program-file-" + name + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    path = folder / "p.kprog";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  // A program with a small constant and one of 5000 bytes.
  Status write() {
    ProgramMaker maker = smallProgram();
    std::vector<float> big(1250, 0.5f);
    maker.constant(big);
    std::map<std::string, std::vector<uint8_t>, std::less<>> bytes;
    for (auto &constant : maker.program.constants)
      bytes[constant->digest] = constant->inline_data;
    return writeProgramFile(path, std::move(maker.program), [&](std::string_view digest) -> Result<ByteSpan> {
      return ByteSpan(bytes.find(digest)->second);
    });
  }
  std::filesystem::path folder;
  std::string path;
};

TEST_F(ProgramFileTest, RoundTripKeepsConstantsAndKernels) {
  ASSERT_OK(write());
  ASSERT_OK_AND_ASSIGN(ProgramFileRef file, ProgramFile::open(path));
  EXPECT_EQ(file->program().inputs()->size(), 1u);
  ASSERT_NE(file->verifiedProgram().embeddedKernels[0], nullptr);
  EXPECT_EQ(file->verifiedProgram().embeddedKernels[0]->metadata().name, "mul");
  ByteSpan small = file->constantBytes(0), big = file->constantBytes(1);
  EXPECT_EQ(small.size(), 16u);
  ASSERT_EQ(big.size(), 5000u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(big.data()) % 4096, 0u) << "weights are page-aligned";
  EXPECT_EQ(Sha256::of(big), file->program().constants()->Get(1)->digest()->str());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "no temporary is left";
  EXPECT_TRUE(ProgramFile::recognise(readAll(path)));
}

TEST_F(ProgramFileTest, BytesInMemoryAreTheSameFile) {
  ASSERT_OK(write());
  ASSERT_OK_AND_ASSIGN(ProgramFileRef mapped, ProgramFile::open(path));
  ASSERT_OK_AND_ASSIGN(ProgramFileRef copied, ProgramFile::fromBytes(readAll(path), "copy"));
  EXPECT_EQ(mapped->digest(), copied->digest());
  EXPECT_EQ(copied->constantBytes(1).size(), 5000u);
}

TEST_F(ProgramFileTest, TruncatedFilesAreDataLoss) {
  ASSERT_OK(write());
  std::vector<uint8_t> bytes = readAll(path);
  for (size_t size :
       {size_t(1), size_t(40), size_t(95), size_t(96), size_t(4096), size_t(9000), bytes.size() - 1}) {
    writeAll(path, ByteSpan(bytes).first(size));
    EXPECT_THAT(ProgramFile::open(path), StatusIs(Code::DataLoss, HasSubstr(path))) << size;
  }
  writeAll(path, {});
  EXPECT_THAT(ProgramFile::open(path), StatusIs(Code::DataLoss, HasSubstr("empty")));
  bytes.push_back(0);
  writeAll(path, bytes);
  EXPECT_THAT(ProgramFile::open(path), StatusIs(Code::DataLoss, HasSubstr("truncated or overwritten")));
}

TEST_F(ProgramFileTest, AnyFlippedBitIsFound) {
  ASSERT_OK(write());
  std::vector<uint8_t> bytes = readAll(path);
  size_t checked = 0;
  for (size_t at = 0; at < bytes.size(); at += at < 96 ? 1 : 37) {
    if (at >= 96 && at < 4096)
      continue; // padding behind the header
    bytes[at] ^= 0x10;
    EXPECT_FALSE(ProgramFile::fromBytes(bytes, "p").ok()) << "byte " << at;
    bytes[at] ^= 0x10;
    ++checked;
  }
  EXPECT_GT(checked, 300u);
  EXPECT_OK(ProgramFile::fromBytes(bytes, "p"));
}

TEST_F(ProgramFileTest, ForeignFilesAreNamed) {
  EXPECT_THAT(ProgramFile::open(path), StatusIs(Code::NotFound, HasSubstr("cannot open")));
  EXPECT_THAT(ProgramFile::open(folder), StatusIs(Code::InvalidArgument, HasSubstr("not a regular file")));
  std::vector<uint8_t> text(5000, 'x');
  writeAll(path, text);
  EXPECT_THAT(ProgramFile::open(path), StatusIs(Code::DataLoss, HasSubstr("neither a program file")));
  EXPECT_FALSE(ProgramFile::recognise(text));
}

TEST_F(ProgramFileTest, AWrongSizedWeightStopsWritingAndLeavesNothing) {
  ProgramMaker maker = smallProgram();
  std::vector<uint8_t> wrong(8);
  EXPECT_THAT(writeProgramFile(path, std::move(maker.program),
                               [&](std::string_view) -> Result<ByteSpan> { return ByteSpan(wrong); }),
              StatusIs(Code::InvalidArgument, HasSubstr("8 bytes; expected 16")));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(ProgramFileTest, UnwritablePathIsNamed) {
  EXPECT_THAT(writeProgramFile((folder / "no" / "p").string(), schema::ProgramT(), nullptr),
              StatusIs(Code::NotFound, HasSubstr("cannot create")));
}

} // namespace
} // namespace kiln
