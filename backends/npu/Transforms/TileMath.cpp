// TileMath.cpp: ops of arith and math on tiles. Functions that the vector unit lacks are made of those that
// it has: tanh by exp(2x) on a clamped argument, erf by Abramowitz and Stegun 7.1.26 (absolute error
// below 1.5e-7), near 0 in f32 by polynomials of Cephes (S. Moshier); powers by exp and ln.
#include "backends/npu/Transforms/TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using kiln::npu::ir::Binary;
using kiln::npu::ir::Unary;

namespace kiln::npu {
namespace {

std::optional<Binary> binaryOf(Operation *op) {
  return TypeSwitch<Operation *, std::optional<Binary>>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return ir::Binary::vadd; })
      .Case<arith::SubFOp, arith::SubIOp>([](auto) { return ir::Binary::vsub; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return ir::Binary::vmul; })
      .Case<arith::DivFOp>([](auto) { return ir::Binary::vdiv; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp, arith::MaxUIOp>(
          [](auto) { return ir::Binary::vmax; })
      .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp, arith::MinUIOp>(
          [](auto) { return ir::Binary::vmin; })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Unary> unaryOf(Operation *op) {
  return TypeSwitch<Operation *, std::optional<Unary>>(op)
      .Case<math::AbsFOp>([](auto) { return ir::Unary::vabs; })
      .Case<math::ExpOp>([](auto) { return ir::Unary::vexp; })
      .Case<math::LogOp>([](auto) { return ir::Unary::vln; })
      .Case<math::SqrtOp>([](auto) { return ir::Unary::vsqrt; })
      .Case<math::RsqrtOp>([](auto) { return ir::Unary::vrsqrt; })
      .Default([](Operation *) { return std::nullopt; });
}

bool isBool(const TileValue &x) { return x.element.isInteger(1); }
bool isNarrowInt(Type type) { return type.isInteger(8) || type.isInteger(16); }

/// Whether a formula takes only 1 + f(x), as gelu does: digits of f below those of 1 do not count.
bool isAddedToOne(Operation *function) {
  return !function->use_empty() && llvm::all_of(function->getUsers(), [&](Operation *user) {
    FloatAttr other;
    auto add = dyn_cast<arith::AddFOp>(user);
    return add &&
           (matchPattern(add.getLhs(), m_Constant(&other)) ||
            matchPattern(add.getRhs(), m_Constant(&other))) &&
           other.getValueAsDouble() == 1;
  });
}

} // namespace

InFlightDiagnostic TileBuilder::refuse(Operation *op) {
  InFlightDiagnostic diagnostic = emitError(loc, "npu: '") << op->getName() << "' on ";
  diagnostic << (op->getNumOperands() ? op->getOperand(0).getType() : op->getResult(0).getType());
  diagnostic << " is not lowered yet";
  return diagnostic;
}

TileValue TileBuilder::polynomial(TileValue x, ArrayRef<double> coefficients) {
  TileValue sum = number(coefficients.front(), x.element);
  for (double next : coefficients.drop_front())
    sum = binary(ir::Binary::vadd, binary(ir::Binary::vmul, x, sum), number(next, x.element));
  return sum;
}

/// x * p(x^2) below `limit`, where a difference of numbers near 1 has lost digits that f32 shows and f16 does
/// not.
TileValue TileBuilder::nearZero(TileValue x, double limit, ArrayRef<double> coefficients, TileValue value) {
  TileValue series = binary(ir::Binary::vmul, polynomial(binary(ir::Binary::vmul, x, x), coefficients), x);
  TileValue isNear = compare(ir::Compare::lt, unary(ir::Unary::vabs, x), number(limit, x.element));
  return select(isNear, series, value);
}

TileValue TileBuilder::tanh(TileValue x, bool isExact) {
  Type element = x.element;
  x = cast(x, builder.getF32Type(), ir::Round::rint);
  TileValue low = binary(ir::Binary::vmax, x, number(-8.8, x.element));
  TileValue clamped = binary(ir::Binary::vmin, low, number(8.8, x.element));
  TileValue e = unary(ir::Unary::vexp, binary(ir::Binary::vmul, clamped, number(2, x.element)));
  TileValue above = binary(ir::Binary::vadd, e, number(-1, x.element));
  TileValue below = binary(ir::Binary::vadd, e, number(1, x.element));
  TileValue value = binary(ir::Binary::vdiv, above, below);
  if (isExact && element.isF32())
    value = nearZero(
        x, 0.625,
        {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1, 1},
        value);
  return cast(value, element, ir::Round::rint);
}

TileValue TileBuilder::erf(TileValue x, bool isExact) {
  Type element = x.element;
  x = cast(x, builder.getF32Type(), ir::Round::rint);
  // What does not hang on each other stands side by side: a barrier orders them all.
  TileValue isNegative = compare(ir::Compare::lt, x, number(0, x.element));
  TileValue magnitude = unary(ir::Unary::vabs, x);
  TileValue scaled = binary(ir::Binary::vmul, magnitude, number(0.3275911, x.element));
  TileValue square = binary(ir::Binary::vmul, magnitude, magnitude);
  TileValue below = binary(ir::Binary::vadd, scaled, number(1, x.element));
  TileValue power = binary(ir::Binary::vmul, square, number(-1, x.element));
  TileValue t = unary(ir::Unary::vrec, below), e = unary(ir::Unary::vexp, power);
  TileValue p = polynomial(t, {1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592});
  TileValue tail = binary(ir::Binary::vmul, binary(ir::Binary::vmul, p, t), e);
  TileValue positive = binary(ir::Binary::vadd, negate(tail), number(1, x.element));
  TileValue value = select(isNegative, negate(positive), positive);
  if (isExact && element.isF32())
    value = nearZero(x, 1,
                     {7.853861353153693e-5, -8.010193625184903e-4, 5.188327685732524e-3,
                      -2.685381193529856e-2, 1.128358514861418e-1, -3.761262582423300e-1, 1.128379165726710},
                     value);
  return cast(value, element, ir::Round::rint);
}

FailureOr<TileValue> TileBuilder::applyBool(Operation *op, ArrayRef<TileValue> operands) {
  TileValue a = unmask(operands[0]), b = unmask(operands[1]);
  if (isa<arith::AndIOp>(op))
    return binary(ir::Binary::vmul, a, b);
  if (isa<arith::OrIOp>(op))
    return binary(ir::Binary::vmax, a, b);
  if (isa<arith::XOrIOp>(op))
    return unary(ir::Unary::vabs, binary(ir::Binary::vsub, a, b));
  return refuse(op);
}

FailureOr<TileValue> TileBuilder::applyConversion(Operation *op, TileValue x) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (isa<arith::TruncIOp>(op))
    return (from.isInteger(32) || isNarrowInt(from)) && isNarrowInt(to)
               ? FailureOr<TileValue>(narrow(toI32(x), to))
               : FailureOr<TileValue>(refuse(op));
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(op)) {
    bool isKnown = (to.isInteger(32) || to.isInteger(16)) &&
                   (isNarrowInt(from) || (from.isInteger(1) && isa<arith::ExtUIOp>(op)));
    return isKnown ? FailureOr<TileValue>(this->cast(unmask(x), to, ir::Round::rint))
                   : FailureOr<TileValue>(refuse(op));
  }
  if ((!fromFloat && !from.isInteger(1) && !from.isInteger(32) && !isNarrowInt(from)) ||
      (!toFloat && !to.isInteger(32) && !to.isInteger(1) && !isNarrowInt(to)) || from.isF64() || to.isF64())
    return refuse(op);
  x = unmask(x);
  if (isNarrowInt(to)) { // the op has put it in range
    TileValue whole =
        cast(cast(x, builder.getF32Type(), ir::Round::rint), builder.getI32Type(), ir::Round::trunc);
    return cast(cast(whole, builder.getF32Type(), ir::Round::rint), to, ir::Round::rint);
  }
  ir::Round round = isa<arith::FPToSIOp, arith::FPToUIOp>(op) ? ir::Round::trunc : ir::Round::rint;
  // f16 holds booleans and bytes; f32 stands between what has no direct conversion.
  Type source = held(x.element), target = held(to);
  bool isDirect =
      source == target || source.isF32() || target.isF32() || (source.isF16() && target.isInteger(32));
  if (!isDirect)
    x = cast(x, builder.getF32Type(), ir::Round::rint);
  // A formula that goes on with the rounded number means it; else it is rounded where it is stored.
  bool isRounding = isa<arith::TruncFOp>(op) && to.isBF16() &&
                    llvm::any_of(op->getUsers(), [](Operation *user) { return isa<arith::ExtFOp>(user); });
  return isRounding ? roundToBf16(x) : cast(x, to, round);
}

