// NpyTest.cpp: .npy and .npz files, good, damaged and foreign.
#include "tools/lib/Npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace kiln;
using namespace kiln::tools;
using testing::HasSubstr;

namespace {

Result<HostTensor> parseBytes(const std::string &bytes) {
  return parseNpy(std::as_bytes(std::span(bytes.data(), bytes.size())), "file");
}

std::string npy(std::string header, const std::string &data, char major = 1) {
  std::string file = "\x93NUMPY";
  file += major;
  file += '\0';
  uint32_t length = static_cast<uint32_t>(header.size());
  file.append(reinterpret_cast<const char *>(&length), major == 1 ? 2 : 4);
  return file + header + data;
}

HostTensor sample() {
  HostTensor tensor = makeTensor("a:0", KILN_I16, {2, 3}).value();
  for (int i = 0; i < 6; ++i)
    tensor.setElement(i, i - 2);
  return tensor;
}

std::string temporaryPath(const char *name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

TEST(NpyTest, WhatIsWrittenReadsBack) {
  auto back = parseBytes(formatNpy(sample()));
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(back->dims, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(back->dtype, KilnDType{KILN_I16});
  EXPECT_EQ(back->bytes, sample().bytes);
}

TEST(NpyTest, ScalarsVersionTwoAndFortranOrder) {
  auto scalar =
      parseBytes(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", std::string(4, '\0'), 2));
  ASSERT_TRUE(scalar.ok()) << scalar.status().message();
  EXPECT_TRUE(scalar->dims.empty());
  auto fortran = parseBytes(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2), }", "\1\2\3\4"));
  ASSERT_TRUE(fortran.ok());
  EXPECT_EQ(fortran->element(1), 3) << "column-major becomes row-major";
}

TEST(NpyTest, DamageIsNamed) {
  EXPECT_THAT(parseBytes("nonsense, not an array").status().message(), HasSubstr("not a .npy file"));
  EXPECT_THAT(
      parseBytes(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "1234")).status().message(),
      HasSubstr("big-endian"));
  EXPECT_THAT(parseBytes(npy("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "12345678"))
                  .status()
                  .message(),
              HasSubstr("type '<c8'"));
  EXPECT_THAT(
      parseBytes(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "1234")).status().message(),
      HasSubstr("4 data bytes; its shape needs 12"));
  auto refusal = [&](const std::string &shape) {
    return parseBytes(npy("{'descr': '<f4', " + shape + "}", "")).status().message();
  };
  EXPECT_THAT(
      refusal("'shape': (99999999999999999999,), "),
      HasSubstr("malformed 'shape' in the header: '(99999999999999999999,)'; expected extents of at most"));
  EXPECT_THAT(refusal("'shape': (3, -1), "), HasSubstr("'(3, -1)'; expected extents >= 0"));
  EXPECT_THAT(refusal("'shape': 3, "), HasSubstr("expected a tuple of extents"));
  EXPECT_THAT(refusal("'shape': (3"), HasSubstr("malformed 'shape' in the header"));
  EXPECT_THAT(refusal(""), HasSubstr("no 'shape' in the header"));
  std::string many;
  for (int i = 0; i < 40; ++i)
    many += "1,";
  EXPECT_THAT(refusal("'shape': (" + many + "), "), HasSubstr("rank 40; expected at most 16"));
  EXPECT_THAT(parseBytes(npy("{'descr': [('a', '<f4')], 'shape': (1,), }", "1234")).status().message(),
              HasSubstr("structured"));
}

TEST(NpyTest, EveryTruncationIsRefused) {
  std::string whole = formatNpy(sample());
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(parseBytes(whole.substr(0, size)).ok()) << size;
}

TEST(NpyTest, ArchivesKeepNamesAndTypes) {
  std::string path = temporaryPath("kiln_npy_test.npz");
  HostTensor narrow = makeTensor("b", KILN_BF16, {1}).value();
  narrow.setElement(0, 1.5);
  std::vector<HostTensor> tensors = {sample(), narrow};
  ASSERT_TRUE(writeNpz(path, tensors).ok());
  auto back = readNpz(path);
  ASSERT_TRUE(back.ok()) << back.status().message();
  ASSERT_EQ(back->size(), 2u);
  EXPECT_EQ(back->front().name, "a:0");
  EXPECT_EQ(back->back().dtype, KilnDType{KILN_F32}) << "NumPy has no bf16";
  EXPECT_EQ(back->back().element(0), 1.5);
}

TEST(NpyTest, DamagedArchivesAreRefused) {
  EXPECT_EQ(readNpz("/nonexistent.npz").status().code(), Code::NotFound);
  std::string path = temporaryPath("kiln_npy_damaged.npz");
  std::vector<HostTensor> tensors = {sample()};
  ASSERT_TRUE(writeNpz(path, tensors).ok());
  std::string bytes;
  {
    std::ifstream file(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  for (size_t keep : {size_t{0}, bytes.size() / 2, bytes.size() - 4}) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes.substr(0, keep);
    EXPECT_FALSE(readNpz(path).ok()) << keep << " bytes";
  }
}

} // namespace
