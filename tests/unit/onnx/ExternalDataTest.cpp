// ExternalDataTest.cpp: weights in files beside the model; which files may be named.
#include "tests/unit/onnx/TestModel.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace kiln::onnx {
namespace {

using kiln::onnx::testing::importBytes;
using kiln::onnx::testing::makeContext;
using kiln::onnx::testing::TestModel;
using kiln::testing::StatusIs;
using ::testing::HasSubstr;

/// A folder with weights.bin: 8192 bytes, each the low byte of its offset / 4.
class ExternalDataTest : public ::testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() / ("kiln-onnx-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder / "below");
    std::ofstream file(folder / "weights.bin", std::ios::binary);
    for (int i = 0; i < 8192; ++i)
      file.put(static_cast<char>(i / 4));
    std::filesystem::copy_file(folder / "weights.bin", folder / "below" / "weights.bin",
                               std::filesystem::copy_options::overwrite_existing);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// y = w, with w in a file.
  Result<jit::ImportedModule> import(const char *location, const char *offset, const char *length,
                                     bool fromFile = true) {
    TestModel model;
    TensorProto &tensor = model.output("w").initializer("w", {512}, TensorProto::FLOAT);
    tensor.set_data_location(TensorProto::EXTERNAL);
    std::pair<const char *, const char *> entries[] = {
        {"location", location}, {"offset", offset}, {"length", length}};
    for (auto [key, value] : entries)
      if (value) {
        StringStringEntryProto &entry = *tensor.add_external_data();
        entry.set_key(key);
        entry.set_value(value);
      }
    return importBytes(*context, model.bytes(), fromFile ? (folder / "model.onnx").string() : "");
  }

  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  std::filesystem::path folder;
};

TEST_F(ExternalDataTest, ARangeOfAFile) {
  ASSERT_OK_AND_ASSIGN(jit::ImportedModule module, import("weights.bin", "1024", "2048"));
  ASSERT_EQ(module.weights.size(), 1u);
  EXPECT_EQ(module.weights[0].second.bytes.size(), 2048u);
  EXPECT_EQ(module.weights[0].second.bytes[4], 1);
  EXPECT_TRUE(module.weights[0].second.owner) << "the mapping outlives the import";
}

TEST_F(ExternalDataTest, AFolderBelow) { EXPECT_OK(import("below/weights.bin", "0", "2048").status()); }

TEST_F(ExternalDataTest, WithoutLengthToTheEnd) {
  EXPECT_OK(import("weights.bin", "6144", nullptr).status());
}

TEST_F(ExternalDataTest, AbsolutePaths) {
  std::string absolute = (folder / "weights.bin").string();
  EXPECT_THAT(import(absolute.c_str(), "0", "2048").status(),
              StatusIs(Code::InvalidArgument, HasSubstr("' is not allowed; expected a relative path")));
}

TEST_F(ExternalDataTest, PathsThatLeaveTheFolder) {
  for (const char *location : {"../weights.bin", "below/../../weights.bin", "below/..", ".."})
    EXPECT_THAT(import(location, "0", "2048").status(),
                StatusIs(Code::InvalidArgument, HasSubstr("leaves the model's folder")))
        << location;
}

TEST_F(ExternalDataTest, LinksThatLeaveTheFolder) {
  std::filesystem::path outside = folder.string() + "-outside"; // the folder's name is a prefix of it
  std::filesystem::create_directories(outside);
  std::filesystem::copy_file(folder / "weights.bin", outside / "weights.bin");
  std::filesystem::create_symlink(outside / "weights.bin", folder / "link.bin");
  std::filesystem::create_directory_symlink(outside, folder / "linked");
  for (const char *location : {"link.bin", "linked/weights.bin"})
    EXPECT_THAT(import(location, "0", "2048").status(),
                StatusIs(Code::InvalidArgument, HasSubstr("is a link that leaves the model's folder, to '")))
        << location;
  // The model is a link into the folder of the weights, as download caches make them.
  std::ofstream(outside / "blob").put('\0');
  std::filesystem::create_symlink(outside / "blob", folder / "model.onnx");
  EXPECT_OK(import("link.bin", "0", "2048").status());
  std::filesystem::remove_all(outside);
}

TEST_F(ExternalDataTest, ALinkWithinTheFolder) {
  std::filesystem::create_symlink("below/weights.bin", folder / "link.bin");
  EXPECT_OK(import("link.bin", "0", "2048").status());
}

TEST_F(ExternalDataTest, ALinkToNothing) {
  std::filesystem::create_symlink("nothing", folder / "link.bin");
  EXPECT_THAT(import("link.bin", "0", "2048").status(),
              StatusIs(Code::InvalidArgument, HasSubstr("link.bin: No such file")));
}

TEST_F(ExternalDataTest, NoLocation) {
  EXPECT_THAT(
      import(nullptr, "0", "2048").status(),
      StatusIs(Code::InvalidArgument, HasSubstr("initializer 'w': external data without a 'location'")));
}

TEST_F(ExternalDataTest, MissingFile) {
  EXPECT_THAT(import("other.bin", "0", "2048").status(),
              StatusIs(Code::InvalidArgument, HasSubstr("other.bin: No such file")));
}

TEST_F(ExternalDataTest, NotAFile) {
  EXPECT_THAT(import("below", "0", "2048").status(),
              StatusIs(Code::InvalidArgument, HasSubstr("not a regular file")));
}

TEST_F(ExternalDataTest, RangesPastTheEnd) {
  std::pair<const char *, const char *> ranges[] = {{"8192", "2048"},
                                                    {"9000", "0"},
                                                    {"7000", "2048"},
                                                    {"18446744073709551615", "2"},
                                                    {"0", "18446744073709551615"}};
  for (auto [offset, length] : ranges)
    EXPECT_THAT(import("weights.bin", offset, length).status(),
                StatusIs(Code::InvalidArgument, HasSubstr("past the end of the file, 8192 bytes")))
        << offset << "+" << length;
}

TEST_F(ExternalDataTest, ARangeOfAnotherSize) {
  EXPECT_THAT(import("weights.bin", "0", "2044").status(),
              StatusIs(Code::InvalidArgument, HasSubstr("2044 bytes of data; expected 2048")));
}

TEST_F(ExternalDataTest, NumbersThatAreNone) {
  EXPECT_THAT(import("weights.bin", "-1", "2048").status(),
              StatusIs(Code::InvalidArgument, HasSubstr("offset '-1' is not a number")));
  EXPECT_THAT(import("weights.bin", "0", "2k").status(),
              StatusIs(Code::InvalidArgument, HasSubstr("length '2k' is not a number")));
}

TEST_F(ExternalDataTest, ModelsFromBytesHaveNone) {
  EXPECT_THAT(import("weights.bin", "0", "2048", false).status(),
              StatusIs(Code::InvalidArgument, HasSubstr("of a model that did not come from a file")));
}

} // namespace
} // namespace kiln::onnx
