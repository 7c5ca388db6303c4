// BlockVerifier.cpp: walks instructions in order and refuses the first that could do harm, by its place.
#include "runtime/BlockVerifier.h"

#include "runtime/DType.h"
#include "runtime/Error.h"
#include "runtime/SchemaText.h"

#include <limits>

namespace kiln {

namespace {

std::string_view roleName(BlockRole role) {
  switch (role) {
  case BlockRole::Setup:
    return "setup";
  case BlockRole::Prologue:
    return "the prologue";
  case BlockRole::Body:
    return "the body";
  }
  return "a block";
}

// "[3] (Launch 'conv_1')"
std::string placeOf(const std::string &block, uint32_t index, const schema::Instruction &instruction) {
  const char *kind = schema::EnumNameAction(instruction.action_type());
  if (const schema::Launch *launch = instruction.action_as_Launch(); launch && launch->name())
    return fmt::format("{}[{}] ({} '{}')", block, index, kind, view(launch->name()));
  return fmt::format("{}[{}] ({})", block, index, kind);
}

} // namespace

Status verifyOperandOf(const schema::Operand *operand, uint32_t registerCount, int64_t least,
                       std::string_view what, std::string_view place) {
  if (!operand)
    return invalidArgument("{}: {}: absent; expected a number or a register", place, what);
  if (operand->is_register()) {
    if (operand->value() < 0 || operand->value() >= registerCount)
      return invalidArgument("{}: {}: register {}; the program has {}", place, what, operand->value(),
                             registerCount);
    return {};
  }
  if (operand->value() < least)
    return invalidArgument("{}: {}: {}; expected at least {}", place, what, operand->value(), least);
  return {};
}

BlockVerifier::BlockVerifier(const ProgramTables &tables, BlockRole role)
    : tables(tables), role(role), written(tables.registerCount, false) {}

Status BlockVerifier::verify(const schema::Block *block, std::string_view name) {
  return block ? verifyBlock(block, std::string(name), 1) : Status();
}

Status BlockVerifier::verifyBlock(const schema::Block *block, const std::string &place, uint32_t depth) {
  if (depth > kMaxNesting)
    return invalidArgument("{}: nested {} deep; at most {}", place, depth, kMaxNesting);
  if (!block->instructions())
    return {};
  for (uint32_t i = 0; i < block->instructions()->size(); ++i) {
    const schema::Instruction &instruction = *block->instructions()->Get(i);
    KILN_RETURN_IF_ERROR(verifyInstruction(instruction, placeOf(place, i, instruction), depth));
  }
  return {};
}

Status BlockVerifier::verifyInstruction(const schema::Instruction &instruction, const std::string &place,
                                        uint32_t depth) {
  schema::Action type = instruction.action_type();
  if (type == schema::Action::NONE || type > schema::Action::MAX || !instruction.action())
    return invalidArgument("{}: action {}; expected one from 1 to {}", place, static_cast<int>(type),
                           static_cast<int>(schema::Action::MAX));
  if (role == BlockRole::Setup && type != schema::Action::Arith && type != schema::Action::Require)
    return invalidArgument(
        "{}: not allowed in setup, which runs before there are buffers; only Arith and Require", place);
  switch (type) {
  case schema::Action::NONE:
    break;
  case schema::Action::Launch:
    return verifyLaunch(*instruction.action_as_Launch(), place);
  case schema::Action::Copy:
    return verifyCopy(*instruction.action_as_Copy(), place);
  case schema::Action::Fill:
    return verifyFill(*instruction.action_as_Fill(), place);
  case schema::Action::Arith:
    return verifyArith(*instruction.action_as_Arith(), place);
  case schema::Action::If:
    return verifyIf(*instruction.action_as_If(), place, depth);
  case schema::Action::Loop:
    return verifyLoop(*instruction.action_as_Loop(), place, depth);
  case schema::Action::ReadScalar:
    return verifyReadScalar(*instruction.action_as_ReadScalar(), place);
  case schema::Action::Allocate:
    return verifyAllocate(*instruction.action_as_Allocate(), place);
  case schema::Action::Free:
    return verifyFree(*instruction.action_as_Free(), place);
  case schema::Action::Grow:
    return verifyGrow(*instruction.action_as_Grow(), place);
  case schema::Action::Require:
    return verifyRequire(*instruction.action_as_Require(), place);
  }
  return {};
}

Status BlockVerifier::verifyOperand(const schema::Operand *operand, std::string_view what,
                                    const std::string &place) const {
  KILN_RETURN_IF_ERROR(
      verifyOperandOf(operand, tables.registerCount, std::numeric_limits<int64_t>::min(), what, place));
  if (role == BlockRole::Prologue && operand->is_register() && !written[operand->value()])
    return invalidArgument("{}: {}: register {} has no value in the prologue, which knows no inputs", place,
                           what, operand->value());
  return {};
}

Status BlockVerifier::verifyTarget(uint32_t index, const std::string &place) {
  if (index >= tables.registerCount)
    return invalidArgument("{}: to: register {}; the program has {}", place, index, tables.registerCount);
  written[index] = true;
  return {};
}

Status BlockVerifier::verifyRange(const schema::Range &range, std::string_view what,
                                  const std::string &place) const {
  const auto *buffers = tables.program->buffers();
  uint32_t count = buffers ? buffers->size() : 0;
  if (range.buffer() >= count)
    return invalidArgument("{}: {}: buffer {}; the program has {}", place, what, range.buffer(), count);
  schema::BufferKind kind = buffers->Get(range.buffer())->kind();
  if (role == BlockRole::Prologue &&
      (kind == schema::BufferKind::Input || kind == schema::BufferKind::Output))
    return invalidArgument("{}: {}: buffer {} is an {}; the prologue runs before there are any", place, what,
                           range.buffer(), kind == schema::BufferKind::Input ? "input" : "output");
  std::string part = fmt::format("{} offset", what);
  KILN_RETURN_IF_ERROR(verifyOperand(&range.offset(), part, place));
  KILN_RETURN_IF_ERROR(verifyOperand(&range.length(), fmt::format("{} length", what), place));
  int64_t offset = range.offset().is_register() ? 0 : range.offset().value();
  int64_t length = range.length().is_register() ? 0 : range.length().value();
  if (offset < 0 || length < -1)
    return invalidArgument("{}: {}: offset {}, length {}; expected no negative numbers but length -1", place,
                           what, offset, length);
  const std::optional<uint64_t> &bytes = tables.bufferBytes[range.buffer()];
  uint64_t end = static_cast<uint64_t>(offset) + static_cast<uint64_t>(length == -1 ? 0 : length);
  if (bytes && end > *bytes)
    return invalidArgument("{}: {}: bytes [{}, {}) of buffer {}; it has {}", place, what, offset, end,
                           range.buffer(), *bytes);
  return {};
}

Status BlockVerifier::verifyWritable(const schema::Range &range, std::string_view what,
                                     const std::string &place) const {
  KILN_RETURN_IF_ERROR(verifyRange(range, what, place));
  schema::BufferKind kind = tables.program->buffers()->Get(range.buffer())->kind();
  bool readOnly = kind == schema::BufferKind::Input || kind == schema::BufferKind::Constant ||
                  (kind == schema::BufferKind::Persistent && role != BlockRole::Prologue);
  if (readOnly)
    return invalidArgument("{}: {}: writes to buffer {}, which is {} and read-only in {}", place, what,
                           range.buffer(), schema::EnumNameBufferKind(kind), roleName(role));
  return {};
}

Status BlockVerifier::verifyLaunch(const schema::Launch &launch, const std::string &place) {
  if (launch.kernel() >= tables.kernels.size())
    return invalidArgument("{}: kernel {}; the program has {}", place, launch.kernel(),
                           tables.kernels.size());
  const CompiledKernelRef &kernel = tables.kernels[launch.kernel()];
  size_t bindingCount = launch.bindings() ? launch.bindings()->size() : 0;
  size_t constantCount = launch.constants() ? launch.constants()->size() : 0;
  if (kernel && kernel->metadata().bindings.size() != bindingCount)
    return invalidArgument("{}: {} bindings; kernel '{}' has {}", place, bindingCount,
                           kernel->metadata().name, kernel->metadata().bindings.size());
  if (kernel && kernel->metadata().constantCount != constantCount)
    return invalidArgument("{}: {} constants; kernel '{}' has {}", place, constantCount,
                           kernel->metadata().name, kernel->metadata().constantCount);
  for (uint32_t i = 0; i < bindingCount; ++i) {
    std::string what = fmt::format("binding {}", i);
    const schema::Range &range = *launch.bindings()->Get(i);
    bool writes = kernel && kernel->metadata().bindings[i].kind != kiln::BindingKind::In;
    KILN_RETURN_IF_ERROR(writes ? verifyWritable(range, what, place) : verifyRange(range, what, place));
  }
  for (uint32_t i = 0; i < constantCount; ++i)
    KILN_RETURN_IF_ERROR(verifyOperand(launch.constants()->Get(i), fmt::format("constant {}", i), place));
  return {};
}

Status BlockVerifier::verifyCopy(const schema::Copy &copy, const std::string &place) {
  KILN_RETURN_IF_ERROR(verifyWritable(*copy.to(), "to", place));
  KILN_RETURN_IF_ERROR(verifyRange(*copy.from(), "from", place));
  KILN_RETURN_IF_ERROR(verifyOperand(copy.bytes(), "bytes", place));
  return verifyOperandOf(copy.bytes(), tables.registerCount, 0, "bytes", place);
}

Status BlockVerifier::verifyRequire(const schema::Require &require, const std::string &place) const {
  KILN_RETURN_IF_ERROR(verifyOperand(require.condition(), "condition", place));
  if (require.values())
    for (const schema::Operand *value : *require.values())
      KILN_RETURN_IF_ERROR(verifyOperand(value, "value", place));
  return {};
}

Status BlockVerifier::verifyFill(const schema::Fill &fill, const std::string &place) {
  KILN_RETURN_IF_ERROR(verifyWritable(*fill.to(), "to", place));
  KILN_RETURN_IF_ERROR(verifyOperand(fill.bytes(), "bytes", place));
  KILN_RETURN_IF_ERROR(verifyOperandOf(fill.bytes(), tables.registerCount, 0, "bytes", place));
  uint32_t pattern = fill.pattern_bytes();
  if (pattern != 1 && pattern != 2 && pattern != 4 && pattern != 8)
    return invalidArgument("{}: pattern of {} bytes; expected 1, 2, 4 or 8", place, pattern);
  if (!fill.bytes()->is_register() && fill.bytes()->value() % pattern != 0)
    return invalidArgument("{}: {} bytes; expected a multiple of the pattern's {}", place,
                           fill.bytes()->value(), pattern);
  return {};
}

Status BlockVerifier::verifyArith(const schema::Arith &arith, const std::string &place) {
  if (arith.op() > schema::ArithOp::MAX)
    return invalidArgument("{}: operation {}; the last known is {}", place, static_cast<int>(arith.op()),
                           static_cast<int>(schema::ArithOp::MAX));
  KILN_RETURN_IF_ERROR(verifyOperand(arith.lhs(), "lhs", place));
  bool unary = arith.op() == schema::ArithOp::Move || arith.op() == schema::ArithOp::Not;
  if (!unary)
    KILN_RETURN_IF_ERROR(verifyOperand(arith.rhs(), "rhs", place));
  if (arith.op() == schema::ArithOp::Select)
    KILN_RETURN_IF_ERROR(verifyOperand(arith.third(), "third", place));
  return verifyTarget(arith.to(), place);
}

Status BlockVerifier::verifyIf(const schema::If &branch, const std::string &place, uint32_t depth) {
  KILN_RETURN_IF_ERROR(verifyOperand(branch.condition(), "condition", place));
  KILN_RETURN_IF_ERROR(verifyBlock(branch.then(), place + ".then", depth + 1));
  return branch.otherwise() ? verifyBlock(branch.otherwise(), place + ".otherwise", depth + 1) : Status();
}

Status BlockVerifier::verifyLoop(const schema::Loop &loop, const std::string &place, uint32_t depth) {
  KILN_RETURN_IF_ERROR(verifyOperand(loop.count(), "count", place));
  KILN_RETURN_IF_ERROR(verifyOperandOf(loop.count(), tables.registerCount, -1, "count", place));
  KILN_RETURN_IF_ERROR(verifyTarget(loop.index_register(), place));
  if (loop.condition_register() < -1 ||
      (loop.condition_register() >= 0 &&
       static_cast<uint32_t>(loop.condition_register()) >= tables.registerCount))
    return invalidArgument("{}: condition: register {}; the program has {}", place, loop.condition_register(),
                           tables.registerCount);
  bool unbounded = !loop.count()->is_register() && loop.count()->value() == -1;
  if (unbounded && loop.condition_register() == -1)
    return invalidArgument("{}: neither a count nor a condition ends it", place);
  if (loop.limit() == 0)
    return invalidArgument("{}: limit 0; expected at least 1", place);
  return verifyBlock(loop.body(), place + ".body", depth + 1);
}

Status BlockVerifier::verifyReadScalar(const schema::ReadScalar &read, const std::string &place) {
  auto dtype = static_cast<KilnDType>(read.dtype());
  if (!isScalarInteger(dtype))
    return invalidArgument("{}: element type {}; a register holds integers", place, dtypeName(dtype));
  KILN_RETURN_IF_ERROR(verifyRange(*read.from(), "from", place));
  const schema::Operand &length = read.from()->length();
  if (!length.is_register() && length.value() != -1 && length.value() < dtypeBits(dtype) / 8)
    return invalidArgument("{}: from: {} bytes; a {} has {}", place, length.value(), dtypeName(dtype),
                           dtypeBits(dtype) / 8);
  return verifyTarget(read.to(), place);
}

Status BlockVerifier::verifyAllocate(const schema::Allocate &allocate, const std::string &place) {
  const auto *buffers = tables.program->buffers();
  uint32_t count = buffers ? buffers->size() : 0;
  if (allocate.buffer() >= count)
    return invalidArgument("{}: buffer {}; the program has {}", place, allocate.buffer(), count);
  schema::BufferKind kind = buffers->Get(allocate.buffer())->kind();
  bool allowed =
      kind == schema::BufferKind::Dynamic || (kind == schema::BufferKind::Output && role == BlockRole::Body);
  if (!allowed)
    return invalidArgument("{}: buffer {} is {}; expected Dynamic{}", place, allocate.buffer(),
                           schema::EnumNameBufferKind(kind), role == BlockRole::Body ? " or Output" : "");
  KILN_RETURN_IF_ERROR(verifyOperand(allocate.bytes(), "bytes", place));
  return verifyOperandOf(allocate.bytes(), tables.registerCount, 0, "bytes", place);
}

Status BlockVerifier::verifyDynamic(uint32_t buffer, const std::string &place) const {
  const auto *buffers = tables.program->buffers();
  uint32_t count = buffers ? buffers->size() : 0;
  if (buffer >= count)
    return invalidArgument("{}: buffer {}; the program has {}", place, buffer, count);
  schema::BufferKind kind = buffers->Get(buffer)->kind();
  if (kind != schema::BufferKind::Dynamic)
    return invalidArgument("{}: buffer {} is {}; expected Dynamic", place, buffer,
                           schema::EnumNameBufferKind(kind));
  return {};
}

Status BlockVerifier::verifyFree(const schema::Free &release, const std::string &place) {
  return verifyDynamic(release.buffer(), place);
}

Status BlockVerifier::verifyGrow(const schema::Grow &grow, const std::string &place) {
  KILN_RETURN_IF_ERROR(verifyDynamic(grow.buffer(), place));
  KILN_RETURN_IF_ERROR(verifyOperand(grow.bytes(), "bytes", place));
  return verifyOperandOf(grow.bytes(), tables.registerCount, 0, "bytes", place);
}

} // namespace kiln
