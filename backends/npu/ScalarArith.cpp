// ScalarArith.cpp: integers of all widths and f32 on the scalar unit. A register holds an integer of N bits
// in its low bits; what the bits above are is known of some values (extensions), and made where an
// instruction asks.
#include "backends/npu/CodeWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kiln::npu {
namespace {

using IntPredicate = arith::CmpIPredicate;
using FloatPredicate = arith::CmpFPredicate;

unsigned widthOf(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

bool isUnsigned(IntPredicate predicate) {
  return predicate == IntPredicate::ult || predicate == IntPredicate::ule || predicate == IntPredicate::ugt ||
         predicate == IntPredicate::uge;
}

Compare compareOf(IntPredicate predicate) {
  switch (predicate) {
  case IntPredicate::eq:
    return Compare::Eq;
  case IntPredicate::ne:
    return Compare::Ne;
  case IntPredicate::slt:
  case IntPredicate::ult:
    return Compare::Lt;
  case IntPredicate::sle:
  case IntPredicate::ule:
    return Compare::Le;
  case IntPredicate::sgt:
  case IntPredicate::ugt:
    return Compare::Gt;
  case IntPredicate::sge:
  case IntPredicate::uge:
    return Compare::Ge;
  }
  return Compare::Eq;
}

Compare opposite(Compare compare) {
  switch (compare) {
  case Compare::Eq:
    return Compare::Ne;
  case Compare::Ne:
    return Compare::Eq;
  case Compare::Lt:
    return Compare::Ge;
  case Compare::Le:
    return Compare::Gt;
  case Compare::Gt:
    return Compare::Le;
  case Compare::Ge:
    return Compare::Lt;
  }
  return Compare::Eq;
}

/// A comparison of floats: how ordered numbers compare, and whether it is the opposite of that.
struct FloatCompare {
  Compare compare;
  bool isInverted;
};

std::optional<FloatCompare> floatCompareOf(FloatPredicate predicate) {
  switch (predicate) {
  case FloatPredicate::OEQ:
    return FloatCompare{Compare::Eq, false};
  case FloatPredicate::OGT:
    return FloatCompare{Compare::Gt, false};
  case FloatPredicate::OGE:
    return FloatCompare{Compare::Ge, false};
  case FloatPredicate::OLT:
    return FloatCompare{Compare::Lt, false};
  case FloatPredicate::OLE:
    return FloatCompare{Compare::Le, false};
  case FloatPredicate::UNE:
    return FloatCompare{Compare::Eq, true};
  case FloatPredicate::UGT:
    return FloatCompare{Compare::Le, true};
  case FloatPredicate::UGE:
    return FloatCompare{Compare::Lt, true};
  case FloatPredicate::ULT:
    return FloatCompare{Compare::Ge, true};
  case FloatPredicate::ULE:
    return FloatCompare{Compare::Gt, true};
  default:
    return std::nullopt;
  }
}

/// A comparison that branches carry out themselves, so that nothing need be computed where it stands.
bool isForBranches(arith::CmpIOp op) {
  return llvm::all_of(op->getUses(), [](OpOperand &use) {
    return isa<scf::IfOp, scf::ConditionOp>(use.getOwner())
               ? use.getOperandNumber() == 0
               : isa<arith::SelectOp>(use.getOwner()) && use.getOperandNumber() == 0;
  });
}

} // namespace

Scalar CodeWriter::extended(Value value, bool isSigned) {
  unsigned width = widthOf(value.getType());
  Scalar raw = scalar(value);
  if (width == 64)
    return raw;
  if (!raw.isReg) {
    APInt bits(64, static_cast<uint64_t>(raw.value));
    bits = bits.trunc(width);
    return number(isSigned ? bits.getSExtValue() : static_cast<int64_t>(bits.getZExtValue()));
  }
  Extension known = extensions.lookup(value);
  if (width == 1)
    return isSigned ? fold(Op::Sub, number(0), raw) : raw; // a boolean is 0 or 1
  if (isSigned ? known.isSign : known.isZero)
    return raw;
  if (!isSigned && width <= 31)
    return compute(Op::And, raw, number((int64_t(1) << width) - 1));
  Scalar high = compute(Op::Shl, raw, number(64 - width));
  return compute(isSigned ? Op::Sar : Op::Shr, high, number(64 - width));
}

/// A value whose order as a signed number is that of the unsigned one.
Scalar CodeWriter::forUnsignedOrder(Value value) {
  if (widthOf(value.getType()) < 64)
    return extended(value, false);
  Scalar raw = scalar(value);
  if (!raw.isReg)
    return number(static_cast<int64_t>(static_cast<uint64_t>(raw.value) ^ (uint64_t(1) << 63)));
  return compute(Op::Xor, raw, number(INT64_MIN));
}

Scalar CodeWriter::compute(Op op, Scalar a, Scalar b) {
  Inst inst = Inst::make(op);
  setReg(inst, Field::a, a);
  set(inst, Field::bi, b);
  Scalar result = {true, temporary()};
  inst[Field::d] = static_cast<int32_t>(result.value);
  emit(inst);
  return result;
}

Scalar CodeWriter::compute(Op op, Scalar a, Round round) {
  Inst inst = Inst::make(op);
  setReg(inst, Field::a, a);
  if (op == Op::FToInt)
    inst[Field::round] = static_cast<int32_t>(round);
  Scalar result = {true, temporary()};
  inst[Field::d] = static_cast<int32_t>(result.value);
  emit(inst);
  return result;
}

/// Both operands of an integer comparison, in an order that is the signed one.
std::pair<Scalar, Scalar> CodeWriter::compared(arith::CmpIOp op) {
  auto side = [&](Value value) {
    return isUnsigned(op.getPredicate()) ? forUnsignedOrder(value) : extended(value, true);
  };
  Scalar a = side(op.getLhs());
  return {a, side(op.getRhs())};
}

size_t CodeWriter::branchUnless(Value condition) {
  Inst branch = Inst::make(Op::Branch);
  auto cmp = condition.getDefiningOp<arith::CmpIOp>();
  if (cmp && isForBranches(cmp)) {
    auto [a, b] = compared(cmp);
    branch[Field::compare] = static_cast<int32_t>(opposite(compareOf(cmp.getPredicate())));
    setReg(branch, Field::a, a);
    set(branch, Field::bi, b);
  } else {
    branch[Field::compare] = static_cast<int32_t>(Compare::Eq);
    setReg(branch, Field::a, scalar(condition));
    set(branch, Field::bi, number(0));
  }
  emit(branch);
  return code.size() - 1;
}

void CodeWriter::moveTo(uint32_t reg, Scalar value) {
  Inst inst = Inst::make(value.isReg ? Op::Mov : Op::MovI);
  inst[Field::d] = static_cast<int32_t>(reg);
  if (value.isReg)
    inst[Field::a] = static_cast<int32_t>(value.value);
  else
    inst.imm = static_cast<uint64_t>(value.value);
  emit(inst);
}

void CodeWriter::writeSelect(arith::SelectOp op) {
  uint32_t reg = allocate();
  moveTo(reg, scalar(op.getFalseValue()));
  size_t branch = branchUnless(op.getCondition());
  moveTo(reg, scalar(op.getTrueValue()));
  code[branch][Field::target] = static_cast<int32_t>(code.size());
  scalars[op] = {true, reg};
}

void CodeWriter::writeFloatCompare(arith::CmpFOp op) {
  auto compareInto = [&](Compare how, Scalar a, Scalar b) {
    Inst inst = Inst::make(Op::FCmp);
    inst[Field::compare] = static_cast<int32_t>(how);
    setReg(inst, Field::a, a);
    set(inst, Field::bi, b);
    Scalar result = {true, temporary()};
    inst[Field::d] = static_cast<int32_t>(result.value);
    emit(inst);
    return result;
  };
  Scalar a = scalar(op.getLhs()), b = scalar(op.getRhs()), result;
  if (std::optional<FloatCompare> single = floatCompareOf(op.getPredicate())) {
    result = compareInto(single->compare, a, b);
    if (single->isInverted)
      result = compute(Op::Xor, result, number(1));
    return define(op, result);
  }
  switch (op.getPredicate()) {
  case FloatPredicate::ONE:
  case FloatPredicate::UEQ:
    result = compute(Op::Or, compareInto(Compare::Lt, a, b), compareInto(Compare::Gt, a, b));
    break;
  case FloatPredicate::ORD:
  case FloatPredicate::UNO: {
    Scalar first = compareInto(Compare::Eq, a, a);
    result = compute(Op::And, first, compareInto(Compare::Eq, b, b));
    break;
  }
  default:
    return define(op, number(op.getPredicate() == FloatPredicate::AlwaysTrue));
  }
  if (op.getPredicate() == FloatPredicate::UEQ || op.getPredicate() == FloatPredicate::UNO)
    result = compute(Op::Xor, result, number(1));
  define(op, result);
}

/// A value in another type whose low bits are the same.
void CodeWriter::defineAs(Value result, Scalar value, Extension extension) {
  define(result, value);
  if (extension.isSign || extension.isZero)
    extensions[result] = extension;
}

LogicalResult CodeWriter::writeScalarCast(Operation *op) {
  Value in = op->getOperand(0), out = op->getResult(0);
  constexpr Extension kNone = {}, kSign = {true, false}, kZero = {false, true}, kBoth = {true, true};
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op)) {
    if (widthOf(in.getType()) <= widthOf(out.getType()))
      return defineAs(out, extended(in, true), kSign), success();
    return defineAs(out, scalar(in), kNone), success();
  }
  if (isa<arith::IndexCastUIOp, arith::ExtUIOp>(op)) {
    if (widthOf(in.getType()) < widthOf(out.getType()))
      return defineAs(out, extended(in, false), kBoth), success();
    return defineAs(out, scalar(in), kNone), success();
  }
  if (isa<arith::TruncIOp>(op)) {
    if (out.getType().isInteger(1))
      return defineAs(out, compute(Op::And, scalar(in), number(1)), kZero), success();
    return defineAs(out, scalar(in), kNone), success();
  }
  if (isa<arith::BitcastOp>(op))
    return defineAs(out, scalar(in), kNone), success();
  if (isa<arith::SIToFPOp>(op) && out.getType().isF32())
    return define(out, compute(Op::IntToF, extended(in, true))), success();
  if (isa<arith::UIToFPOp>(op) && out.getType().isF32() && widthOf(in.getType()) < 64)
    return define(out, compute(Op::IntToF, extended(in, false))), success();
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op) && in.getType().isF32() &&
      (isa<arith::FPToSIOp>(op) || widthOf(out.getType()) < 64)) {
    Scalar whole = compute(Op::FToInt, scalar(in), Round::Trunc);
    if (out.getType().isInteger(1))
      whole = compute(Op::And, whole, number(1));
    return define(out, whole), success();
  }
  return failure();
}

