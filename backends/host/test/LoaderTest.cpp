// LoaderTest.cpp: what every loader of "host-elf" must do: run good objects, refuse what a kernel must not
// have, by name.
#include "LoaderFixture.h"

#include <cstring>

namespace kiln::host {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void runAdd(HostEntry entry) {
  std::vector<float> a(64), b(64), out(64);
  for (int i = 0; i < 64; ++i)
    a[i] = static_cast<float>(i), b[i] = 0.5f * static_cast<float>(i);
  void *bindings[] = {a.data(), b.data(), out.data()};
  int64_t tile = 8;
  entry(bindings, &tile, nullptr, 0, 3);
  entry(bindings, &tile, nullptr, 3, 8);
  for (int i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], 1.5f * static_cast<float>(i));
}

TEST_F(LoaderTest, RunsAKernelOnAnySplit) {
  Result<HostEntry> entry = load(readObject("kernels"), "add_kernel");
  ASSERT_TRUE(entry.ok()) << entry.status().message();
  runAdd(*entry);
}

TEST_F(LoaderTest, CallsTheRuntimesFunctions) {
  Result<HostEntry> entry = load(readObject("kernels"), "copy_kernel");
  ASSERT_TRUE(entry.ok()) << entry.status().message();
  char from[100], to[100] = {}, workspace[100];
  std::memset(from, 0x3c, sizeof(from));
  void *bindings[] = {from, to};
  int64_t bytes = sizeof(from);
  (*entry)(bindings, &bytes, workspace, 0, 1);
  EXPECT_EQ(std::memcmp(from, to, sizeof(from)), 0);
}

TEST_F(LoaderTest, ReadsConstantTables) {
  Result<HostEntry> entry = load(readObject("kernels"), "table_kernel");
  ASSERT_TRUE(entry.ok()) << entry.status().message();
  int64_t out[9] = {};
  void *bindings[] = {out};
  (*entry)(bindings, nullptr, nullptr, 0, 9);
  EXPECT_THAT(out, testing::ElementsAre(1 + 3, (1 ^ 0x55) + 1, -98 + 4, 12 + 1, -4 + 5, 0 + 9, 6 + 2, 22 + 6,
                                        (8 ^ 0x55) + 3));
}

TEST_F(LoaderTest, OneSymbolMayBeLoadedManyTimes) {
  std::vector<char> object = readObject("kernels");
  for (int i = 0; i < 3; ++i) {
    Result<HostEntry> entry = load(object, "add_kernel");
    ASSERT_TRUE(entry.ok()) << entry.status().message();
    runAdd(*entry);
  }
}

TEST_F(LoaderTest, LoadsAgainAfterUnloading) {
  std::vector<char> object = readObject("kernels");
  for (int i = 0; i < 50; ++i) {
    Result<HostEntry> entry = load(object, "add_kernel");
    ASSERT_TRUE(entry.ok()) << entry.status().message();
    runAdd(*entry);
    unloadLast();
  }
}

TEST_F(LoaderTest, TellsWhatAKernelTakes) {
  ASSERT_TRUE(load(readObject("kernels"), "add_kernel", "matmul_3").ok());
  const HostKernel &kernel = HostKernel::from(kernels.back());
  EXPECT_EQ(kernel.name, "matmul_3");
  EXPECT_EQ(kernel.bindingCount, 3u);
  EXPECT_EQ(kernel.constantCount, 1u);
}

TEST_F(LoaderTest, RefusesAMissingEntry) {
  Result<HostEntry> entry = load(readObject("kernels"), "sub_kernel");
  ASSERT_FALSE(entry.ok());
  EXPECT_EQ(entry.status().code(), Code::NotFound);
  EXPECT_THAT(entry.status().message(), HasSubstr("no function 'sub_kernel'"));
}

struct Refusal {
  const char *object, *says;
};
class LoaderRefusalTest : public LoaderTest, public testing::WithParamInterface<Refusal> {};

