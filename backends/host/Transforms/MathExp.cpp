// MathExp.cpp: exp and what is made of it. Constants of f32: S. Moshier, Cephes; of f64: Sun's fdlibm
// (e_exp.c, s_expm1.c). Both restrict x to |r| <= ln2/2 by x = k ln2 + r, ln2 in two parts.
#include "backends/host/Transforms/MathBuilder.h"

using namespace mlir;

namespace kiln::host {
namespace {

constexpr double kInvLn2 = 1.44269504088896338700;

struct Reduced {
  Num k, r;
};

Reduced reduce(Num x) {
  Num k = roundEven(x * kInvLn2);
  if (x.builder().isDouble())
    return {k, fma(k, -kLn2Low, fma(k, -kLn2High, x))};
  return {k, fma(k, -kLn2LowF32, fma(k, -kLn2HighF32, x))};
}

/// y * 2^k with k beyond the exponents of normal numbers: in two steps, so that denormal results are rounded
/// once.
Num scale(Num y, Num k) {
  Num half = roundEven(k * 0.5);
  return y * powerOfTwo(half) * powerOfTwo(k - half);
}

/// exp(r) - 1 for |r| <= ln2/2.
Num smallExpm1(Num r) {
  Num square = r * r;
  if (!r.builder().isDouble())
    return fma(polynomial(r, {5.0000001201e-1, 1.6666665459e-1, 4.1665795894e-2, 8.3334519073e-3,
                              1.3981999507e-3, 1.9875691500e-4}),
               square, r);
  Num c = r - square * polynomial(square, {1.66666666666666019037e-01, -2.77777777770155933842e-03,
                                           6.61375632143793436117e-05, -1.65339022054652515390e-06,
                                           4.13813679705723846039e-08});
  return r + (r * c) / (2.0 - c);
}

} // namespace

Num powerOfTwo(Num k) {
  MathBuilder &math = k.builder();
  // 1.5 * 2^(mantissa bits) + k + bias: the sum's low bits are k + bias; shifted into the exponent.
  if (math.isDouble())
    return floatOf(shiftLeft(bitsOf(k + (6755399441055744.0 + 1023)), 52));
  return floatOf(shiftLeft(bitsOf(k + (12582912.0 + 127)), 23));
}

Num exp(Num x) {
  bool isDouble = x.builder().isDouble();
  double high = isDouble ? 709.782712893383973096 : 88.7228390520683, low = isDouble ? -745.2 : -104.0;
  Num clamped = clampLow(clampHigh(x, high), low);
  Reduced reduced = reduce(clamped);
  Num result = scale(smallExpm1(reduced.r) + 1.0, reduced.k);
  result = select(x > high, std::numeric_limits<double>::infinity(), result);
  return select(isNan(x), x, result);
}

Num expm1(Num x) {
  if (!x.builder().isDouble()) {
    double high = 88.7228390520683;
    Reduced reduced = reduce(clampLow(clampHigh(x, high), -20.0));
    Num small = smallExpm1(reduced.r);
    // 2^k (e^r - 1) + (2^k - 1): exact where k is 0, and 2^k - 1 rounds at most once. In halves near
    // overflow.
    Num half = powerOfTwo(reduced.k - 1.0);
    Num result = fma(small, half, half - 0.5) * 2.0;
    result = select(x > high, std::numeric_limits<double>::infinity(), result);
    result = select(x == 0.0, x, result);
    return select(isNan(x), x, result);
  }
  double high = 709.782712893383973096;
  Reduced reduced = reduce(clampLow(clampHigh(x, high), -40.0));
  Num r = reduced.r, halfR = r * 0.5, h = r * halfR;
  Num q =
      polynomial(h, {1.0, -3.33333333333331316428e-02, 1.58730158725481460165e-03,
                     -7.93650757867487942473e-05, 4.00821782732936239552e-06, -2.01099218183624371326e-07});
  Num t = 3.0 - q * halfR;
  Num e = h * ((q - t) / (6.0 - r * t));
  Num small = r - (r * e - h);
  Num half = powerOfTwo(reduced.k - 1.0);
  Num result = fma(small, half, half - 0.5) * 2.0;
  result = select(x > high, std::numeric_limits<double>::infinity(), result);
  result = select(x == 0.0, x, result);
  return select(isNan(x), x, result);
}

Num tanh(Num x) {
  MathBuilder &math = x.builder();
  if (math.isDouble()) {
    // -t / (t + 2) with t = expm1(-2|x|).
    Num t = expm1(abs(x) * -2.0);
    return copySign(-t / (t + 2.0), x);
  }
  // x P(x^2) / Q(x^2), as in Eigen's ptanh_float; 1 beyond the clamp.
  Num c = clampLow(clampHigh(x, 7.90531110763549805), -7.90531110763549805);
  Num square = c * c;
  Num p = c * polynomial(square, {4.89352455891786e-03, 6.37261928875436e-04, 1.48572235717979e-05,
                                  5.12229709037114e-08, -8.60467152213735e-11, 2.00018790482477e-13,
                                  -2.76076847742355e-16});
  Num q = polynomial(
      square, {4.89352518554385e-03, 2.26843463243900e-03, 1.18534705686654e-04, 1.19825839466702e-06});
  Num result = select(abs(x) < 4e-4, x, p / q);
  return select(isNan(x), x, result);
}

Num sinh(Num x) {
  if (!x.builder().isDouble())
    return viaDouble([](Num wide) { return sinh(wide); }, x);
  // t = expm1|x|: (t + t / (t + 1)) / 2; beyond 36 e^|x| / 2 in halves, since e^|x| may overflow first.
  Num a = abs(x), t = expm1(a);
  Num result = (t + t / (t + 1.0)) * 0.5;
  Num half = exp(a * 0.5);
  result = select(a > 36.0, (half * 0.5) * half, result);
  return copySign(result, x);
}

Num cosh(Num x) {
  if (!x.builder().isDouble())
    return viaDouble([](Num wide) { return cosh(wide); }, x);
  Num a = abs(x), half = exp(a * 0.5), whole = exp(a);
  return select(a > 36.0, (half * 0.5) * half, (whole + 1.0 / whole) * 0.5);
}

} // namespace kiln::host
