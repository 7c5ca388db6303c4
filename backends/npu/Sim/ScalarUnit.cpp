// ScalarUnit.cpp: NpuCore's program: registers, branches, loads and stores, synchronisation, issue.
#include "backends/npu/Sim/NpuCore.h"
#include "backends/npu/Sim/ScalarAlu.h"

#include <cstring>

namespace kiln::npu {

using devicekit::Accessor;
using devicekit::Fault;
using devicekit::FaultKind;
using devicekit::PipeCore;
using devicekit::Range;

namespace {

// An element of a type in a register: signed ones extended.
uint64_t extend(DType type, uint64_t bits) {
  switch (type) {
  case DType::I8:
    return static_cast<uint64_t>(int64_t(static_cast<int8_t>(bits)));
  case DType::I16:
    return static_cast<uint64_t>(int64_t(static_cast<int16_t>(bits)));
  case DType::I32:
    return static_cast<uint64_t>(int64_t(static_cast<int32_t>(bits)));
  default:
    return bits;
  }
}

} // namespace

std::vector<ScalarInst> decodeScalar(const CodeSection &section, const Target &target) {
  std::vector<ScalarInst> decoded;
  decoded.reserve(section.code.size());
  for (const Inst &inst : section.code) {
    ScalarInst &out = decoded.emplace_back();
    out.format = inst.info->format;
    out.isArithmetic = out.format == Format::MoveImm || out.format == Format::Scalar1 ||
                       out.format == Format::Scalar2 || out.format == Format::ScalarCompare ||
                       out.format == Format::ScalarRound;
    out.op = inst.op();
    out.cycles = static_cast<uint16_t>(target.scalarCycles);
    if (inst.info->pipe != Pipe::S)
      continue;
    out.d = static_cast<uint8_t>(inst[Field::d]);
    out.a = static_cast<uint8_t>(inst[Field::a]);
    out.compare = static_cast<Compare>(inst[Field::compare]);
    out.round = static_cast<Round>(inst[Field::round]);
    out.type = inst.type();
    out.target = static_cast<uint32_t>(inst[Field::target]);
    switch (out.format) {
    case Format::MoveImm:
      out.imm = static_cast<int64_t>(inst.imm);
      break;
    case Format::Scalar2:
    case Format::ScalarCompare:
    case Format::Branch:
      out.isRegB = inst.isReg(Field::bi);
      (out.isRegB ? out.b = static_cast<uint8_t>(inst[Field::bi]) : out.imm = inst[Field::bi]);
      if (out.op == Op::Mul || out.op == Op::Div || out.op == Op::Rem)
        out.cycles = static_cast<uint16_t>(target.scalarMulCycles);
      break;
    case Format::Argument:
      out.target = static_cast<uint32_t>(inst[Field::index]);
      break;
    case Format::ScalarLoad:
    case Format::ScalarStore:
      out.b = static_cast<uint8_t>(inst[Field::b]);
      out.bytes = static_cast<uint8_t>(dtypeBytes(out.type));
      out.isGm = static_cast<Space>(inst[Field::space]) == Space::Gm;
      out.imm = inst[Field::off];
      out.cycles = static_cast<uint16_t>(out.isGm ? target.scalarGmCycles : target.scalarUbCycles);
      break;
    default:
      break;
    }
  }
  return decoded;
}

void NpuCore::compute(PipeCore &core, const ScalarInst &inst) {
  if (!evaluate(inst, registers))
    return core.raise(FaultKind::Illegal,
                      std::to_string(static_cast<int64_t>(registers[inst.a])) + " divided by 0", core.pc, 0);
  ++core.pc;
  core.spend(inst.cycles);
}

void NpuCore::access(PipeCore &core, const ScalarInst &inst) {
  bool isStore = inst.op == Op::Store;
  uint64_t address = registers[inst.a] + static_cast<uint64_t>(inst.imm);
  if (!inst.isGm && !bytes.ub)
    return core.raise(FaultKind::Illegal, "a cube core has no UB", core.pc, 0);
  if (address % inst.bytes) {
    Fault misaligned;
    misaligned.kind = FaultKind::Misaligned;
    misaligned.space = inst.isGm ? "GM" : "UB";
    misaligned.address = address;
    misaligned.detail = "expected a multiple of " + std::to_string(inst.bytes);
    return core.raise(std::move(misaligned), core.pc, 0);
  }
  if (!isPlain(core.pc, address)) {
    Range range = {address, inst.bytes};
    Accessor by = core.scalarAccess();
    std::optional<Fault> fault;
    if (inst.isGm)
      fault = isStore ? launch.gm.write({&range, 1}, by, false) : launch.gm.read({&range, 1}, by);
    else
      fault =
          isStore ? memory(Memory::Ub)->write({&range, 1}, by) : memory(Memory::Ub)->read({&range, 1}, by);
    if (fault)
      return core.raise(std::move(*fault), core.pc, 0);
  }
  move(inst, address);
  ++core.pc;
  core.spend(inst.cycles);
}

/// Between a register and memory that may be touched.
void NpuCore::move(const ScalarInst &inst, uint64_t address) {
  uint8_t *at = inst.isGm ? reinterpret_cast<uint8_t *>(address) : bytes.ub + address;
  bool isStore = inst.op == Op::Store;
  if (isStore) {
    std::memcpy(at, &registers[inst.b], inst.bytes);
    ++elementsWritten[static_cast<size_t>(Pipe::S)];
  } else {
    uint64_t loaded = 0;
    if (launch.movesData || inst.isGm) // without data UB holds nothing
      std::memcpy(&loaded, at, inst.bytes);
    registers[inst.d] = extend(inst.type, loaded);
  }
  if (inst.isGm)
    (isStore ? gmTraffic.written : gmTraffic.read) += inst.bytes;
}

/// Whether an access needs no look at its bounds, and no record: it is within UB, without checks, or where
/// the instruction's last one was.
bool NpuCore::isPlain(uint32_t pc, uint64_t address) {
  const ScalarInst &inst = scalar[pc];
  if (!inst.isGm)
    return !launch.hasChecks && address <= launch.target.ubBytes - inst.bytes;
  Window &window = windows[pc];
  if (address - window.begin < window.bytes && window.bytes - (address - window.begin) >= inst.bytes)
    return true;
  if (auto region = launch.gm.plainRegionOf({address, inst.bytes}, inst.op == Op::Store))
    window = {region->begin, region->bytes};
  return false; // the full check says what is wrong, if anything is
}

void NpuCore::synchronise(PipeCore &core, const Inst &inst) {
  auto pipe = static_cast<uint32_t>(inst[Field::pipe]), pipe2 = static_cast<uint32_t>(inst[Field::pipe2]);
  switch (inst.op()) {
  case Op::SetFlag:
    core.setFlag(pipe, pipe2,
                 static_cast<uint32_t>(std::min<uint64_t>(value(inst, Field::event), UINT32_MAX)));
    break;
  case Op::WaitFlag:
    core.waitFlag(pipe, pipe2,
                  static_cast<uint32_t>(std::min<uint64_t>(value(inst, Field::event), UINT32_MAX)));
    break;
  case Op::PipeBarrier:
    if (static_cast<Pipe>(pipe) == Pipe::All)
      core.barrierAll();
    else
      core.barrier(pipe);
    break;
  case Op::CrossSet:
    core.crossSet(pipe, static_cast<uint32_t>(inst[Field::mode]),
                  static_cast<uint32_t>(std::min<uint64_t>(value(inst, Field::flag), UINT32_MAX)));
    break;
  case Op::CrossWait:
    core.crossWait(pipe, static_cast<uint32_t>(std::min<uint64_t>(value(inst, Field::flag), UINT32_MAX)));
    break;
  default:
    break;
  }
  ++core.pc;
  core.spend(launch.target.scalarCycles);
}

bool NpuCore::readSpecial(PipeCore &core, const Inst &inst) {
  auto sr = static_cast<Special>(inst[Field::sr]);
  if (sr == Special::RsvdCnt) {
    if (!memory(Memory::Status)) {
      core.raise(FaultKind::Illegal, "a cube core has no rsvdcnt", core.pc, 0);
      return false;
    }
    Range range = {0, 8};
    if (std::optional<Fault> fault = memory(Memory::Status)->read({&range, 1}, core.scalarAccess())) {
      core.raise(std::move(*fault), core.pc, 0);
      return false;
    }
  }
  registers[static_cast<size_t>(inst[Field::d])] = special[static_cast<size_t>(sr)];
  return true;
}

void NpuCore::step(PipeCore &core) {
  do {
    stepOnce(core);
    if (core.runsAlone())
      runAlone(core);
  } while (core.goesOn());
}

/// Instructions that touch registers and plain memory alone, up to one that does not or to the end of the
/// core's slice of time. What they do and take is what stepOnce() says.
void NpuCore::runAlone(PipeCore &core) {
  const uint64_t left = core.cyclesLeft();
  uint64_t count = 0, cycles = 0, lastBegin = 0;
  uint32_t pc = core.pc;
  for (; cycles <= left; ++count) {
    const ScalarInst &inst = scalar[pc];
    uint32_t next = pc + 1;
    if (inst.isArithmetic) {
      if (!evaluate(inst, registers))
        break;
    } else if (inst.format == Format::Branch) {
      if (holds(inst.compare, static_cast<int64_t>(registers[inst.a]),
                inst.isRegB ? static_cast<int64_t>(registers[inst.b]) : inst.imm))
        next = inst.target;
    } else if (inst.format == Format::Jump) {
      next = inst.target;
    } else if (inst.format == Format::Loop) {
      if (static_cast<int64_t>(--registers[inst.d]) > 0)
        next = inst.target;
    } else if (inst.bytes) {
      uint64_t address = registers[inst.a] + static_cast<uint64_t>(inst.imm);
      if (address & (inst.bytes - 1u) || (!inst.isGm && !bytes.ub) || !isPlain(pc, address))
        break;
      move(inst, address);
    } else {
      break;
    }
    pc = next;
    lastBegin = cycles;
    cycles += inst.cycles;
  }
  core.pc = pc;
  core.ranAlone(count, cycles, lastBegin);
}

void NpuCore::stepOnce(PipeCore &core) {
  const ScalarInst &inst = scalar[core.pc]; // the loader saw to it that the last one does not fall through
  auto jump = [&](bool taken) {
    core.pc = taken ? inst.target : core.pc + 1;
    core.spend(inst.cycles);
  };
  switch (inst.format) {
  case Format::None:
    if (inst.op == Op::Halt)
      return core.halt();
    return jump(false);
  case Format::MoveImm:
  case Format::Scalar1:
  case Format::ScalarRound:
  case Format::Scalar2:
  case Format::ScalarCompare:
    return compute(core, inst);
  case Format::Branch:
    return jump(holds(inst.compare, static_cast<int64_t>(registers[inst.a]),
                      inst.isRegB ? static_cast<int64_t>(registers[inst.b]) : inst.imm));
  case Format::Jump:
    return jump(true);
  case Format::Loop:
    return jump(static_cast<int64_t>(--registers[inst.d]) > 0);
  case Format::ReadSpecial:
    if (readSpecial(core, section.code[core.pc]))
      jump(false);
    return;
  case Format::WriteSpecial: {
    const Inst &whole = section.code[core.pc];
    special[static_cast<size_t>(whole[Field::sr])] = value(whole, Field::bi);
    return jump(false);
  }
  case Format::Argument:
    if (inst.target >= launch.arguments.size())
      return core.raise(FaultKind::OutOfBounds,
                        "slot " + std::to_string(inst.target) + " of the argument buffer; it has " +
                            std::to_string(launch.arguments.size()),
                        core.pc, 0);
    registers[inst.d] = launch.arguments[inst.target];
    return jump(false);
  case Format::ScalarLoad:
  case Format::ScalarStore:
    return access(core, inst);
  case Format::Flag:
  case Format::Barrier:
  case Format::CrossSet:
  case Format::CrossWait:
    return synchronise(core, section.code[core.pc]);
  default:
    core.spend(inst.cycles);
    issue(core, section.code[core.pc]);
    ++core.pc;
    return;
  }
}

} // namespace kiln::npu
