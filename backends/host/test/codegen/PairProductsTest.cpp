// PairProductsTest.cpp: products of 8- and 16-bit integers, which are summed in pairs, against sums modulo
// 2^32; equal to the last bit.
#include "backends/host/test/codegen/KernelHarness.h"

#include <cmath>

namespace kiln::host::test {
namespace {

using Shape = std::vector<int64_t>;

struct Types {
  KilnDType a, b;
};
constexpr Types kTypes[] = {{KILN_I8, KILN_I8}, {KILN_U8, KILN_I8},   {KILN_I8, KILN_U8},
                            {KILN_U8, KILN_U8}, {KILN_I16, KILN_I16}, {KILN_U16, KILN_U16}};

/// Numbers of the whole range, the extremes often.
Array numbers(KilnDType type, const Shape &shape, uint32_t seed) {
  double low = type == KILN_I8 ? -128 : type == KILN_I16 ? -32768 : 0;
  double high = type == KILN_I8 ? 127 : type == KILN_U8 ? 255 : type == KILN_I16 ? 32767 : 65535;
  Array array(type, shape), draw = Array::random(KILN_F64, shape, 0, 1, seed);
  for (int64_t i = 0; i < array.size(); ++i) {
    double x = draw.get(i);
    array.set(i, x < 0.2 ? low : x > 0.9 ? high : std::floor(low + (high - low) * x));
  }
  return array;
}

/// Two of the kinds, others for every case, so that each meets several.
std::vector<Types> typesOf(size_t number) {
  return {kTypes[number % std::size(kTypes)], kTypes[(number + 3) % std::size(kTypes)]};
}

double wrapped(int64_t sum) { return static_cast<int32_t>(static_cast<uint32_t>(sum)); }

class PairProductsTest : public testing::TestWithParam<std::string> {
protected:
  void expectEqual(const std::string &text, std::vector<Array *> arrays, const Shape &shape,
                   const std::vector<int64_t> &sums, const std::string &what) {
    Array result(KILN_I32, shape);
    auto kernel = compileOrFail(text, GetParam());
    ASSERT_TRUE(kernel) << what;
    arrays.push_back(&result);
    kernel->run(arrays, {}, 1);
    std::vector<double> want;
    for (int64_t sum : sums)
      want.push_back(wrapped(sum));
    EXPECT_TRUE(closeTo(result, want, 0, 0)) << what;
    EXPECT_TRUE(result.guardsIntact()) << what;
  }
};

struct Matrices {
  int64_t m, n, k;
  bool transA = false, transB = false, isDynamic = false;
};

TEST_P(PairProductsTest, MatricesOfEveryKindAndRest) {
  size_t number = 0;
  for (const Matrices &c :
       {Matrices{1, 1, 2}, Matrices{4, 8, 2}, Matrices{4, 16, 3}, Matrices{6, 16, 64}, Matrices{7, 29, 65},
        Matrices{30, 40, 1100}, Matrices{33, 51, 1101}, Matrices{8, 3, 40},
        Matrices{12, 32, 100, false, true}, Matrices{13, 37, 101, false, true}, Matrices{13, 37, 64, true},
        Matrices{20, 24, 31, true, true}, Matrices{20, 40, 77, false, false, true},
        Matrices{9, 40, 2, false, true}, Matrices{130, 70, 600}})
    for (auto [ta, tb] : typesOf(number++)) {
      Shape a = c.transA ? Shape{c.k, c.m} : Shape{c.m, c.k},
            b = c.transB ? Shape{c.n, c.k} : Shape{c.k, c.n};
      Array x = numbers(ta, a, 1), y = numbers(tb, b, 2);
      std::vector<int64_t> sums(c.m * c.n);
      for (int64_t i = 0; i < c.m; ++i)
        for (int64_t j = 0; j < c.n; ++j)
          for (int64_t l = 0; l < c.k; ++l)
            sums[i * c.n + j] += static_cast<int64_t>(x.get(c.transA ? l * c.m + i : i * c.k + l)) *
                                 static_cast<int64_t>(y.get(c.transB ? j * c.k + l : l * c.n + j));
      auto type = [&](KilnDType dtype, const Shape &shape) {
        return tensorType(dtype, c.isDynamic ? Shape{-1, -1} : shape);
      };
      std::string flags = std::string(c.transA ? " transA" : "") + (c.transB ? " transB" : "");
      std::string out = type(KILN_I32, {c.m, c.n}), typeA = type(ta, a), typeB = type(tb, b);
      expectEqual(
          kernelText({typeA, typeB},
                     "  %r = kiln.matmul %a0, %a1" + flags + " : " + typeA + ", " + typeB + " -> " + out,
                     out),
          {&x, &y}, {c.m, c.n}, sums, typeA + " by " + typeB + flags);
    }
}

TEST_P(PairProductsTest, NumbersThatTheKernelMoves) {
  // A zero point of each row comes off in the kernel; a bias and a batch follow.
  Array x = numbers(KILN_U8, {2, 9, 50}, 1), zero = numbers(KILN_U8, {9, 1}, 2),
        y = numbers(KILN_I8, {50, 33}, 3);
  Array bias = Array::random(KILN_I32, {33}, -1000, 1000, 4);
  std::vector<int64_t> sums;
  forEachIndex({2, 9, 33}, [&](const Shape &i) {
    auto sum = static_cast<int64_t>(bias.get(i[2]));
    for (int64_t l = 0; l < 50; ++l)
      sum +=
          static_cast<int64_t>((x.get((i[0] * 9 + i[1]) * 50 + l) - zero.get(i[1])) * y.get(l * 33 + i[2]));
    sums.push_back(sum);
  });
  expectEqual(kernelText({"tensor<2x9x50xui8>", "tensor<9x1xui8>", "tensor<50x33xi8>", "tensor<33xi32>"}, R"(
  %w = kiln.convert %a0 : tensor<2x9x50xui8> to tensor<2x9x50xi16>
  %z = kiln.convert %a1 : tensor<9x1xui8> to tensor<9x1xi16>
  %c = kiln.sub %w, %z : tensor<2x9x50xi16>, tensor<9x1xi16> -> tensor<2x9x50xi16>
  %b = kiln.convert %a2 : tensor<50x33xi8> to tensor<50x33xi16>
  %m = kiln.matmul %c, %b : tensor<2x9x50xi16>, tensor<50x33xi16> -> tensor<2x9x33xi32>
  %r = kiln.add %m, %a3 : tensor<2x9x33xi32>, tensor<33xi32> -> tensor<2x9x33xi32>)",
                         "tensor<2x9x33xi32>"),
              {&x, &zero, &y, &bias}, {2, 9, 33}, sums, "less a zero point");
}

struct Panels {
  int64_t matrices, m, k; // matrices 0: one, without an axis
};

TEST_P(PairProductsTest, WeightsThatComeAsPanels) {
  // As the program packs them: [matrices.., panels, k / 2, columns, 2].
  int64_t width = GetParam() == "x86-64-v4" ? 32 : 16, n = 3 * width;
  size_t number = 0;
  for (const Panels &c :
       {Panels{0, 1, 2}, Panels{0, 5, 64}, Panels{0, 40, 1200}, Panels{0, 1, 600}, Panels{0, 7, 2},
        Panels{0, 13, 62}, Panels{1, 9, 64}, Panels{2, 1, 128}, Panels{3, 8, 70}, Panels{2, 30, 1100}})
    for (auto [ta, tb] : typesOf(number++)) {
      if (ta == KILN_U16)
        continue; // has no pairs
      int64_t count = std::max<int64_t>(1, c.matrices);
      auto lead = [&](Shape shape) {
        if (c.matrices > 0)
          shape.insert(shape.begin(), c.matrices);
        return shape;
      };
      Shape whole{count, 3, c.k / 2, width, 2};
      Array x = numbers(ta, lead({c.m, c.k}), 1), y = numbers(tb, lead({3, c.k / 2, width, 2}), 2);
      std::vector<int64_t> sums;
      forEachIndex({count, c.m, n}, [&](const Shape &i) {
        int64_t sum = 0;
        for (int64_t l = 0; l < c.k; ++l)
          sum +=
              static_cast<int64_t>(x.get((i[0] * c.m + i[1]) * c.k + l)) *
              static_cast<int64_t>(y.get(position(whole, {i[0], i[2] / width, l / 2, i[2] % width, l % 2})));
        sums.push_back(sum);
      });
      std::string a = tensorType(ta, x.shape()), b = tensorType(tb, y.shape()),
                  split = tensorType(tb, lead({c.k / 2, 2, 3, width})),
                  matrix = tensorType(tb, lead({c.k, n})), out = tensorType(KILN_I32, lead({c.m, n}));
      std::string order = c.matrices > 0 ? "[0, 2, 4, 1, 3]" : "[1, 3, 0, 2]";
      expectEqual(kernelText({a, b},
                             "  %t = kiln.transpose %a1 perm " + order + " {kiln.layout} : " + b + " -> " +
                                 split + "\n  %m = kiln.reshape %t " + list(lead({c.k, n})) +
                                 " {kiln.layout} : " + split + " -> " + matrix +
                                 "\n  %r = kiln.matmul %a0, %m : " + a + ", " + matrix + " -> " + out,
                             out),
                  {&x, &y}, lead({c.m, n}), sums, a + " by " + b);
    }
}

struct Images {
  int64_t channels, height, width, filters, kernel, stride, pad, groups;
};

TEST_P(PairProductsTest, ConvolutionsOfEvenAndOddChannels) {
  size_t number = 0;
  for (const Images &c :
       {Images{3, 13, 17, 8, 3, 2, 1, 1}, Images{16, 9, 16, 24, 3, 1, 1, 1}, Images{17, 8, 8, 5, 1, 1, 0, 1},
        Images{32, 14, 14, 40, 1, 1, 0, 1}, Images{6, 10, 10, 8, 3, 1, 1, 2}, Images{8, 9, 9, 8, 3, 1, 1, 8},
        Images{1, 12, 12, 6, 5, 1, 2, 1}, Images{600, 3, 5, 7, 3, 1, 1, 1}, Images{8, 7, 10, 8, 3, 1, 1, 1}})
    for (auto [ta, tb] : typesOf(number++)) {
      int64_t oh = (c.height + 2 * c.pad - c.kernel) / c.stride + 1,
              ow = (c.width + 2 * c.pad - c.kernel) / c.stride + 1, perGroup = c.channels / c.groups;
      Shape xs{2, c.channels, c.height, c.width}, ws{c.filters, perGroup, c.kernel, c.kernel},
          ys{2, c.filters, oh, ow};
      Array x = numbers(ta, xs, 1), w = numbers(tb, ws, 2);
      std::vector<int64_t> sums;
      forEachIndex(ys, [&](const Shape &i) {
        int64_t sum = 0, group = i[1] / (c.filters / c.groups);
        for (int64_t channel = 0; channel < perGroup; ++channel)
          for (int64_t p = 0; p < c.kernel; ++p)
            for (int64_t q = 0; q < c.kernel; ++q) {
              int64_t h = i[2] * c.stride + p - c.pad, v = i[3] * c.stride + q - c.pad;
              if (h >= 0 && h < c.height && v >= 0 && v < c.width)
                sum += static_cast<int64_t>(x.get(position(xs, {i[0], group * perGroup + channel, h, v}))) *
                       static_cast<int64_t>(w.get(position(ws, {i[1], channel, p, q})));
            }
        sums.push_back(sum);
      });
      std::string s = std::to_string(c.stride), p = std::to_string(c.pad), a = tensorType(ta, xs),
                  b = tensorType(tb, ws), out = tensorType(KILN_I32, ys);
      expectEqual(kernelText({a, b},
                             "  %r = kiln.conv %a0, %a1 strides [" + s + ", " + s + "] pads [" + p + ", " +
                                 p + ", " + p + ", " + p + "] dilations [1, 1] groups " +
                                 std::to_string(c.groups) + " : " + a + ", " + b + " -> " + out,
                             out),
                  {&x, &w}, ys, sums, a + " by " + b);
    }
}

INSTANTIATE_TEST_SUITE_P(Archs, PairProductsTest, testing::ValuesIn(runnableArchs()),
                         [](const auto &info) { return info.param == "x86-64-v3" ? "v3" : "v4"; });

} // namespace
} // namespace kiln::host::test
