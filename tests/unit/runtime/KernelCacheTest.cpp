// KernelCacheTest.cpp: keys, single-flight, cache layers, parallel work.
#include "runtime/KernelCache.h"

#include "runtime/ParallelFor.h"
#include "runtime/RequestKey.h"
#include "tests/unit/runtime/ProgramMaker.h"
#include "tests/unit/runtime/StatusMatchers.h"

#include <fstream>
#include <thread>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RequestKeyTest, FieldsDoNotRunIntoEachOther) {
  auto keyOf = [](std::string_view a, std::string_view b) {
    KeyBuilder builder("test");
    builder.add("a", a);
    builder.add("b", b);
    return builder.finish().hex;
  };
  EXPECT_EQ(keyOf("x", "y"), keyOf("x", "y"));
  EXPECT_NE(keyOf("xy", ""), keyOf("x", "y"));
  EXPECT_NE(keyOf("", "xy"), keyOf("x", "y"));
  EXPECT_TRUE(Sha256::isHexDigest(keyOf("x", "y")));
}

TEST(RequestKeyTest, EveryPartOfAProgramRequestCounts) {
  const ProgramRequest base{"m", "main", "c1", "b1", {"host", "t", "a", "+f", "o"}, {{1, 2}, {-1}}};
  auto changed = [&](auto change) {
    ProgramRequest request = base;
    change(request);
    return differingFields(programRequestKey(base), programRequestKey(request));
  };
  EXPECT_THAT(changed([](ProgramRequest &) {}), ElementsAre());
  EXPECT_THAT(changed([](ProgramRequest &r) { r.modelDigest = "n"; }), ElementsAre("model"));
  EXPECT_THAT(changed([](ProgramRequest &r) { r.function = "f"; }), ElementsAre("function"));
  EXPECT_THAT(changed([](ProgramRequest &r) { r.compilerVersion = "c2"; }), ElementsAre("compiler"));
  EXPECT_THAT(changed([](ProgramRequest &r) { r.backendVersion = "b2"; }), ElementsAre("backend"));
  EXPECT_THAT(changed([](ProgramRequest &r) { r.target.deviceType = "npu"; }), ElementsAre("device-type"));
  EXPECT_THAT(changed([](ProgramRequest &r) { r.target.triple = ""; }), ElementsAre("triple"));
  EXPECT_THAT(changed([](ProgramRequest &r) { r.target.arch = "v4"; }), ElementsAre("arch"));
  EXPECT_THAT(changed([](ProgramRequest &r) { r.target.features = "+g"; }), ElementsAre("features"));
  EXPECT_THAT(changed([](ProgramRequest &r) { r.target.options = "p"; }), ElementsAre("options"));
  EXPECT_THAT(changed([](ProgramRequest &r) { r.inputDims[1] = {3}; }), ElementsAre("input-1"));
  EXPECT_THAT(changed([](ProgramRequest &r) { r.inputDims.push_back({}); }), ElementsAre("input-2"));
  EXPECT_NE(programRequestKey(base).hex, programRequestKey({}).hex);
}

CompiledKernelRef makeKernel(const std::string &code) {
  Result<CompiledKernelRef> kernel = CompiledKernel::parse(copyBytes(pack(kernelObject(code, {"in"}))), code);
  return kernel.ok() ? *kernel : nullptr;
}

TEST(KernelCacheTest, CompilesOnceAndThenHits) {
  KernelCache cache;
  CompileCounters counters;
  int compiles = 0;
  auto compile = [&]() -> Result<CompiledKernelRef> { return ++compiles, makeKernel("a"); };
  EXPECT_EQ(cache.findInMemory("k"), nullptr);
  ASSERT_OK_AND_ASSIGN(CompiledKernelRef first, cache.get("k", compile, counters));
  ASSERT_OK_AND_ASSIGN(CompiledKernelRef second, cache.get("k", compile, counters));
  EXPECT_EQ(first, second);
  EXPECT_EQ(cache.findInMemory("k"), first);
  EXPECT_EQ(compiles, 1);
  EXPECT_EQ(counters.misses, 1u);
  EXPECT_EQ(counters.memoryHits, 1u);
  EXPECT_EQ(counters.kernelsCompiled, 1u);
  EXPECT_EQ(cache.bytes(), first->bytes().bytes.size());
}

TEST(KernelCacheTest, ThreadsThatAskTogetherCompileOnce) {
  KernelCache cache;
  CompileCounters counters;
  std::atomic<int> compiles{0}, started{0};
  auto compile = [&]() -> Result<CompiledKernelRef> {
    while (started < 4)
      std::this_thread::yield(); // all have asked, or are about to
    ++compiles;
    return makeKernel("a");
  };
  EXPECT_OK(parallelFor(4, 4, [&](size_t) {
    ++started;
    return cache.get("k", compile, counters).status();
  }));
  EXPECT_EQ(compiles, 1);
  EXPECT_EQ(counters.memoryHits, 3u);
}

