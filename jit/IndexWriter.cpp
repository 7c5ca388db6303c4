// IndexWriter.cpp: constant folding as the interpreter computes, and the arith ops that have an Arith
// instruction.
#include "jit/IndexWriter.h"

#include "jit/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::jit;
using schema::ArithOp;

namespace {
/// Nothing where the interpreter would end the run with an error: it shall do so.
std::optional<int64_t> fold(ArithOp op, int64_t lhs, int64_t rhs) {
  int64_t result;
  switch (op) {
  case ArithOp::Add:
    return llvm::AddOverflow(lhs, rhs, result) ? std::nullopt : std::optional(result);
  case ArithOp::Sub:
    return llvm::SubOverflow(lhs, rhs, result) ? std::nullopt : std::optional(result);
  case ArithOp::Mul:
    return llvm::MulOverflow(lhs, rhs, result) ? std::nullopt : std::optional(result);
  case ArithOp::FloorDiv:
    return rhs > 0 ? std::optional(llvm::divideFloorSigned(lhs, rhs)) : std::nullopt;
  case ArithOp::CeilDiv:
    return rhs > 0 ? std::optional(llvm::divideCeilSigned(lhs, rhs)) : std::nullopt;
  case ArithOp::Min:
    return std::min(lhs, rhs);
  case ArithOp::Max:
    return std::max(lhs, rhs);
  case ArithOp::Eq:
    return lhs == rhs;
  case ArithOp::Ne:
    return lhs != rhs;
  case ArithOp::Lt:
    return lhs < rhs;
  case ArithOp::Le:
    return lhs <= rhs;
  case ArithOp::And:
    return lhs & rhs;
  case ArithOp::Or:
    return lhs | rhs;
  case ArithOp::Move:
  case ArithOp::Mod:
  case ArithOp::Not:
  case ArithOp::Select:
  case ArithOp::TruncDiv:
  case ArithOp::TruncRem:
    return std::nullopt;
  }
  return std::nullopt;
}

/// lhs op rhs where one side decides or does nothing.
std::optional<Number> simplify(ArithOp op, const Number &lhs, const Number &rhs) {
  auto is = [](const Number &number, int64_t value) { return !number.isRegister && number.value == value; };
  if ((op == ArithOp::Add || op == ArithOp::Sub) && is(rhs, 0))
    return lhs;
  if (op == ArithOp::Add && is(lhs, 0))
    return rhs;
  if ((op == ArithOp::Mul || op == ArithOp::FloorDiv || op == ArithOp::CeilDiv || op == ArithOp::TruncDiv) &&
      is(rhs, 1))
    return lhs;
  if (op == ArithOp::Mul && is(lhs, 1))
    return rhs;
  if ((op == ArithOp::Min || op == ArithOp::Max) && lhs == rhs)
    return lhs;
  if ((op == ArithOp::Eq || op == ArithOp::Le) && lhs == rhs)
    return Number{1};
  return std::nullopt;
}

std::optional<ArithOp> binaryOp(Operation *op) {
  bool isBool = op->getResult(0).getType().isInteger(1);
  return llvm::TypeSwitch<Operation *, std::optional<ArithOp>>(op)
      .Case([](arith::AddIOp) { return ArithOp::Add; })
      .Case([](arith::SubIOp) { return ArithOp::Sub; })
      .Case([=](arith::MulIOp) { return isBool ? ArithOp::And : ArithOp::Mul; })
      .Case([](arith::DivSIOp) { return ArithOp::TruncDiv; })
      .Case([](arith::RemSIOp) { return ArithOp::TruncRem; })
      .Case([](arith::FloorDivSIOp) { return ArithOp::FloorDiv; })
      .Case([](arith::CeilDivSIOp) { return ArithOp::CeilDiv; })
      .Case([](arith::MinSIOp) { return ArithOp::Min; })
      .Case([](arith::MaxSIOp) { return ArithOp::Max; })
      .Case([](arith::AndIOp) { return ArithOp::And; })
      .Case([](arith::OrIOp) { return ArithOp::Or; })
      .Case([=](arith::XOrIOp) { return isBool ? std::optional(ArithOp::Ne) : std::nullopt; })
      .Default([](Operation *) { return std::nullopt; });
}

/// The comparison, and whether its sides change places.
std::optional<std::pair<ArithOp, bool>> comparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return {{ArithOp::Eq, false}};
  case arith::CmpIPredicate::ne:
    return {{ArithOp::Ne, false}};
  case arith::CmpIPredicate::slt:
    return {{ArithOp::Lt, false}};
  case arith::CmpIPredicate::sle:
    return {{ArithOp::Le, false}};
  case arith::CmpIPredicate::sgt:
    return {{ArithOp::Lt, true}};
  case arith::CmpIPredicate::sge:
    return {{ArithOp::Le, true}};
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::ule:
  case arith::CmpIPredicate::ugt:
  case arith::CmpIPredicate::uge:
    return std::nullopt;
  }
  return std::nullopt;
}
} // namespace

