// OrcLoaderTest.cpp: what is the ORC loader's alone: reloading without growth, mappings, damaged objects.
#include "OrcLoader.h"
#include "LoaderFixture.h"

#include <random>

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

} // namespace
} // namespace kiln::host
