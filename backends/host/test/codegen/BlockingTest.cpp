// BlockingTest.cpp: contractions that are cut into blocks, packed and padded tile by tile, against sums in
// double.
#include "backends/host/test/codegen/KernelHarness.h"

#include <cmath>

namespace kiln::host::test {
namespace {

using Shape = std::vector<int64_t>;

class BlockingTest : public testing::TestWithParam<std::string> {};

struct Product {
  const char *what;
  int64_t m, n, k;
  bool transA, transB, isDynamic;
};

TEST_P(BlockingTest, MatmulsWithLongSumsAndPackedColumns) {
  for (const Product &c : {
           Product{"a rest of the sum behind whole blocks", 40, 40, 700, false, false, false},
           Product{"blocks of a sum not known", 40, 40, 700, false, false, true},
           Product{"columns that are rows of b", 50, 70, 300, false, true, false},
           Product{"the same with no extent known", 50, 70, 300, false, true, true},
           Product{"rows of b 1 KiB apart", 100, 256, 300, false, false, false},
           Product{"rows of a that are columns", 100, 256, 300, true, false, false},
           Product{"both transposed", 61, 131, 270, true, true, false},
           Product{"several tiles in both directions, the last ones shorter", 331, 339, 90, false, false,
                   false},
       })
    for (KilnDType dtype : {KILN_F32, KILN_F16}) {
      Shape a = c.transA ? Shape{c.k, c.m} : Shape{c.m, c.k},
            b = c.transB ? Shape{c.n, c.k} : Shape{c.k, c.n}, out{c.m, c.n};
      auto type = [&](const Shape &shape) { return tensorType(dtype, c.isDynamic ? Shape{-1, -1} : shape); };
      std::string flags = std::string(c.transA ? " transA" : "") + (c.transB ? " transB" : "");
      auto kernel = compileOrFail(kernelText({type(a), type(b)},
                                             "  %r = kiln.matmul %a0, %a1" + flags + " : " + type(a) + ", " +
                                                 type(b) + " -> " + type(out),
                                             type(out)),
                                  GetParam());
      ASSERT_TRUE(kernel);
      Array x = Array::random(dtype, a, -1, 1, 1), y = Array::random(dtype, b, -1, 1, 2), z(dtype, out);
      kernel->run({&x, &y, &z}, {}, 1);
      std::vector<double> xs = x.values(), ys = y.values(), want(c.m * c.n);
      for (int64_t i = 0; i < c.m; ++i)
        for (int64_t j = 0; j < c.n; ++j)
          for (int64_t k = 0; k < c.k; ++k)
            want[i * c.n + j] +=
                xs[c.transA ? k * c.m + i : i * c.k + k] * ys[c.transB ? j * c.k + k : k * c.n + j];
      // f32 sums of up to 700 products; f16 rounds the result once.
      double tolerance = dtype == KILN_F16 ? 1e-3 : 3e-5;
      EXPECT_TRUE(closeTo(z, want, tolerance, tolerance)) << c.what;
      EXPECT_TRUE(z.guardsIntact()) << c.what;
    }
}

TEST_P(BlockingTest, IntegerProductsAreExact) {
  std::string a = "tensor<30x300xui8>", b = "tensor<40x300xi8>", out = "tensor<30x40xi32>";
  auto kernel = compileOrFail(
      kernelText({a, b}, "  %r = kiln.matmul %a0, %a1 transB : " + a + ", " + b + " -> " + out, out),
      GetParam());
  ASSERT_TRUE(kernel);
  Array x = Array::random(KILN_U8, {30, 300}, 0, 255, 1), y = Array::random(KILN_I8, {40, 300}, -128, 127, 2),
        z(KILN_I32, {30, 40});
  kernel->run({&x, &y, &z}, {}, 1);
  std::vector<double> want;
  for (int64_t i = 0; i < 30; ++i)
    for (int64_t j = 0; j < 40; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < 300; ++k)
        sum += x.get(i * 300 + k) * y.get(j * 300 + k);
      want.push_back(sum);
    }
  EXPECT_TRUE(closeTo(z, want, 0, 0));
}

struct Windows {
  const char *what;
  int64_t channels, height, width, filters, kernel, stride, pad, groups;
  bool isDynamic;
};

TEST_P(BlockingTest, ConvolutionsPadTheirTiles) {
  for (const Windows &c : {
           Windows{"channels in several blocks", 70, 14, 14, 30, 3, 1, 1, 1, false},
           Windows{"columns two apart", 40, 21, 23, 40, 3, 2, 1, 1, false},
           Windows{"points two apart", 40, 21, 23, 40, 1, 2, 0, 1, false},
           Windows{"tiles of nothing but padding", 8, 20, 40, 32, 1, 1, 3, 1, false},
           Windows{"groups", 32, 20, 20, 64, 3, 1, 1, 2, false},
           Windows{"images of unknown size", 20, 19, 37, 30, 3, 1, 1, 1, true},
           Windows{"images of unknown size, columns two apart", 20, 19, 37, 30, 3, 2, 1, 1, true},
       }) {
    int64_t oh = (c.height + 2 * c.pad - c.kernel) / c.stride + 1,
            ow = (c.width + 2 * c.pad - c.kernel) / c.stride + 1;
    Shape xs{2, c.channels, c.height, c.width}, ws{c.filters, c.channels / c.groups, c.kernel, c.kernel},
        ys{2, c.filters, oh, ow};
    auto image = [&](Shape shape) {
      if (c.isDynamic)
        shape[2] = shape[3] = -1;
      return tensorType(KILN_F32, shape);
    };
    std::string s = std::to_string(c.stride), p = std::to_string(c.pad), x = image(xs), y = image(ys),
                w = tensorType(KILN_F32, ws);
    auto kernel = compileOrFail(
        kernelText({x, w},
                   "  %c = kiln.conv %a0, %a1 strides [" + s + ", " + s + "] pads [" + p + ", " + p + ", " +
                       p + ", " + p + "] dilations [1, 1] groups " + std::to_string(c.groups) + " : " + x +
                       ", " + w + " -> " + y + "\n  %r = kiln.relu %c : " + y,
                   y),
        GetParam());
    ASSERT_TRUE(kernel);
    Array in = Array::random(KILN_F32, xs, -1, 1, 1), weights = Array::random(KILN_F32, ws, -1, 1, 2),
          out(KILN_F32, ys);
    kernel->run({&in, &weights, &out}, {}, 1);
    std::vector<double> want;
    int64_t perGroup = c.channels / c.groups;
    forEachIndex(ys, [&](const Shape &i) {
      double sum = 0;
      int64_t group = i[1] / (c.filters / c.groups);
      for (int64_t ic = 0; ic < perGroup; ++ic)
        for (int64_t p = 0; p < c.kernel; ++p)
          for (int64_t q = 0; q < c.kernel; ++q) {
            int64_t h = i[2] * c.stride + p - c.pad, v = i[3] * c.stride + q - c.pad;
            if (h >= 0 && h < c.height && v >= 0 && v < c.width)
              sum += in.get(position(xs, {i[0], group * perGroup + ic, h, v})) *
                     weights.get(position(ws, {i[1], ic, p, q}));
          }
      want.push_back(std::max(sum, 0.0));
    });
    EXPECT_TRUE(closeTo(out, want, 3e-5, 3e-5)) << c.what;
    EXPECT_TRUE(out.guardsIntact()) << c.what;
    // Tiles stay independent: nothing is padded outside of them.
    EXPECT_GT(kernel->tiles({&in, &weights, &out}), 1) << c.what;
  }
}

INSTANTIATE_TEST_SUITE_P(Archs, BlockingTest, testing::ValuesIn(runnableArchs()),
                         [](const auto &info) { return info.param == "x86-64-v3" ? "v3" : "v4"; });

} // namespace
} // namespace kiln::host::test
