// ReductionTest.cpp: reductions and kernels that work on rows, against naive references in double.
#include "backends/host/test/codegen/KernelHarness.h"

#include <cmath>

namespace kiln::host::test {
namespace {

using Shape = std::vector<int64_t>;

Shape dynamic(const Shape &shape) { return Shape(shape.size(), -1); }

struct ReduceCase {
  Shape shape, axes;
};

class ReductionTest : public testing::TestWithParam<std::string> {
protected:
  /// Runs `kind` over `axes`, static or dynamic; the reference folds in double.
  void check(const std::string &kind, KilnDType dtype, const ReduceCase &c, bool isDynamic) {
    Shape result;
    for (size_t axis = 0; axis < c.shape.size(); ++axis)
      if (!llvm::is_contained(c.axes, axis))
        result.push_back(c.shape[axis]);
    std::string in = tensorType(dtype, isDynamic ? dynamic(c.shape) : c.shape);
    std::string out = tensorType(dtype, isDynamic ? dynamic(result) : result);
    auto kernel = compileOrFail(
        kernelText({in},
                   "  %r = kiln.reduce " + kind + " %a0 axes " + list(c.axes) + " : " + in + " -> " + out,
                   out),
        GetParam());
    ASSERT_TRUE(kernel);
    bool isInt = dtype == KILN_I32 || dtype == KILN_U8;
    Array x = Array::random(dtype, c.shape,
                            kind == "prod" ? 0.9
                            : isInt        ? 0
                                           : -1,
                            isInt ? 100 : 1.1),
          y(dtype, result);
    kernel->run({&x, &y}, {}, 1);
    double start = kind == "prod" ? 1 : kind == "max" ? -INFINITY : kind == "min" ? INFINITY : 0;
    std::vector<double> want(y.size(), start);
    int64_t count = 0;
    forEachIndex(c.shape, [&](const Shape &index) {
      Shape kept;
      for (size_t axis = 0; axis < index.size(); ++axis)
        if (!llvm::is_contained(c.axes, axis))
          kept.push_back(index[axis]);
      double value = x.get(position(c.shape, index)), &sum = want[position(result, kept)];
      sum = kind == "prod"         ? sum * value
            : kind == "max"        ? std::max(sum, value)
            : kind == "min"        ? std::min(sum, value)
            : kind == "sum_square" ? sum + value * value
                                   : sum + value;
      ++count;
    });
    if (kind == "mean")
      for (double &value : want)
        value /= double(count) / y.size();
    double rtol = dtype == KILN_F64 ? 1e-12 : dtype == KILN_F16 ? 2e-3 : dtype == KILN_BF16 ? 1e-2 : 2e-5;
    EXPECT_TRUE(closeTo(y, want, isInt ? 0 : rtol, isInt ? 0 : rtol * (dtype == KILN_F64 ? 1 : 3)))
        << kind << " of " << in << " over " << list(c.axes);
  }
};

const ReduceCase kReduceCases[] = {
    {{1000}, {0}},     {{7}, {0}},       {{37, 1000}, {1}},   {{37, 1000}, {0}},        {{1000, 3}, {1}},
    {{1000, 3}, {0}},  {{5, 6, 7}, {1}}, {{5, 6, 7}, {0, 2}}, {{2, 3, 33, 17}, {2, 3}}, {{64, 256}, {0, 1}},
    {{1, 1, 40}, {0}},
};

TEST_P(ReductionTest, AnyAxesOfAnyShape) {
  for (const ReduceCase &c : kReduceCases)
    for (const char *kind : {"sum", "max"})
      for (bool isDynamic : {false, true})
        check(kind, KILN_F32, c, isDynamic);
}

TEST_P(ReductionTest, EveryKind) {
  for (const char *kind : {"prod", "min", "mean", "sum_square"})
    for (const ReduceCase &c : {ReduceCase{{9, 50}, {1}}, ReduceCase{{9, 50}, {0}}})
      check(kind, KILN_F32, c, false);
}

TEST_P(ReductionTest, EveryType) {
  for (KilnDType dtype : {KILN_F64, KILN_F16, KILN_BF16, KILN_I32})
    for (const char *kind : {"sum", "max", "min"})
      for (const ReduceCase &c : {ReduceCase{{9, 50}, {1}}, ReduceCase{{9, 50}, {0}}})
        check(kind, dtype, c, false);
  check("max", KILN_U8, {{9, 200}, {1}}, false);
}

TEST_P(ReductionTest, NanReachesTheMaximum) {
  auto kernel = compileOrFail(
      kernelText({"tensor<3x40xf32>"},
                 "  %r = kiln.reduce max %a0 axes [1] : tensor<3x40xf32> -> tensor<3xf32>", "tensor<3xf32>"),
      GetParam());
  ASSERT_TRUE(kernel);
  for (int64_t at : {0, 17, 39}) {
    Array x = Array::random(KILN_F32, {3, 40}, -5, -1), y(KILN_F32, {3});
    x.set(40 + at, NAN);
    kernel->run({&x, &y});
    EXPECT_FALSE(std::isnan(y.get(0)));
    EXPECT_TRUE(std::isnan(y.get(1))) << at;
    EXPECT_FALSE(std::isnan(y.get(2)));
  }
}

/// Rows of softmax by the definition.
std::vector<double> softmax(const Array &x, int64_t outer, int64_t axis, int64_t inner) {
  std::vector<double> result(x.size());
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      auto at = [&](int64_t k) { return (o * axis + k) * inner + i; };
      double most = -INFINITY, sum = 0;
      for (int64_t k = 0; k < axis; ++k)
        most = std::max(most, x.get(at(k)));
      for (int64_t k = 0; k < axis; ++k)
        sum += result[at(k)] = std::exp(x.get(at(k)) - most);
      for (int64_t k = 0; k < axis; ++k)
        result[at(k)] /= sum;
    }
  return result;
}

TEST_P(ReductionTest, SoftmaxOfAnyAxis) {
  struct Case {
    Shape shape;
    int64_t axis, outer, extent, inner;
  };
  for (const Case &c :
       {Case{{100, 1000}, 1, 100, 1000, 1}, Case{{3, 7}, 1, 3, 7, 1}, Case{{4, 33, 5}, 1, 4, 33, 5},
        Case{{12, 128, 128}, 2, 1536, 128, 1}, Case{{20, 3}, 0, 1, 20, 3}, Case{{50000}, 0, 1, 50000, 1}})
    for (KilnDType dtype : {KILN_F32, KILN_F16})
      for (bool isDynamic : {false, true}) {
        std::string type = tensorType(dtype, isDynamic ? dynamic(c.shape) : c.shape);
        auto kernel = compileOrFail(
            kernelText({type}, "  %r = kiln.softmax %a0 axis " + std::to_string(c.axis) + " : " + type, type),
            GetParam());
        ASSERT_TRUE(kernel);
        Array x = Array::random(dtype, c.shape, -8, 8), y(dtype, c.shape);
        kernel->run({&x, &y}, {}, 1);
        EXPECT_TRUE(closeTo(y, softmax(x, c.outer, c.extent, c.inner), dtype == KILN_F32 ? 1e-5 : 2e-3, 1e-7))
            << type;
      }
}

TEST_P(ReductionTest, LayerNormWithScaleAndBias) {
  for (const Shape &shape : {Shape{128, 768}, Shape{7, 13}, Shape{1, 4096}})
    for (bool isDynamic : {false, true}) {
      std::string type = tensorType(KILN_F32, isDynamic ? Shape{-1, shape[1]} : shape),
                  row = tensorType(KILN_F32, {shape[1]});
      auto kernel = compileOrFail(kernelText({type, row, row},
                                             "  %r = kiln.layer_norm %a0 scale(%a1 : " + row +
                                                 ") bias(%a2 : " + row + ") axis -1 epsilon 1.0e-5 : " + type,
                                             type),
                                  GetParam());
      ASSERT_TRUE(kernel);
      Array x = Array::random(KILN_F32, shape, -2, 5), scale = Array::random(KILN_F32, {shape[1]}, 0.5, 2, 2),
            bias = Array::random(KILN_F32, {shape[1]}, -1, 1, 3), y(KILN_F32, shape);
      kernel->run({&x, &scale, &bias, &y}, {}, 1);
      std::vector<double> want(x.size());
      for (int64_t i = 0; i < shape[0]; ++i) {
        double mean = 0, variance = 0;
        for (int64_t k = 0; k < shape[1]; ++k)
          mean += x.get(i * shape[1] + k) / shape[1];
        for (int64_t k = 0; k < shape[1]; ++k)
          variance += std::pow(x.get(i * shape[1] + k) - mean, 2) / shape[1];
        for (int64_t k = 0; k < shape[1]; ++k)
          want[i * shape[1] + k] =
              (x.get(i * shape[1] + k) - mean) / std::sqrt(variance + 1e-5) * scale.get(k) + bias.get(k);
      }
      EXPECT_TRUE(closeTo(y, want, 1e-5, 1e-5)) << type;
    }
}

INSTANTIATE_TEST_SUITE_P(Archs, ReductionTest, testing::ValuesIn(runnableArchs()),
                         [](const auto &info) { return info.param.substr(7); });

} // namespace
} // namespace kiln::host::test
