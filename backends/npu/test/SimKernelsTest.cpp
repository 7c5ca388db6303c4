// SimKernelsTest.cpp: whole kernels in every mode, against references in double; random timings change no
// bit.
#include "backends/npu/test/Kernels.h"
#include "backends/npu/test/SimHarness.h"

using namespace kiln;
using namespace kiln::npu;
using testing::HasSubstr;

namespace {

constexpr int kRows = 7, kColumns = 320;

SimHarness addCase(const std::string &type) {
  constexpr size_t count = 10 * 256 + 37; // the last tile is ragged
  SimHarness kernel(addKernel(type, 256));
  kernel.blocks = 3;
  kernel.constants = {count};
  for (uint64_t seed : {1, 2})
    type == "f16" ? kernel.add(randomHalves(count, seed)) : kernel.add(randomFloats(count, seed));
  type == "f16" ? kernel.add(std::vector<uint16_t>(count)) : kernel.add(std::vector<float>(count));
  return kernel;
}

SimHarness softmaxCase() {
  SimHarness kernel(softmaxKernel(kColumns));
  kernel.blocks = 2;
  kernel.constants = {kRows};
  kernel.add(randomFloats(kRows * kColumns, 3));
  kernel.add(std::vector<float>(kRows * kColumns));
  return kernel;
}

SimHarness matmulCase(const std::string &text, int m, int n, int k, uint64_t blocks) {
  SimHarness kernel(text);
  kernel.blocks = blocks;
  kernel.add(randomHalves(size_t(m * k), 4));
  kernel.add(randomHalves(size_t(k * n), 5));
  kernel.add(std::vector<float>(size_t(m * n)));
  kernel.reserveWorkspace(393216);
  return kernel;
}

std::vector<double> multiply(const SimHarness &kernel, int m, int n, int k) {
  auto a = kernel.read<uint16_t>(0), b = kernel.read<uint16_t>(1);
  std::vector<double> c(size_t(m * n));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int l = 0; l < k; ++l)
        c[size_t(i * n + j)] +=
            double(halfToFloat(a[size_t(i * k + l)])) * double(halfToFloat(b[size_t(l * n + j)]));
  return c;
}

void expectClose(const std::vector<float> &got, const std::vector<double> &want, double relative) {
  ASSERT_EQ(got.size(), want.size());
  size_t wrong = 0;
  for (size_t i = 0; i < got.size() && wrong < 3; ++i)
    if (!(std::fabs(got[i] - want[i]) <= relative * (1 + std::fabs(want[i])))) {
      ADD_FAILURE() << "at " << i << ": got " << got[i] << ", want " << want[i];
      ++wrong;
    }
}

// Every mode must give the bytes of the first.
void expectModesAgree(SimHarness &kernel, size_t output) {
  SimReport fast = kernel.run(fastMode());
  ASSERT_EQ(faultOf(fast), "");
  std::vector<uint8_t> want = kernel.read<uint8_t>(output);
  SimReport checked = kernel.run(checkedMode());
  ASSERT_EQ(faultOf(checked), "");
  EXPECT_EQ(kernel.read<uint8_t>(output), want) << "checked mode";
  EXPECT_EQ(checked.cycles, 0u) << "only timing counts";
  SimReport timed = kernel.run(timingMode()), again = kernel.run(timingMode());
  ASSERT_EQ(faultOf(timed), "");
  EXPECT_EQ(kernel.read<uint8_t>(output), want) << "timing mode";
  EXPECT_GT(timed.cycles, 2000u);
  EXPECT_EQ(timed.cycles, again.cycles) << "simulated time repeats exactly";
  int seeds = sampled(25, 1000);
  for (int seed = 1; seed <= seeds; ++seed) {
    SimReport report = kernel.run(checkedMode(static_cast<uint64_t>(seed)));
    ASSERT_EQ(faultOf(report), "") << "seed " << seed;
    ASSERT_EQ(kernel.read<uint8_t>(output), want) << "seed " << seed;
  }
}

} // namespace

TEST(SimKernelsTest, AddInF16IsExact) {
  SimHarness kernel = addCase("f16");
  expectModesAgree(kernel, 2);
  auto a = kernel.read<uint16_t>(0), b = kernel.read<uint16_t>(1), c = kernel.read<uint16_t>(2);
  for (size_t i = 0; i < c.size(); ++i)
    ASSERT_EQ(c[i], roundToHalf(double(halfToFloat(a[i])) + halfToFloat(b[i]), Round::Rint)) << i;
}

TEST(SimKernelsTest, AddInF32IsExact) {
  SimHarness kernel = addCase("f32");
  expectModesAgree(kernel, 2);
  auto a = kernel.read<float>(0), b = kernel.read<float>(1), c = kernel.read<float>(2);
  for (size_t i = 0; i < c.size(); ++i)
    ASSERT_EQ(c[i], a[i] + b[i]) << i;
}

TEST(SimKernelsTest, SoftmaxIsNearTheReference) {
  SimHarness kernel = softmaxCase();
  expectModesAgree(kernel, 1);
  auto x = kernel.read<float>(0);
  std::vector<double> want;
  for (int row = 0; row < kRows; ++row) {
    double sum = 0;
    for (int i = 0; i < kColumns; ++i)
      sum += std::exp(double(x[size_t(row * kColumns + i)]));
    for (int i = 0; i < kColumns; ++i)
      want.push_back(std::exp(double(x[size_t(row * kColumns + i)])) / sum);
  }
  expectClose(kernel.read<float>(1), want, 1e-6);
}

