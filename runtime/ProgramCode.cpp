// ProgramCode.cpp: flattens blocks: If becomes Branch and Jump, Loop becomes LoopInit, LoopTest and LoopNext.
#include "runtime/ProgramCode.h"

#include "kiln/schema/Program_generated.h"
#include "runtime/SchemaText.h"

#include <algorithm>

namespace kiln {

namespace {

OperandCode decode(const schema::Operand *operand) {
  return operand ? OperandCode{operand->value(), operand->is_register()} : OperandCode{};
}
RangeCode decode(const schema::Range &range) {
  return {range.buffer(), decode(&range.offset()), decode(&range.length())};
}

template <typename T> uint32_t append(std::vector<T> &table, T entry) {
  table.push_back(std::move(entry));
  return static_cast<uint32_t>(table.size() - 1);
}

/// Appends one block's instructions to `out`. Used once a block.
class BlockDecoder {
public:
  BlockDecoder(ProgramCode &code, std::vector<InstructionCode> &out) : code(code), out(out) {}

  void decodeBlock(const schema::Block *block) {
    if (block)
      for (uint32_t i = 0; i < sizeOf(block->instructions()); ++i)
        decodeInstruction(*block->instructions()->Get(i));
  }
  uint32_t emit(Opcode opcode, uint32_t index = 0, uint32_t target = 0) {
    return append(out, InstructionCode{opcode, index, target});
  }

private:
  uint32_t here() const { return static_cast<uint32_t>(out.size()); }

  void decodeInstruction(const schema::Instruction &instruction) {
    switch (instruction.action_type()) {
    case schema::Action::NONE:
      return;
    case schema::Action::Launch:
      return decodeLaunch(*instruction.action_as_Launch());
    case schema::Action::Copy: {
      const schema::Copy &copy = *instruction.action_as_Copy();
      emit(Opcode::Copy,
           append(code.copies, {decode(*copy.to()), decode(*copy.from()), decode(copy.bytes())}));
      return;
    }
    case schema::Action::Fill: {
      const schema::Fill &fill = *instruction.action_as_Fill();
      emit(Opcode::Fill, append(code.fills, {decode(*fill.to()), fill.pattern(), fill.pattern_bytes(),
                                             decode(fill.bytes())}));
      return;
    }
    case schema::Action::Arith: {
      const schema::Arith &arith = *instruction.action_as_Arith();
      emit(Opcode::Arith,
           append(code.ariths, {static_cast<ArithCode>(arith.op()), arith.to(), decode(arith.lhs()),
                                decode(arith.rhs()), decode(arith.third())}));
      return;
    }
    case schema::Action::If:
      return decodeIf(*instruction.action_as_If());
    case schema::Action::Loop:
      return decodeLoop(*instruction.action_as_Loop());
    case schema::Action::ReadScalar: {
      const schema::ReadScalar &read = *instruction.action_as_ReadScalar();
      emit(Opcode::ReadScalar, append(code.reads, {read.to(), decode(*read.from()),
                                                   static_cast<KilnDType>(read.dtype()), text(read.name())}));
      return;
    }
    case schema::Action::Allocate: {
      const schema::Allocate &allocate = *instruction.action_as_Allocate();
      emit(Opcode::Allocate, append(code.allocates, {allocate.buffer(), decode(allocate.bytes())}));
      const BufferCode &buffer = code.buffers[allocate.buffer()];
      if (buffer.kind == BufferClass::Output)
        code.outputs[buffer.index].allocatedByBody = true;
      return;
    }
    case schema::Action::Free:
      emit(Opcode::Free, instruction.action_as_Free()->buffer());
      return;
    case schema::Action::Grow: {
      const schema::Grow &grow = *instruction.action_as_Grow();
      emit(Opcode::Grow, append(code.allocates, {grow.buffer(), decode(grow.bytes())}));
      return;
    }
    case schema::Action::Require: {
      const schema::Require &require = *instruction.action_as_Require();
      RequireInstruction decoded{
          decode(require.condition()), text(require.message()), text(require.location()), {}};
      if (require.values())
        for (const schema::Operand *value : *require.values())
          decoded.values.push_back(decode(value));
      emit(Opcode::Require, append(code.requires_, std::move(decoded)));
      return;
    }
    }
  }

  void decodeLaunch(const schema::Launch &launch) {
    LaunchInstruction &entry = code.launches.emplace_back();
    entry.kernel = launch.kernel();
    for (uint32_t i = 0; i < sizeOf(launch.bindings()); ++i)
      entry.bindings.push_back(decode(*launch.bindings()->Get(i)));
    for (uint32_t i = 0; i < sizeOf(launch.constants()); ++i)
      entry.constants.push_back(decode(launch.constants()->Get(i)));
    entry.name = text(launch.name());
    entry.location = text(launch.location());
    for (uint32_t i = 0; i < sizeOf(launch.op_locations()); ++i)
      entry.opLocations.push_back(text(launch.op_locations()->Get(i)));
    for (const std::string &location : entry.opLocations)
      entry.opLocationViews.push_back(toStr(location));
    entry.site = {sizeof(KilnLaunchSite), toStr(entry.name), toStr(entry.location),
                  entry.opLocationViews.data(), entry.opLocationViews.size()};
    entry.geometry.constants.resize(entry.constants.size());
    entry.geometry.requiredBytes.resize(entry.bindings.size());
    decodeRepeat(entry);
    code.maxConstants = std::max(code.maxConstants, entry.constants.size());
    emit(Opcode::Launch, static_cast<uint32_t>(code.launches.size() - 1));
  }