Number IndexWriter::emit(ArithOp op, Number lhs, Number rhs, Number third, schema::BlockT &block) {
  bool inSetup = lhs.inSetup && rhs.inSetup && third.inSetup;
  Term term{op, lhs.value, lhs.isRegister, rhs.value, rhs.isRegister, third.value, third.isRegister};
  if (inSetup)
    if (auto it = setupTerms.find(term); it != setupTerms.end())
      return it->second;
  Number to = newRegister(inSetup);
  schema::ArithT arith;
  arith.op = op;
  arith.to = static_cast<uint32_t>(to.value);
  arith.lhs = std::make_unique<schema::Operand>(lhs.operand());
  arith.rhs = std::make_unique<schema::Operand>(rhs.operand());
  if (op == ArithOp::Select)
    arith.third = std::make_unique<schema::Operand>(third.operand());
  append(inSetup ? setup : block, std::move(arith));
  if (inSetup)
    setupTerms[term] = to;
  return to;
}

Number IndexWriter::binary(ArithOp op, Number lhs, Number rhs, schema::BlockT &block) {
  if (!lhs.isRegister && !rhs.isRegister)
    if (std::optional<int64_t> folded = fold(op, lhs.value, rhs.value))
      return {*folded};
  if (std::optional<Number> simpler = simplify(op, lhs, rhs))
    return *simpler;
  // A division that may fail stays where it is: setup runs whatever branch is taken.
  bool mayFail = op == ArithOp::FloorDiv || op == ArithOp::CeilDiv || op == ArithOp::Mod ||
                 op == ArithOp::TruncDiv || op == ArithOp::TruncRem;
  if (mayFail && (rhs.isRegister || rhs.value <= 0) && lhs.inSetup && rhs.inSetup && &block != &setup)
    lhs.inSetup = false;
  return emit(op, lhs, rhs, {}, block);
}

Number IndexWriter::select(Number condition, Number ifTrue, Number ifFalse, schema::BlockT &block) {
  if (!condition.isRegister)
    return condition.value ? ifTrue : ifFalse;
  if (ifTrue == ifFalse)
    return ifTrue;
  return emit(ArithOp::Select, condition, ifTrue, ifFalse, block);
}

void IndexWriter::move(Number to, Number from, schema::BlockT &block) {
  if (to.operand().value() == from.value && from.isRegister)
    return;
  schema::ArithT arith;
  arith.op = ArithOp::Move;
  arith.to = static_cast<uint32_t>(to.value);
  arith.lhs = std::make_unique<schema::Operand>(from.operand());
  append(block, std::move(arith));
}

Result<Number> IndexWriter::get(Value value) const {
  auto it = numbers.find(value);
  if (it != numbers.end())
    return it->second;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return Number{value.getType().isInteger(1) ? int64_t(constant.getBoolValue()) : constant.getSExtValue()};
  return unimplemented(locationText(value.getLoc()) +
                       ": a number that programs do not compute; expected index arithmetic");
}

Status IndexWriter::write(Operation *op, schema::BlockT &block) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return {}; // get() reads it where it is used; a float that nobody uses does no harm
  auto refuse = [&] {
    return unimplemented(locationText(op->getLoc()) + ": op '" + op->getName().getStringRef() +
                         "'; programs compute with signed 64-bit integers only");
  };
  Value result = op->getNumResults() == 1 ? op->getResult(0) : Value();
  if (!result || !result.getType().isIntOrIndex())
    return refuse();
  std::vector<Number> operands;
  for (Value operand : op->getOperands()) {
    KILN_ASSIGN_OR_RETURN(Number number, get(operand));
    operands.push_back(number);
  }
  if (std::optional<ArithOp> kind = binaryOp(op)) {
    set(result, binary(*kind, operands[0], operands[1], block));
    return {};
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    auto kind = comparison(compare.getPredicate());
    if (!kind)
      return refuse();
    auto [compareOp, swapped] = *kind;
    set(result, binary(compareOp, operands[swapped], operands[!swapped], block));
    return {};
  }
  if (isa<arith::SelectOp>(op)) {
    set(result, select(operands[0], operands[1], operands[2], block));
    return {};
  }
  if (isa<arith::ExtSIOp>(op) && op->getOperand(0).getType().isInteger(1)) { // true is -1
    set(result, binary(ArithOp::Sub, {}, operands[0], block));
    return {};
  }
  // Narrowing keeps the value: shapes and counts fit, and an overflow would be an error of its own.
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op) &&
      !(isa<arith::TruncIOp>(op) && result.getType().isInteger(1))) {
    set(result, operands[0]);
    return {};
  }
  return refuse();
}
