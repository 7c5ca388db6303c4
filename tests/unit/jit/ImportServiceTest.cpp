// ImportServiceTest.cpp: importers are found, checked before they are loaded, and refused where they do not
// fit.
#include "jit/Compiler.h"
#include "runtime/Fingerprint.h"
#include "tests/unit/jit/ToyCompiler.h"

#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace kiln;
using namespace kiln::jit;
using namespace kiln::jit::testing;
using namespace kiln::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {
/// A folder with copies of the sample importer under names that say how each behaves.
class ImportServiceTest : public ::testing::Test {
protected:
  ImportServiceTest() { std::filesystem::create_directories(folder); }
  ~ImportServiceTest() override { std::filesystem::remove_all(folder); }

  std::string add(const std::string &format) {
    std::string path = folder + "/libkiln_" + format + ".so";
    std::filesystem::copy_file(KILN_TEST_SAMPLE_IMPORTER, path);
    return path;
  }
  Result<std::unique_ptr<KilnImportedModel>> import(std::string_view text, std::string_view format,
                                                    std::string_view name = "model") {
    KilnImportArgs args = {};
    args.struct_size = sizeof(args);
    args.format = toStr(format);
    args.name = toStr(name);
    args.data = text.data();
    args.bytes = text.size();
    return service.import(args);
  }
  static bool isLoaded(const std::string &path) {
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    return library != nullptr;
  }

  const std::string folder = ::testing::TempDir() + "/importers-" + std::to_string(getpid());
  FakeHost host;
  ToyCompiler compiler{host};
  ImportService service{host.table, compilerOf(compiler.table()).registry(), folder};
};

TEST_F(ImportServiceTest, AnImporterIsFoundByFormatContentAndEnding) {
  add("sample");
  ASSERT_OK_AND_ASSIGN(auto named, import("whatever", "sample"));
  EXPECT_EQ(named->inputs.size(), 1u);
  EXPECT_OK(import("sample of a model", ""));
  EXPECT_THAT(import("nothing known", ""),
              StatusIs(Code::InvalidArgument, HasSubstr("known formats are bundle, mlir, program, sample")));
  add("ending");
  EXPECT_OK(import("nothing known", "", "model.smp")) << "without a look at the content";
  EXPECT_THAT(import("nothing known", "", "model.smq"), StatusIs(Code::InvalidArgument, HasSubstr("ending")));
}

TEST_F(ImportServiceTest, OneBuiltForAnotherLlvmIsNotLoaded) {
  std::string path = add("stranger");
  std::string ours(fingerprintValue(ownFingerprint(Tier::Compiler), "llvm")), theirs = ours;
  theirs[0] = theirs[0] == '9' ? '8' : '9';
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  size_t at = bytes.find("llvm=" + ours);
  ASSERT_NE(at, std::string::npos) << "it has no note";
  bytes.replace(at, 5 + ours.size(), "llvm=" + theirs);
  std::ofstream(path, std::ios::binary) << bytes;
  std::string why = "built for LLVM " + theirs + ", this is " + ours;
  EXPECT_THAT(import("x", "stranger"),
              StatusIs(Code::FailedPrecondition, AllOf(HasSubstr(why), HasSubstr(path))));
  EXPECT_THAT(import("x", ""), StatusIs(Code::InvalidArgument, HasSubstr(why)))
      << "said where it could be meant";
  EXPECT_FALSE(isLoaded(path));
}

TEST_F(ImportServiceTest, WhatIsNoImporterIsNotLoaded) {
  std::string path = folder + "/libkiln_text.so";
  std::ofstream(path) << "no library";
  EXPECT_THAT(import("x", "text"), StatusIs(Code::InvalidArgument, HasSubstr("not an ELF file")));
  path = folder + "/libkiln_plain.so";
  std::filesystem::copy_file(KILN_TEST_PLAIN_LIBRARY, path);
  EXPECT_THAT(import("x", "plain"),
              StatusIs(Code::NotFound, AllOf(HasSubstr(path), HasSubstr("no Kiln note"))));
  EXPECT_THAT(import("x", ""), StatusIs(Code::InvalidArgument, Not(HasSubstr("libkiln_plain"))))
      << "other libraries may lie there";
  EXPECT_FALSE(isLoaded(path));
  EXPECT_THAT(import("x", "absent"), StatusIs(Code::NotFound, HasSubstr("libkiln_absent.so")));
  EXPECT_THAT(import("x", "../sample"), StatusIs(Code::InvalidArgument, HasSubstr("unknown format")));
}

TEST_F(ImportServiceTest, AnIncompleteImporterIsRefusedAndSaysWhy) {
  for (auto [format, why] : {std::pair("nothing", "kiln_importer_query_v1 returned nothing"),
                             {"older", "its ImporterInfo has 32 bytes; expected 40"},
                             {"misnamed", "its format is 'sample'; expected 'misnamed'"},
                             {"useless", "fills in no import function"},
                             {"endless", "fills in no endings"}}) {
    std::string path = add(format);
    EXPECT_THAT(import("x", format),
                StatusIs(Code::FailedPrecondition, AllOf(HasSubstr(path), HasSubstr(why))));
    EXPECT_THAT(import("x", format), StatusIs(Code::FailedPrecondition, HasSubstr(why))) << "the second time";
  }
}
} // namespace
