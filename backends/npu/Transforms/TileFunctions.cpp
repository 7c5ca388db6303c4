// TileFunctions.cpp: functions that the vector unit lacks, made of those that it has, in f32. sin and cos:
// multiples of pi are taken off in four parts (Cody and Waite), the rest is a polynomial; tiles with numbers
// beyond 2^15 are first brought near 0, digit by digit. atan, asinh: the polynomials of Cephes (S. Moshier).
// log1p: W. Kahan's correction of ln(1 + x).
#include "backends/npu/Transforms/TileBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace kiln::npu {
namespace {

/// Up to here the parts of pi times the number of turns are exact.
constexpr double kFarAngle = 32768;
/// 2^8, 2^16, .. 2^120, less multiples of 2 pi.
constexpr double kDigitAngles[] = {
    -1.6105975943630455, 2.377246116913046,  -0.8939688666801969, -2.661358811665301,  -2.723842610921788,
    0.12986070095632937, 1.8284129089223877, 3.1179919528418854,  0.24140591571517903, -1.0319386487100328,
    -0.2825111682257627, 3.0753646203597835, 1.895179414656241,   1.360661499169577,   2.754151892534424};

} // namespace

/// Formulas over tiles of f32.
class TileFormulas {
public:
  explicit TileFormulas(TileBuilder &tiles, Type f32) : tiles(tiles), f32(f32) {}
  using T = TileValue;

  T number(double value) { return tiles.number(value, f32); }
  T add(T a, T b) { return tiles.binary(ir::Binary::vadd, a, b); }
  T sub(T a, T b) { return tiles.binary(ir::Binary::vsub, a, b); }
  T mul(T a, T b) { return tiles.binary(ir::Binary::vmul, a, b); }
  T div(T a, T b) { return tiles.binary(ir::Binary::vdiv, a, b); }
  T add(T a, double b) { return add(a, number(b)); }
  T mul(T a, double b) { return mul(a, number(b)); }
  T abs(T a) { return tiles.unary(ir::Unary::vabs, a); }
  T exp(T a) { return tiles.unary(ir::Unary::vexp, a); }
  T ln(T a) { return tiles.unary(ir::Unary::vln, a); }
  T sqrt(T a) { return tiles.unary(ir::Unary::vsqrt, a); }
  T pick(ir::Compare kind, T a, double b, T yes, T no) {
    return tiles.select(tiles.compare(kind, a, number(b)), yes, no);
  }
  T whole(T a, ir::Round round) {
    return tiles.cast(tiles.cast(a, IntegerType::get(f32.getContext(), 32), round), f32, ir::Round::rint);
  }
  /// x + x^3 * p(x^2), coefficients from the highest power on.
  T odd(T x, ArrayRef<double> coefficients) {
    T square = mul(x, x);
    return add(x, mul(mul(tiles.polynomial(square, coefficients), square), x));
  }

  /// An angle, brought near 0 by multiples of 2 pi if it is far, as a sum of which `rest` is a small part.
  struct Angle {
    T x, near;
    std::optional<T> rest;
  };

