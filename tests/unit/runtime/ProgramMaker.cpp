// ProgramMaker.cpp: over the object API that flatc generates.
#include "tests/unit/runtime/ProgramMaker.h"

#include "runtime/Sha256.h"

#include <map>
#include <sstream>

namespace kiln::testing {

using namespace schema;

std::unique_ptr<ExprT> expr(std::string_view text) {
  static const std::map<std::string, ExprOp> ops = {
      {"+", ExprOp::Add},        {"-", ExprOp::Sub}, {"*", ExprOp::Mul},   {"/", ExprOp::FloorDiv},
      {"ceil", ExprOp::CeilDiv}, {"%", ExprOp::Mod}, {"min", ExprOp::Min}, {"max", ExprOp::Max}};
  auto result = std::make_unique<ExprT>();
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (auto op = ops.find(word); op != ops.end())
      result->nodes.emplace_back(0, op->second);
    else if (word[0] == 'c')
      result->nodes.emplace_back(std::stoll(word.substr(1)), ExprOp::Constant);
    else
      result->nodes.emplace_back(std::stoll(word), ExprOp::Literal);
  }
  return result;
}

KernelObjectT kernelObject(std::string code, std::vector<std::string> bindings, uint32_t constants) {
  KernelObjectT object;
  object.name = code;
  object.key = Sha256::of(std::string_view(code));
  object.format = "fake-obj";
  object.symbol = code;
  object.target = std::make_unique<TargetT>();
  object.target->device_type = "fake";
  object.constant_count = constants;
  for (const std::string &kind : bindings) {
    auto info = std::make_unique<BindingInfoT>();
    info->kind = kind == "in"    ? schema::BindingKind::In
                 : kind == "out" ? schema::BindingKind::Out
                                 : schema::BindingKind::InOut;
    info->dtype = DType::F32;
    info->alignment_bytes = 4;
    object.bindings.push_back(std::move(info));
  }
  object.template_ = "fake-template";
  object.object.assign(code.begin(), code.end());
  return object;
}

