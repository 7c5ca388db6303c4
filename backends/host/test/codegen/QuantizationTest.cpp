// QuantizationTest.cpp: conversions and quantization of every 8- and 16-bit value, integer products, against
// scalar references; equal to the last bit.
#include "backends/host/test/codegen/KernelHarness.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

namespace kiln::host::test {
namespace {

using Shape = std::vector<int64_t>;

class QuantizationTest : public testing::TestWithParam<std::string> {
protected:
  /// The result of `body` on arrays.
  Array run(std::vector<Array *> arrays, const std::string &body, KilnDType dtype, const Shape &shape) {
    std::vector<std::string> types;
    for (Array *array : arrays)
      types.push_back(tensorType(array->dtype(), array->shape()));
    Array result(dtype, shape);
    auto kernel = compileOrFail(kernelText(types, body, tensorType(dtype, shape)), GetParam());
    if (kernel) {
      arrays.push_back(&result);
      kernel->run(arrays, {}, 1);
    }
    return result;
  }
  static void expectEqual(const Array &got, const std::vector<double> &want) {
    EXPECT_TRUE(closeTo(got, want, 0, 0));
  }
};

/// `value` in another float format, rounded once.
double roundedTo(const llvm::fltSemantics &format, double value) {
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

/// The float whose bits are `bits`.
double fromBits(const llvm::fltSemantics &format, uint64_t bits) {
  llvm::APFloat number(format, llvm::APInt(llvm::APFloat::getSizeInBits(format), bits));
  bool losesInfo = false;
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

std::vector<double> range(int64_t first, int64_t last) {
  std::vector<double> values;
  for (int64_t value = first; value <= last; ++value)
    values.push_back(static_cast<double>(value));
  return values;
}

// ---- Conversions -----------------------------------------------------------------------------------------

struct Fp8 {
  const char *name;
  const llvm::fltSemantics &format;
  double largest;
};
const Fp8 kFp8s[] = {{"f8E4M3FN", llvm::APFloat::Float8E4M3FN(), 448},
                     {"f8E5M2", llvm::APFloat::Float8E5M2(), 57344}};

TEST_P(QuantizationTest, EveryFp8IsReadExactly) {
  Array bits = Array::of(KILN_U8, {256}, range(0, 255));
  for (const Fp8 &fp8 : kFp8s) {
    std::string type = std::string("tensor<256x") + fp8.name + ">";
    Array got = run({&bits},
                    "  %f = kiln.bitcast %a0 : tensor<256xui8> to " + type +
                        "\n  %r = kiln.convert %f : " + type + " to tensor<256xf32>",
                    KILN_F32, {256});
    std::vector<double> want;
    for (int i = 0; i < 256; ++i)
      want.push_back(fromBits(fp8.format, i));
    expectEqual(got, want);
  }
}

TEST_P(QuantizationTest, EveryHalfIsRoundedToFp8) {
  // All f16 and the values between them, so that every tie and both its sides come.
  std::vector<double> values;
  for (int i = 0; i < 0x7c00; ++i) {
    double value = fromBits(llvm::APFloat::IEEEhalf(), i), next = fromBits(llvm::APFloat::IEEEhalf(), i + 1);
    values.insert(values.end(), {value, -value, std::isinf(next) ? 1e9 : (value + next) / 2});
  }
  values.insert(values.end(), {INFINITY, -INFINITY, 1e-30, -1e-30, 3e38, 65535.0});
  auto n = static_cast<int64_t>(values.size());
  Array x = Array::of(KILN_F32, {n}, values);
  for (const Fp8 &fp8 : kFp8s)
    for (bool isSaturating : {true, false}) {
      std::string count = std::to_string(n), type = "tensor<" + count + "x" + fp8.name + ">";
      Array got = run({&x},
                      "  %f = kiln.convert %a0 " + std::string(isSaturating ? "" : "unsaturated ") +
                          ": tensor<" + count + "xf32> to " + type + "\n  %r = kiln.convert %f : " + type +
                          " to tensor<" + count + "xf32>",
                      KILN_F32, {n});
      std::vector<double> want;
      for (double value : values) {
        double rounded =
            roundedTo(fp8.format, isSaturating ? std::clamp(value, -fp8.largest, fp8.largest) : value);
        want.push_back(rounded);
      }
      expectEqual(got, want);
    }
}

TEST_P(QuantizationTest, DoublesAreRoundedOnce) {
  // Just beside a tie of the narrow format, where an f32 would fall on the tie.
  const std::pair<KilnDType, const llvm::fltSemantics &> formats[] = {{KILN_F16, llvm::APFloat::IEEEhalf()},
                                                                      {KILN_BF16, llvm::APFloat::BFloat()}};
  for (auto [dtype, format] : formats) {
    std::vector<double> values{0,
                               -0.0,
                               INFINITY,
                               -INFINITY,
                               1e300,
                               -1e300,
                               1e-300,
                               65519.99999999,
                               65520,
                               0x1p-134,
                               0x1p-134 + 0x1p-160,
                               3.4e38,
                               3.3961e38};
    for (int i = 0; i < 400; ++i) {
      double value = fromBits(format, i * 77 % 0x7b00), next = fromBits(format, i * 77 % 0x7b00 + 1);
      double tie = (value + next) / 2;
      values.insert(values.end(),
                    {tie, tie * (1 + 0x1p-40), tie * (1 - 0x1p-40), -tie * (1 + 0x1p-50), value});
    }
    auto n = static_cast<int64_t>(values.size());
    Array x = Array::of(KILN_F64, {n}, values);
    Array got =
        run({&x}, "  %r = kiln.convert %a0 : " + tensorType(KILN_F64, {n}) + " to " + tensorType(dtype, {n}),
            dtype, {n});
    std::vector<double> want;
    for (double value : values)
      want.push_back(roundedTo(format, value));
    expectEqual(got, want);
  }
}

TEST_P(QuantizationTest, RoundingsThatAreAskedForStay) {
  for (KilnDType dtype : {KILN_F16, KILN_BF16}) {
    Array x = Array::random(KILN_F32, {77}, -100, 100, 5);
    std::string narrow = tensorType(dtype, {77});
    Array got = run({&x},
                    "  %n = kiln.convert %a0 : tensor<77xf32> to " + narrow +
                        "\n  %r = kiln.convert %n : " + narrow + " to tensor<77xf32>",
                    KILN_F32, {77});
    std::vector<double> want;
    for (double value : x.values())
      want.push_back(
          roundedTo(dtype == KILN_F16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat(), value));
    expectEqual(got, want);
  }
}

TEST_P(QuantizationTest, FourBitIntegersArePackedTwoAByte) {
  // 15 numbers: the last byte is half full. The first of a pair is the low one.
  Array packed = Array::of(KILN_U8, {8}, {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0x0e});
  for (bool isSigned : {true, false}) {
    std::string type = isSigned ? "tensor<3x5xi4>" : "tensor<3x5xui4>";
    auto reads = compileOrFail(
        kernelText({type}, "  %r = kiln.convert %a0 : " + type + " to tensor<3x5xi32>", "tensor<3x5xi32>"),
        GetParam());
    ASSERT_TRUE(reads);
    Array numbers(KILN_I32, {3, 5});
    reads->run({&packed, &numbers}, {}, 1);
    std::vector<double> want;
    for (int i = 0; i < 15; ++i)
      want.push_back(isSigned && i >= 8 ? i - 16 : i);
    expectEqual(numbers, want);

    auto writes = compileOrFail(
        kernelText({"tensor<3x5xi32>"}, "  %r = kiln.convert %a0 : tensor<3x5xi32> to " + type, type),
        GetParam());
    ASSERT_TRUE(writes);
    Array again(KILN_U8, {8});
    writes->run({&numbers, &again}, {}, 1);
    expectEqual(again, packed.values());
  }
}

// ---- Quantize, dequantize --------------------------------------------------------------------------------

struct Quantized {
  KilnDType dtype;
  double lowest, highest;
};
constexpr Quantized kQuantized[] = {
    {KILN_I8, -128, 127}, {KILN_U8, 0, 255}, {KILN_I16, -32768, 32767}, {KILN_U16, 0, 65535}};

double quantizedBy(float x, float scale, double zeroPoint, const Quantized &to) {
  if (std::isnan(x))
    return to.lowest;
  return std::clamp(std::nearbyint(static_cast<double>(x / scale)) + zeroPoint, to.lowest, to.highest);
}

TEST_P(QuantizationTest, QuantizeRoundsHalvesToEvenAndSaturates) {
  for (const Quantized &to : kQuantized)
    for (double zeroPoint : {0.0, to.lowest, to.highest, std::floor((to.lowest + to.highest) / 2) + 3})
      for (float scale : {1.0f, 0.5f, 0.0371f}) {
        std::vector<double> values{INFINITY, -INFINITY, NAN, 1e30, -1e30, 2147483648.0, -0.0};
        for (int i = -700; i < 700; ++i)
          values.push_back(static_cast<float>(i * 0.5) * scale * (to.highest > 255 ? 97.0f : 1.0f));
        auto n = static_cast<int64_t>(values.size());
        Array x = Array::of(KILN_F32, {n}, values), s = Array::of(KILN_F32, {}, {scale}),
              z = Array::of(to.dtype, {}, {zeroPoint});
        std::string tx = tensorType(KILN_F32, {n}), tz = tensorType(to.dtype, {});
        Array got = run({&x, &s, &z},
                        "  %r = kiln.quantize %a0 scale %a1 zero_point %a2 : " + tx + ", tensor<f32>, " + tz +
                            " -> " + tensorType(to.dtype, {n}),
                        to.dtype, {n});
        std::vector<double> want;
        for (int64_t i = 0; i < n; ++i)
          want.push_back(quantizedBy(static_cast<float>(x.get(i)), scale, zeroPoint, to));
        expectEqual(got, want);
      }
}

TEST_P(QuantizationTest, QuantizeByChannelWithADynamicExtent) {
  Array x = Array::random(KILN_F32, {2, 3, 37}, -20, 20, 3), s = Array::of(KILN_F32, {3, 1}, {0.1, 0.25, 3}),
        z = Array::of(KILN_U8, {3, 1}, {0, 128, 255}), got(KILN_U8, {2, 3, 37});
  auto kernel = compileOrFail(
      kernelText({"tensor<?x3x?xf32>", "tensor<3x1xf32>", "tensor<3x1xui8>"},
                 "  %r = kiln.quantize %a0 scale %a1 zero_point %a2 : tensor<?x3x?xf32>, tensor<3x1xf32>, "
                 "tensor<3x1xui8> -> tensor<?x3x?xui8>",
                 "tensor<?x3x?xui8>"),
      GetParam());
  ASSERT_TRUE(kernel);
  kernel->run({&x, &s, &z, &got}, {}, 1);
  std::vector<double> want;
  forEachIndex({2, 3, 37}, [&](const Shape &i) {
    want.push_back(quantizedBy(static_cast<float>(x.get(position({2, 3, 37}, i))),
                               static_cast<float>(s.get(i[1])), z.get(i[1]), kQuantized[1]));
  });
  expectEqual(got, want);
}

TEST_P(QuantizationTest, EveryNumberIsDequantizedExactly) {
  for (const Quantized &from : kQuantized)
    for (double zeroPoint : {0.0, from.lowest, from.highest}) {
      std::vector<double> values =
          range(static_cast<int64_t>(from.lowest), static_cast<int64_t>(from.highest));
      auto n = static_cast<int64_t>(values.size());
      Array x = Array::of(from.dtype, {n}, values), s = Array::of(KILN_F32, {}, {0.0371f}),
            z = Array::of(from.dtype, {}, {zeroPoint});
      Array got = run({&x, &s, &z},
                      "  %r = kiln.dequantize %a0 scale %a1 zero_point %a2 : " + tensorType(from.dtype, {n}) +
                          ", tensor<f32>, " + tensorType(from.dtype, {}) + " -> " + tensorType(KILN_F32, {n}),
                      KILN_F32, {n});
      std::vector<double> want;
      for (double value : values)
        want.push_back(static_cast<float>(value - zeroPoint) * 0.0371f);
      expectEqual(got, want);
      // And back: a number of the range, from its own real number.
      Array back =
          run({&got, &s, &z},
              "  %r = kiln.quantize %a0 scale %a1 zero_point %a2 : " + tensorType(KILN_F32, {n}) +
                  ", tensor<f32>, " + tensorType(from.dtype, {}) + " -> " + tensorType(from.dtype, {n}),
              from.dtype, {n});
      expectEqual(back, values);
    }
}

// ---- Integer products ------------------------------------------------------------------------------------

TEST_P(QuantizationTest, IntegerProductsAreExact) {
  const std::pair<KilnDType, KilnDType> pairs[] = {
      {KILN_I8, KILN_I8}, {KILN_U8, KILN_I8}, {KILN_U8, KILN_U8}, {KILN_I16, KILN_I16}};
  for (auto [ta, tb] : pairs)
    for (const Shape &size :
         {Shape{1, 1, 1}, Shape{13, 37, 300}, Shape{64, 64, 64}, Shape{1, 70, 129}, Shape{5, 1, 50}}) {
      auto bound = [](KilnDType type, bool low) {
        return type == KILN_I16  ? (low ? -255.0 : 256.0)
               : type == KILN_I8 ? (low ? -128.0 : 128.0)
                                 : (low ? 0.0 : 256.0);
      };
      int64_t m = size[0], n = size[1], k = size[2];
      auto integers = [&](KilnDType type, const Shape &shape, uint32_t seed) {
        Array array = Array::random(KILN_F64, shape, bound(type, true), bound(type, false), seed);
        std::vector<double> values = array.values();
        for (double &value : values)
          value = std::floor(value);
        return Array::of(type, shape, values);
      };
      Array a = integers(ta, {m, k}, 1), b = integers(tb, {k, n}, 2);
      Array got = run({&a, &b},
                      "  %r = kiln.matmul %a0, %a1 : " + tensorType(ta, {m, k}) + ", " +
                          tensorType(tb, {k, n}) + " -> " + tensorType(KILN_I32, {m, n}),
                      KILN_I32, {m, n});
      std::vector<double> want(m * n);
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j)
          for (int64_t l = 0; l < k; ++l)
            want[i * n + j] += a.get(i * k + l) * b.get(l * n + j);
      expectEqual(got, want);
    }
}

INSTANTIATE_TEST_SUITE_P(Archs, QuantizationTest, testing::ValuesIn(runnableArchs()),
                         [](const auto &info) { return info.param == "x86-64-v3" ? "v3" : "v4"; });

} // namespace
} // namespace kiln::host::test