TileValue TileBuilder::roundToBf16(TileValue x) {
  x = cast(x, builder.getF32Type(), ir::Round::rint);
  if (x.kind == Kind::Scalar)
    x = materialize(x, home);
  TileValue narrow = allocateAs(x.kind, builder.getBF16Type()),
            result = allocate(x.kind, builder.getBF16Type());
  builder.create<ir::CastOp>(loc, ir::Round::rint, view(x, true), view(narrow, true));
  builder.create<ir::CastOp>(loc, ir::Round::rint, view(narrow, true), view(result, true));
  return result;
}

FailureOr<TileValue> TileBuilder::applyFunction(Operation *op, ArrayRef<TileValue> operands) {
  TileValue x = operands[0];
  Type element = x.element;
  auto f32 = [&](TileValue value) { return cast(value, builder.getF32Type(), ir::Round::rint); };
  auto back = [&](TileValue value) { return cast(value, element, ir::Round::rint); };
  if (isa<arith::NegFOp>(op))
    return negate(x);
  if (isa<math::TanhOp>(op))
    return tanh(x, !isAddedToOne(op));
  if (isa<math::ErfOp>(op))
    return erf(x, !isAddedToOne(op));
  if (isa<math::Exp2Op>(op))
    return back(unary(ir::Unary::vexp,
                      binary(ir::Binary::vmul, f32(x), number(0.69314718055994531, builder.getF32Type()))));
  if (isa<math::Log2Op>(op))
    return back(binary(ir::Binary::vmul, unary(ir::Unary::vln, f32(x)),
                       number(1.4426950408889634, builder.getF32Type())));
  if (isa<math::FloorOp, math::CeilOp, math::RoundEvenOp, math::TruncOp>(op)) {
    TileValue wide = f32(x);
    if (wide.kind == Kind::Scalar)
      wide = materialize(wide, home);
    TileValue whole = allocate(wide.kind, builder.getI32Type());
    ir::Round round = isa<math::FloorOp>(op)   ? ir::Round::floor
                      : isa<math::CeilOp>(op)  ? ir::Round::ceil
                      : isa<math::TruncOp>(op) ? ir::Round::trunc
                                               : ir::Round::rint;
    builder.create<ir::CastOp>(loc, round, view(wide, true), view(whole, true));
    TileValue rounded = cast(whole, builder.getF32Type(), ir::Round::rint);
    // From 2^23 on every f32 is whole, and i32 would not hold them all, nor what is no number.
    TileValue isSmall = compare(ir::Compare::lt, unary(ir::Unary::vabs, wide), number(8388608, wide.element));
    return back(select(isSmall, rounded, wide));
  }
  return applyFormula(op, operands);
}

