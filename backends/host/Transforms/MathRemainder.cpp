// MathRemainder.cpp: the exact remainder of floats and the cube root.
#include "backends/host/Transforms/MathBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace kiln::host {
namespace {

Value anyLane(MathBuilder &math, Num condition) {
  Value any = condition.value();
  if (isa<VectorType>(any.getType()))
    any = math.create<vector::ReductionOp>(vector::CombiningKind::OR, any);
  return any;
}

/// One step of long division of r >= 0 by b > 0: takes off a multiple of b that is at most r, exactly. A
/// quotient below 2^40 is taken whole; of a larger one its first 40 bits, which makes the difference fit 53.
Num reduceOnce(Num r, Num b) {
  // The quotient of the extremes, up to 2^2098, overflows: then by b 2^512, by that again, and again.
  Num divisor = b;
  for (int i = 0; i < 3; ++i)
    divisor = select(r * 0x1p-600 > divisor, divisor * 0x1p512, divisor);
  Num quotient = r / divisor;
  Num chopped = floatOf(andInt(bitsOf(quotient * (1.0 - 0x1p-51)), ~int64_t(0xfff)));
  Num whole = select(quotient < 0x1p40, truncate(quotient), chopped);
  Num rest = fma(-whole, divisor, r);
  return select(rest < 0.0, rest + divisor, rest); // the quotient was rounded up
}

} // namespace

Num remainder(Num x, Num y) {
  if (!x.builder().isDouble())
    return viaDouble([](Num a, Num b) { return remainder(a, b); }, x, y);
  MathBuilder &math = x.builder();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Num a = abs(x), b = abs(y);
  Num ordinary = both(a < infinity, both(b > 0.0, b < infinity));
  Num r = select(ordinary, a, 0.0), divisor = select(ordinary, b, 1.0);
  auto notDone = [&](MathBuilder &at, Num rest, Num by) {
    return anyLane(at, compare(arith::CmpFPredicate::OGE, rest, by));
  };
  auto loop = math.create<scf::WhileOp>(
      TypeRange(math.floatType()), ValueRange{r.value()},
      [&](OpBuilder &nested, Location loc, ValueRange carried) {
        MathBuilder at(loc, nested, math.floatType(), math.hasScalef());
        at.create<scf::ConditionOp>(notDone(at, at.num(carried[0]), at.num(divisor.value())), carried);
      },
      [&](OpBuilder &nested, Location loc, ValueRange carried) {
        MathBuilder at(loc, nested, math.floatType(), math.hasScalef());
        Num rest = at.num(carried[0]), by = at.num(divisor.value());
        Num next = reduceOnce(rest, by);
        Num goesOn = compare(arith::CmpFPredicate::OGE, rest, by);
        at.create<scf::YieldOp>(select(goesOn, next, rest).value());
      });
  Num result = copySign(math.num(loop.getResult(0)), x);
  // x by infinity is x; infinity by anything, anything by 0 has no remainder.
  result = select(both(a < infinity, b == infinity), x, result);
  Num none = either(either(a == infinity, b == 0.0), compare(arith::CmpFPredicate::UNO, x, y));
  return select(none, std::numeric_limits<double>::quiet_NaN(), result);
}

Num cbrt(Num x) {
  if (!x.builder().isDouble())
    return viaDouble([](Num wide) { return cbrt(wide); }, x);
  // e^(log|x| / 3), and one step of Newton's.
  Num a = abs(x);
  Num y = exp(log(a) * (1.0 / 3));
  Num better = y - (y - a / (y * y)) * (1.0 / 3);
  Num special = either(a == 0.0, either(a == std::numeric_limits<double>::infinity(), isNan(x)));
  return select(special, x, copySign(better, x));
}

} // namespace kiln::host
