// VendorCompilerTest.cpp: finding the vendor's tool and living with how it ends, with scripts in its place.
#include "backends/npu/VendorCompiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace kiln;
using namespace kiln::npu;
using namespace std::chrono_literals;
using testing::HasSubstr;

namespace {

namespace fs = std::filesystem;

class VendorCompilerTest : public testing::Test {
protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) / ("vendor-" + std::to_string(getpid()));
    fs::create_directories(folder / "bin");
  }
  void TearDown() override { fs::remove_all(folder); }
  // A tool that says its version and otherwise does what `body` says.
  std::string tool(const std::string &version, const std::string &body = "cat") {
    fs::path path = folder / "bin" / "bishengir-opt";
    std::ofstream(path) << "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'bishengir-opt " << version
                        << " (built here)'; exit 0; fi\n"
                        << body << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
  }
  fs::path folder;
};

} // namespace

TEST_F(VendorCompilerTest, IsFoundAsFileFolderAndInBin) {
  std::string path = tool("1.2.0");
  for (const std::string &place : {path, (folder / "bin").string(), folder.string()}) {
    Result<VendorCompiler> found = VendorCompiler::find(place);
    ASSERT_TRUE(found.ok()) << place << ": " << found.status().message();
    EXPECT_EQ(found->path(), path);
  }
}

TEST_F(VendorCompilerTest, IsFoundOnPath) {
  std::string path = tool("1.2.0"), before = std::getenv("PATH");
  setenv("PATH", ((folder / "bin").string() + ":" + before).c_str(), 1);
  Result<VendorCompiler> found = VendorCompiler::find("");
  setenv("PATH", before.c_str(), 1);
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(found->path(), path);
}

TEST_F(VendorCompilerTest, OtherVersionsCountAsAbsent) {
  tool("1.3.0");
  Result<VendorCompiler> found = VendorCompiler::find(folder.string());
  EXPECT_EQ(found.status().code(), Code::FailedPrecondition);
  EXPECT_THAT(found.status().message(),
              HasSubstr("its version is 'bishengir-opt 1.3.0 (built here)'; expected 1.2.0"));
  tool("1.2.01");
  EXPECT_EQ(VendorCompiler::find(folder.string()).status().code(), Code::FailedPrecondition);
}

TEST_F(VendorCompilerTest, AWrongPlaceIsNamed) {
  Result<VendorCompiler> found = VendorCompiler::find((folder / "nowhere").string());
  EXPECT_EQ(found.status().code(), Code::NotFound);
  EXPECT_THAT(found.status().message(), HasSubstr("KILN_NPU_ASCENDNPU_IR: no bishengir-opt at '"));
}

TEST_F(VendorCompilerTest, RunsGiveOutputErrorsAndExitCode) {
  tool("1.2.0", "cat; echo \"$2\" >&2; exit 7");
  std::string big(200000, 'x');
  VendorRun run = VendorCompiler::find(folder.string())->run({"-", "word"}, big, 20s).value();
  EXPECT_EQ(run.output, big);
  EXPECT_EQ(run.errors, "word\n");
  EXPECT_EQ(run.exitCode, 7);
  EXPECT_EQ(run.signal, 0);
  EXPECT_FALSE(run.isLate);
}

TEST_F(VendorCompilerTest, CrashesAreSignals) {
  tool("1.2.0", "kill -SEGV $$");
  VendorRun run = VendorCompiler::find(folder.string())->run({}, "", 20s).value();
  EXPECT_EQ(run.exitCode, -1);
  EXPECT_EQ(run.signal, SIGSEGV);
}

TEST_F(VendorCompilerTest, RunsWithoutEndAreKilled) {
  tool("1.2.0", "echo begun; sleep 100 & sleep 100");
  auto start = std::chrono::steady_clock::now();
  VendorRun run = VendorCompiler::find(folder.string())->run({}, "", 300ms).value();
  EXPECT_TRUE(run.isLate);
  EXPECT_EQ(run.signal, SIGKILL);
  EXPECT_EQ(run.output, "begun\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
}