  /// Angles beyond kFarAngle are numbers of few digits to the base 256; each digit is replaced by as many
  /// times what its power leaves of 2 pi, in parts of so few bits that products and sums are exact, but for
  /// the last. Tiles without such an angle leave that out.
  Angle angle(T x, bool mayBeFar) {
    if (!mayBeFar)
      return {x, x, std::nullopt};
    T near = mul(x, 1), rest = tiles.materialize(number(0), near.kind);
    x = tiles.materialize(x, near.kind);
    scf::ForOp farOnly = tiles.openIf(tiles.isAtLeast(tiles.greatest(x), kFarAngle));
    T low = mul(x, 1), sums[3];
    for (T &sum : sums)
      sum = tiles.materialize(number(0), x.kind);
    for (int digit = std::size(kDigitAngles) - 1; digit >= 0; --digit) {
      double unit = std::ldexp(1.0, 8 + 8 * digit), left = kDigitAngles[digit];
      T count = whole(mul(low, 1 / unit), ir::Round::trunc);
      tiles.update(ir::Binary::vadd, low, mul(count, -unit));
      constexpr double kScales[] = {0x1p11, 0x1p26, 0x1p60};
      for (size_t i = 0; i < std::size(sums); ++i) {
        double part = std::rint(left * kScales[i]) / kScales[i];
        tiles.update(ir::Binary::vadd, sums[i], mul(count, part));
        left -= part;
      }
    }
    // Both together are exact; with the second part the error is taken along.
    T high = add(low, sums[0]), total = add(high, sums[1]), added = sub(total, high);
    T error = add(sub(high, sub(total, added)), sub(sums[1], added));
    T isFar = tiles.compare(ir::Compare::ge, abs(x), number(kFarAngle));
    tiles.replace(isFar, total, near);
    tiles.replace(isFar, add(error, sums[2]), rest);
    tiles.close(farOnly);
    return {x, near, rest};
  }

  /// sin(x + shift * pi), for a shift of 0 or 1/2.
  T sine(const Angle &angle, double shift) {
    T turns = add(whole(add(mul(angle.near, 1 / std::numbers::pi), shift), ir::Round::rint), -shift);
    T rest = angle.near;
    for (double piece : {3.140625, 9.67025756835938e-4, 6.2771141529083252e-7, 1.2154201256553420e-10})
      rest = add(rest, mul(turns, -piece));
    if (angle.rest)
      rest = add(rest, *angle.rest);
    T value = odd(
        rest, {2.6083159809786593e-6, -1.9810690719168633e-4, 8.3330785855650902e-3, -1.6666659712791443e-1});
    T count = add(turns, shift); // odd multiples of pi turn the sign
    T half = whole(mul(count, 0.5), ir::Round::floor);
    T sign = add(mul(add(count, mul(half, -2)), -2), 1);
    return add(mul(value, sign), mul(angle.x, 0)); // not a number for infinities
  }

  T atan(T x) {
    T size = abs(x), inverse = tiles.unary(ir::Unary::vrec, size);
    T middle = div(add(size, -1), add(size, 1));
    constexpr double kFar = 2.414213562373095, kNear = 0.4142135623730950; // tan of 3 and of 1 eighths of pi
    T reduced = pick(ir::Compare::gt, size, kFar, tiles.negate(inverse),
                     pick(ir::Compare::gt, size, kNear, middle, size));
    T base = pick(ir::Compare::gt, size, kFar, number(std::numbers::pi / 2),
                  pick(ir::Compare::gt, size, kNear, number(std::numbers::pi / 4), number(0)));
    T value =
        add(odd(reduced, {8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1}), base);
    return pick(ir::Compare::lt, x, 0, tiles.negate(value), value);
  }

  /// Less than 0, or -0.
  T isNegative(T x) {
    T probe = pick(ir::Compare::eq, x, 0, tiles.unary(ir::Unary::vrec, x), x);
    return tiles.compare(ir::Compare::lt, probe, number(0));
  }

  T atan2(T y, T x) {
    T up = abs(y), along = abs(x);
    T ratio = tiles.select(tiles.compare(ir::Compare::eq, up, along), number(1), div(up, along));
    T angle = atan(pick(ir::Compare::eq, tiles.binary(ir::Binary::vmax, up, along), 0, number(0), ratio));
    angle = tiles.select(isNegative(x), add(mul(angle, -1), std::numbers::pi), angle);
    return tiles.select(isNegative(y), mul(angle, -1), angle);
  }

  T log1p(T x) {
    T sum = add(x, 1), step = add(sum, -1);
    T exact = mul(ln(sum), div(x, step));
    return pick(ir::Compare::eq, step, 0, x, pick(ir::Compare::gt, x, 1e8, ln(sum), exact));
  }

