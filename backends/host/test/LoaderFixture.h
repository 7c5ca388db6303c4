// LoaderFixture.h: objects and a loader for the tests that every host loader runs.
#ifndef KILN_BACKENDS_HOST_TEST_LOADERFIXTURE_H
#define KILN_BACKENDS_HOST_TEST_LOADERFIXTURE_H

#include "HostKernel.h"
#include "kiln/Status.h"
#include "runtime/HostTable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
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
