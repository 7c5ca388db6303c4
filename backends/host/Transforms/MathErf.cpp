// MathErf.cpp: the error function. f64: Sun's fdlibm (s_erf.c); f32: N. Juffa's minimax polynomials, below 1
// ULP.
#include "backends/host/Transforms/MathBuilder.h"

using namespace mlir;

namespace kiln::host {
namespace {

Num erfSingle(Num x) {
  Num t = abs(x), s = x * x;
  Num u = fma(t, -3.88396438e-3, t.builder().constant(2.42546219e-2));
  Num r = fma(fma(t, -1.72853470e-5, t.builder().constant(3.83197126e-4)), s, u);
  r = fma(r, t, -1.06777877e-1);
  r = fma(r, t, -6.34846687e-1);
  r = fma(r, t, -1.28717512e-1);
  r = fma(r, t, -t);
  Num large = copySign(1.0 - exp(r), x);
  Num p = polynomial(
      s, {1.28379166e-1, -3.76125336e-1, 1.12819925e-1, -2.67681349e-2, 4.99119423e-3, -5.96761703e-4});
  // Beyond 4 the polynomial in the exponent is not meant to be used; the result is 1 to the last place.
  large = select(t > 4.0, copySign(t.builder().constant(1.0), x), large);
  Num result = select(t > 0.927734375, large, fma(p, x, x));
  return select(isNan(x), x, result);
}

/// erf(a) - erx for 0.84375 <= a < 1.25.
Num erfMiddle(Num a) {
  Num s = a - 1.0;
  Num p = polynomial(s, {-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01,
                         3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02,
                         -2.16637559486879084300e-03});
  Num q =
      polynomial(s, {1.0, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
                     1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02});
  return p / q;
}

/// 1 - erf(a) for 1.25 <= a < 6.
Num erfcTail(Num a) {
  Num s = 1.0 / (a * a);
  Num near = a < 1.0 / 0.35;
  Num r = select(
      near,
      polynomial(s, {-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01,
                     -6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02,
                     -8.12874355063065934246e+01, -9.81432934416914548592e+00}),
      polynomial(s, {-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01,
                     -1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03,
                     -4.83519191608651397019e+02}));
  Num t = select(
      near,
      polynomial(s, {1.0, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02,
                     6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02,
                     6.57024977031928170135e+00, -6.04244152148580987438e-02}),
      polynomial(s, {1.0, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03,
                     3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02,
                     -2.24409524465858183362e+01}));
  // e^(-a^2): a^2 in two parts, the first exact.
  Num z = floatOf(andInt(bitsOf(a), ~int64_t(0xffffffff)));
  return exp(-(z * z) - 0.5625) * exp((z - a) * (z + a) + r / t) / a;
}

} // namespace

Num erf(Num x) {
  if (!x.builder().isDouble())
    return erfSingle(x);
  Num a = abs(x), z = x * x;
  Num r = polynomial(z, {1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02,
                         -5.77027029648944159157e-03, -2.37630166566501626084e-05});
  Num s =
      polynomial(z, {1.0, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
                     1.32494738004321644526e-04, -3.96022827877536812320e-06});
  Num small = fma(x, r / s, x);
  Num middle = copySign(erfMiddle(a) + 8.45062911510467529297e-01, x);
  Num tail = copySign(1.0 - erfcTail(clampHigh(a, 6.0)), x);
  Num result = select(a < 0.84375, small, select(a < 1.25, middle, tail));
  return select(isNan(x), x, result);
}

} // namespace kiln::host