  T expm1(T x) {
    T series = mul(
        x, tiles.polynomial(x, {1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1}));
    return pick(ir::Compare::lt, abs(x), 0.5, series, add(exp(x), -1));
  }

  T sinh(T x) {
    T half = exp(mul(abs(x), 0.5)); // squared at last: no overflow before the result's
    T large = mul(mul(half, 0.5), half);
    T value = sub(large, div(number(0.25), large));
    T series = odd(x, {1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6});
    return pick(ir::Compare::lt, abs(x), 1, series, pick(ir::Compare::lt, x, 0, tiles.negate(value), value));
  }

  T cosh(T x) {
    T half = exp(mul(abs(x), 0.5));
    T large = mul(mul(half, 0.5), half);
    return add(large, div(number(0.25), large));
  }

  T asinh(T x) {
    T size = abs(x);
    T root = pick(ir::Compare::gt, size, 1e10, size, sqrt(add(mul(size, size), 1)));
    T value = ln(add(size, root));
    T series = odd(x, {2.0122003309e-2, -4.2699340972e-2, 7.4847586088e-2, -1.6666288134e-1});
    return pick(ir::Compare::lt, size, 0.5, series, pick(ir::Compare::lt, x, 0, tiles.negate(value), value));
  }

  T acosh(T x) {
    T above = add(x, -1);
    T near = log1p(add(above, sqrt(mul(above, add(x, 1)))));
    return pick(ir::Compare::gt, x, 1e10, add(ln(x), std::numbers::ln2), near);
  }

  T atanh(T x) {
    T size = abs(x);
    T value = mul(log1p(div(mul(size, 2), add(mul(size, -1), 1))), 0.5);
    return pick(ir::Compare::lt, x, 0, tiles.negate(value), value);
  }

  /// a^n for a number n that is whole, by squares, or a half.
  std::optional<T> powerOf(T a, double n) {
    constexpr double kMost = 16;
    if (n == 0.5)
      return sqrt(a);
    if (n != std::floor(n) || n == 0 || std::fabs(n) > kMost)
      return std::nullopt;
    std::optional<T> product;
    T square = a;
    for (auto rest = int64_t(std::fabs(n)); rest; rest /= 2) {
      if (rest % 2)
        product = product ? mul(*product, square) : square;
      if (rest > 1)
        square = mul(square, square);
    }
    return n < 0 ? tiles.unary(ir::Unary::vrec, *product) : *product;
  }

  /// size^b by exp and ln. What ln and the product have rounded off is put back, since exp makes it large.
  T exactPower(T size, T b) {
    T log = ln(size), product = mul(b, log);
    // exp(log / 2) squared would be `size` but for the error of a large log, which is far above that of exp.
    T root = exp(mul(log, 0.5)), low = add(div(div(size, root), root), -1), far = abs(log);
    low = pick(ir::Compare::lt, far, 8, number(0), pick(ir::Compare::lt, far, 88, low, number(0)));
    auto highOf = [&](T x) { // upper 12 bits (T. J. Dekker)
      T wide = mul(x, 4097);
      return sub(wide, sub(wide, x));
    };
    T bHigh = highOf(b), logHigh = highOf(log), bLow = sub(b, bHigh), logLow = sub(log, logHigh);
    T rest = add(sub(mul(bHigh, logHigh), product), add(mul(bHigh, logLow), mul(bLow, logHigh)));
    rest = add(add(rest, mul(bLow, logLow)), mul(b, low));
    T value = exp(product);
    // Only where nothing on the way overflows.
    return pick(ir::Compare::lt, abs(product), 87,
                pick(ir::Compare::lt, abs(b), 1e9, add(value, mul(value, rest)), value), value);
  }