LogicalResult CodeWriter::writeInteger(Operation *op) {
  Value a = op->getOperand(0), b = op->getOperand(1), d = op->getResult(0);
  unsigned width = widthOf(d.getType());
  constexpr Extension kNone = {}, kSign = {true, false}, kZero = {false, true};
  auto raw = [&](Op code) {
    Scalar result = fold(code, scalar(a), scalar(b));
    if (width == 1 && result.isReg)
      result = compute(Op::And, result, number(1));
    return defineAs(d, result, kNone), success();
  };
  auto bits = [&](Op code) { // of booleans, a boolean
    Extension left = extensions.lookup(a), right = extensions.lookup(b);
    bool masks = code == Op::And && (left.isZero || right.isZero);
    return defineAs(d, compute(code, scalar(a), scalar(b)),
                    {left.isSign && right.isSign, masks || (left.isZero && right.isZero)}),
           success();
  };
  auto signedOp = [&](Op code) {
    Scalar left = extended(a, true);
    return defineAs(d, compute(code, left, extended(b, true)), kSign), success();
  };
  auto unsignedOp = [&](Op code) -> LogicalResult {
    if (width == 64 && !d.getType().isIndex())
      return failure(); // expanded before
    Scalar left = extended(a, false);
    return defineAs(d, fold(code, left, extended(b, false)), kZero), success();
  };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::AddIOp>([&](auto) { return raw(Op::Add); })
      .Case<arith::SubIOp>([&](auto) { return raw(Op::Sub); })
      .Case<arith::MulIOp>([&](auto) { return raw(Op::Mul); })
      .Case<arith::AndIOp>([&](auto) { return bits(Op::And); })
      .Case<arith::OrIOp>([&](auto) { return bits(Op::Or); })
      .Case<arith::XOrIOp>([&](auto) { return bits(Op::Xor); })
      .Case<arith::ShLIOp>(
          [&](auto) { return defineAs(d, compute(Op::Shl, scalar(a), scalar(b)), kNone), success(); })
      .Case<arith::ShRUIOp>([&](auto) {
        return defineAs(d, compute(Op::Shr, extended(a, false), scalar(b)), kZero), success();
      })
      .Case<arith::ShRSIOp>(
          [&](auto) { return defineAs(d, compute(Op::Sar, extended(a, true), scalar(b)), kSign), success(); })
      .Case<arith::DivSIOp>([&](auto) { return signedOp(Op::Div); })
      .Case<arith::RemSIOp>([&](auto) { return signedOp(Op::Rem); })
      .Case<arith::MinSIOp>([&](auto) { return signedOp(Op::Min); })
      .Case<arith::MaxSIOp>([&](auto) { return signedOp(Op::Max); })
      .Case<arith::DivUIOp>([&](auto) { return unsignedOp(Op::Div); })
      .Case<arith::RemUIOp>([&](auto) { return unsignedOp(Op::Rem); })
      .Case<arith::MinUIOp>([&](auto) { return unsignedOp(Op::Min); })
      .Case<arith::MaxUIOp>([&](auto) { return unsignedOp(Op::Max); })
      .Default([](Operation *) { return failure(); });
}

