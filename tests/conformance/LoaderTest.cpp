// LoaderTest.cpp: every kernel loader of the backend refuses what is no object of its format.
#include "tests/conformance/Harness.h"

namespace kiln::conformance {
namespace {

using ::testing::Eq;
using ::testing::Ne;

class LoaderTest : public DeviceTest {
protected:
  std::vector<std::shared_ptr<const KernelLoader>> loaders() {
    std::vector<std::shared_ptr<const KernelLoader>> mine;
    for (const auto &loader : DeviceUnderTest::get().registry().snapshot()->kernelLoaders)
      if (loader->backend == device().type().backend)
        mine.push_back(loader);
    return mine;
  }
  Status load(const KernelLoader &loader, const std::vector<uint8_t> &object) {
    KilnKernelImage image = {};
    image.struct_size = sizeof image;
    image.format = toStr(loader.format);
    image.symbol = image.name = toStr("kernel");
    image.object = object.data();
    image.object_bytes = object.size();
    KilnKernel *kernel = nullptr;
    Status status = fromC(loader.ops.load(loader.self, device().handle(), &image, &kernel));
    if (status.ok())
      loader.ops.unload(loader.self, kernel);
    return status;
  }
};

TEST_F(LoaderTest, TheBackendHasOne) { CONFORM_THAT(loaders().size(), Ne(0u)); }

TEST_F(LoaderTest, ForeignBytesAreRefusedWithAReason) {
  for (const auto &loader : loaders())
    for (size_t bytes : {1, 7, 64, 4096}) {
      Status status = load(*loader, pattern(bytes, 3));
      CONFORM_THAT(status.ok(), Eq(false)) << bytes << " bytes by '" << loader->name << "'";
      CONFORM_THAT(status.message(), Ne(""));
    }
}

TEST_F(LoaderTest, AnElfHeaderWithNothingBehindItIsRefused) {
  std::vector<uint8_t> header(64);
  const uint8_t start[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  std::copy(std::begin(start), std::end(start), header.begin());
  for (const auto &loader : loaders())
    CONFORM_THAT(load(*loader, header).ok(), Eq(false)) << loader->name;
}

} // namespace
} // namespace kiln::conformance
