// MathLog.cpp: log and what is made of it. f32: S. Moshier, Cephes; f64: Sun's fdlibm (e_log.c, s_log1p.c).
// Both split x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
#include "backends/host/Transforms/MathBuilder.h"

using namespace mlir;

namespace kiln::host {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Split {
  Num k, f; // x = 2^k (1 + f)
};

/// Of a positive normal x. The exponent field becomes a float by a magic number: conversions of 64-bit
/// integers do not exist on AVX2.
Split split(Num x) {
  MathBuilder &math = x.builder();
  bool isDouble = math.isDouble();
  int64_t mantissaBits = isDouble ? 52 : 23;
  // sqrt(1/2) as bits: numbers at and above it in their binade move up to the next.
  int64_t half = isDouble ? 0x3fe6a09e667f3bcd : 0x3f3504f3, one = isDouble ? 0x3ff0000000000000 : 0x3f800000;
  Num shifted = addInt(bitsOf(x), one - half);
  Num exponent = shiftRight(shifted, mantissaBits);
  int64_t magic = isDouble ? 0x4330000000000000 : 0x4b000000; // 2^52, 2^23
  Num k = floatOf(orInt(exponent, math.integer(magic))) -
          (isDouble ? 4503599627370496.0 + 1023 : 8388608.0 + 127);
  Num fraction = addInt(andInt(shifted, (int64_t(1) << mantissaBits) - 1), half);
  return {k, floatOf(fraction) - 1.0};
}

/// log(1 + f) + k ln2 + c for f of split().
Num logOf(Num f, Num k, std::optional<Num> c = std::nullopt) {
  if (!f.builder().isDouble()) {
    Num square = f * f;
    Num y =
        polynomial(f, {3.3333331174e-1, -2.4999993993e-1, 2.0000714765e-1, -1.6668057665e-1, 1.4249322787e-1,
                       -1.2420140846e-1, 1.1676998740e-1, -1.1514610310e-1, 7.0376836292e-2}) *
        (square * f);
    y = fma(k, kLn2LowF32, y);
    if (c)
      y = y + *c;
    y = fma(square, -0.5, y);
    return fma(k, kLn2HighF32, f + y);
  }
  Num s = f / (f + 2.0), z = s * s, w = z * z;
  Num t1 = w * polynomial(w, {3.999999999940941908e-01, 2.222219843214978396e-01, 1.531383769920937332e-01});
  Num t2 = z * polynomial(w, {6.666666666666735130e-01, 2.857142874366239149e-01, 1.818357216161805012e-01,
                              1.479819860511658591e-01});
  Num halfSquare = f * f * 0.5;
  Num low = k * kLn2Low;
  if (c)
    low = low + *c;
  return k * kLn2High - ((halfSquare - (s * (halfSquare + (t1 + t2)) + low)) - f);
}

/// The results of log at zero, below, and beyond.
Num logSpecials(Num x, Num result) {
  result = select(x < kInfinity, result, x); // also NaN
  result = select(x == 0.0, -kInfinity, result);
  return select(x < 0.0, std::numeric_limits<double>::quiet_NaN(), result);
}

} // namespace

Num log(Num x) {
  bool isDouble = x.builder().isDouble();
  // Denormals are scaled up.
  double smallest = isDouble ? 2.2250738585072014e-308 : 1.17549435e-38;
  double by = isDouble ? 18014398509481984.0 : 33554432.0, log2By = isDouble ? 54 : 25; // 2^54, 2^25
  Num isSmall = x < smallest;
  Split parts = split(select(isSmall, x * by, x));
  Num k = select(isSmall, parts.k - log2By, parts.k);
  return logSpecials(x, logOf(parts.f, k));
}

Num log1p(Num x) {
  // u = 1 + x rounded; the error (x - (u - 1)) / u is added to the logarithm of u.
  Num u = x + 1.0;
  Split parts = split(clampLow(u, x.builder().isDouble() ? 2.2250738585072014e-308 : 1.17549435e-38));
  Num error = select(u > 2.0, 1.0 - (u - x), x - (u - 1.0)) / u;
  Num exact = select(parts.k == 0.0, x, parts.f); // near 0 the argument itself is the fraction
  Num correction = select(parts.k == 0.0, 0.0, error);
  Num result = logOf(exact, parts.k, correction);
  result = select(x < kInfinity, result, x);
  result = select(x == 0.0, x, result);
  result = select(x == -1.0, -kInfinity, result);
  return select(x < -1.0, std::numeric_limits<double>::quiet_NaN(), result);
}

