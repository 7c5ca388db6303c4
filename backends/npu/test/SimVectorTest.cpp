// SimVectorTest.cpp: what vector instructions compute: types, roundings, masks, strides, reductions, moves,
// sorts.
#include "backends/npu/test/SimHarness.h"

using namespace kiln;
using namespace kiln::npu;
using testing::ElementsAre;

namespace {

/// Loads `in` to UB 0, runs `body` (x0 = 0; x4 and x5 are free places far away in UB), returns `count`
/// elements from x4. Whatever is stored was written by the body.
template <typename Out, typename In>
std::vector<Out> runVector(const std::vector<In> &in, const std::string &body, size_t count) {
  size_t inBytes = in.size() * sizeof(In), outBytes = count * sizeof(Out);
  SimHarness kernel(".chip 910b\n.kind aiv\n.kernel test\n.binding in u8 align=32 " +
                    std::to_string(inBytes) + "\n.binding out u8 align=32 " + std::to_string(outBytes) + R"(
.constants 0
.section aiv
  ldarg x1, 0
  ldarg x2, 1
  movi x0, 0
  movi x4, 65536
  movi x5, 131072
  mov_gm_ub.b8 x0, x1, len=)" +
                    std::to_string(inBytes) + "\n  pipe_barrier ALL\n" + body +
                    "  pipe_barrier ALL\n  mov_ub_gm.b8 x2, x4, len=" + std::to_string(outBytes) +
                    "\n  halt\n");
  kernel.add(in);
  kernel.add(std::vector<Out>(count));
  SimReport report = kernel.run(checkedMode());
  EXPECT_EQ(faultOf(report), "") << body;
  return kernel.read<Out>(1);
}

std::vector<float> iota(size_t count, float from = 0, float step = 1) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = from + step * static_cast<float>(i);
  return values;
}

template <typename T> std::vector<T> first(std::vector<T> values, size_t count) {
  values.resize(count);
  return values;
}

} // namespace

TEST(SimVectorTest, ElementwiseOpsMatchTheReference) {
  std::vector<float> x = iota(64, -3.5f, 0.125f);
  struct Case {
    const char *code;
    double (*want)(double);
  };
  for (auto [code, want] :
       std::initializer_list<Case>{{"vabs.f32 x4, x0", [](double v) { return std::fabs(v); }},
                                   {"vexp.f32 x4, x0", [](double v) { return std::exp(v); }},
                                   {"vrec.f32 x4, x0", [](double v) { return 1 / v; }},
                                   {"vrelu.f32 x4, x0", [](double v) { return v > 0 ? v : 0; }},
                                   {"vmul.f32 x4, x0, x0", [](double v) { return v * v; }},
                                   {"vsub.f32 x4, x0, x0", [](double) { return 0.0; }},
                                   {"vdiv.f32 x4, x0, x0", [](double v) { return v / v; }}}) {
    std::vector<float> got = runVector<float>(x, std::string("  ") + code + "\n", 64);
    for (size_t i = 0; i < 64; ++i)
      if (double expected = want(x[i]); std::isfinite(expected))
        EXPECT_NEAR(got[i], expected, 2e-7 * (1 + std::fabs(expected))) << code << " of " << x[i];
  }
  for (const char *code : {"vsqrt.f32 x4, x0", "vln.f32 x4, x0", "vrsqrt.f32 x4, x0"})
    EXPECT_NE(runVector<float>(x, std::string("  ") + code + "\n", 64)[0], 0)
        << "NaN of a negative number, " << code;
}