FailureOr<TileValue> TileBuilder::apply(Operation *op, ArrayRef<TileValue> operands) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto real = dyn_cast<FloatAttr>(constant.getValue()))
      return number(real.getValueAsDouble(), real.getType());
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      return number(integer.getType().isInteger(1) || (isNarrowInt(integer.getType()) && narrowIsUnsigned)
                        ? double(integer.getValue().getZExtValue())
                        : double(integer.getInt()),
                    integer.getType());
    return refuse(op);
  }
  Type element = op->getNumResults() ? op->getResult(0).getType() : Type();
  if (element.isF64() || element.isInteger(64) ||
      (op->getNumOperands() && op->getOperand(0).getType().isF64()))
    return refuse(op);
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return isBool(operands[0]) ? applyBool(op, operands) : applyBits(op, operands);
  if (std::optional<Binary> kind = binaryOf(op)) {
    bool isUnsigned = isa<arith::MaxUIOp, arith::MinUIOp>(op);
    if (isBool(operands[0]) || (isUnsigned && !isNarrowInt(operands[0].element)))
      return refuse(op);
    if (isNarrowInt(operands[0].element))
      return narrow(binary(*kind, toI32(operands[0]), toI32(operands[1])), operands[0].element);
    return binary(*kind, operands[0], operands[1]);
  }
  if (std::optional<Unary> kind = unaryOf(op))
    return unary(*kind, operands[0]);
  if (isa<arith::CmpFOp, arith::CmpIOp>(op))
    return applyCompare(op, operands);
  if (isa<arith::ShLIOp, arith::ShRSIOp>(op))
    return applyBits(op, operands);
  if (isa<arith::SelectOp>(op))
    return select(operands[0], operands[1], operands[2]);
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp,
          arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return applyConversion(op, operands[0]);
  if (op->getNumOperands() == 0)
    return refuse(op);
  return applyFunction(op, operands);
}

} // namespace kiln::npu
