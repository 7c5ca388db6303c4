// SimCubeTest.cpp: cube, im2col, fixpipe and atomics against plain loops.
#include "backends/npu/test/SimHarness.h"

using namespace kiln;
using namespace kiln::npu;

namespace {

std::string header(const std::string &bindings) {
  return ".chip 910b\n.kind aic\n.kernel test\n" + bindings + R"(.constants 0
.section aic
  ldarg x1, 0
  ldarg x2, 1
  ldarg x3, 2
  movi x0, 0
  movi x5, 65536
)";
}

} // namespace

// Ragged shapes and i8: 20 x 40 times 40 x 24, B transposed on the way to L0B in squares of 32 x 32.
TEST(SimCubeTest, BytesMultiplyExactly) {
  constexpr int m = 20, k = 40, n = 24;
  std::mt19937_64 random(1);
  std::vector<int8_t> a(m * k), b(k * n);
  for (int8_t &value : a)
    value = static_cast<int8_t>(random());
  for (int8_t &value : b)
    value = static_cast<int8_t>(random());
  SimHarness kernel(header(".binding in i8 align=32\n.binding in i8 align=32\n.binding out i32 align=32\n") +
                    R"(
  nd2nz.b8 x0, x1, n=20, m=40, sstride=40, dstride=32
  set_l1.b16 x5, x0, len=2048
  pipe_barrier MTE2
  nd2nz.b8 x5, x2, n=40, m=24, sstride=24, dstride=64
  pipe_barrier ALL
  load2d_a.b8 x0, x0, rep=2, sstride=2
  movi x6, 1024
  movi x7, 512
  load2d_a.b8 x6, x7, rep=2, sstride=2
  load2d_b.b8 x0, x5, rep=2, sstride=2, dstride=2, trans=1
  pipe_barrier ALL
  mmad.i8 x0, x0, x0, x0, m=20, k=40, n=24, init=1
  pipe_barrier ALL
  fix_gm x3, x0, m=20, n=24, sstride=32, dstride=24, nd=1
  halt
)");
  kernel.add(a);
  kernel.add(b);
  kernel.add(std::vector<int32_t>(m * n));
  SimReport report = kernel.run(fastMode()); // rows beyond 20 and 40 are never written
  ASSERT_EQ(faultOf(report), "");
  std::vector<int32_t> c = kernel.read<int32_t>(2);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int32_t want = 0;
      for (int l = 0; l < k; ++l)
        want += a[size_t(i * k + l)] * b[size_t(l * n + j)];
      ASSERT_EQ(c[size_t(i * n + j)], want) << i << ", " << j;
    }
}

TEST(SimCubeTest, FloatsTransposeInPairsOfFractals) {
  std::vector<float> a = randomFloats(16 * 16, 2), b = randomFloats(16 * 16, 3);
  SimHarness kernel(
      header(".binding in f32 align=32\n.binding in f32 align=32\n.binding out f32 align=32\n") + R"(
  nd2nz.b32 x0, x1, n=16, m=16, sstride=16, dstride=16
  nd2nz.b32 x5, x2, n=16, m=16, sstride=16, dstride=16
  pipe_barrier ALL
  load2d_a.b32 x0, x0, rep=2
  load2d_b.b32 x0, x5, trans=1
  pipe_barrier ALL
  mmad.f32 x0, x0, x0, x0, m=16, k=16, n=16, init=1
  pipe_barrier ALL
  fix_gm x3, x0, m=16, n=16, sstride=16, dstride=16, nd=1
  halt
)");
  kernel.add(a);
  kernel.add(b);
  kernel.add(std::vector<float>(256));
  ASSERT_EQ(faultOf(kernel.run(checkedMode())), "");
  std::vector<float> c = kernel.read<float>(2);
  for (size_t i = 0; i < 16; ++i)
    for (size_t j = 0; j < 16; ++j) {
      float want = 0;
      for (size_t l = 0; l < 16; ++l)
        want += a[i * 16 + l] * b[l * 16 + j]; // in rising k, rounded each time
      ASSERT_EQ(c[i * 16 + j], want);
    }
}

