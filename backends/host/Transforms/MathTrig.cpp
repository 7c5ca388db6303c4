// MathTrig.cpp: sine, cosine, tangent and the inverse functions, after Sun's fdlibm (k_sin.c, k_cos.c,
// s_atan.c, e_asin.c). All are computed in f64: f32 results are then rounded right but for one in 10^8.
// Arguments are reduced by pi/2 in three parts up to 2^20 pi/2; beyond, MathReduction.cpp.
#include "backends/host/Transforms/MathBuilder.h"
#include "backends/host/Transforms/MathReduction.h"

using namespace mlir;

namespace kiln::host {
namespace {

constexpr double kPi = 3.14159265358979311600, kPiLow = 1.22464679914735317636e-16;
constexpr double kHalfPi = 1.57079632679489655800, kHalfPiLow = 6.12323399573676603587e-17;

/// sin(r) and cos(r) of r + low, |r| <= pi/4.
Num kernelSin(Num r, Num low) {
  Num z = r * r;
  Num p = polynomial(z, {8.33333333332248946124e-03, -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                         -2.50507602534068634195e-08, 1.58969099521155010221e-10});
  Num v = z * r;
  return r - ((z * (low * 0.5 - v * p) - low) - v * -1.66666666666666324348e-01);
}

Num kernelCos(Num r, Num low) {
  Num z = r * r;
  Num p = z * polynomial(z, {4.16666666666666019037e-02, -1.38888888888741095749e-03,
                             2.48015872894767294178e-05, -2.75573143513906633035e-07,
                             2.08757232129817482790e-09, -1.13596475577881948265e-11});
  Num half = z * 0.5, w = 1.0 - half;
  return w + (((1.0 - w) - half) + (z * p - r * low));
}

/// Which of sin and cos a quadrant wants, and its sign.
Num pick(const Reduction &reduced, int64_t quarterTurns) {
  Num sine = kernelSin(reduced.high, reduced.low), cosine = kernelCos(reduced.high, reduced.low);
  Num quadrant = addInt(reduced.quadrant, quarterTurns);
  Num value = select(isZeroInt(andInt(quadrant, 1)), sine, cosine);
  return select(isZeroInt(andInt(quadrant, 2)), value, -value);
}

/// atan of 0 <= a, in fdlibm's five intervals.
Num atanPositive(Num a) {
  Num t = a;
  Num high = a.builder().constant(0), low = a.builder().constant(0);
  auto use = [&](double from, Num reduced, double angle, double angleLow) {
    Num applies = compare(arith::CmpFPredicate::OGE, a, a.builder().constant(from));
    t = select(applies, reduced, t);
    high = select(applies, angle, high);
    low = select(applies, angleLow, low);
  };
  use(0.4375, (a * 2.0 - 1.0) / (2.0 + a), 4.63647609000806093515e-01, 2.26987774529616870924e-17);
  use(0.6875, (a - 1.0) / (a + 1.0), 7.85398163397448278999e-01, 3.06161699786838301793e-17);
  use(1.1875, (a - 1.5) / (1.0 + a * 1.5), 9.82793723247329054082e-01, 1.39033110312309984516e-17);
  use(2.4375, -1.0 / a, kHalfPi, kHalfPiLow);
  Num z = t * t, w = z * z;
  Num odd =
      z * polynomial(w, {3.33333333333329318027e-01, 1.42857142725034663711e-01, 9.09088713343650656196e-02,
                         6.66107313738753120669e-02, 4.97687799461593236017e-02, 1.62858201153657823623e-02});
  Num even = w * polynomial(w, {-1.99999999998764832476e-01, -1.11111104054623557880e-01,
                                -7.69187620504482999495e-02, -5.83357013379057348645e-02,
                                -3.65315727442169155270e-02});
  Num correction = t * (odd + even);
  Num small = compare(arith::CmpFPredicate::OLT, a, a.builder().constant(0.4375));
  return select(small, t - correction, high - ((correction - low) - t));
}

/// (asin(s) - s) / s for z = s^2 <= 1/4.
Num asinTail(Num z) {
  Num p = z * polynomial(z, {1.66666666666666657415e-01, -3.25565818622400915405e-01,
                             2.01212532134862925881e-01, -4.00555345006794114027e-02,
                             7.91534994289814532176e-04, 3.47933107596021167570e-05});
  Num q = polynomial(z, {1.0, -2.40339491173441421878e+00, 2.02094576023350569471e+00,
                         -6.88283971605453293030e-01, 7.70381505559019352791e-02});
  return p / q;
}

} // namespace

Num sin(Num x) {
  if (!x.builder().isDouble())
    return viaDouble([](Num wide) { return sin(wide); }, x);
  Num result = pick(reduceByHalfPi(x), 0);
  return select(x == 0.0, x, result);
}

Num cos(Num x) {
  if (!x.builder().isDouble())
    return viaDouble([](Num wide) { return cos(wide); }, x);
  return pick(reduceByHalfPi(x), 1);
}

Num tan(Num x) {
  if (!x.builder().isDouble())
    return viaDouble([](Num wide) { return tan(wide); }, x);
  Reduction reduced = reduceByHalfPi(x);
  Num sine = kernelSin(reduced.high, reduced.low), cosine = kernelCos(reduced.high, reduced.low);
  Num even = isZeroInt(andInt(reduced.quadrant, 1));
  Num result = select(even, sine, -cosine) / select(even, cosine, sine);
  return select(x == 0.0, x, result);
}

Num asin(Num x) {
  if (!x.builder().isDouble())
    return viaDouble([](Num wide) { return asin(wide); }, x);
  Num a = abs(x);
  Num isSmall = a < 0.5;
  // asin(a), or pi/2 - 2 asin(sqrt((1 - a) / 2)).
  Num z = select(isSmall, a * a, (1.0 - a) * 0.5);
  Num s = select(isSmall, a, sqrt(z));
  Num angle = fma(s, asinTail(z), s);
  Num result = select(isSmall, angle, kHalfPi - (angle * 2.0 - kHalfPiLow));
  return copySign(result, x);
}

Num acos(Num x) {
  if (!x.builder().isDouble())
    return viaDouble([](Num wide) { return acos(wide); }, x);
  Num a = abs(x);
  Num isSmall = a < 0.5;
  Num z = select(isSmall, a * a, (1.0 - a) * 0.5);
  Num s = select(isSmall, x, sqrt(z));
  Num angle = fma(s, asinTail(z), s);
  Num large = select(x < 0.0, kPi - (angle * 2.0 - kPiLow), angle * 2.0);
  return select(isSmall, kHalfPi - (angle - kHalfPiLow), large);
}

Num atan(Num x) {
  if (!x.builder().isDouble())
    return viaDouble([](Num wide) { return atan(wide); }, x);
  Num result = copySign(atanPositive(abs(x)), x);
  return select(isNan(x), x, result);
}

Num atan2(Num y, Num x) {
  if (!x.builder().isDouble())
    return viaDouble([](Num a, Num b) { return atan2(a, b); }, y, x);
  MathBuilder &math = x.builder();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Num a = abs(y), b = abs(x);
  Num quotient = a / b;
  // 0/0 is an angle of 0, inf/inf one of pi/4, before the quadrant is looked at.
  quotient = select(a == 0.0, 0.0, quotient);
  quotient = select(both(a == infinity, b == infinity), 1.0, quotient);
  Num angle = atanPositive(quotient);
  Num left = copySign(math.constant(1.0), x) < 0.0;
  angle = select(left, kPi - (angle - kPiLow), angle);
  Num result = copySign(angle, y);
  return select(compare(arith::CmpFPredicate::UNO, x, y), x + y, result);
}

} // namespace kiln::host
