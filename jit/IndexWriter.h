// IndexWriter.h: turns index arithmetic into a program's registers and Arith instructions.
#ifndef KILN_JIT_INDEXWRITER_H
#define KILN_JIT_INDEXWRITER_H

#include "kiln/Status.h"

#include "kiln/schema/Program_generated.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <tuple>

namespace kiln::jit {

/// A number, or a register and whether setup has written it.
struct Number {
  int64_t value = 0;
  bool isRegister = false;
  bool inSetup = true; // known before the body runs
  bool operator==(const Number &) const = default;
  schema::Operand operand() const { return schema::Operand(value, isRegister); }
};

/// The registers of one program. What inputs' extents decide goes to setup, once for equal computations; the
/// rest to the block where it stands. Used by one thread.
class IndexWriter {
public:
  explicit IndexWriter(schema::BlockT &setup) : setup(setup) {}

  Number newRegister(bool inSetup) { return {static_cast<int64_t>(registerCount++), true, inSetup}; }
  uint32_t registers() const { return registerCount; }

  /// lhs op rhs, folded if both are numbers. `block` is where it goes if setup cannot know it.
  Number binary(schema::ArithOp op, Number lhs, Number rhs, schema::BlockT &block);
  Number select(Number condition, Number ifTrue, Number ifFalse, schema::BlockT &block);
  /// to = from, in `block`; `to` is a register that is written several times.
  void move(Number to, Number from, schema::BlockT &block);

  /// The value of an integer or index that an arith op defined, or that was set.
  Result<Number> get(mlir::Value value) const;
  void set(mlir::Value value, Number number) { numbers[value] = number; }
  /// Writes an op of dialect arith. Unimplemented: one that registers cannot compute, by name and place.
  Status write(mlir::Operation *op, schema::BlockT &block);

private:
  Number emit(schema::ArithOp op, Number lhs, Number rhs, Number third, schema::BlockT &block);

  schema::BlockT &setup;
  uint32_t registerCount = 0;
  llvm::DenseMap<mlir::Value, Number> numbers;
  using Term = std::tuple<schema::ArithOp, int64_t, bool, int64_t, bool, int64_t, bool>;
  std::map<Term, Number> setupTerms;
};

/// As the object API of flatc holds operands.
inline std::unique_ptr<schema::Operand> boxed(Number number) {
  return std::make_unique<schema::Operand>(number.operand());
}

/// Appends an instruction to a block.
template <typename Action> void append(schema::BlockT &block, Action &&action) {
  auto instruction = std::make_unique<schema::InstructionT>();
  instruction->action.Set(std::forward<Action>(action));
  block.instructions.push_back(std::move(instruction));
}

} // namespace kiln::jit
#endif // KILN_JIT_INDEXWRITER_H
