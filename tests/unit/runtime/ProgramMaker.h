// ProgramMaker.h: makes programs and kernel objects for tests, instruction by instruction.
#ifndef KILN_TESTS_UNIT_RUNTIME_PROGRAMMAKER_H
#define KILN_TESTS_UNIT_RUNTIME_PROGRAMMAKER_H

#include "runtime/ProgramFile.h"

#include "kiln/schema/Program_generated.h"

namespace kiln::testing {

inline schema::Operand imm(int64_t value) { return {value, false}; }
inline schema::Operand reg(int64_t index) { return {index, true}; }
inline schema::Range range(uint32_t buffer, schema::Operand offset = imm(0),
                           schema::Operand length = imm(-1)) {
  return {buffer, offset, length};
}

/// A postfix expression: "c0 4 *" is constant 0 times 4.
std::unique_ptr<schema::ExprT> expr(std::string_view text);

/// A kernel object for the fake device whose code is `code`; bindings are "in", "out" or "inout" of f32.
schema::KernelObjectT kernelObject(std::string code, std::vector<std::string> bindings,
                                   uint32_t constants = 0);
std::vector<uint8_t> pack(const schema::KernelObjectT &object);
std::vector<uint8_t> pack(const schema::ProgramT &program);

template <typename ActionT> std::unique_ptr<schema::InstructionT> instruction(ActionT action) {
  auto result = std::make_unique<schema::InstructionT>();
  result->action.Set(std::move(action));
  return result;
}
template <typename... Instructions> std::unique_ptr<schema::BlockT> block(Instructions... instructions) {
  auto result = std::make_unique<schema::BlockT>();
  (result->instructions.push_back(std::move(instructions)), ...);
  return result;
}

std::unique_ptr<schema::InstructionT> launch(uint32_t kernel, std::vector<schema::Range> bindings,
                                             std::vector<schema::Operand> constants = {},
                                             std::string name = "launch", std::string location = "here");
std::unique_ptr<schema::InstructionT> arith(schema::ArithOp op, uint32_t to, schema::Operand lhs,
                                            schema::Operand rhs = imm(0), schema::Operand third = imm(0));
std::unique_ptr<schema::InstructionT> copy(schema::Range to, schema::Range from, schema::Operand bytes);
std::unique_ptr<schema::InstructionT> fill(schema::Range to, uint64_t pattern, uint32_t patternBytes,
                                           schema::Operand bytes);
std::unique_ptr<schema::InstructionT> branch(schema::Operand condition, std::unique_ptr<schema::BlockT> then,
                                             std::unique_ptr<schema::BlockT> otherwise = nullptr);
std::unique_ptr<schema::InstructionT> loop(schema::Operand count, uint32_t indexRegister,
                                           std::unique_ptr<schema::BlockT> body, int32_t condition = -1,
                                           uint64_t limit = 1000);
std::unique_ptr<schema::InstructionT> readScalar(uint32_t to, schema::Range from,
                                                 schema::DType dtype = schema::DType::I64);
std::unique_ptr<schema::InstructionT> allocate(uint32_t buffer, schema::Operand bytes);
std::unique_ptr<schema::InstructionT> release(uint32_t buffer);
std::unique_ptr<schema::InstructionT> grow(uint32_t buffer, schema::Operand bytes);
std::unique_ptr<schema::InstructionT> require(schema::Operand condition, std::string message);

/// A program under construction. Buffers are numbered in the order of the calls.
class ProgramMaker {
public:
  ProgramMaker();
  uint32_t input(std::string name, std::vector<schema::Operand> dims,
                 schema::DType dtype = schema::DType::F32);
  uint32_t output(std::string name, std::vector<schema::Operand> dims,
                  schema::DType dtype = schema::DType::F32);
  uint32_t arena(schema::Operand offset, schema::Operand bytes);
  uint32_t dynamic();
  uint32_t persistent(int64_t bytes);
  /// Floats as an inline constant.
  uint32_t constant(const std::vector<float> &values);
  /// A kernel with its object embedded; the key is derived from the code.
  uint32_t kernel(const schema::KernelObjectT &object);
  void body(std::unique_ptr<schema::InstructionT> instruction);

  schema::ProgramT program;
  /// Verifies; fails the test's EXPECT on errors of the maker's user by returning them.
  Result<ProgramFileRef> build() const;

private:
  uint32_t buffer(schema::BufferKind kind, uint32_t index, schema::Operand offset, schema::Operand bytes);
};

/// y = x * c + bias over 4 floats, with an arena temporary: a valid program that most tests start from.
ProgramMaker smallProgram();

} // namespace kiln::testing
#endif // KILN_TESTS_UNIT_RUNTIME_PROGRAMMAKER_H