std::vector<uint8_t> pack(const KernelObjectT &object) {
  flatbuffers::FlatBufferBuilder builder;
  FinishKernelObjectBuffer(builder, KernelObject::Pack(builder, &object));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

std::vector<uint8_t> pack(const ProgramT &program) {
  flatbuffers::FlatBufferBuilder builder;
  FinishProgramBuffer(builder, Program::Pack(builder, &program));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

std::unique_ptr<InstructionT> launch(uint32_t kernel, std::vector<Range> bindings,
                                     std::vector<Operand> constants, std::string name, std::string location) {
  LaunchT action;
  action.kernel = kernel;
  action.bindings = std::move(bindings);
  action.constants = std::move(constants);
  action.name = std::move(name);
  action.location = std::move(location);
  return instruction(std::move(action));
}

std::unique_ptr<InstructionT> arith(ArithOp op, uint32_t to, Operand lhs, Operand rhs, Operand third) {
  ArithT action;
  action.op = op;
  action.to = to;
  action.lhs = std::make_unique<Operand>(lhs);
  action.rhs = std::make_unique<Operand>(rhs);
  action.third = std::make_unique<Operand>(third);
  return instruction(std::move(action));
}

std::unique_ptr<InstructionT> copy(Range to, Range from, Operand bytes) {
  CopyT action;
  action.to = std::make_unique<Range>(to);
  action.from = std::make_unique<Range>(from);
  action.bytes = std::make_unique<Operand>(bytes);
  return instruction(std::move(action));
}

std::unique_ptr<InstructionT> fill(Range to, uint64_t pattern, uint32_t patternBytes, Operand bytes) {
  FillT action;
  action.to = std::make_unique<Range>(to);
  action.pattern = pattern;
  action.pattern_bytes = patternBytes;
  action.bytes = std::make_unique<Operand>(bytes);
  return instruction(std::move(action));
}

std::unique_ptr<InstructionT> branch(Operand condition, std::unique_ptr<BlockT> then,
                                     std::unique_ptr<BlockT> otherwise) {
  IfT action;
  action.condition = std::make_unique<Operand>(condition);
  action.then = std::move(then);
  action.otherwise = std::move(otherwise);
  return instruction(std::move(action));
}

std::unique_ptr<InstructionT> loop(Operand count, uint32_t indexRegister, std::unique_ptr<BlockT> body,
                                   int32_t condition, uint64_t limit) {
  LoopT action;
  action.count = std::make_unique<Operand>(count);
  action.index_register = indexRegister;
  action.body = std::move(body);
  action.condition_register = condition;
  action.limit = limit;
  return instruction(std::move(action));
}

std::unique_ptr<InstructionT> readScalar(uint32_t to, Range from, DType dtype) {
  ReadScalarT action;
  action.to = to;
  action.from = std::make_unique<Range>(from);
  action.dtype = dtype;
  action.name = "count";
  return instruction(std::move(action));
}

std::unique_ptr<InstructionT> allocate(uint32_t buffer, Operand bytes) {
  AllocateT action;
  action.buffer = buffer;
  action.bytes = std::make_unique<Operand>(bytes);
  return instruction(std::move(action));
}

std::unique_ptr<InstructionT> release(uint32_t buffer) {
  FreeT action;
  action.buffer = buffer;
  return instruction(std::move(action));
}

std::unique_ptr<InstructionT> grow(uint32_t buffer, Operand bytes) {
  GrowT action;
  action.buffer = buffer;
  action.bytes = std::make_unique<Operand>(bytes);
  return instruction(std::move(action));
}

std::unique_ptr<InstructionT> require(Operand condition, std::string message) {
  RequireT action;
  action.condition = std::make_unique<Operand>(condition);
  action.message = std::move(message);
  action.location = "model.onnx: node 'r'";
  return instruction(std::move(action));
}

ProgramMaker::ProgramMaker() {
  program.name = "test";
  program.function = "main";
  program.target = std::make_unique<TargetT>();
  program.target->device_type = "fake";
  program.arena_bytes = std::make_unique<Operand>(imm(0));
  program.body = std::make_unique<BlockT>();
}

uint32_t ProgramMaker::buffer(BufferKind kind, uint32_t index, Operand offset, Operand bytes) {
  auto entry = std::make_unique<BufferT>();
  entry->kind = kind;
  entry->index = index;
  entry->offset = std::make_unique<Operand>(offset);
  entry->bytes = std::make_unique<Operand>(bytes);
  program.buffers.push_back(std::move(entry));
  return static_cast<uint32_t>(program.buffers.size() - 1);
}

static std::unique_ptr<PortT> port(std::string name, std::vector<Operand> dims, DType dtype, size_t buffer) {
  auto entry = std::make_unique<PortT>();
  entry->name = std::move(name);
  entry->dims = std::move(dims);
  entry->dtype = dtype;
  entry->buffer = static_cast<uint32_t>(buffer);
  return entry;
}

uint32_t ProgramMaker::input(std::string name, std::vector<Operand> dims, DType dtype) {
  program.inputs.push_back(port(std::move(name), std::move(dims), dtype, program.buffers.size()));
  return buffer(BufferKind::Input, static_cast<uint32_t>(program.inputs.size() - 1), imm(0), imm(0));
}
uint32_t ProgramMaker::output(std::string name, std::vector<Operand> dims, DType dtype) {
  program.outputs.push_back(port(std::move(name), std::move(dims), dtype, program.buffers.size()));
  return buffer(BufferKind::Output, static_cast<uint32_t>(program.outputs.size() - 1), imm(0), imm(0));
}
uint32_t ProgramMaker::arena(Operand offset, Operand bytes) {
  return buffer(BufferKind::Arena, 0, offset, bytes);
}
uint32_t ProgramMaker::dynamic() { return buffer(BufferKind::Dynamic, 0, imm(0), imm(0)); }
uint32_t ProgramMaker::persistent(int64_t bytes) {
  return buffer(BufferKind::Persistent, 0, imm(0), imm(bytes));
}

uint32_t ProgramMaker::constant(const std::vector<float> &values) {
  auto entry = std::make_unique<ConstantT>();
  const auto *bytes = reinterpret_cast<const uint8_t *>(values.data());
  entry->inline_data.assign(bytes, bytes + values.size() * sizeof(float));
  entry->bytes = entry->inline_data.size();
  entry->digest = Sha256::of(ByteSpan(entry->inline_data));
  entry->name = "weight";
  program.constants.push_back(std::move(entry));
  return buffer(BufferKind::Constant, static_cast<uint32_t>(program.constants.size() - 1), imm(0), imm(0));
}

uint32_t ProgramMaker::kernel(const KernelObjectT &object) {
  auto entry = std::make_unique<KernelRefT>();
  entry->key = object.key;
  entry->name = object.name;
  entry->object = pack(object);
  program.kernels.push_back(std::move(entry));
  return static_cast<uint32_t>(program.kernels.size() - 1);
}

void ProgramMaker::body(std::unique_ptr<InstructionT> instruction) {
  program.body->instructions.push_back(std::move(instruction));
}

Result<ProgramFileRef> ProgramMaker::build() const { return ProgramFile::fromBytes(pack(program), "test"); }

ProgramMaker smallProgram() {
  ProgramMaker maker;
  uint32_t x = maker.input("x", {imm(4)});
  uint32_t y = maker.output("y", {imm(4)});
  uint32_t c = maker.constant({1, 2, 3, 4});
  maker.program.arena_bytes = std::make_unique<Operand>(imm(64));
  uint32_t t = maker.arena(imm(0), imm(16));
  uint32_t mul = maker.kernel(kernelObject("mul", {"in", "in", "out"}));
  uint32_t add = maker.kernel(kernelObject("add", {"in", "in", "out"}));
  maker.body(launch(mul, {range(x), range(c), range(t)}, {}, "mul_1", "model.onnx: node 'mul_1'"));
  maker.body(launch(add, {range(t), range(c), range(y)}, {}, "add_1", "model.onnx: node 'add_1'"));
  return maker;
}

} // namespace kiln::testing