TEST(KernelCacheTest, DeterministicFailuresAreKeptOthersAreRetried) {
  KernelCache cache;
  CompileCounters counters;
  int compiles = 0;
  auto refuse = [&]() -> Result<CompiledKernelRef> { return ++compiles, unimplemented("op 'x'"); };
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(cache.get("k", refuse, counters), StatusIs(Code::Unimplemented, "op 'x'"));
  EXPECT_EQ(compiles, 1);
  auto exhausted = [&]() -> Result<CompiledKernelRef> { return ++compiles, resourceExhausted("memory"); };
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(cache.get("l", exhausted, counters), StatusIs(Code::ResourceExhausted, "memory"));
  EXPECT_EQ(compiles, 3);
  EXPECT_OK(cache.get("l", [] { return Result<CompiledKernelRef>(makeKernel("a")); }, counters));
}

TEST(KernelCacheTest, AskingForTheKeyInTheMakingIsInProgress) {
  KernelCache cache;
  CompileCounters counters;
  auto recurse = [&]() -> Result<CompiledKernelRef> {
    return cache.get("k", [] { return Result<CompiledKernelRef>(makeKernel("a")); }, counters);
  };
  EXPECT_THAT(cache.get("k", recurse, counters), StatusIs(Code::InProgress, HasSubstr("'k'")));
}

std::string keyOf(int i) { return "k" + std::to_string(i); }

TEST(KernelCacheTest, TheLongestUnusedKernelsMakeRoom) {
  uint64_t bytes = makeKernel("a")->bytes().bytes.size();
  for (KernelBudget budget : {KernelBudget{.maxBytes = 8 * bytes, .maxKernels = 1000},
                              KernelBudget{.maxBytes = 1000 * bytes, .maxKernels = 8}}) {
    KernelCache cache(budget);
    CompileCounters counters;
    auto compile = [] { return Result<CompiledKernelRef>(makeKernel("a")); };
    for (int i = 0; i < 8; ++i)
      ASSERT_OK(cache.get(keyOf(i), compile, counters));
    EXPECT_EQ(cache.bytes(), 8 * bytes);
    ASSERT_OK(cache.get(keyOf(0), compile, counters)); // used again: 1 is the oldest now
    ASSERT_OK(cache.get(keyOf(8), compile, counters));
    EXPECT_EQ(cache.bytes(), 7 * bytes) << "an eighth is kept free";
    EXPECT_EQ(cache.findInMemory(keyOf(1)), nullptr);
    EXPECT_EQ(cache.findInMemory(keyOf(2)), nullptr);
    for (int i : {0, 3, 4, 5, 6, 7, 8})
      EXPECT_NE(cache.findInMemory(keyOf(i)), nullptr) << i;
    EXPECT_EQ(counters.misses, 9u);
    ASSERT_OK(cache.get(keyOf(1), compile, counters));
    EXPECT_EQ(counters.misses, 10u) << "what was evicted is compiled again";
  }
}

TEST(KernelCacheTest, KernelsInUseStay) {
  KernelCache cache({.maxBytes = 1, .maxKernels = 2});
  CompileCounters counters;
  std::vector<CompiledKernelRef> held;
  for (int i = 0; i < 4; ++i) {
    ASSERT_OK_AND_ASSIGN(
        CompiledKernelRef kernel,
        cache.get(keyOf(i), [] { return Result<CompiledKernelRef>(makeKernel("a")); }, counters));
    held.push_back(kernel);
  }
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(cache.findInMemory(keyOf(i)), held[static_cast<size_t>(i)]);
  held.resize(1);
  cache.trim();
  EXPECT_EQ(cache.bytes(), held[0]->bytes().bytes.size());
  EXPECT_EQ(cache.findInMemory(keyOf(0)), held[0]);
}

TEST(KernelCacheTest, EvictionBesideCompilationLosesNothing) {
  KernelCache cache({.maxBytes = UINT64_MAX, .maxKernels = 4});
  CompileCounters counters;
  EXPECT_OK(parallelFor(4, 4, [&](size_t thread) -> Status {
    for (int i = 0; i < 200; ++i) {
      std::string code = std::to_string((i * 7 + static_cast<int>(thread)) % 12);
      Result<CompiledKernelRef> kernel =
          cache.get(code, [&] { return Result<CompiledKernelRef>(makeKernel(code)); }, counters);
      if (!kernel.ok() || (*kernel)->metadata().name != (*makeKernel(code)).metadata().name)
        return internalError("kernel {}", code);
    }
    return {};
  }));
  cache.trim();
  EXPECT_LE(cache.bytes(), 4 * makeKernel("10")->bytes().bytes.size());
}

TEST(KernelBudgetTest, KernelsMayTakeAnEighthOfTheMappings) {
  std::ifstream file("/proc/sys/vm/max_map_count");
  uint64_t mappings = 0;
  if (!(file >> mappings))
    GTEST_SKIP() << "no /proc/sys/vm/max_map_count";
  EXPECT_EQ(KernelBudget::ofProcess().maxKernels, mappings / 8);
}

TEST(ParallelForTest, RunsEveryIndexAndReportsTheLowestFailure) {
  std::vector<std::atomic<int>> ran(100);
  Status status = parallelFor(ran.size(), 3, [&](size_t i) -> Status {
    ++ran[i];
    return i == 40 || i == 70 ? invalidArgument("{}", i) : Status();
  });
  EXPECT_THAT(status, StatusIs(Code::InvalidArgument, "40"));
  for (auto &count : ran)
    EXPECT_EQ(count, 1);
  EXPECT_OK(parallelFor(0, 0, [](size_t) { return internalError("never called"); }));
}

} // namespace
} // namespace kiln
