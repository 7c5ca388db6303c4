// ElementwiseTest.cpp: elementwise kernels of every type, broadcast pattern and extent against scalar
// references.
#include "backends/host/test/codegen/KernelHarness.h"

#include <cmath>

namespace kiln::host::test {
namespace {

using Shape = std::vector<int64_t>;

bool isFloat(KilnDType type) { return type <= KILN_F64; }
bool isSigned(KilnDType type) { return type >= KILN_I8 && type <= KILN_I64; }
int bitsOf(KilnDType type) {
  switch (type) {
  case KILN_I8:
  case KILN_U8:
    return 8;
  case KILN_I16:
  case KILN_U16:
    return 16;
  case KILN_I32:
  case KILN_U32:
    return 32;
  default:
    return 64;
  }
}

/// An integer result as its type holds it; exact here, since operands are small.
double wrapped(KilnDType type, double value) {
  if (isFloat(type))
    return value;
  if (type == KILN_I64) // small but for the negated least number
    return value == 0x1p63 ? -0x1p63 : value;
  double range = std::ldexp(1.0, bitsOf(type));
  value = value - std::floor(value / range) * range;
  return isSigned(type) && value >= range / 2 ? value - range : value;
}

/// |got - want| allowed, relative: one rounding of the type and a little for fused operations.
double tolerance(KilnDType type) {
  return type == KILN_F16    ? 1e-3
         : type == KILN_BF16 ? 8e-3
         : type == KILN_F32  ? 3e-7
         : type == KILN_F64  ? 1e-15
                             : 0;
}

class ElementwiseTest : public testing::TestWithParam<std::string> {
protected:
  /// Runs `op` on `a` and `b`, which broadcast to `result`, and compares with `reference`.
  void checkBinary(const std::string &op, Array &a, Array &b, const Shape &result, bool isDynamic,
                   const std::function<double(double, double)> &reference, KilnDType resultType) {
    auto typeOf = [&](KilnDType dtype, const Shape &shape) {
      Shape extents = shape;
      for (int64_t &extent : extents) // an extent of 1 that broadcasts is known
        extent = isDynamic && extent != 1 ? -1 : extent;
      return tensorType(dtype, extents);
    };
    std::string ta = typeOf(a.dtype(), a.shape()), tb = typeOf(b.dtype(), b.shape()),
                tr = typeOf(resultType, result);
    auto kernel = compileOrFail(
        kernelText({ta, tb}, "  %r = kiln." + op + " %a0, %a1 : " + ta + ", " + tb + " -> " + tr, tr),
        GetParam());
    ASSERT_TRUE(kernel);
    Array out(resultType, result);
    kernel->run({&a, &b, &out}, {}, 1);
    auto at = [&](const Array &array, const Shape &index) {
      Shape own;
      for (size_t axis = 0; axis < array.shape().size(); ++axis) {
        int64_t i = index[index.size() - array.shape().size() + axis];
        own.push_back(array.shape()[axis] == 1 ? 0 : i);
      }
      return array.get(position(array.shape(), own));
    };
    std::vector<double> want;
    forEachIndex(result, [&](const Shape &index) { want.push_back(reference(at(a, index), at(b, index))); });
    EXPECT_TRUE(closeTo(out, want, tolerance(resultType), tolerance(resultType)))
        << op << " of " << ta << ", " << tb;
  }
};

constexpr KilnDType kNumbers[] = {KILN_F16, KILN_BF16, KILN_F32, KILN_F64, KILN_I8,  KILN_I16,
                                  KILN_I32, KILN_I64,  KILN_U8,  KILN_U16, KILN_U32, KILN_U64};

TEST_P(ElementwiseTest, ArithmeticOfEveryType) {
  using Function = double (*)(double, double);
  const std::pair<const char *, Function> ops[] = {
      {"add", [](double a, double b) { return a + b; }},
      {"sub", [](double a, double b) { return a - b; }},
      {"mul", [](double a, double b) { return a * b; }},
      {"max", [](double a, double b) { return std::max(a, b); }},
      {"min", [](double a, double b) { return std::min(a, b); }}};
  for (KilnDType type : kNumbers)
    for (int64_t n : {77, 5000}) {
      Array a = Array::random(type, {n}, isFloat(type) || isSigned(type) ? -11 : 0, 11, 1);
      Array b = Array::random(type, {n}, isFloat(type) || isSigned(type) ? -9 : 0, 9, 2);
      for (auto [op, function] : ops)
        checkBinary(
            op, a, b, {n}, false, [=](double x, double y) { return wrapped(type, function(x, y)); }, type);
    }
}

TEST_P(ElementwiseTest, DivisionIsDefinedEverywhere) {
  for (KilnDType type : kNumbers) {
    if (isFloat(type))
      continue;
    double lowest = isSigned(type) ? -std::ldexp(1.0, bitsOf(type) - 1) : 0;
    std::vector<double> as{7, 0, 100, lowest, lowest, 5, 3},
        bs{2, 3, 0, isSigned(type) ? -1.0 : 1.0, 0, 5, 7};
    Array a = Array::of(type, {70}, as), b = Array::of(type, {70}, bs);
    checkBinary(
        "div", a, b, {70}, false,
        [=](double x, double y) { return y == 0 ? 0 : wrapped(type, std::trunc(x / y)); }, type);
  }
}

TEST_P(ElementwiseTest, EveryBroadcastPattern) {
  const std::pair<Shape, Shape> cases[] = {{{6, 50}, {6, 50}},
                                           {{6, 50}, {50}},
                                           {{6, 50}, {6, 1}},
                                           {{6, 1}, {1, 50}},
                                           {{6, 50}, {1}},
                                           {{6, 50}, {}},
                                           {{2, 1, 9}, {5, 1}},
                                           {{4, 3, 7, 9}, {3, 1, 1}},
                                           {{4, 3, 7, 9}, {1, 3, 7, 1}},
                                           {{1}, {40}},
                                           {{64, 100}, {100}},
                                           {{33, 17}, {33, 17}},
                                           {{1, 1, 1}, {1}},
                                           {{3, 70000}, {3, 1}}};
  for (const auto &[left, right] : cases)
    for (bool isDynamic : {false, true}) {
      Array a = Array::random(KILN_F32, left, -1, 1, 1), b = Array::random(KILN_F32, right, -1, 1, 2);
      Shape result(std::max(left.size(), right.size()), 1);
      for (const Shape &shape : {left, right})
        for (size_t axis = 0; axis < shape.size(); ++axis) {
          int64_t &extent = result[result.size() - shape.size() + axis];
          extent = std::max(extent, shape[axis]);
        }
      checkBinary(
          "sub", a, b, result, isDynamic, [](double x, double y) { return float(x) - float(y); }, KILN_F32);
    }
}

TEST_P(ElementwiseTest, ComparesAndSelects) {
  for (KilnDType type : {KILN_F32, KILN_BF16, KILN_I64, KILN_U8}) {
    Array a = Array::of(type, {100}, {1, 2, 3, 250, 0}), b = Array::of(type, {100}, {2, 2, 1});
    checkBinary("compare lt", a, b, {100}, false, [](double x, double y) { return x < y; }, KILN_I1);
    checkBinary("compare ge", a, b, {100}, false, [](double x, double y) { return x >= y; }, KILN_I1);
    std::string t = tensorType(type, {100});
    auto kernel = compileOrFail(
        kernelText({t, t},
                   "  %c = kiln.compare gt %a0, %a1 : " + t + ", " + t + " -> tensor<100xi1>\n" +
                       "  %r = kiln.select %c, %a0, %a1 : tensor<100xi1>, " + t + ", " + t + " -> " + t,
                   t),
        GetParam());
    ASSERT_TRUE(kernel);
    Array out(type, {100});
    kernel->run({&a, &b, &out});
    for (int64_t i = 0; i < 100; ++i)
      EXPECT_EQ(out.get(i), std::max(a.get(i), b.get(i)));
  }
}

TEST_P(ElementwiseTest, NanWinsInMaximum) {
  Array a = Array::of(KILN_F32, {32}, {1, NAN, 3, NAN}), b = Array::of(KILN_F32, {32}, {2, 1, NAN, NAN});
  for (const char *op : {"max", "min"})
    checkBinary(
        op, a, b, {32}, false,
        [&](double x, double y) {
          return std::isnan(x) || std::isnan(y) ? NAN : op[1] == 'a' ? std::max(x, y) : std::min(x, y);
        },
        KILN_F32);
}

TEST_P(ElementwiseTest, ConvertsBetweenTypes) {
  const std::vector<double> values{0,    1,     -1,   1.5,   -2.5, 100.75,   300,       -300,   70000,
                                   1e-8, 65520, 1e10, -1e10, NAN,  INFINITY, -INFINITY, 3.3e38, 1.00390625};
  int64_t n = 90;
  auto saturated = [](KilnDType type, double value) -> double {
    if (std::isnan(value))
      return 0;
    double low = isSigned(type) ? -std::ldexp(1.0, bitsOf(type) - 1) : 0;
    double high = std::ldexp(1.0, bitsOf(type) - isSigned(type)) - 1;
    return std::clamp(std::trunc(value), low, high);
  };
  for (KilnDType from : {KILN_F32, KILN_F64, KILN_F16, KILN_BF16})
    for (KilnDType to :
         {KILN_F16, KILN_BF16, KILN_F32, KILN_F64, KILN_I8, KILN_I32, KILN_U8, KILN_U16, KILN_I1}) {
      if (from == to)
        continue;
      std::string in = tensorType(from, {n}), out = tensorType(to, {n});
      auto kernel =
          compileOrFail(kernelText({in}, "  %r = kiln.convert %a0 : " + in + " to " + out, out), GetParam());
      ASSERT_TRUE(kernel);
      Array x = Array::of(from, {n}, values), y(to, {n}), want(to, {n});
      kernel->run({&x, &y});
      for (int64_t i = 0; i < n; ++i)
        want.set(i, isFloat(to) ? x.get(i) : to == KILN_I1 ? x.get(i) != 0 : saturated(to, x.get(i)));
      EXPECT_TRUE(closeTo(y, want.values(), 0, 0)) << in << " to " << out;
    }
}

TEST_P(ElementwiseTest, ActivationsFollowTheirFormulas) {
  using Function = double (*)(double);
  const std::pair<const char *, Function> ops[] = {
      {"relu %a0", [](double x) { return std::max(x, 0.0); }},
      {"sigmoid %a0", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"gelu %a0", [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
      {"silu %a0", [](double x) { return x / (1 + std::exp(-x)); }},
      {"softplus %a0", [](double x) { return std::log1p(std::exp(x)); }},
      {"mish %a0", [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
      {"hard_swish %a0", [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
      {"leaky_relu %a0 alpha 0.1", [](double x) { return x < 0 ? 0.1 * x : x; }},
      {"elu %a0 alpha 1.5", [](double x) { return x < 0 ? 1.5 * std::expm1(x) : x; }},
      {"floor %a0", [](double x) { return std::floor(x); }},
      {"round %a0", [](double x) { return std::nearbyint(x); }},
      {"rsqrt %a0", [](double x) { return 1 / std::sqrt(x); }},
      {"abs %a0", [](double x) { return std::fabs(x); }}};
  for (KilnDType type : {KILN_F32, KILN_F64, KILN_F16, KILN_BF16})
    for (auto [op, function] : ops) {
      std::string t = tensorType(type, {2001});
      auto kernel =
          compileOrFail(kernelText({t}, std::string("  %r = kiln.") + op + " : " + t, t), GetParam());
      ASSERT_TRUE(kernel);
      Array x = Array::random(type, {2001}, op[0] == 'r' && op[1] == 's' ? 0.01 : -9, 9), y(type, {2001});
      kernel->run({&x, &y});
      std::vector<double> want;
      for (double value : x.values())
        want.push_back(function(value));
      double bound = tolerance(type) * (type == KILN_F32 || type == KILN_F64 ? 20 : 1);
      EXPECT_TRUE(closeTo(y, want, bound, bound)) << op << " " << t;
    }
}

TEST_P(ElementwiseTest, ChainWithSeveralResults) {
  std::string t = "tensor<30x50xf32>";
  auto kernel = compileOrFail("kiln.kernel @k(%a: " + t + ", %b: tensor<50xf32>) -> (" + t + ", " + t + R"() {
    %s = kiln.add %a, %b : )" + t +
                                  ", tensor<50xf32> -> " + t + R"(
    %e = kiln.tanh %s : )" + t + R"(
    %m = kiln.mul %e, %a : )" + t +
                                  ", " + t + " -> " + t + R"(
    kiln.yield %e, %m : )" + t + ", " +
                                  t + "\n}",
                              GetParam());
  ASSERT_TRUE(kernel);
  Array a = Array::random(KILN_F32, {30, 50}, -2, 2, 1), b = Array::random(KILN_F32, {50}, -1, 1, 2);
  Array e(KILN_F32, {30, 50}), m(KILN_F32, {30, 50});
  kernel->run({&a, &b, &e, &m}, {}, 1);
  std::vector<double> wantE, wantM;
  for (int64_t i = 0; i < 1500; ++i) {
    wantE.push_back(std::tanh(a.get(i) + b.get(i % 50)));
    wantM.push_back(wantE.back() * a.get(i));
  }
  EXPECT_TRUE(closeTo(e, wantE, 1e-6, 1e-6));
  EXPECT_TRUE(closeTo(m, wantM, 1e-6, 1e-6));
}

INSTANTIATE_TEST_SUITE_P(Archs, ElementwiseTest, testing::ValuesIn(runnableArchs()),
                         [](const auto &info) { return info.param.substr(7); });

} // namespace
} // namespace kiln::host::test