TEST(SimVectorTest, ScalarFormsAndShifts) {
  std::vector<float> x = iota(64, -2, 1);
  std::string two = "  movi x6, 1073741824\n"; // 2.0
  EXPECT_THAT(first(runVector<float>(x, two + "  vmuls.f32 x4, x0, x6\n", 64), 4), ElementsAre(-4, -2, 0, 2));
  EXPECT_THAT(first(runVector<float>(x, two + "  vmaxs.f32 x4, x0, x6\n", 64), 6),
              ElementsAre(2, 2, 2, 2, 2, 3));
  EXPECT_THAT(first(runVector<float>(x, two + "  vlrelu.f32 x4, x0, x6\n", 64), 4),
              ElementsAre(-4, -2, 0, 1));
  EXPECT_THAT(first(runVector<float>(
                        x, two + "  vcopy x4, x0, len=256\n  pipe_barrier V\n  vaxpy.f32 x4, x0, x6\n", 64),
                    4),
              ElementsAre(-6, -3, 0, 3));
  std::vector<int32_t> i(64, -8);
  i[1] = INT32_MAX;
  EXPECT_THAT(first(runVector<int32_t>(i, "  vshr.i32 x4, x0, 1\n", 64), 2), ElementsAre(-4, INT32_MAX / 2));
  EXPECT_THAT(first(runVector<uint32_t>(i, "  vshr.u32 x4, x0, 28\n", 64), 2), ElementsAre(15u, 7u));
  EXPECT_THAT(first(runVector<int32_t>(i, "  vshl.i32 x4, x0, 1\n", 64), 2), ElementsAre(-16, -2));
  EXPECT_THAT(first(runVector<int32_t>(i, "  vadd.i32 x4, x0, x0\n", 64), 2), ElementsAre(-16, -2))
      << "integers wrap";
  EXPECT_THAT(first(runVector<uint16_t>(std::vector<uint16_t>(128, 0x0ff0), "  vnot.b16 x4, x0\n", 128), 1),
              ElementsAre(0xf00f));
}

TEST(SimVectorTest, MasksCounterModeAndStrides) {
  std::vector<float> x = iota(128);
  std::string clear = "  movi x7, 0\n  vdup.b32 x4, x7, rep=2\n  pipe_barrier V\n";
  std::vector<float> got = runVector<float>(x, clear + "  setsr mask0, 5\n  vadd.f32 x4, x0, x0\n", 128);
  EXPECT_THAT(first(got, 4), ElementsAre(0, 0, 4, 0)) << "lanes 0 and 2";
  got = runVector<float>(x, clear + "  setsr maskmode, 1\n  setsr mask0, 66\n  vadd.f32 x4, x0, x0\n", 128);
  EXPECT_EQ(got[65], 130);
  EXPECT_EQ(got[66], 0);
  got = runVector<float>(x, clear + "  vadd.f32 x4, x0, x0, rep=2, arep=0, brep=0\n", 128);
  EXPECT_EQ(got[64 + 7], 14) << "both repeats read the first";
  got = runVector<float>(
      x, clear + "  setsr mask0, 255\n  vadd.f32 x4, x0, x0, rep=8, arep=2, brep=2, drep=1\n", 128);
  EXPECT_THAT((std::vector<float>{got[0], got[8], got[16]}), ElementsAre(0, 32, 64)) << "every other block";
  got = runVector<float>(x, clear + "  vadd.f32 x4, x0, x0, ablk=2, bblk=2\n", 128);
  EXPECT_EQ(got[8], 32) << "block 1 of the sources is two blocks further";
}

TEST(SimVectorTest, CompareAndSelect) {
  std::vector<float> x = iota(64, -32, 1);
  std::string zero = "  movi x6, 0\n";
  std::vector<uint8_t> bits = runVector<uint8_t>(x, zero + "  vcmps.f32 lt, x4, x0, x6\n", 8);
  EXPECT_THAT(bits, ElementsAre(255, 255, 255, 255, 0, 0, 0, 0));
  std::vector<float> got = runVector<float>(x, zero + R"(  vcmps.f32 ge, x5, x0, x6
  movi x8, 140000
  movi x8, 140032
  vmuls.f32 x8, x0, x6
  pipe_barrier V
  vsel.b32 x4, x0, x8, x5
)",
                                            64);
  EXPECT_EQ(got[63], 31);
  EXPECT_EQ(got[0], 0) << "where the bit is 0 comes the second";
  EXPECT_EQ(runVector<uint8_t>(x, "  vcmp.f32 eq, x4, x0, x0\n", 8)[3], 255);
}