TEST(SimKernelsTest, MatmulIsNearTheReference) {
  SimHarness kernel = matmulCase(matmulKernel(128, 192, 256), 128, 192, 256, 4); // six tiles on four cores
  expectModesAgree(kernel, 2);
  expectClose(kernel.read<float>(2), multiply(kernel, 128, 192, 256), 5e-5); // 256 roundings of sums up to 20
}

TEST(SimKernelsTest, CubeAndVectorCoresMeetThroughTheWorkspace) {
  SimHarness kernel = matmulCase(mixKernel(128, 192), 128, 192, 64, 2); // three tiles a block
  expectModesAgree(kernel, 2);
  std::vector<double> want = multiply(kernel, 128, 192, 64);
  for (double &value : want)
    value = std::exp(value);
  expectClose(kernel.read<float>(2), want, 1e-4);
}

TEST(SimKernelsTest, MoreBlocksThanCoresRunInWaves) {
  SimHarness kernel = addCase("f16");
  kernel.blocks = 200;
  expectModesAgree(kernel, 2);
}

TEST(SimKernelsTest, CoresWaitForOneThatWorksLong) {
  SimHarness kernel(R"(.chip 910b
.kind aiv
.kernel late
.binding out i32 align=4 8
.constants 0
.grid 4
.section aiv
  ldarg x0, 0
  movs x1, block_idx
  br gt, x1, 0, L8
  movi x2, 100000
L4:
  loop x2, L4
  movi x3, 42
  sts.i32 gm, x0, 0, x3
L8:
  cross_set S, 0
  cross_wait S, 0
  br ne, x1, 1, L13
  lds.i32 gm, x3, x0, 0
  sts.i32 gm, x0, 4, x3
L13:
  halt
)");
  kernel.blocks = 4;
  for (const SimOptions &options : {fastMode(), checkedMode(), checkedMode(5), timingMode()}) {
    kernel.add(std::vector<int32_t>(2));
    ASSERT_EQ(faultOf(kernel.run(options)), "");
    EXPECT_EQ(kernel.read<int32_t>(0), (std::vector<int32_t>{42, 42}));
    kernel.clear();
  }
}

// One call after another on the calling thread: the first runs the cores, which hold no thread while they
// wait.
TEST(SimKernelsTest, CoresThatWaitForEachOtherRunOnAnEmbeddersThreads) {
  struct InTurn {
    size_t calls = 0;
    static void run(void *self, size_t count, KilnParallelFn fn, void *arg) {
      for (size_t i = 0; i < count; ++i, ++static_cast<InTurn *>(self)->calls)
        fn(arg, i);
    }
  } inTurn;
  SimHarness kernel = matmulCase(mixKernel(128, 192), 128, 192, 64, 2);
  kernel.run(fastMode());
  auto want = kernel.read<float>(2);
  for (SimOptions options : {fastMode(), checkedMode(), checkedMode(5)}) {
    SimHarness again = matmulCase(mixKernel(128, 192), 128, 192, 64, 2);
    options.threads = 7; // not asked for
    options.parallel = {InTurn::run, &inTurn, 3, 0};
    ASSERT_EQ(faultOf(again.run(options)), "");
    EXPECT_EQ(again.read<float>(2), want);
    EXPECT_EQ(std::exchange(inTurn.calls, 0), 3u);
  }
}

TEST(SimKernelsTest, TimeWithoutDataIsTheTimeWithData) {
  SimHarness kernel = matmulCase(matmulKernel(128, 192, 256), 128, 192, 256, 4);
  SimReport full = kernel.run(timingMode());
  SimOptions dataless = timingMode();
  dataless.movesData = false;
  SimReport empty = kernel.run(dataless);
  ASSERT_EQ(faultOf(empty), "");
  EXPECT_EQ(empty.cycles, full.cycles);
}

TEST(SimKernelsTest, ReportTellsPipesTrafficAndSpans) {
  SimHarness kernel = matmulCase(matmulKernel(64, 64, 256), 64, 64, 256, 1);
  SimOptions options = timingMode();
  options.wantsSpans = true;
  SimReport report = kernel.run(options);
  EXPECT_EQ(report.gmRead, 2u * 64 * 256 * 2);
  EXPECT_EQ(report.gmWritten, 64u * 64 * 4);
  uint64_t once =
      report.gmRead + report.gmWritten; // in lines of 512 bytes, with one more at the ends of a buffer
  EXPECT_GE(report.l2Misses, once);
  EXPECT_LE(report.l2Misses, once + 3 * 512);
  uint64_t mmads = 0;
  for (const PipeTotal &pipe : report.pipes)
    if (pipe.unit == "aic.M") {
      mmads = pipe.stats.instructions;
      EXPECT_EQ(pipe.stats.busy, 4u * (4 * 4 * 4 + Target::of(ChipClass::Ascend910B).cubeHead));
    }
  EXPECT_EQ(mmads, 4u);
  size_t loads = 0;
  for (const SimSpan &span : report.spans) {
    EXPECT_LE(span.start, span.end);
    loads += span.unit == "aic0.MTE2" && span.name == "nd2nz";
  }
  EXPECT_EQ(loads, 8u);
}