/// A float's whole number as a float, with the float's sign. Large ones, infinities and NaN are whole
/// already.
void CodeWriter::writeRounding(Value x, Round round, Value result) {
  constexpr int64_t kSignBit = INT64_C(0x80000000), kOthers = INT64_C(0x7fffffff), kWhole = 0x4b000000;
  Scalar bits = scalar(x);
  uint32_t reg = allocate();
  moveTo(reg, bits);
  Inst branch = Inst::make(Op::Branch); // 2^23 and above, as bits
  branch[Field::compare] = static_cast<int32_t>(Compare::Ge);
  setReg(branch, Field::a, compute(Op::And, bits, number(kOthers)));
  set(branch, Field::bi, number(kWhole));
  size_t branchAt = code.size();
  emit(branch);
  Scalar magnitude = compute(Op::And, compute(Op::IntToF, compute(Op::FToInt, bits, round)), number(kOthers));
  Scalar sign = compute(Op::And, bits, number(kSignBit));
  moveTo(reg, compute(Op::Or, magnitude, sign));
  code[branchAt][Field::target] = static_cast<int32_t>(code.size());
  scalars[result] = {true, reg};
}

LogicalResult CodeWriter::writeFloat(Operation *op) {
  Value d = op->getResult(0);
  auto operand = [&](unsigned i) { return scalar(op->getOperand(i)); };
  auto binary = [&](Op code) {
    Scalar a = operand(0);
    return define(d, compute(code, a, operand(1))), success();
  };
  constexpr int64_t kSignBit = INT64_C(0x80000000), kOthers = INT64_C(0x7fffffff);
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::AddFOp>([&](auto) { return binary(Op::FAdd); })
      .Case<arith::SubFOp>([&](auto) { return binary(Op::FSub); })
      .Case<arith::MulFOp>([&](auto) { return binary(Op::FMul); })
      .Case<arith::DivFOp>([&](auto) { return binary(Op::FDiv); })
      .Case<arith::NegFOp>(
          [&](auto) { return define(d, compute(Op::Xor, operand(0), number(kSignBit))), success(); })
      .Case<math::AbsFOp>(
          [&](auto) { return define(d, compute(Op::And, operand(0), number(kOthers))), success(); })
      .Case<math::FloorOp>([&](auto) { return writeRounding(op->getOperand(0), Round::Floor, d), success(); })
      .Case<math::CeilOp>([&](auto) { return writeRounding(op->getOperand(0), Round::Ceil, d), success(); })
      .Case<math::TruncOp>([&](auto) { return writeRounding(op->getOperand(0), Round::Trunc, d), success(); })
      .Case<math::RoundOp>([&](auto) { return writeRounding(op->getOperand(0), Round::Round, d), success(); })
      .Case<math::RoundEvenOp>(
          [&](auto) { return writeRounding(op->getOperand(0), Round::Rint, d), success(); })
      .Case<math::CopySignOp>([&](auto) {
        Scalar magnitude = compute(Op::And, operand(0), number(kOthers));
        Scalar sign = compute(Op::And, operand(1), number(kSignBit));
        return define(d, compute(Op::Or, magnitude, sign)), success();
      })
      .Default([](Operation *) { return failure(); });
}

