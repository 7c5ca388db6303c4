// MathTest.cpp: errors of the math functions in units of the last place, and their special values.
#include "backends/host/test/codegen/KernelHarness.h"

#include <cmath>
#include <random>

namespace kiln::host::test {
namespace {

using Function = long double (*)(long double);

struct MathCase { // the reference is computed in 80 bits
  const char *op;
  Function reference;
  double low, high;      // where most samples lie
  double ulpF32, ulpF64; // the bound, as docs/host-codegen.md states it
};

void PrintTo(const MathCase &math, std::ostream *os) { *os << math.op; }

const MathCase kCases[] = {
    {"exp", std::exp, -87, 88, 1.5, 1.5},    {"expm1", std::expm1, -10, 20, 2.0, 2.0},
    {"log", std::log, 0, 100, 1.5, 1.5},     {"log1p", std::log1p, -0.99, 10, 2.0, 2.0},
    {"sqrt", std::sqrt, 0, 1000, 0.5, 0.5},  {"tanh", std::tanh, -10, 10, 4.0, 3.0},
    {"erf", std::erf, -4, 4, 1.5, 2.0},      {"sin", std::sin, -100, 100, 1.0, 1.5},
    {"cos", std::cos, -100, 100, 1.0, 1.5},  {"tan", std::tan, -100, 100, 1.0, 3.0},
    {"asin", std::asin, -1, 1, 1.0, 2.0},    {"acos", std::acos, -1, 1, 1.0, 1.5},
    {"atan", std::atan, -50, 50, 1.0, 1.5},  {"sinh", std::sinh, -20, 20, 1.0, 4.0},
    {"cosh", std::cosh, -20, 20, 1.0, 3.0},  {"asinh", std::asinh, -100, 100, 1.0, 3.0},
    {"acosh", std::acosh, 1, 100, 1.0, 3.0}, {"atanh", std::atanh, -0.999, 0.999, 1.0, 3.0},
};

/// The distance of two neighbours at `value`, for numbers of `digits` bits above `minExponent`.
long double lastPlace(long double value, KilnDType type) {
  int exponent;
  std::frexp(value, &exponent);
  int digits = type == KILN_F32 ? 24 : 53, smallest = type == KILN_F32 ? -149 : -1074;
  return std::ldexp(1.0L, std::max(exponent - digits, smallest));
}

std::string unaryKernel(const std::string &op, const std::string &type, int64_t n) {
  std::string tensor = "tensor<" + std::to_string(n) + "x" + type + ">";
  return "kiln.kernel @k(%x: " + tensor + ") -> " + tensor + " {\n  %y = kiln." + op + " %x : " + tensor +
         "\n  kiln.yield %y : " + tensor + "\n}";
}

class MathTest : public testing::TestWithParam<std::tuple<MathCase, KilnDType, std::string>> {};

TEST_P(MathTest, StaysWithinItsBound) {
  auto [math, type, arch] = GetParam();
  constexpr int64_t n = 40003;
  auto kernel = compileOrFail(unaryKernel(math.op, type == KILN_F32 ? "f32" : "f64", n), arch);
  ASSERT_TRUE(kernel);
  Array x = Array::random(type, {n}, math.low, math.high), y(type, {n});
  // Half of the samples close to zero, in all binades; then the specials and the ends.
  std::mt19937 engine(7);
  for (int64_t i = 0; i < n / 2; ++i) {
    double small = std::ldexp(1 + engine() / 4294967296.0, -int(engine() % (type == KILN_F32 ? 60 : 200)));
    x.set(i, math.low < 0 && engine() % 2 ? std::max(-small, math.low)
                                          : std::min(math.low > 0 ? math.low + small : small, math.high));
  }
  int64_t at = 0;
  for (double special : {0.0,
                         -0.0,
                         1.0,
                         -1.0,
                         double(INFINITY),
                         double(-INFINITY),
                         double(NAN),
                         1e-40,
                         -1e-40,
                         5e-324,
                         88.7,
                         88.8,
                         -87.4,
                         -103.0,
                         -104.5,
                         709.7,
                         709.8,
                         -745.0,
                         -746.0,
                         1e30,
                         -1e30,
                         3.0e38})
    x.set(at++, special);
  kernel->run({&x, &y});
  double bound = type == KILN_F32 ? math.ulpF32 : math.ulpF64, worst = 0, worstAt = 0;
  double largest = type == KILN_F32 ? 3.4028234663852886e38 : 1.7976931348623157e308;
  for (int64_t i = 0; i < n; ++i) {
    long double want = math.reference(x.get(i));
    double got = y.get(i);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got)) << math.op << "(" << x.get(i) << ") = " << got << ", want nan";
      continue;
    }
    if (std::fabs(want) > largest) {
      EXPECT_TRUE(std::isinf(got) && std::signbit(got) == std::signbit(want))
          << math.op << "(" << x.get(i) << ") = " << got << ", want " << double(want);
      continue;
    }
    double error = double(std::fabs(got - want) / lastPlace(want, type));
    if (!(error <= worst)) {
      worst = error;
      worstAt = x.get(i);
    }
    if (want == 0) {
      EXPECT_EQ(std::signbit(got), std::signbit(want)) << math.op << "(" << x.get(i) << ")";
    }
  }
  RecordProperty("ulp", std::to_string(worst));
  EXPECT_LE(worst, bound) << math.op << " at " << worstAt;
}