// A 3x3 convolution of a 4x5 picture with 16 channels, padded by one: 20 rows of im2col, 144 columns.
TEST(SimCubeTest, Im2colOnTheFly) {
  constexpr int h = 4, w = 5, c0 = 16;
  std::vector<uint16_t> x = randomHalves(h * w * c0, 4),
                        f = randomHalves(144 * 16, 5); // f as nZ: [tap][out][c0]
  SimHarness kernel(
      header(".binding in f16 align=32\n.binding in f16 align=32\n.binding out f32 align=32\n") + R"(
  mov_gm_l1.b16 x0, x1, len=640
  mov_gm_l1.b16 x5, x2, len=4608
  pipe_barrier ALL
  movi x6, )" +
      std::to_string(uint64_t(h) | uint64_t(w) << 16 | 1ull << 32 | 1ull << 40 | 1ull << 48 | 1ull << 56) +
      "\n  movi x7, " +
      std::to_string(1ull | 1ull << 6 | 3ull << 12 | 3ull << 20 | 1ull << 28 | 1ull << 36 | 16ull << 44) + R"(
  setsr fmatrix, x6
  setsr conv, x7
  setsr padval, 0
  load3d_a.b16 x0, x0, m=20, kext=144
  load2d_b.b16 x0, x5, rep=9
  pipe_barrier ALL
  mmad.f16 x0, x0, x0, x0, m=20, k=144, n=16, init=1
  pipe_barrier ALL
  fix_gm x3, x0, m=20, n=16, sstride=32, dstride=16, nd=1
  halt
)");
  kernel.add(x);
  kernel.add(f);
  kernel.add(std::vector<float>(h * w * 16));
  SimReport report = kernel.run(checkedMode());
  ASSERT_EQ(faultOf(report), "");
  std::vector<float> got = kernel.read<float>(2);
  for (int row = 0; row < h * w; ++row)
    for (int out = 0; out < 16; ++out) {
      double want = 0;
      for (int tap = 0; tap < 9; ++tap)
        for (int c = 0; c < c0; ++c) {
          int y = row / w + tap / 3 - 1, z = row % w + tap % 3 - 1;
          if (y >= 0 && z >= 0 && y < h && z < w)
            want += double(halfToFloat(x[size_t((y * w + z) * c0 + c)])) *
                    halfToFloat(f[size_t((tap * 16 + out) * c0 + c)]);
        }
      ASSERT_NEAR(got[size_t(row * 16 + out)], want, 1e-4) << row << ", " << out;
    }
}

// One 16 x 16 product through bias, relu, scales by column, and two layouts.
TEST(SimCubeTest, FixpipeConverts) {
  std::vector<uint16_t> a = randomHalves(256, 6), b = randomHalves(256, 7);
  std::vector<uint64_t> scales(16);
  for (size_t i = 0; i < 16; ++i)
    scales[i] = std::bit_cast<uint32_t>(0.5f + static_cast<float>(i)) | uint64_t(3) << 37 | uint64_t(1) << 46;
  std::vector<float> bias(16);
  for (size_t i = 0; i < 16; ++i)
    bias[i] = static_cast<float>(i) - 8;
  SimHarness kernel(R"(.chip 910b
.kind aic
.kernel test
.binding in f16 align=32
.binding in f16 align=32
.binding in u64 align=32
.binding in f32 align=32
.binding out i8 align=32
.binding out f16 align=32
.constants 0
.section aic
  ldarg x1, 0
  ldarg x2, 1
  ldarg x3, 2
  ldarg x4, 3
  ldarg x5, 4
  ldarg x6, 5
  movi x0, 0
  movi x7, 4096
  movi x8, 8192
  movi x9, 16384
  nd2nz.b16 x0, x1, n=16, m=16, sstride=16, dstride=16
  nd2nz.b16 x7, x2, n=16, m=16, sstride=16, dstride=16
  mov_gm_l1.b32 x8, x3, len=128
  mov_gm_l1.b32 x9, x4, len=64
  pipe_barrier ALL
  load2d_a.b16 x0, x0
  load2d_b.b16 x0, x7, trans=1
  mov_l1_bt x0, x9, len=64
  mov_l1_fb x0, x8, len=128
  pipe_barrier ALL
  mmad.f16 x0, x0, x0, x0, init=1, bias=1, n=16
  pipe_barrier ALL
  fix_gm x5, x0, m=16, n=16, sstride=16, dstride=16, nd=1, quant=vf32i8
  fix_gm x6, x0, m=16, n=16, sstride=16, dstride=16, quant=f32f16, relu=relu
  halt
)");
  kernel.add(a);
  kernel.add(b);
  kernel.add(scales);
  kernel.add(bias);
  kernel.add(std::vector<int8_t>(256));
  kernel.add(std::vector<uint16_t>(256));
  ASSERT_EQ(faultOf(kernel.run(checkedMode())), "");
  std::vector<int8_t> bytes = kernel.read<int8_t>(4);
  std::vector<uint16_t> halves = kernel.read<uint16_t>(5);
  for (size_t i = 0; i < 16; ++i)
    for (size_t j = 0; j < 16; ++j) {
      float sum = bias[j];
      for (size_t l = 0; l < 16; ++l)
        sum += halfToFloat(a[i * 16 + l]) * halfToFloat(b[l * 16 + j]);
      double scaled = std::nearbyint(double(sum) * (0.5 + double(j))) + 3;
      EXPECT_EQ(bytes[i * 16 + j], static_cast<int8_t>(std::min(std::max(scaled, -128.0), 127.0)));
      EXPECT_EQ(halves[i * 16 + j], floatToHalf(sum > 0 ? sum : 0));
    }
}