LogicalResult CodeWriter::writeScalarOp(Operation *op) {
  if (auto special = dyn_cast<ir::BlockIdxOp>(op))
    return readSpecial(special, Special::BlockIdx), success();
  if (auto special = dyn_cast<ir::BlockNumOp>(op))
    return readSpecial(special, Special::BlockNum), success();
  if (auto special = dyn_cast<ir::SubIdxOp>(op))
    return readSpecial(special, Special::SubIdx), success();
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    if (isForBranches(cmp))
      return success();
    auto [a, b] = compared(cmp);
    Inst inst = Inst::make(Op::Cmp);
    inst[Field::compare] = static_cast<int32_t>(compareOf(cmp.getPredicate()));
    setReg(inst, Field::a, a);
    set(inst, Field::bi, b);
    uint32_t reg = allocate();
    inst[Field::d] = static_cast<int32_t>(reg);
    emit(inst);
    scalars[cmp] = {true, reg};
    return success();
  }
  if (auto cmp = dyn_cast<arith::CmpFOp>(op); cmp && cmp.getLhs().getType().isF32())
    return writeFloatCompare(cmp), success();
  if (auto select = dyn_cast<arith::SelectOp>(op); select && select.getCondition().getType().isInteger(1))
    return writeSelect(select), success();
  if (op->getNumResults() == 1 && op->getNumOperands() > 0) {
    Type type = op->getResult(0).getType(), from = op->getOperand(0).getType();
    if (isa<CastOpInterface>(op) && type.isIntOrIndexOrFloat() && from.isIntOrIndexOrFloat() &&
        succeeded(writeScalarCast(op)))
      return success();
    if (type.isIntOrIndex() && op->getNumOperands() == 2 && succeeded(writeInteger(op)))
      return success();
    if (type.isF32() && succeeded(writeFloat(op)))
      return success();
  }
  return op->emitError("npu: '") << op->getName() << "' has no code for the scalar unit";
}

} // namespace kiln::npu