TEST(SimVectorTest, ConversionsRoundAndSaturate) {
  std::vector<float> x(64, 0);
  float some[] = {2.5f, -2.5f, 3.5f, 2.4f, -2.6f, 1e20f, NAN, 300.25f};
  std::copy(std::begin(some), std::end(some), x.begin());
  auto ints = [&](const std::string &round) {
    return first(runVector<int32_t>(x, "  vconv.f32.i32 x4, x0, round=" + round + "\n", 64), 7);
  };
  EXPECT_THAT(ints("rint"), ElementsAre(2, -2, 4, 2, -3, INT32_MAX, 0));
  EXPECT_THAT(ints("round"), ElementsAre(3, -3, 4, 2, -3, INT32_MAX, 0));
  EXPECT_THAT(ints("floor"), ElementsAre(2, -3, 3, 2, -3, INT32_MAX, 0));
  EXPECT_THAT(ints("ceil"), ElementsAre(3, -2, 4, 3, -2, INT32_MAX, 0));
  EXPECT_THAT(ints("trunc"), ElementsAre(2, -2, 3, 2, -2, INT32_MAX, 0));
  std::vector<float> back = runVector<float>(
      x, "  vconv.f32.f16 x5, x0, round=rint, drep=4\n  pipe_barrier V\n  vconv.f16.f32 x4, x5, arep=4\n",
      64);
  EXPECT_EQ(back[7], 300.25f);
  EXPECT_EQ(back[5], INFINITY);
  std::vector<int8_t> bytes =
      runVector<int8_t>(x,
                        "  vconv.f32.f16 x5, x0, round=rint, drep=4\n  pipe_barrier V\n  setsr mask1, 0\n  "
                        "vconv.f16.i8 x4, x5, round=rint, arep=8, drep=4\n",
                        64);
  EXPECT_EQ(bytes[7], 127) << "integers saturate";
  std::vector<int64_t> wide =
      runVector<int64_t>(std::vector<int32_t>(32, -7),
                         "  setsr maskmode, 1\n  setsr mask0, 32\n  vconv.i32.i64 x4, x0, arep=4\n", 32);
  EXPECT_EQ(wide[31], -7);
  std::vector<float> rounded = runVector<float>(x, "  vconv.f32.f32 x4, x0, round=floor\n", 64);
  EXPECT_EQ(rounded[1], -3);
}

TEST(SimVectorTest, ReductionsOfRepeatsBlocksAndPairs) {
  std::vector<float> x = iota(128);
  x[70] = 1000;
  EXPECT_THAT(runVector<float>(x, "  vcadd.f32 x4, x0, rep=2, drep=1\n", 2),
              ElementsAre(2016, 6112 - 70 + 1000));
  std::vector<float> pair = runVector<float>(x, "  vcmax.f32 x4, x0, rep=2, drep=1\n", 4);
  EXPECT_EQ(pair[0], 63);
  EXPECT_EQ(std::bit_cast<uint32_t>(pair[1]), 63u);
  EXPECT_EQ(pair[2], 1000);
  EXPECT_EQ(std::bit_cast<uint32_t>(pair[3]), 6u) << "the index counts within the repeat";
  EXPECT_THAT(runVector<float>(x, "  vcmin.f32 x4, x0, rep=2, drep=1, order=2\n", 2), ElementsAre(0, 64));
  EXPECT_THAT(first(runVector<float>(x, "  vcgadd.f32 x4, x0, drep=1\n", 8), 2), ElementsAre(28, 92));
  EXPECT_THAT(first(runVector<float>(x, "  vcgmax.f32 x4, x0, drep=1\n", 8), 2), ElementsAre(7, 15));
  EXPECT_THAT(first(runVector<float>(x, "  vcpadd.f32 x4, x0, drep=1\n", 32), 2), ElementsAre(1, 5));
  EXPECT_THAT(runVector<float>(x, "  setsr maskmode, 1\n  setsr mask0, 3\n  vcadd.f32 x4, x0, drep=1\n", 1),
              ElementsAre(3));
}