  void decodeRepeat(const LaunchInstruction &launch) {
    LaunchRepeats &repeats = code.repeats;
    LaunchRepeat &repeat = repeats.launches.emplace_back();
    repeat.firstBinding = static_cast<uint32_t>(repeats.sources.size());
    repeat.firstOperand = static_cast<uint32_t>(repeats.operands.size());
    auto watch = [&repeats](const OperandCode &operand) {
      if (operand.isRegister)
        repeats.operands.push_back({static_cast<uint32_t>(operand.value), 0});
    };
    for (const RangeCode &range : launch.bindings) {
      repeats.sources.push_back({range.buffer, {}});
      watch(range.offset);
      watch(range.length);
    }
    std::for_each(launch.constants.begin(), launch.constants.end(), watch);
    repeats.bindings.resize(repeats.sources.size());
    repeat.bindingCount = static_cast<uint32_t>(launch.bindings.size());
    repeat.operandCount = static_cast<uint32_t>(repeats.operands.size()) - repeat.firstOperand;
  }

  void decodeIf(const schema::If &branch) {
    uint32_t test = emit(Opcode::Branch, append(code.conditions, decode(branch.condition())));
    decodeBlock(branch.then());
    if (!branch.otherwise()) {
      out[test].target = here();
      return;
    }
    uint32_t skip = emit(Opcode::Jump);
    out[test].target = here();
    decodeBlock(branch.otherwise());
    out[skip].target = here();
  }

  void decodeLoop(const schema::Loop &loop) {
    uint32_t index = append(
        code.loops, {decode(loop.count()), loop.index_register(), loop.condition_register(), loop.limit()});
    emit(Opcode::LoopInit, index);
    uint32_t test = emit(Opcode::LoopTest, index);
    decodeBlock(loop.body());
    emit(Opcode::LoopNext, index, test);
    out[test].target = here();
  }

  ProgramCode &code;
  std::vector<InstructionCode> &out;
};

std::vector<PortCode> decodePortCodes(const flatbuffers::Vector<flatbuffers::Offset<schema::Port>> *ports) {
  std::vector<PortCode> result;
  for (uint32_t i = 0; i < sizeOf(ports); ++i) {
    const schema::Port &port = *ports->Get(i);
    PortCode &entry = result.emplace_back();
    entry.name = text(port.name());
    entry.dtype = static_cast<KilnDType>(port.dtype());
    entry.buffer = port.buffer();
    for (uint32_t d = 0; d < sizeOf(port.dims()); ++d)
      entry.dims.push_back(decode(port.dims()->Get(d)));
    for (uint32_t d = 0; d < sizeOf(port.dim_names()); ++d)
      entry.dimNames.push_back(text(port.dim_names()->Get(d)));
  }
  return result;
}

std::vector<InstructionCode> decodeRoot(ProgramCode &code, const schema::Block *block) {
  std::vector<InstructionCode> out;
  BlockDecoder decoder(code, out);
  decoder.decodeBlock(block);
  decoder.emit(Opcode::End);
  return out;
}

} // namespace

ProgramCode decodeProgram(const schema::Program &program) {
  ProgramCode code;
  code.registerCount = program.register_count();
  code.arenaBytes = decode(program.arena_bytes());
  code.inputs = decodePortCodes(program.inputs());
  code.outputs = decodePortCodes(program.outputs());
  for (uint32_t i = 0; i < sizeOf(program.buffers()); ++i) {
    const schema::Buffer &buffer = *program.buffers()->Get(i);
    code.buffers.push_back({static_cast<BufferClass>(buffer.kind()), buffer.index(), decode(buffer.offset()),
                            decode(buffer.bytes())});
  }
  code.setup = decodeRoot(code, program.setup());
  code.prologue = decodeRoot(code, program.prologue());
  code.body = decodeRoot(code, program.body());
  return code;
}

std::vector<bool> constantsUsedByBody(const ProgramCode &code) {
  std::vector<bool> used;
  auto use = [&](const RangeCode &range) {
    const BufferCode &buffer = code.buffers[range.buffer];
    if (buffer.kind != BufferClass::Constant)
      return;
    used.resize(std::max<size_t>(used.size(), buffer.index + 1));
    used[buffer.index] = true;
  };
  for (const InstructionCode &instruction : code.body)
    switch (instruction.opcode) {
    case Opcode::Launch:
      for (const RangeCode &range : code.launches[instruction.index].bindings)
        use(range);
      break;
    case Opcode::Copy:
      use(code.copies[instruction.index].from);
      break;
    case Opcode::ReadScalar:
      use(code.reads[instruction.index].from);
      break;
    case Opcode::Fill: // writes; so do the rest, or they move no bytes
    case Opcode::Arith:
    case Opcode::Branch:
    case Opcode::Jump:
    case Opcode::LoopInit:
    case Opcode::LoopTest:
    case Opcode::LoopNext:
    case Opcode::Allocate:
    case Opcode::Free:
    case Opcode::Require:
    case Opcode::Grow:
    case Opcode::End:
      break;
    }
  return used;
}

} // namespace kiln