INSTANTIATE_TEST_SUITE_P(Functions, MathTest,
                         testing::Combine(testing::ValuesIn(kCases), testing::Values(KILN_F32, KILN_F64),
                                          testing::ValuesIn(runnableArchs())),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).op) +
                                  (std::get<1>(info.param) == KILN_F32 ? "F32" : "F64") +
                                  std::get<2>(info.param).substr(7);
                         });

class LargeArgumentTest : public testing::TestWithParam<std::string> {};

TEST_P(LargeArgumentTest, SineAndCosineReduceExactly) {
  std::vector<double> samples{1e6,  1.7e6, -3e7,  1e10,  1e15,    -1e18,
                              1e22, 3e38,  1e100, 1e300, 1.7e308, 6381956970095103 * 0x1p797};
  std::mt19937 engine(3);
  for (int i = 0; i < 500; ++i)
    samples.push_back(std::ldexp(1 + engine() / 4294967296.0, engine() % 1000));
  int64_t n = samples.size();
  for (const char *op : {"sin", "cos"}) {
    auto kernel = compileOrFail(unaryKernel(op, "f64", n), GetParam());
    ASSERT_TRUE(kernel);
    Array x = Array::of(KILN_F64, {n}, samples), y(KILN_F64, {n});
    kernel->run({&x, &y});
    for (int64_t i = 0; i < n; ++i) {
      double want =
          op[0] == 's' ? std::sin(samples[i]) : std::cos(samples[i]); // glibc: below 1 ULP for any argument
      EXPECT_NEAR(y.get(i), want, 1e-15) << op << "(" << samples[i] << ")";
    }
  }
}

using BinaryFunction = double (*)(double, double);

TEST_P(LargeArgumentTest, PowersRemaindersAndAngles) {
  const std::pair<const char *, BinaryFunction> cases[] = {
      {"pow", std::pow}, {"rem", std::fmod}, {"atan2", std::atan2}};
  std::vector<double> values{0.0,
                             -0.0,
                             1.0,
                             -1.0,
                             2.0,
                             -2.0,
                             3.0,
                             -3.0,
                             0.5,
                             -0.5,
                             1e10,
                             -1e10,
                             1e-10,
                             7.25,
                             -7.25,
                             double(INFINITY),
                             double(-INFINITY),
                             double(NAN),
                             1e300,
                             1e-300,
                             5e-324,
                             1.0000000001,
                             0.9999999};
  std::vector<double> a, b;
  for (double x : values)
    for (double y : values)
      a.push_back(x), b.push_back(y);
  std::mt19937 engine(5);
  auto any = [&] {
    return (engine() % 2 ? 1 : -1) * std::ldexp(1 + engine() / 4294967296.0, int(engine() % 40) - 20);
  };
  for (int i = 0; i < 2000; ++i)
    a.push_back(any()), b.push_back(any());
  int64_t n = a.size();
  for (auto [op, reference] : cases)
    for (KilnDType type : {KILN_F32, KILN_F64}) {
      std::string tensor = "tensor<" + std::to_string(n) + (type == KILN_F32 ? "xf32>" : "xf64>");
      auto kernel = compileOrFail("kiln.kernel @k(%a: " + tensor + ", %b: " + tensor + ") -> " + tensor +
                                      " {\n  %y = kiln." + op + " %a, %b : " + tensor + ", " + tensor +
                                      " -> " + tensor + "\n  kiln.yield %y : " + tensor + "\n}",
                                  GetParam());
      ASSERT_TRUE(kernel);
      Array x = Array::of(type, {n}, a), y = Array::of(type, {n}, b), out(type, {n});
      kernel->run({&x, &y, &out});
      std::vector<double> want;
      for (int64_t i = 0; i < n; ++i) {
        double exact = reference(x.get(i), y.get(i));
        want.push_back(type == KILN_F32 ? double(float(exact)) : exact);
      }
      EXPECT_TRUE(closeTo(out, want, type == KILN_F32 ? 1.2e-7 : 4e-16, type == KILN_F32 ? 1.5e-45 : 5e-324))
          << op << (type == KILN_F32 ? " f32" : " f64");
    }
}

INSTANTIATE_TEST_SUITE_P(Archs, LargeArgumentTest, testing::ValuesIn(runnableArchs()),
                         [](const auto &info) { return info.param.substr(7); });

} // namespace
} // namespace kiln::host::test
