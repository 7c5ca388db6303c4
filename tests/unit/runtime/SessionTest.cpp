// SessionTest.cpp: what a session does beside compiling, and how its loaded kernels make room for others.
#include "tests/unit/runtime/CApiFixture.h"

#include <future>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kPatience = std::chrono::seconds(30); // far more than a call that waits for no lock takes

TEST_F(CApiTest, OtherRunsGoOnWhileAProgramIsBuilt) {
  ASSERT_OK(run({1, 2, 3}));
  std::future<Status> other;
  runtime.fakeCompiler.onBuild = [&] {
    other = std::async(std::launch::async, [this] { return run({4, 5, 6}); });
    EXPECT_EQ(other.wait_for(kPatience), std::future_status::ready) << "a lock is held while building";
    EXPECT_THAT(got, ElementsAre(8, 10, 12));
  };
  ASSERT_OK(run({1, 2, 3, 4}));
  EXPECT_OK(other.get());
  EXPECT_THAT(got, ElementsAre(2, 4, 6, 8));
}

TEST_F(CApiTest, TheSessionAnswersWhileAKernelIsCompiled) {
  std::future<Status> other;
  runtime.fakeCompiler.onCompile = [&] {
    other = std::async(std::launch::async, [this]() -> Status {
      EXPECT_EQ(stats().programs_built, 1u);
      KilnBuffer *buffer = nullptr;
      KILN_RETURN_IF_ERROR(fromC(kiln_buffer_allocate(session, 4, &buffer)));
      uint32_t value = 7, back = 0;
      EXPECT_OK(fromC(kiln_buffer_write(buffer, 0, &value, 4)));
      EXPECT_OK(fromC(kiln_buffer_read(buffer, 0, &back, 4)));
      EXPECT_EQ(back, value);
      kiln_buffer_release(buffer);
      return fromC(kiln_session_synchronize(session, KILN_WAIT_FOREVER));
    });
    EXPECT_EQ(other.wait_for(kPatience), std::future_status::ready) << "a lock is held while compiling";
  };
  ASSERT_OK(run({1, 2, 3}));
  EXPECT_OK(other.get());
}

TEST_F(CApiTest, ThreadsThatNeedOneProgramBuildAndLoadItOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      std::vector<float> values = {1, 2, 3};
      KilnTensor input = tensorOf(values);
      KilnRun *result = nullptr;
      Status status = fromC(kiln_session_run(session, model, &input, 1, nullptr, &result));
      failures += !status.ok();
      kiln_run_release(result);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(runtime.fakeCompiler.programs, 1);
  EXPECT_EQ(runtime.fakeCompiler.compiles, 1);
  EXPECT_EQ(runtime.device.loads, 1u);
  EXPECT_EQ(runtime.device.lastIr, "mul#digest of mul");
}

/// A kernel for each shape, and room for eight.
class KernelRoomTest : public CApiTest {
protected:
  static constexpr uint64_t kRoom = 8;
  KernelRoomTest() : CApiTest({.maxBytes = UINT64_MAX, .maxKernels = kRoom}) {
    runtime.fakeCompiler.refusesDynamic = true;
    runtime.fakeCompiler.kernelPerShape = true;
  }
  uint64_t loaded() const { return runtime.device.loads - runtime.device.unloads; }
  // The caller releases it.
  Status start(size_t extent, KilnRun **out) {
    std::vector<float> values(extent, 3.0f);
    KilnTensor input = tensorOf(values);
    return fromC(kiln_session_run(session, model, &input, 1, nullptr, out));
  }
};

TEST_F(KernelRoomTest, KernelsOfIdleProgramsMakeRoom) {
  for (size_t extent = 2; extent < 30; ++extent) {
    ASSERT_OK(run(std::vector<float>(extent, 1.0f)));
    EXPECT_EQ(got, std::vector<float>(extent, 2.0f));
    EXPECT_LE(loaded(), kRoom);
  }
  EXPECT_EQ(runtime.fakeCompiler.compiles, 28);
  ASSERT_OK(run(std::vector<float>(29, 1.0f)));
  EXPECT_EQ(runtime.fakeCompiler.compiles, 28) << "the latest is there";
  ASSERT_OK(run(std::vector<float>(2, 1.0f)));
  EXPECT_EQ(runtime.fakeCompiler.compiles, 29) << "the oldest was evicted from the cache, too";
  EXPECT_EQ(runtime.fakeCompiler.programs, 28) << "programs are small and stay in the instance";
}

TEST_F(KernelRoomTest, KernelsOfRunsThatAreHeldStay) {
  std::vector<KilnRun *> held(kRoom, nullptr);
  for (size_t i = 0; i < kRoom; ++i)
    ASSERT_OK(start(2 + i, &held[i]));
  KilnRun *more = nullptr;
  EXPECT_THAT(start(20, &more),
              StatusIs(Code::ResourceExhausted,
                       AllOf(HasSubstr("'mul_1'"), HasSubstr("'fake:0' has 8 kernels loaded"),
                             HasSubstr("the limit is 8"))));
  kiln_run_release(held[3]);
  EXPECT_OK(start(20, &held[3]));
  auto output = sized<KilnTensor>();
  ASSERT_OK(fromC(kiln_run_output(held[0], 0, &output)));
  EXPECT_EQ(static_cast<float *>(output.data)[1], 6.0f) << "a held run's results are untouched";
  for (KilnRun *run : held)
    kiln_run_release(run);
}

} // namespace
} // namespace kiln
