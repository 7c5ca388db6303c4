// OrcLoaderTest.cpp: what is the ORC loader's alone: reloading without growth, mappings, damaged objects.
#include "OrcLoader.h"
#include "LoaderFixture.h"

#include "llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h"

#include <random>

extern "C" jit_descriptor __jit_debug_descriptor; // libLLVM's

namespace kiln::host {

LoaderUnderTest loaderUnderTest() {
  static auto *loader = new OrcLoader(hostTable());
  return {OrcLoader::ops(), loader};
}

namespace {

size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  size_t lines = 0;
  for (std::string line; std::getline(maps, line);)
    ++lines;
  return lines;
}

class OrcLoaderTest : public LoaderTest {};

TEST_F(OrcLoaderTest, ManyKernelsNeedFewMappings) {
  std::vector<char> object = readObject("kernels");
  ASSERT_TRUE(load(object, "add_kernel").ok()); // the session
  size_t before = mappings();
  for (int i = 0; i < 1000; ++i)
    ASSERT_TRUE(load(object, "add_kernel").ok());
  EXPECT_LT(mappings(), before + 8);
}

TEST_F(OrcLoaderTest, SurvivesRandomDamage) {
  const std::vector<char> good = readObject("kernels");
  std::minstd_rand random(20);
  for (int round = 0; round < 1500; ++round) {
    std::vector<char> object = good;
    for (unsigned i = 1 + random() % 4; i > 0; --i)
      object[random() % object.size()] ^= static_cast<char>(1 << random() % 8);
    if (load(object, "add_kernel").ok())
      unloadLast();
  }
  Result<HostEntry> entry = load(good, "add_kernel");
  EXPECT_TRUE(entry.ok()) << "damaged objects do not spoil the session: " << entry.status().message();
}

TEST_F(OrcLoaderTest, GdbKnowsKernels) {
  DebugOptions options("gdb");
  KilnHost host = makeHostTable(options);
  OrcLoader loader(host);
  std::vector<char> object = readObject("kernels");
  Result<HostKernel *> kernel = loader.load(imageOf(object));
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  const jit_code_entry *entry = __jit_debug_descriptor.first_entry;
  ASSERT_NE(entry, nullptr);
  std::string_view file(entry->symfile_addr, entry->symfile_size);
  EXPECT_NE(file.find("fused add, kernel 1"), std::string_view::npos)
      << "the kernel's name is in its symbols";
  loader.unload(*kernel);
  // LLVM leaves the entry in the list; gdb must still find a file there.
  ASSERT_TRUE(loader.load(imageOf(object)).ok());
  EXPECT_EQ(std::string_view(entry->symfile_addr, 4), "\x7f"
                                                      "ELF");
}

TEST_F(OrcLoaderTest, PerfFindsKernelsByName) {
  DebugOptions options("perf");
  KilnHost host = makeHostTable(options);
  OrcLoader loader(host);
  expectPerfMap([&](const KilnKernelImage &image) { return loader.load(image); },
                [&](HostKernel *kernel) { loader.unload(kernel); });
}

} // namespace
} // namespace kiln::host
