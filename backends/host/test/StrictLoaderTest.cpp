// StrictLoaderTest.cpp: what is the strict loader's alone: survival of damaged objects, packing, debuggers.
#include "StrictLoader.h"
#include "ElfRewrite.h"
#include "LoaderFixture.h"

#include <elf.h>

#include <cstring>
#include <random>

// gdb's side of its JIT interface: what it reads in the process that it debugs.
struct jit_code_entry {
  jit_code_entry *next_entry, *prev_entry;
  const char *symfile_addr;
  uint64_t symfile_size;
};
struct jit_descriptor {
  uint32_t version, action_flag;
  jit_code_entry *relevant_entry, *first_entry;
};
extern "C" jit_descriptor __jit_debug_descriptor;

namespace kiln::host {

LoaderUnderTest loaderUnderTest() {
  static auto *loader = new StrictLoader(hostTable());
  return {StrictLoader::ops(), loader};
}

namespace {

using testing::HasSubstr;

TEST(StrictLoaderTest, RejectsOrLoadsEveryBitFlip) {
  StrictLoader loader(hostTable());
  std::vector<char> object = readObject("kernels");
  int loaded = 0, refused = 0;
  for (size_t bit = 0; bit < object.size() * 8; ++bit) {
    object[bit / 8] ^= static_cast<char>(1 << bit % 8);
    Result<HostKernel *> kernel = loader.load(imageOf(object));
    if (kernel.ok())
      loader.unload(*kernel);
    ++(kernel.ok() ? loaded : refused);
    object[bit / 8] ^= static_cast<char>(1 << bit % 8);
  }
  EXPECT_GT(refused, 500) << "headers are checked";
  EXPECT_GT(loaded, 500) << "code and debug information are not";
  EXPECT_EQ(loader.usage().bytesUsed, 0u) << "refused objects leave nothing behind";
}

TEST(StrictLoaderTest, SurvivesRandomDamage) {
  StrictLoader loader(hostTable());
  const std::vector<char> good = readObject("kernels");
  std::minstd_rand random(20);
  for (int round = 0; round < 20000; ++round) {
    std::vector<char> object = good;
    for (unsigned i = 1 + random() % 8; i > 0; --i) {
      // Half of the hits into the ELF header and the section table, where they do most.
      Elf64_Ehdr header;
      std::memcpy(&header, good.data(), sizeof(header));
      size_t table = header.e_shoff + random() % (header.e_shnum * sizeof(Elf64_Shdr));
      size_t at = random() % 2 ? random() % object.size() : random() % 4 ? table : random() % sizeof(header);
      constexpr unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
      object[at] = static_cast<char>(random() % 2 ? values[random() % 5] : random());
    }
    Result<HostKernel *> kernel = loader.load(imageOf(object));
    if (kernel.ok())
      loader.unload(*kernel);
  }
  EXPECT_EQ(loader.usage().bytesUsed, 0u);
}

TEST(StrictLoaderTest, PacksManyKernelsIntoFewArenas) {
  StrictLoader loader(hostTable());
  std::vector<char> object = readObject("kernels");
  std::vector<HostKernel *> kernels;
  for (int i = 0; i < 2000; ++i) {
    Result<HostKernel *> kernel = loader.load(imageOf(object));
    ASSERT_TRUE(kernel.ok()) << kernel.status().message();
    kernels.push_back(*kernel);
  }
  EXPECT_LE(loader.usage().arenas, 4u);
  for (HostKernel *kernel : kernels)
    loader.unload(kernel);
  EXPECT_EQ(loader.usage().bytesUsed, 0u);
}

TEST(StrictLoaderTest, RefusesAnUnknownDebugOption) {
  DebugOptions options("gdb,lldb");
  KilnHost host = makeHostTable(options);
  StrictLoader loader(host);
  std::vector<char> object = readObject("kernels");
  Result<HostKernel *> kernel = loader.load(imageOf(object));
  ASSERT_FALSE(kernel.ok());
  EXPECT_THAT(kernel.status().message(), HasSubstr("option 'debug': 'lldb'; expected gdb or perf"));
}

TEST(StrictLoaderTest, PerfFindsKernelsByName) {
  DebugOptions options("perf");
  KilnHost host = makeHostTable(options);
  StrictLoader loader(host);
  expectPerfMap([&](const KilnKernelImage &image) { return loader.load(image); },
                [&](HostKernel *kernel) { loader.unload(kernel); });
}

TEST(StrictLoaderTest, GdbKnowsKernelsWhileTheyAreLoaded) {
  DebugOptions options("gdb");
  KilnHost host = makeHostTable(options);
  StrictLoader loader(host);
  std::vector<char> object = readObject("kernels");
  auto listed = [] {
    size_t count = 0;
    for (jit_code_entry *entry = __jit_debug_descriptor.first_entry; entry; entry = entry->next_entry)
      ++count;
    return count;
  };
  std::vector<HostKernel *> kernels;
  for (int i = 0; i < 3; ++i)
    kernels.push_back(*loader.load(imageOf(object)));
  EXPECT_EQ(listed(), 3u);
  EXPECT_EQ(__jit_debug_descriptor.action_flag, 1u);
  jit_code_entry *last = __jit_debug_descriptor.relevant_entry;
  EXPECT_GT(last->symfile_size, object.size()) << "the object and its longer string table";
  EXPECT_EQ(std::memcmp(last->symfile_addr,
                        "\x7f"
                        "ELF",
                        4),
            0);
  loader.unload(kernels[1]); // the middle, then the ends
  EXPECT_EQ(listed(), 2u);
  EXPECT_EQ(__jit_debug_descriptor.action_flag, 2u);
  loader.unload(kernels[2]);
  loader.unload(kernels[0]);
  EXPECT_EQ(listed(), 0u);
}

TEST(StrictLoaderTest, GdbGetsTheObjectWithAddressesAndTheName) {
  std::vector<char> object = readObject("kernels");
  std::span bytes(reinterpret_cast<const std::byte *>(object.data()), object.size());
  Result<ElfObject> parsed = ElfObject::parse(bytes);
  ASSERT_TRUE(parsed.ok());
  std::vector<const std::byte *> addresses;
  for (size_t i = 0; i < parsed->sections().size(); ++i)
    addresses.push_back(reinterpret_cast<const std::byte *>(0x10000 * (i + 1)));
  std::vector<std::byte> copy =
      rewriteElf(bytes, *parsed, {"add_kernel", "fused add", false, false, &addresses});
  // The copy is itself a good object, in which the kernel has its name and the section its address.
  Result<ElfObject> again = ElfObject::parse(copy);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_TRUE(again->entry("fused add").ok());
  EXPECT_TRUE(again->entry("copy_kernel").ok());
  EXPECT_FALSE(again->entry("add_kernel").ok());
  Elf64_Ehdr header;
  Elf64_Shdr section;
  std::memcpy(&header, copy.data(), sizeof(header));
  std::memcpy(&section, copy.data() + header.e_shoff + again->sections()[0].index * sizeof(section),
              sizeof(section));
  EXPECT_EQ(section.sh_addr, 0x10000u);
}

} // namespace
} // namespace kiln::host
