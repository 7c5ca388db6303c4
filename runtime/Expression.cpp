// Expression.cpp: decodes and evaluates postfix expressions on a fixed stack.
#include "runtime/Expression.h"

#include "runtime/CheckedMath.h"
#include "runtime/Error.h"

#include "kiln/schema/Kernel_generated.h"

#include <algorithm>

namespace kiln {

Expression Expression::literal(int64_t value) {
  Expression expression;
  expression.nodes.push_back({value, Op::Literal});
  return expression;
}

Result<Expression> Expression::decode(const schema::Expr *expr, uint32_t constantCount,
                                      std::string_view where) {
  Expression expression;
  if (!expr || !expr->nodes() || expr->nodes()->size() == 0)
    return expression;
  if (expr->nodes()->size() > kMaxNodes)
    return invalidArgument("{}: {} nodes; at most {} are allowed", where, expr->nodes()->size(), kMaxNodes);
  size_t depth = 0;
  for (const schema::ExprNode *node : *expr->nodes()) {
    if (node->op() > schema::ExprOp::MAX)
      return invalidArgument("{}: operation {}; the last known is {}", where, static_cast<int>(node->op()),
                             static_cast<int>(schema::ExprOp::MAX));
    auto op = static_cast<Op>(node->op());
    if (op == Op::Constant && (node->value() < 0 || node->value() >= constantCount))
      return invalidArgument("{}: constant {}; the kernel has {}", where, node->value(), constantCount);
    if (op == Op::Literal || op == Op::Constant)
      ++depth;
    else if (depth < 2)
      return invalidArgument("{}: operation {} has {} operands; expected 2", where, static_cast<int>(op),
                             depth);
    else
      --depth;
    if (depth > kMaxStack)
      return invalidArgument("{}: more than {} values on the stack", where, kMaxStack);
    expression.nodes.push_back({node->value(), op});
  }
  if (depth != 1)
    return invalidArgument("{}: leaves {} values; expected 1", where, depth);
  return expression;
}

Result<int64_t> Expression::evaluate(std::span<const int64_t> constants) const {
  if (nodes.empty())
    return invalidArgument("expression: absent; expected at least one node");
  if (isLiteral())
    return nodes[0].value;
  int64_t stack[kMaxStack];
  size_t depth = 0;
  for (const Node &node : nodes) {
    if (node.op == Op::Literal || node.op == Op::Constant) {
      stack[depth++] = node.op == Op::Literal ? node.value : constants[node.value];
      continue;
    }
    int64_t rhs = stack[--depth];
    int64_t &lhs = stack[depth - 1];
    int64_t left = lhs;
    MathFault fault = MathFault::None;
    switch (node.op) {
    case Op::Literal:
    case Op::Constant:
      break;
    case Op::Add:
      fault = checkedAdd(left, rhs, lhs);
      break;
    case Op::Sub:
      fault = checkedSub(left, rhs, lhs);
      break;
    case Op::Mul:
      fault = checkedMul(left, rhs, lhs);
      break;
    case Op::FloorDiv:
      fault = checkedFloorDiv(left, rhs, lhs);
      break;
    case Op::CeilDiv:
      fault = checkedCeilDiv(left, rhs, lhs);
      break;
    case Op::Mod:
      fault = checkedMod(left, rhs, lhs);
      break;
    case Op::Min:
      lhs = std::min(left, rhs);
      break;
    case Op::Max:
      lhs = std::max(left, rhs);
      break;
    }
    if (fault != MathFault::None)
      return outOfRange("{} of {} and {}: {}", schema::EnumNameExprOp(static_cast<schema::ExprOp>(node.op)),
                        left, rhs, mathFaultName(fault));
  }
  return stack[0];
}

} // namespace kiln