TEST(SimVectorTest, TransposesGathersAndPacking) {
  std::vector<uint16_t> square(256);
  for (size_t i = 0; i < 256; ++i)
    square[i] = static_cast<uint16_t>(i);
  for (const char *code : {"  vtranspose.b16 x4, x0\n", "  vnchwconv.b16 x4, x0\n"}) {
    std::vector<uint16_t> got = runVector<uint16_t>(square, code, 256);
    EXPECT_EQ(got[1], 16) << code;
    EXPECT_EQ(got[16], 1) << code;
  }
  std::vector<float> rows = runVector<float>(iota(128), "  vnchwconv.b32 x4, x0\n", 128);
  EXPECT_THAT(first(rows, 3), ElementsAre(0, 8, 16)) << "column 0 of 16 rows of eight";
  EXPECT_EQ(rows[16], 1);
  std::vector<uint32_t> data(128);
  for (uint32_t i = 0; i < 64; ++i) {
    data[i] = (63 - i) * 4; // offsets
    data[64 + i] = 100 + i;
  }
  std::vector<uint32_t> got = runVector<uint32_t>(data, "  movi x6, 256\n  vgather.b32 x4, x0, x6\n", 64);
  EXPECT_THAT(first(got, 2), ElementsAre(163u, 162u));
  for (uint32_t i = 0; i < 8; ++i)
    data[i] = (7 - i) * 32;
  got = runVector<uint32_t>(data, "  movi x6, 256\n  vgatherb.b32 x4, x0, x6\n", 64);
  EXPECT_THAT(first(got, 1), ElementsAre(156u));
  data[0] = 0x0000000a; // lanes 1 and 3
  data[1] = 0;
  got = runVector<uint32_t>(data,
                            "  movi x6, 256\n  movi x7, 0\n  vdup.b32 x4, x7\n  pipe_barrier V\n  "
                            "vreducev2.b32 x4, x6, x0\n  pipe_barrier ALL\n"
                            "  movs x8, rsvdcnt\n  sts.b32 ub, x4, 8, x8\n",
                            4);
  EXPECT_THAT(got, ElementsAre(101u, 103u, 2u, 0u)) << "two elements, then their count";
  std::vector<uint16_t> blocks = runVector<uint16_t>(square, "  vbrcb.b16 x4, x0\n", 128);
  EXPECT_THAT((std::vector<uint16_t>{blocks[0], blocks[15], blocks[16]}), ElementsAre(0, 0, 1));
}

TEST(SimVectorTest, SortAndMergeGreatestFirst) {
  std::vector<uint32_t> data(64);
  for (uint32_t i = 0; i < 32; ++i) {
    data[i] = std::bit_cast<uint32_t>(static_cast<float>(i * 7 % 32 / 2)); // every value twice
    data[32 + i] = i;
  }
  std::vector<uint32_t> got = runVector<uint32_t>(data, "  movi x6, 128\n  vbitsort.f32 x4, x0, x6\n", 64);
  for (size_t i = 0; i + 1 < 32; ++i) {
    float a = std::bit_cast<float>(got[2 * i]), b = std::bit_cast<float>(got[2 * i + 2]);
    EXPECT_GE(a, b);
    if (a == b)
      EXPECT_LT(got[2 * i + 1], got[2 * i + 3]) << "stable";
  }
  std::vector<uint32_t> lists = {std::bit_cast<uint32_t>(9.0f), 1, std::bit_cast<uint32_t>(5.0f), 2,
                                 std::bit_cast<uint32_t>(7.0f), 3, std::bit_cast<uint32_t>(1.0f), 4};
  // Lists of two pairs at 0 and 16, which is 2 in units of eight bytes.
  got = runVector<uint32_t>(lists, "  movi x6, 131072\n  movi x7, 131074\n  vmrgsort4.f32 x4, x6, x7\n", 8);
  EXPECT_THAT((std::vector<uint32_t>{got[1], got[3], got[5], got[7]}), ElementsAre(1u, 3u, 2u, 4u));
}

TEST(HalfTest, BitsAndInstructionsAgree) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    auto half = static_cast<uint16_t>(bits);
    float value = halfToFloat(half), byArray;
    halvesToFloats(&half, &byArray, 1);
    EXPECT_EQ(std::bit_cast<uint32_t>(value), std::bit_cast<uint32_t>(byArray)) << bits;
    if (!std::isnan(value))
      EXPECT_EQ(floatToHalf(value), half);
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 100000; ++i) {
    float value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    uint16_t byArray;
    floatsToHalves(&value, &byArray, 1);
    ASSERT_EQ(floatToHalf(value), byArray) << value;
  }
  EXPECT_EQ(roundToHalf(2049, Round::Rint), 0x6800);
  EXPECT_EQ(roundToHalf(2049, Round::Ceil), 0x6801);
  EXPECT_EQ(roundToHalf(2049, Round::Odd), 0x6801);
  EXPECT_EQ(roundToHalf(70000, Round::Rint), 0x7c00);
  EXPECT_EQ(roundToBfloat(1.00390625f, Round::Rint), 0x3f80) << "a tie goes to even";
}
