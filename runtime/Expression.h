// Expression.h: expressions over a launch's constants: grid, workspace, least buffer lengths, cost.
#ifndef KILN_RUNTIME_EXPRESSION_H
#define KILN_RUNTIME_EXPRESSION_H

#include "kiln/Status.h"

#include <span>
#include <string_view>
#include <vector>

namespace kiln {

namespace schema {
struct Expr;
}

/// A checked postfix program (Expr of Kernel.fbs). Immutable after decode; safe from any thread.
class Expression {
public:
  static constexpr size_t kMaxNodes = 1024;
  static constexpr size_t kMaxStack = 32;

  Expression() = default; // absent
  /// The stack discipline and constant indices are checked here; `where` names the expression in errors.
  /// An absent `expr` gives an absent Expression.
  static Result<Expression> decode(const schema::Expr *expr, uint32_t constantCount, std::string_view where);
  static Expression literal(int64_t value);

  bool present() const { return !nodes.empty(); }
  bool isLiteral() const { return nodes.size() == 1 && nodes[0].op == Op::Literal; }
  /// `constants` has at least as many entries as decode was told. Fails with OutOfRange on overflow or a
  /// division by zero, with the operation; an absent expression is an InvalidArgument.
  Result<int64_t> evaluate(std::span<const int64_t> constants) const;

private:
  enum class Op : uint8_t { Literal, Constant, Add, Sub, Mul, FloorDiv, CeilDiv, Mod, Min, Max };
  struct Node {
    int64_t value;
    Op op;
  };
  std::vector<Node> nodes;
};

} // namespace kiln
#endif // KILN_RUNTIME_EXPRESSION_H