// 40 cores add to the same floats: no update is lost.
TEST(SimCubeTest, AtomicAddsOfManyCoresAllCount) {
  SimHarness kernel(R"(.chip 910b
.kind aiv
.kernel test
.binding in f32 align=32
.binding inout f32 align=32
.constants 0
.section aiv
  ldarg x1, 0
  ldarg x2, 1
  movi x0, 0
  mov_gm_ub.b32 x0, x1, len=256
  pipe_barrier ALL
  setsr atomic, 1
  mov_ub_gm.f32 x2, x0, len=256
  halt
)");
  kernel.blocks = 40;
  kernel.add(std::vector<float>(64, 0.25f));
  kernel.add(std::vector<float>(64, 1));
  ASSERT_EQ(faultOf(kernel.run(checkedMode())), "");
  EXPECT_EQ(kernel.read<float>(1), std::vector<float>(64, 11));
}

// What another class of chip has: L0C to UB, and no FIX.
TEST(SimCubeTest, The910AResultsGoToUb) {
  SimHarness kernel(R"(.chip 910a
.kind aic
.kernel test
.binding in f16 align=32
.binding out f16 align=32
.constants 0
.section aic
  ldarg x1, 0
  ldarg x2, 1
  movi x0, 0
  nd2nz.b16 x0, x1, n=16, m=16, sstride=16, dstride=16
  pipe_barrier ALL
  load2d_a.b16 x0, x0
  load2d_b.b16 x0, x0, trans=1
  pipe_barrier ALL
  mmad.f16 x0, x0, x0, x0, n=16, init=1
  pipe_barrier ALL
  mov_l0c_ub x0, x0, m=16, n=16, sstride=16, dstride=16, quant=f32f16
  pipe_barrier ALL
  vadd.f16 x0, x0, x0, rep=2
  pipe_barrier ALL
  mov_ub_gm.b16 x2, x0, len=512
  halt
)");
  std::vector<uint16_t> identity(256);
  for (size_t i = 0; i < 16; ++i)
    identity[i * 17] = 0x3c00;
  kernel.add(identity);
  kernel.add(std::vector<uint16_t>(256));
  ASSERT_EQ(faultOf(kernel.run(checkedMode())), "");
  for (uint16_t &value : identity)
    value = value ? 0x4000 : 0;
  EXPECT_EQ(kernel.read<uint16_t>(1), identity) << "twice the square of the identity";
}

// Ablations that must cost simulated cycles.
TEST(SimCostTest, WhatWastesHardwareTakesLonger) {
  auto cyclesOf = [](const std::string &body, const std::string &kind = "aiv") {
    SimHarness kernel(
        ".chip 910b\n.kind " + kind + "\n.kernel test\n.binding in f16 align=32\n.constants 0\n.section " +
        kind + "\n  ldarg x1, 0\n  movi x0, 0\n  movi x2, 32768\n  movi x3, 65536\n" + body + "  halt\n");
    kernel.add(std::vector<uint16_t>(65536));
    SimReport report = kernel.run(timingMode());
    EXPECT_EQ(faultOf(report), "") << body;
    return report.cycles;
  };
  std::string many = "  movi x9, 16\nagain:\n", end = "  loop x9, again\n";
  uint64_t aligned = cyclesOf("  mov_gm_ub.b16 x0, x1, n=16, len=1024\n");
  EXPECT_GT(cyclesOf("  add x1, x1, 32\n  mov_gm_ub.b16 x0, x1, n=16, len=1024\n"), aligned)
      << "misaligned GM";
  EXPECT_GT(cyclesOf("  mov_gm_ub.b16 x0, x1, n=512, len=32\n"), aligned) << "short bursts";
  uint64_t plain = cyclesOf(many + "  vadd.f16 x3, x0, x2, rep=64, bblk=1\n" + end);
  EXPECT_GT(cyclesOf(many + "  vadd.f16 x3, x0, x2, rep=8, ablk=16, bblk=16, arep=128, brep=1\n" + end),
            plain / 8)
      << "bank conflicts";
  EXPECT_GT(cyclesOf(many + "  vadd.f16 x3, x0, x2, rep=64\n  pipe_barrier V\n" + end), plain)
      << "a barrier after each";
  EXPECT_GT(cyclesOf(many + "  vexp.f16 x3, x0, rep=64\n" + end), plain) << "exp is slower than add";
  uint64_t one = cyclesOf("  mmad.f16 x0, x0, x0, x0, m=128, k=64, n=128, init=1\n", "aic");
  EXPECT_EQ(cyclesOf("  mmad.f16 x0, x0, x0, x0, m=128, k=64, n=256, init=1\n", "aic") - one, 8u * 8 * 4)
      << "a cycle a fractal product";
}
