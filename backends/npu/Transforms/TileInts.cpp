// TileInts.cpp: comparisons, and integers. Those of 8 bits are held as f16, of 16 as f32, exactly; what may
// leave their range is computed in i32 and brought back by its low bits.
#include "backends/npu/Transforms/TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace kiln::npu {
namespace {

struct Comparison {
  ir::Compare kind;
  bool isNegated; // the answer for NaN is true
};
std::optional<Comparison> comparisonOf(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::OEQ:
    return Comparison{ir::Compare::eq, false};
  case P::OGT:
    return Comparison{ir::Compare::gt, false};
  case P::OGE:
    return Comparison{ir::Compare::ge, false};
  case P::OLT:
    return Comparison{ir::Compare::lt, false};
  case P::OLE:
    return Comparison{ir::Compare::le, false};
  case P::UNE:
    return Comparison{ir::Compare::ne, false};
  case P::UGT:
    return Comparison{ir::Compare::le, true};
  case P::UGE:
    return Comparison{ir::Compare::lt, true};
  case P::ULT:
    return Comparison{ir::Compare::ge, true};
  case P::ULE:
    return Comparison{ir::Compare::gt, true};
  case P::AlwaysFalse:
  case P::ONE:
  case P::ORD:
  case P::UEQ:
  case P::UNO:
  case P::AlwaysTrue:
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<ir::Compare> comparisonOf(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return ir::Compare::eq;
  case P::ne:
    return ir::Compare::ne;
  case P::slt:
    return ir::Compare::lt;
  case P::sle:
    return ir::Compare::le;
  case P::sgt:
    return ir::Compare::gt;
  case P::sge:
    return ir::Compare::ge;
  case P::ult:
    return ir::Compare::lt;
  case P::ule:
    return ir::Compare::le;
  case P::ugt:
    return ir::Compare::gt;
  case P::uge:
    return ir::Compare::ge;
  }
  return std::nullopt;
}

bool isUnsigned(arith::CmpIPredicate predicate) { return predicate >= arith::CmpIPredicate::ult; }

} // namespace

/// The vector unit knows only whether integers are equal: a >= b is max(a, b) == a.
TileValue TileBuilder::compareInts(ir::Compare kind, TileValue a, TileValue b) {
  if (kind == ir::Compare::eq || kind == ir::Compare::ne)
    return compare(kind, a, b);
  bool takesGreater = kind == ir::Compare::ge || kind == ir::Compare::lt;
  bool takesEqual = kind == ir::Compare::ge || kind == ir::Compare::le;
  TileValue chosen = binary(takesGreater ? ir::Binary::vmax : ir::Binary::vmin, a, b);
  return compare(takesEqual ? ir::Compare::eq : ir::Compare::ne, chosen, a);
}

TileValue TileBuilder::toI32(TileValue x) { return cast(unmask(x), builder.getI32Type(), ir::Round::rint); }

TileValue TileBuilder::narrow(TileValue x, Type to) {
  Type i32 = builder.getI32Type();
  int64_t width = to.getIntOrFloatBitWidth();
  if (!narrowIsInRange) {
    TileValue count = number(double(32 - width), i32);
    x = binary(ir::Binary::vshr, binary(ir::Binary::vshl, x, count), count);
    if (narrowIsUnsigned)
      x = select(compareInts(ir::Compare::lt, x, number(0, i32)),
                 binary(ir::Binary::vadd, x, number(double(int64_t(1) << width), i32)), x);
  }
  return cast(cast(x, builder.getF32Type(), ir::Round::rint), to, ir::Round::rint);
}

TileValue TileBuilder::withSign(TileValue x, bool isUnsigned) {
  double half = std::ldexp(1.0, static_cast<int>(x.element.getIntOrFloatBitWidth()) - 1);
  TileValue moved = binary(ir::Binary::vadd, x, number(isUnsigned ? 2 * half : -2 * half, x.element));
  TileValue isOther =
      compare(isUnsigned ? ir::Compare::lt : ir::Compare::ge, x, number(isUnsigned ? 0 : half, x.element));
  return select(isOther, moved, x);
}

/// 1 where there is 0.
TileValue TileBuilder::invert(TileValue mask) {
  return binary(ir::Binary::vadd, negate(unmask(mask)), number(1, mask.element));
}

FailureOr<TileValue> TileBuilder::applyBits(Operation *op, ArrayRef<TileValue> operands) {
  Type element = operands[0].element;
  bool isNarrow = element.isInteger(8) || element.isInteger(16);
  if (!isNarrow && !element.isInteger(32))
    return refuse(op);
  TileValue a = toI32(operands[0]);
  auto back = [&](TileValue x) { return isNarrow ? narrow(x, element) : x; };
  if (isa<arith::ShLIOp, arith::ShRSIOp>(op)) {
    IntegerAttr count;
    if (isNarrow || operands[1].kind != Kind::Scalar || !matchPattern(operands[1].value, m_Constant(&count)))
      return refuse(op); // the vector unit shifts all elements alike
    return binary(isa<arith::ShLIOp>(op) ? ir::Binary::vshl : ir::Binary::vshr, a, operands[1]);
  }
  TileValue b = toI32(operands[1]);
  Kind wide = join(a.kind, b.kind);
  if (wide == Kind::Scalar)
    wide = home;
  a = materialize(a, wide);
  b = materialize(b, wide);
  if (isa<arith::AndIOp>(op))
    return back(binary(ir::Binary::vand, a, b));
  TileValue either = binary(ir::Binary::vor, a, b);
  if (isa<arith::OrIOp>(op))
    return back(either);
  return back(binary(ir::Binary::vsub, either, binary(ir::Binary::vand, a, b)));
}

FailureOr<TileValue> TileBuilder::applyCompare(Operation *op, ArrayRef<TileValue> operands) {
  const TileValue &a = operands[0], &b = operands[1];
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    std::optional<ir::Compare> kind = comparisonOf(cmp.getPredicate());
    bool isSmall = a.element.getIntOrFloatBitWidth() <= 16; // exact as what holds it
    if (!kind || (!isSmall && (!a.element.isInteger(32) || isUnsigned(cmp.getPredicate()))))
      return refuse(op);
    return isSmall ? compare(*kind, unmask(a), unmask(b)) : compareInts(*kind, a, b);
  }
  auto predicate = cast<arith::CmpFOp>(op).getPredicate();
  using P = arith::CmpFPredicate;
  if (predicate == P::ORD || predicate == P::UNO) {
    TileValue isNan = compare(ir::Compare::ne, a, a);
    if (b.value != a.value)
      isNan = binary(ir::Binary::vmax, unmask(isNan), unmask(compare(ir::Compare::ne, b, b)));
    return predicate == P::UNO ? isNan : invert(isNan);
  }
  if (predicate == P::ONE || predicate == P::UEQ) {
    TileValue differs = binary(ir::Binary::vmax, unmask(compare(ir::Compare::lt, a, b)),
                               unmask(compare(ir::Compare::gt, a, b)));
    return predicate == P::ONE ? differs : invert(differs);
  }
  std::optional<Comparison> kind = comparisonOf(predicate);
  if (!kind)
    return refuse(op);
  TileValue result = compare(kind->kind, a, b);
  return kind->isNegated ? invert(result) : result;
}

} // namespace kiln::npu