TEST_P(LoaderRefusalTest, NamesWhatItRefuses) {
  Result<HostEntry> entry = load(readObject(GetParam().object), "kernel");
  ASSERT_FALSE(entry.ok());
  EXPECT_EQ(entry.status().code(), Code::InvalidArgument);
  EXPECT_THAT(entry.status().message(), AllOf(HasSubstr("host-elf object"), HasSubstr(GetParam().says)));
}

INSTANTIATE_TEST_SUITE_P(
    EachKind, LoaderRefusalTest,
    testing::Values(
        Refusal{"absolute64", "section '.rodata' offset 0: relocation R_X86_64_64; expected R_X86_64_PC32"},
        Refusal{"absolute32", "section '.text' offset 1: relocation R_X86_64_32;"},
        Refusal{"got", "relocation R_X86_64_REX_GOTPCRELX"}, Refusal{"pc64", "relocation R_X86_64_PC64"},
        Refusal{"tls_section", "'.tdata' holds thread-local data"},
        Refusal{"tls_symbol", "symbol 'somewhere' is thread-local"},
        Refusal{"ifunc", "symbol 'chosen' is an IFUNC"},
        Refusal{"constructor", "'.init_array' holds a constructor or destructor"},
        Refusal{"old_constructor", "'.ctors' holds a constructor or destructor"},
        Refusal{"writable", "'.data' holds writable data"}, Refusal{"zeroed", "'.bss' holds writable data"},
        Refusal{"common", "symbol 'counter' is common data"},
        Refusal{"undefined",
                "undefined symbol 'system'; kernels may call functions of the runtime's table only"},
        Refusal{"dropped_section", "'.eh_frame', which is not loaded"},
        Refusal{"far", "the distance does not fit 32 bits"},
        Refusal{"aligned", "an alignment of 65536; expected a power of two up to 4096"}),
    [](const testing::TestParamInfo<Refusal> &info) { return std::string(info.param.object); });

// Broken headers: each changes one field of a good object.
struct Damage {
  const char *name;
  size_t offset;
  unsigned char value;
  const char *says;
};
class LoaderDamageTest : public LoaderTest, public testing::WithParamInterface<Damage> {};

TEST_P(LoaderDamageTest, SaysWhatIsWrong) {
  std::vector<char> object = readObject("kernels");
  object[GetParam().offset] = static_cast<char>(GetParam().value);
  Result<HostEntry> entry = load(object, "add_kernel");
  ASSERT_FALSE(entry.ok());
  EXPECT_EQ(entry.status().code(), Code::InvalidArgument);
  EXPECT_THAT(entry.status().message(), HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    EachField, LoaderDamageTest,
    testing::Values(Damage{"magic", 1, 'e', "no ELF file"}, Damage{"bits", 4, 1, "ELF class 1"},
                    Damage{"byte_order", 5, 2, "byte order 2"}, Damage{"type", 16, 3, "ELF type 3"},
                    Damage{"machine", 18, 183, "machine 183; expected x86-64"},
                    Damage{"section_table", 46, 0x7f, "the section table ends outside the file"},
                    Damage{"section_header_bytes", 58, 40, "section headers of 40 bytes"},
                    Damage{"no_sections", 60, 0, "0 sections"},
                    Damage{"section_names", 62, 0xee, "section names are in section"}),
    [](const testing::TestParamInfo<Damage> &info) { return std::string(info.param.name); });

TEST_F(LoaderTest, RefusesEveryTruncation) {
  std::vector<char> object = readObject("kernels");
  for (size_t bytes = 0; bytes < object.size(); bytes += 1 + bytes / 64) {
    // A copy of exactly this length, so that a sanitizer sees a read past the end.
    std::vector<char> cut(object.begin(), object.begin() + static_cast<ptrdiff_t>(bytes));
    EXPECT_FALSE(load(cut, "add_kernel").ok()) << bytes << " of " << object.size() << " bytes";
  }
}

} // namespace
} // namespace kiln::host