  /// a^b; the sign of a negative base follows the parity of a whole exponent.
  T power(T a, T b, bool isExact) {
    T size = isExact ? exactPower(abs(a), b) : exp(mul(b, ln(abs(a))));
    T large = tiles.compare(ir::Compare::ge, abs(b), number(16777216)); // every one is even
    T floor = tiles.select(large, b, whole(b, ir::Round::floor));
    T half = mul(b, 0.5);
    T halfFloor = tiles.select(large, half, whole(half, ir::Round::floor));
    T isOdd = tiles.compare(ir::Compare::ne, half, halfFloor);
    T isWhole = tiles.compare(ir::Compare::eq, b, floor);
    T nan = div(mul(a, 0), mul(a, 0));
    T turned = tiles.select(isWhole, tiles.select(isOdd, tiles.negate(size), size), nan);
    T value = pick(ir::Compare::lt, a, 0, turned, size);
    return pick(ir::Compare::eq, b, 0, number(1), pick(ir::Compare::eq, a, 1, number(1), value));
  }

private:
  TileBuilder &tiles;
  Type f32;
};

FailureOr<TileValue> TileBuilder::applyFormula(Operation *op, ArrayRef<TileValue> operands) {
  Type element = operands[0].element, f32 = builder.getF32Type();
  if (!isa<FloatType>(element))
    return refuse(op);
  TileFormulas f(*this, f32);
  auto wide = [&](TileValue value) { return cast(value, f32, ir::Round::rint); };
  auto back = [&](TileValue value) { return cast(value, element, ir::Round::rint); };
  TileValue x = wide(operands[0]);
  if (isa<math::SinOp, math::CosOp, math::TanOp>(op)) {
    TileFormulas::Angle angle = f.angle(x, /*mayBeFar=*/!operandsAreHalves);
    return back(isa<math::SinOp>(op)   ? f.sine(angle, 0)
                : isa<math::CosOp>(op) ? f.sine(angle, 0.5)
                                       : f.div(f.sine(angle, 0), f.sine(angle, 0.5)));
  }
  if (isa<math::AtanOp>(op))
    return back(f.atan(x));
  // Answers about a row alone would be bits in another order than those about the tile.
  auto wideAs = [&](TileValue value, Kind kind) {
    value = wide(value);
    return value.kind == Kind::Scalar ? value : materialize(value, kind);
  };
  Kind both = operands.size() == 2 ? join(operands[0].kind, operands[1].kind) : Kind::Scalar;
  if (isa<math::Atan2Op>(op))
    return back(f.atan2(wideAs(x, both), wideAs(operands[1], both)));
  if (isa<math::AsinOp>(op))
    return back(f.atan(f.div(x, f.sqrt(f.mul(f.add(f.mul(x, -1), 1), f.add(x, 1))))));
  if (isa<math::AcosOp>(op))
    return back(f.mul(f.atan(f.sqrt(f.div(f.add(f.mul(x, -1), 1), f.add(x, 1)))), 2));
  if (isa<math::SinhOp>(op))
    return back(f.sinh(x));
  if (isa<math::CoshOp>(op))
    return back(f.cosh(x));
  if (isa<math::AsinhOp>(op))
    return back(f.asinh(x));
  if (isa<math::AcoshOp>(op))
    return back(f.acosh(x));
  if (isa<math::AtanhOp>(op))
    return back(f.atanh(x));
  if (isa<math::Log1pOp>(op))
    return back(f.log1p(x));
  if (isa<math::ExpM1Op>(op))
    return back(f.expm1(x));
  if (isa<math::PowFOp>(op)) {
    FloatAttr exponent;
    if (operands[1].kind == Kind::Scalar && matchPattern(operands[1].value, m_Constant(&exponent)))
      if (std::optional<TileValue> power = f.powerOf(x, exponent.getValueAsDouble()))
        return back(*power);
    return back(f.power(wideAs(x, both), wideAs(operands[1], both), element.isF32()));
  }
  return refuse(op);
}

} // namespace kiln::npu
