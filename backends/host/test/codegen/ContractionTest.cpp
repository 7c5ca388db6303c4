// ContractionTest.cpp: matrix products, convolutions and pooling against naive sums in double.
#include "backends/host/test/codegen/KernelHarness.h"

#include <cmath>

namespace kiln::host::test {
namespace {

using Shape = std::vector<int64_t>;

class ContractionTest : public testing::TestWithParam<std::string> {};

struct MatmulCase {
  int64_t m, n, k;
  bool transA, transB;
};

TEST_P(ContractionTest, MatmulsOfAllShapes) {
  for (const MatmulCase &c : {MatmulCase{1, 1, 1, false, false}, MatmulCase{64, 64, 64, false, false},
                              MatmulCase{7, 33, 19, false, false}, MatmulCase{13, 100, 50, true, false},
                              MatmulCase{13, 100, 50, false, true}, MatmulCase{30, 18, 70, true, true},
                              MatmulCase{1, 300, 120, false, false}, MatmulCase{100, 1, 64, false, false},
                              MatmulCase{1, 4100, 77, false, false}})
    for (KilnDType dtype : {KILN_F32, KILN_BF16, KILN_F64})
      for (bool isDynamic : {false, true}) {
        Shape a = c.transA ? Shape{c.k, c.m} : Shape{c.m, c.k},
              b = c.transB ? Shape{c.n, c.k} : Shape{c.k, c.n}, out{c.m, c.n};
        auto type = [&](const Shape &shape) { return tensorType(dtype, isDynamic ? Shape{-1, -1} : shape); };
        std::string flags = std::string(c.transA ? " transA" : "") + (c.transB ? " transB" : "");
        auto kernel = compileOrFail(kernelText({type(a), type(b)},
                                               "  %r = kiln.matmul %a0, %a1" + flags + " : " + type(a) +
                                                   ", " + type(b) + " -> " + type(out),
                                               type(out)),
                                    GetParam());
        ASSERT_TRUE(kernel);
        Array x = Array::random(dtype, a, -1, 1, 1), y = Array::random(dtype, b, -1, 1, 2), z(dtype, out);
        kernel->run({&x, &y, &z}, {}, 1);
        std::vector<double> want(c.m * c.n);
        for (int64_t i = 0; i < c.m; ++i)
          for (int64_t j = 0; j < c.n; ++j)
            for (int64_t k = 0; k < c.k; ++k)
              want[i * c.n + j] +=
                  x.get(c.transA ? k * c.m + i : i * c.k + k) * y.get(c.transB ? j * c.k + k : k * c.n + j);
        double tolerance = dtype == KILN_BF16 ? 8e-3 : dtype == KILN_F64 ? 1e-13 : 1e-5;
        EXPECT_TRUE(closeTo(z, want, tolerance, tolerance)) << c.m << "x" << c.n << "x" << c.k << flags;
      }
}

// What kiln-host-pack-weights makes of a weight: panels as wide as a register tile.
TEST_P(ContractionTest, MatmulsOfPanels) {
  const int64_t k = 300, panels = 5;
  for (KilnDType dtype : {KILN_F32, KILN_BF16, KILN_F64})
    for (int64_t m : {2, 30, 100})
      for (bool isDynamic : {false, true}) {
        const int64_t width = (GetParam() == "x86-64-v4" ? 32 : 16) / (dtype == KILN_F64 ? 2 : 1),
                      n = panels * width;
        Shape left = isDynamic ? Shape{-1, k} : Shape{m, k}, out = isDynamic ? Shape{-1, n} : Shape{m, n};
        std::string matrix = tensorType(dtype, {k, n}), split = tensorType(dtype, {k, panels, width}),
                    packed = tensorType(dtype, {panels, k, width}), result = tensorType(dtype, out);
        auto kernel = compileOrFail(
            kernelText({tensorType(dtype, left), packed, tensorType(dtype, {n})},
                       "  %t = kiln.transpose %a1 perm [1, 0, 2] : " + packed + " -> " + split + "\n" +
                           "  %w = kiln.reshape %t [" + std::to_string(k) + ", " + std::to_string(n) +
                           "] : " + split + " -> " + matrix + "\n" +
                           "  %m = kiln.matmul %a0, %w : " + tensorType(dtype, left) + ", " + matrix +
                           " -> " + result + "\n" + "  %r = kiln.add %m, %a2 : " + result + ", " +
                           tensorType(dtype, {n}) + " -> " + result,
                       result),
            GetParam());
        ASSERT_TRUE(kernel);
        Array x = Array::random(dtype, {m, k}, -1, 1, 1),
              w = Array::random(dtype, {panels, k, width}, -1, 1, 2),
              bias = Array::random(dtype, {n}, -1, 1, 3), z(dtype, {m, n});
        kernel->run({&x, &w, &bias, &z}, {}, 1);
        std::vector<double> want(m * n);
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            double sum = bias.get(j);
            for (int64_t l = 0; l < k; ++l)
              sum += x.get(i * k + l) * w.get((j / width * k + l) * width + j % width);
            want[i * n + j] = sum;
          }
        double tolerance = dtype == KILN_BF16 ? 8e-3 : dtype == KILN_F64 ? 1e-13 : 1e-5;
        EXPECT_TRUE(closeTo(z, want, tolerance, 10 * tolerance))
            << m << "x" << n << (isDynamic ? ", dynamic" : "");
      }
}

TEST_P(ContractionTest, BatchedMatmulWithBiasAndActivation) {
  auto kernel = compileOrFail(
      kernelText(
          {"tensor<3x20x40xf32>", "tensor<40x50xf32>", "tensor<50xf32>"},
          "  %m = kiln.matmul %a0, %a1 : tensor<3x20x40xf32>, tensor<40x50xf32> -> tensor<3x20x50xf32>\n"
          "  %s = kiln.add %m, %a2 : tensor<3x20x50xf32>, tensor<50xf32> -> tensor<3x20x50xf32>\n"
          "  %r = kiln.relu %s : tensor<3x20x50xf32>",
          "tensor<3x20x50xf32>"),
      GetParam());
  ASSERT_TRUE(kernel);
  Array x = Array::random(KILN_F32, {3, 20, 40}, -1, 1, 1), y = Array::random(KILN_F32, {40, 50}, -1, 1, 2),
        bias = Array::random(KILN_F32, {50}, -1, 1, 3), z(KILN_F32, {3, 20, 50});
  kernel->run({&x, &y, &bias, &z}, {}, 1);
  std::vector<double> want;
  forEachIndex({3, 20, 50}, [&](const Shape &i) {
    double sum = bias.get(i[2]);
    for (int64_t k = 0; k < 40; ++k)
      sum += x.get((i[0] * 20 + i[1]) * 40 + k) * y.get(k * 50 + i[2]);
    want.push_back(std::max(sum, 0.0));
  });
  EXPECT_TRUE(closeTo(z, want, 1e-5, 1e-5));
}

struct ConvCase {
  int64_t channels, height, width, out, kernel, stride, pad, dilation, groups;
};

TEST_P(ContractionTest, ConvolutionsWithBiasAndRelu) {
  for (const ConvCase &c : {ConvCase{3, 9, 21, 8, 3, 1, 1, 1, 1}, ConvCase{4, 12, 12, 16, 1, 1, 0, 1, 1},
                            ConvCase{8, 16, 16, 8, 3, 2, 1, 1, 8}, ConvCase{6, 11, 13, 4, 3, 1, 2, 2, 2},
                            ConvCase{3, 20, 20, 5, 5, 2, 2, 1, 1}}) {
    int64_t reach = (c.kernel - 1) * c.dilation + 1;
    int64_t oh = (c.height + 2 * c.pad - reach) / c.stride + 1,
            ow = (c.width + 2 * c.pad - reach) / c.stride + 1;
    Shape xs{2, c.channels, c.height, c.width}, ws{c.out, c.channels / c.groups, c.kernel, c.kernel},
        ys{2, c.out, oh, ow};
    auto two = [](int64_t v) { return "[" + std::to_string(v) + ", " + std::to_string(v) + "]"; };
    std::string pads = "[" + std::to_string(c.pad) + ", " + std::to_string(c.pad) + ", " +
                       std::to_string(c.pad) + ", " + std::to_string(c.pad) + "]";
    std::string x = tensorType(KILN_F32, xs), w = tensorType(KILN_F32, ws), b = tensorType(KILN_F32, {c.out}),
                y = tensorType(KILN_F32, ys);
    auto kernel =
        compileOrFail(kernelText({x, w, b},
                                 "  %c = kiln.conv %a0, %a1 bias %a2 strides " + two(c.stride) + " pads " +
                                     pads + " dilations " + two(c.dilation) +
                                     (c.groups > 1 ? " groups " + std::to_string(c.groups) : "") + " : " + x +
                                     ", " + w + ", " + b + " -> " + y + "\n  %r = kiln.relu %c : " + y,
                                 y),
                      GetParam());
    ASSERT_TRUE(kernel);
    Array in = Array::random(KILN_F32, xs, -1, 1, 1), weights = Array::random(KILN_F32, ws, -1, 1, 2),
          bias = Array::random(KILN_F32, {c.out}, -1, 1, 3), out(KILN_F32, ys);
    kernel->run({&in, &weights, &bias, &out}, {}, 1);
    std::vector<double> want;
    forEachIndex(ys, [&](const Shape &i) {
      double sum = bias.get(i[1]);
      int64_t perGroup = c.channels / c.groups, group = i[1] / (c.out / c.groups);
      for (int64_t ic = 0; ic < perGroup; ++ic)
        for (int64_t p = 0; p < c.kernel; ++p)
          for (int64_t q = 0; q < c.kernel; ++q) {
            int64_t h = i[2] * c.stride + p * c.dilation - c.pad,
                    v = i[3] * c.stride + q * c.dilation - c.pad;
            if (h >= 0 && h < c.height && v >= 0 && v < c.width)
              sum += in.get(position(xs, {i[0], group * perGroup + ic, h, v})) *
                     weights.get(position(ws, {i[1], ic, p, q}));
          }
      want.push_back(std::max(sum, 0.0));
    });
    EXPECT_TRUE(closeTo(out, want, 1e-5, 2e-5)) << x << " by " << w;
  }
}

TEST_P(ContractionTest, Pools) {
  Shape xs{2, 3, 9, 21}, ys{2, 3, 5, 11};
  Array x = Array::random(KILN_F32, xs, -1, 1), y(KILN_F32, ys);
  for (bool isMax : {true, false}) {
    auto kernel = compileOrFail(
        kernelText({tensorType(KILN_F32, xs)},
                   std::string("  %r = kiln.") + (isMax ? "max_pool" : "avg_pool") +
                       " %a0 kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] : " +
                       tensorType(KILN_F32, xs) + " -> " + tensorType(KILN_F32, ys),
                   tensorType(KILN_F32, ys)),
        GetParam());
    ASSERT_TRUE(kernel);
    kernel->run({&x, &y}, {}, 1);
    std::vector<double> want;
    forEachIndex(ys, [&](const Shape &i) {
      double most = -INFINITY, sum = 0;
      int count = 0;
      for (int64_t p = 0; p < 3; ++p)
        for (int64_t q = 0; q < 3; ++q) {
          int64_t h = i[2] * 2 + p - 1, v = i[3] * 2 + q - 1;
          if (h < 0 || h >= 9 || v < 0 || v >= 21)
            continue;
          double value = x.get(position(xs, {i[0], i[1], h, v}));
          most = std::max(most, value), sum += value, ++count;
        }
      want.push_back(isMax ? most : sum / count);
    });
    EXPECT_TRUE(closeTo(y, want, 1e-5, 1e-6)) << (isMax ? "max" : "avg");
  }
}

struct MaxPool {
  const char *what;
  Shape input, kernel, strides, pads, dilations;
  bool isCeil = false;
};

TEST_P(ContractionTest, MaxPoolsOfWindowsThatOverlap) {
  for (const MaxPool &c : {
           MaxPool{
               "a last column that no window reads", {2, 3, 16, 18}, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
           MaxPool{
               "a last window beyond the pads", {1, 2, 10, 9}, {3, 3}, {2, 2}, {0, 0, 0, 0}, {1, 1}, true},
           MaxPool{"windows with gaps", {1, 4, 15, 21}, {3, 3}, {2, 2}, {2, 2, 2, 2}, {2, 2}},
           MaxPool{"large windows", {1, 4, 12, 13}, {5, 5}, {1, 1}, {2, 2, 2, 2}, {1, 1}},
           MaxPool{"boxes", {1, 2, 9, 10, 11}, {3, 3, 3}, {2, 2, 2}, {1, 0, 1, 1, 1, 0}, {1, 1, 1}},
           MaxPool{
               "boxes axis by axis", {1, 2, 6, 7, 19}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1, 1, 1, 1}, {1, 1, 1}},
           MaxPool{"a single window", {1, 3, 5, 4}, {3, 3}, {2, 2}, {0, 0, 0, 0}, {1, 1}},
       })
    for (bool isDynamic : {false, true}) {
      size_t rank = c.kernel.size();
      Shape ys{c.input[0], c.input[1]};
      for (size_t i = 0; i < rank; ++i) {
        int64_t room =
            c.input[2 + i] + c.pads[i] + c.pads[rank + i] - ((c.kernel[i] - 1) * c.dilations[i] + 1);
        ys.push_back((c.isCeil ? (room + c.strides[i] - 1) / c.strides[i] : room / c.strides[i]) + 1);
      }
      auto type = [&](Shape shape) {
        if (isDynamic)
          std::fill(shape.begin() + 2, shape.end(), -1);
        return tensorType(KILN_F32, shape);
      };
      Array x = Array::random(KILN_F32, c.input, -1, 1), y(KILN_F32, ys);
      x.set(7, NAN);
      x.set(20, -INFINITY);
      auto kernel = compileOrFail(
          kernelText({type(c.input)},
                     "  %r = kiln.max_pool %a0 kernel " + list(c.kernel) + " strides " + list(c.strides) +
                         " pads " + list(c.pads) + " dilations " + list(c.dilations) +
                         (c.isCeil ? " ceil_mode" : "") + " : " + type(c.input) + " -> " + type(ys),
                     type(ys)),
          GetParam());
      ASSERT_TRUE(kernel) << c.what;
      kernel->run({&x, &y}, {}, 1);
      std::vector<double> want;
      forEachIndex(ys, [&](const Shape &i) {
        double most = -INFINITY;
        forEachIndex(c.kernel, [&](const Shape &q) {
          Shape at{i[0], i[1]};
          for (size_t axis = 0; axis < rank; ++axis) {
            at.push_back(i[2 + axis] * c.strides[axis] + q[axis] * c.dilations[axis] - c.pads[axis]);
            if (at.back() < 0 || at.back() >= c.input[2 + axis])
              return;
          }
          double value = x.get(position(c.input, at));
          most = std::isnan(value) || std::isnan(most) ? NAN : std::max(most, value);
        });
        want.push_back(most);
      });
      EXPECT_TRUE(closeTo(y, want, 0, 0)) << c.what;
      EXPECT_TRUE(y.guardsIntact()) << c.what;
    }
}

INSTANTIATE_TEST_SUITE_P(Archs, ContractionTest, testing::ValuesIn(runnableArchs()),
                         [](const auto &info) { return info.param.substr(7); });

} // namespace
} // namespace kiln::host::test
