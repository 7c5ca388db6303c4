// IndexMath.cpp: folds, then simplifies by the neutral elements, then builds arith ops.
#include "frameworks/onnx/IndexMath.h"

#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;

namespace kiln::onnx {
namespace {

/// Wrapping arithmetic: signed overflow is undefined in C++, not in ONNX.
int64_t wrap(uint64_t bits) { return static_cast<int64_t>(bits); }
uint64_t bits(int64_t value) { return static_cast<uint64_t>(value); }

} // namespace

Extents IndexMath::constants(ArrayRef<int64_t> values) {
  return llvm::map_to_vector(values, [&](int64_t value) { return constant(value); });
}

Value IndexMath::value(Extent extent) {
  if (auto value = dyn_cast<Value>(extent))
    return value;
  int64_t number = *known(extent);
  Value &value = constantValues[number];
  if (!value) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(block);
    value = builder.create<arith::ConstantIndexOp>(builder.getUnknownLoc(), number);
  }
  return value;
}

Extent IndexMath::add(Extent a, Extent b) {
  auto x = known(a), y = known(b);
  if (x && y)
    return constant(wrap(bits(*x) + bits(*y)));
  if (x && *x == 0)
    return b;
  if (y && *y == 0)
    return a;
  return builder.create<arith::AddIOp>(loc, value(a), value(b)).getResult();
}

Extent IndexMath::sub(Extent a, Extent b) {
  auto x = known(a), y = known(b);
  if (x && y)
    return constant(wrap(bits(*x) - bits(*y)));
  if (y && *y == 0)
    return a;
  if (a == b)
    return constant(0);
  return builder.create<arith::SubIOp>(loc, value(a), value(b)).getResult();
}

Extent IndexMath::mul(Extent a, Extent b) {
  auto x = known(a), y = known(b);
  if (x && y)
    return constant(wrap(bits(*x) * bits(*y)));
  if ((x && *x == 0) || (y && *y == 1))
    return a;
  if ((y && *y == 0) || (x && *x == 1))
    return b;
  return builder.create<arith::MulIOp>(loc, value(a), value(b)).getResult();
}

Extent IndexMath::div(Extent a, Extent b) {
  auto x = known(a), y = known(b);
  if (x && y && *y != 0)
    return constant(*y == -1 ? wrap(0 - bits(*x)) : *x / *y);
  if (y && *y == 1)
    return a;
  return builder.create<arith::DivSIOp>(loc, value(a), value(b)).getResult();
}

Extent IndexMath::ceilDiv(Extent a, int64_t b) { return div(add(a, constant(b - 1)), constant(b)); }

Extent IndexMath::mod(Extent a, int64_t b) {
  if (auto x = known(a))
    return constant(((*x % b) + b) % b);
  Extent rem = builder.create<arith::RemSIOp>(loc, value(a), value(constant(b))).getResult();
  return select(compare(arith::CmpIPredicate::slt, rem, constant(0)), add(rem, constant(b)), rem);
}

Extent IndexMath::min(Extent a, Extent b) {
  auto x = known(a), y = known(b);
  if (x && y)
    return constant(std::min(*x, *y));
  if (a == b)
    return a;
  return builder.create<arith::MinSIOp>(loc, value(a), value(b)).getResult();
}

Extent IndexMath::max(Extent a, Extent b) {
  auto x = known(a), y = known(b);
  if (x && y)
    return constant(std::max(*x, *y));
  if (a == b)
    return a;
  return builder.create<arith::MaxSIOp>(loc, value(a), value(b)).getResult();
}

Extent IndexMath::fromFront(Extent position, Extent extent) {
  if (auto number = known(position))
    return *number < 0 ? add(position, extent) : position;
  return select(compare(arith::CmpIPredicate::slt, position, constant(0)), add(position, extent), position);
}

Extent IndexMath::compare(arith::CmpIPredicate predicate, Extent a, Extent b) {
  auto x = known(a), y = known(b);
  if (x && y)
    return constant(arith::applyCmpPredicate(predicate, APInt(64, bits(*x)), APInt(64, bits(*y))));
  Value condition = builder.create<arith::CmpIOp>(loc, predicate, value(a), value(b));
  return builder.create<arith::SelectOp>(loc, condition, value(constant(1)), value(constant(0))).getResult();
}

Extent IndexMath::select(Extent condition, Extent ifTrue, Extent ifFalse) {
  if (auto known = IndexMath::known(condition))
    return *known ? ifTrue : ifFalse;
  if (ifTrue == ifFalse)
    return ifTrue;
  return builder.create<arith::SelectOp>(loc, flag(condition), value(ifTrue), value(ifFalse)).getResult();
}

Value IndexMath::flag(Extent condition) {
  if (auto known = IndexMath::known(condition))
    return builder.create<arith::ConstantIntOp>(loc, *known != 0, 1);
  // A condition made by compare() is select(cmp, 1, 0): use its cmp, not a comparison of it.
  Value number = value(condition);
  auto made = number.getDefiningOp<arith::SelectOp>();
  if (made && isKnown(getAsOpFoldResult(made.getTrueValue()), 1) &&
      isKnown(getAsOpFoldResult(made.getFalseValue()), 0))
    return made.getCondition();
  return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, number, value(constant(0)));
}

Extent IndexMath::quotientOfProducts(ArrayRef<Extent> dividend, ArrayRef<Extent> divisor) {
  uint64_t above = 1, below = 1; // the known factors
  SmallVector<Value> factors, divisors;
  for (Extent factor : dividend)
    if (auto number = known(factor))
      above *= bits(*number);
    else
      factors.push_back(cast<Value>(factor));
  for (Extent factor : divisor) {
    if (auto number = known(factor)) {
      below *= bits(*number);
      continue;
    }
    auto value = cast<Value>(factor);
    if (auto *same = llvm::find(factors, value); same != factors.end())
      factors.erase(same);
    else
      divisors.push_back(value);
  }
  auto multiply = [&](int64_t number, ArrayRef<Value> values) {
    Extent result = constant(number);
    for (Value value : values)
      result = mul(result, value);
    return result;
  };
  int64_t a = wrap(above), b = wrap(below);
  if (b != 0 && b != -1 && a % b == 0)
    std::tie(a, b) = std::pair(a / b, int64_t(1));
  return div(multiply(a, factors), multiply(b, divisors));
}

} // namespace kiln::onnx