namespace {

DoubleDouble twoProduct(Num a, Num b) {
  Num product = a * b;
  return {product, fma(a, b, -product)};
}

/// log(1 + f) + k ln2 in two parts: 2 atanh(s), s = f / (2 + f), with s, s^2 and s^3 / 3 carried in two
/// parts.
DoubleDouble logInTwoParts(Num f, Num k) {
  Num denominator = f + 2.0;
  Num denominatorLow = f - (denominator - 2.0);
  Num s = f / denominator;
  Num sLow = (fma(-s, denominator, f) - s * denominatorLow) / denominator;
  DoubleDouble z = twoProduct(s, s);
  z.low = fma(s * 2.0, sLow, z.low);
  // 2 s (1 + z/3 + z^2/5 + ...): the terms from z^2/5 on in one part.
  Num tail = polynomial(z.high, {1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19,
                                 1.0 / 21, 1.0 / 23});
  constexpr double third = 1.0 / 3, thirdLow = 1.850371707708594e-17;
  DoubleDouble term = twoProduct(z.high, z.high.builder().constant(third));
  term.low = fma(z.high, thirdLow, fma(z.low, third, term.low)) + z.high * z.high * tail;
  // p = s * term
  DoubleDouble p = twoProduct(s, term.high);
  p.low = fma(s, term.low, fma(sLow, term.high, p.low));
  DoubleDouble sum = twoSum(s, p.high);
  sum.low = sum.low + (sLow + p.low);
  // + k ln2, high part exact by its trailing zeros
  DoubleDouble whole = twoSum(k * kLn2High, sum.high * 2.0);
  whole.low = whole.low + fma(k, kLn2Low, sum.low * 2.0);
  Num high = whole.high + whole.low;
  return {high, whole.low - (high - whole.high)};
}

/// x^y of f64 for x > 0: e^(y log x); the logarithm in two parts if the result is to be right to f64.
Num powPositive(Num x, Num y, bool inTwoParts) {
  // Beyond 2^64 in size the result is 0, 1 or infinity whatever the low bits say; products stay finite.
  Num bounded = clampLow(clampHigh(y, 18446744073709551616.0), -18446744073709551616.0);
  Num isSmall = x < 2.2250738585072014e-308;
  Split parts = split(select(isSmall, x * 18014398509481984.0, x)); // 2^54
  Num k = select(isSmall, parts.k - 54.0, parts.k);
  if (!inTwoParts)
    return exp(bounded * logOf(parts.f, k));
  DoubleDouble logX = logInTwoParts(parts.f, k);
  DoubleDouble product = twoProduct(bounded, logX.high);
  product.low = fma(bounded, logX.low, product.low);
  Num base = exp(product.high);
  // e^low is 1 + low; where the result is 0 or infinite it stays.
  Num corrected = fma(base, select(abs(product.high) < 800.0, product.low, 0.0), base);
  return select(base < kInfinity, corrected, base);
}

Num isInteger(Num x) { return compare(arith::CmpFPredicate::OEQ, truncate(x), x); }

Num powOf(Num x, Num y, bool inTwoParts) {
  MathBuilder &math = x.builder();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Num a = abs(x);
  Num result = powPositive(a, y, inTwoParts);
  result = select(a == 0.0, select(y < 0.0, kInfinity, math.constant(0.0)), result);
  result = select(a == kInfinity, select(y < 0.0, 0.0, math.infinity()), result);
  // Odd integers keep the sign of x; other y that are not integers have no real value below 0. Halves of odd
  // integers are no integers; above 2^53 there are no odd ones.
  Num yIsInteger = isInteger(y);
  Num half = y * 0.5;
  Num yIsOdd = both(yIsInteger, compare(arith::CmpFPredicate::UNE, truncate(half), half));
  Num isNegative = copySign(math.constant(1.0), x) < 0.0;
  result = select(both(isNegative, yIsOdd), -result, result);
  Num belowZero = both(x < 0.0, a < kInfinity);
  result = select(belowZero, select(yIsInteger, result, nan), result);
  result = select(compare(arith::CmpFPredicate::UNO, x, y), nan, result);
  return select(either(y == 0.0, x == 1.0), 1.0, result);
}

/// f of |x| with the sign of x.
template <typename Function> Num oddly(Num x, Function function) { return copySign(function(abs(x)), x); }

} // namespace

Num pow(Num x, Num y) {
  if (x.builder().isDouble())
    return powOf(x, y, /*inTwoParts=*/true);
  return viaDouble([](Num a, Num b) { return powOf(a, b, /*inTwoParts=*/false); }, x, y);
}

Num asinh(Num x) {
  if (!x.builder().isDouble())
    return viaDouble([](Num wide) { return asinh(wide); }, x);
  return oddly(x, [](Num a) {
    // log1p(a + a^2 / (1 + sqrt(1 + a^2))); log(a) + ln2 where the square would overflow.
    Num square = a * a;
    Num result = log1p(a + square / (1.0 + sqrt(square + 1.0)));
    return select(a > 268435456.0, log(a) + 0.69314718055994530942, result);
  });
}

Num acosh(Num x) {
  if (!x.builder().isDouble())
    return viaDouble([](Num wide) { return acosh(wide); }, x);
  Num t = x - 1.0;
  Num result = log1p(t + sqrt(t * 2.0 + t * t));
  result = select(x > 268435456.0, log(x) + 0.69314718055994530942, result);
  return select(x < 1.0, std::numeric_limits<double>::quiet_NaN(), result);
}

Num atanh(Num x) {
  if (!x.builder().isDouble())
    return viaDouble([](Num wide) { return atanh(wide); }, x);
  return oddly(x, [](Num a) { return log1p(a * 2.0 / (1.0 - a)) * 0.5; });
}

} // namespace kiln::host
