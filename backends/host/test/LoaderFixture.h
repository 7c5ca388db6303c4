// LoaderFixture.h: objects and a loader for the tests that every host loader runs.
#ifndef KILN_BACKENDS_HOST_TEST_LOADERFIXTURE_H
#define KILN_BACKENDS_HOST_TEST_LOADERFIXTURE_H

#include "ElfObject.h"
#include "HostKernel.h"
#include "kiln/Status.h"
#include "runtime/HostTable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <unistd.h>
#include <vector>

namespace kiln::host {

/// The loader that this test program is about: its table, made once.
struct LoaderUnderTest {
  const KilnKernelLoaderOps &ops;
  void *self;
};
LoaderUnderTest loaderUnderTest(); // defined beside the loader's own tests

/// The bytes of one of the objects made at build time.
inline std::vector<char> readObject(const std::string &stem) {
  std::ifstream file(std::string(KILN_TEST_OBJECTS) + "/" + stem + ".o", std::ios::binary);
  EXPECT_TRUE(file.good()) << stem << ".o is missing";
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Option `debug` as the registry would give it.
class DebugOptions final : public OptionSource {
public:
  explicit DebugOptions(std::string debug) : debug(std::move(debug)) {}
  Result<std::string_view> option(std::string_view, std::string_view key) const override {
    if (key == "debug")
      return std::string_view(debug);
    return Status(Code::NotFound, "no such option");
  }

private:
  std::string debug;
};

inline KilnKernelImage imageOf(const std::vector<char> &object) {
  KilnKernelImage image = {};
  image.struct_size = sizeof(image);
  image.symbol = toStr("add_kernel");
  image.name = toStr("fused add, kernel 1");
  image.object = object.data();
  image.object_bytes = object.size();
  return image;
}

/// Loads a kernel whose object holds more functions than the entry: perf's map must give its name to all
/// code.
template <typename Load, typename Unload> void expectPerfMap(Load load, Unload unload) {
  std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::remove(path.c_str()); // of an earlier process
  std::vector<char> object = readObject("kernels");
  std::span bytes(reinterpret_cast<const std::byte *>(object.data()), object.size());
  Result<ElfObject> parsed = ElfObject::parse(bytes);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  ElfObject::Symbol entry = *parsed->entry("add_kernel");
  size_t textBytes = parsed->sections()[entry.section].bytes.size();
  Result<HostKernel *> kernel = load(imageOf(object));
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  uintptr_t text = reinterpret_cast<uintptr_t>((*kernel)->entry) - entry.offset;
  size_t covered = 0; // bytes of .text, from its start
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    unsigned long address = 0, length = 0;
    int nameAt = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lx %lx %n", &address, &length, &nameAt), 2) << line;
    EXPECT_EQ(line.substr(static_cast<size_t>(nameAt)), "fused add, kernel 1");
    if (address <= text + covered && address + length > text + covered)
      covered = address + length - text;
  }
  EXPECT_GE(covered, textBytes);
  unload(*kernel);
  std::remove(path.c_str());
}

class LoaderTest : public testing::Test {
protected:
  ~LoaderTest() override {
    for (KilnKernel *kernel : kernels)
      loader.ops.unload(loader.self, kernel);
  }
  /// A kernel that the fixture unloads.
  Result<HostEntry> load(const std::vector<char> &object, const std::string &symbol,
                         const std::string &name = "k") {
    KilnKernelImage image = {};
    image.struct_size = sizeof(image);
    image.format = toStr("host-elf");
    image.symbol = toStr(symbol);
    image.name = toStr(name);
    image.object = object.data();
    image.object_bytes = object.size();
    image.binding_count = 3;
    image.constant_count = 1;
    KilnKernel *kernel = nullptr;
    KILN_RETURN_IF_ERROR(fromC(loader.ops.load(loader.self, nullptr, &image, &kernel)));
    kernels.push_back(kernel);
    return HostKernel::from(kernel).entry;
  }
  void unloadLast() {
    loader.ops.unload(loader.self, kernels.back());
    kernels.pop_back();
  }

  LoaderUnderTest loader = loaderUnderTest();
  std::vector<KilnKernel *> kernels;
};

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_TEST_LOADERFIXTURE_H
