// ScalarUnit.cpp: NpuCore's program: registers, branches, loads and stores, synchronisation, issue.
#include "backends/npu/Sim/NpuCore.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace kiln::npu {

using devicekit::Accessor;
using devicekit::Fault;
using devicekit::FaultKind;
using devicekit::PipeCore;
using devicekit::Range;

namespace {

uint64_t fromFloat(float value) { return std::bit_cast<uint32_t>(value); }
float toFloat(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

double roundTo(Round how, double value) {
  switch (how) {
  case Round::Floor:
    return std::floor(value);
  case Round::Ceil:
    return std::ceil(value);
  case Round::Trunc:
    return std::trunc(value);
  case Round::Round:
    return std::round(value);
  case Round::None:
  case Round::Rint:
  case Round::Odd: // refused by the loader
    return std::nearbyint(value);
  }
  return value;
}

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
  uint64_t &d = registers[inst.d];
  uint64_t a = registers[inst.a], b = inst.isRegB ? registers[inst.b] : static_cast<uint64_t>(inst.imm);
  auto signedA = static_cast<int64_t>(a), signedB = static_cast<int64_t>(b);
  switch (inst.op) {
  case Op::MovI:
    d = b;
    break;
  case Op::Mov:
    d = a;
    break;
  case Op::Add:
    d = a + b;
    break;
  case Op::Sub:
    d = a - b;
    break;
  case Op::Mul:
    d = a * b;
    break;
  case Op::Div:
  case Op::Rem:
    if (b == 0)
      return core.raise(FaultKind::Illegal, std::to_string(signedA) + " divided by 0", core.pc, 0);
    if (signedB == -1) // the least number has no opposite: it wraps
      d = inst.op == Op::Div ? 0 - a : 0;
    else
      d = static_cast<uint64_t>(inst.op == Op::Div ? signedA / signedB : signedA % signedB);
    break;
  case Op::And:
    d = a & b;
    break;
  case Op::Or:
    d = a | b;
    break;
  case Op::Xor:
    d = a ^ b;
    break;
  case Op::Shl:
    d = a << (b & 63);
    break;
  case Op::Shr:
    d = a >> (b & 63);
    break;
  case Op::Sar:
    d = static_cast<uint64_t>(signedA >> (b & 63));
    break;
  case Op::Min:
    d = static_cast<uint64_t>(std::min(signedA, signedB));
    break;
  case Op::Max:
    d = static_cast<uint64_t>(std::max(signedA, signedB));
    break;
  case Op::Cmp:
    d = holds(inst.compare, signedA, signedB);
    break;
  case Op::FAdd:
    d = fromFloat(toFloat(a) + toFloat(b));
    break;
  case Op::FMul:
    d = fromFloat(toFloat(a) * toFloat(b));
    break;
  case Op::FSub:
    d = fromFloat(toFloat(a) - toFloat(b));
    break;
  case Op::FCmp:
    d = holds(inst.compare, toFloat(a), toFloat(b));
    break;
  case Op::FDiv:
    d = fromFloat(toFloat(a) / toFloat(b));
    break;
  case Op::IntToF:
    d = fromFloat(static_cast<float>(signedA));
    break;
  case Op::FToInt: {
    double rounded = roundTo(inst.round, toFloat(a));
    d = rounded != rounded  ? 0
        : rounded >= 0x1p63 ? static_cast<uint64_t>(INT64_MAX)
        : rounded < -0x1p63 ? static_cast<uint64_t>(INT64_MIN)
                            : static_cast<uint64_t>(static_cast<int64_t>(rounded));
    break;
  }
  default:
    break;
  }
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
  if (launch.hasChecks || !isKnownInside(inst, address)) {
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
  uint8_t *at = inst.isGm ? reinterpret_cast<uint8_t *>(address) : bytes.ub + address;
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
  ++core.pc;
  core.spend(inst.cycles);
}

/// Whether an access without checks is within UB, or within the part of GM that the last one was in.
bool NpuCore::isKnownInside(const ScalarInst &inst, uint64_t address) {
  if (!inst.isGm)
    return address <= launch.target.ubBytes - inst.bytes;
  bool isStore = inst.op == Op::Store;
  Window &window = isStore ? written : readable;
  if (address - window.begin < window.bytes && window.bytes - (address - window.begin) >= inst.bytes)
    return true;
  if (auto region = launch.gm.regionOf({address, inst.bytes}, isStore))
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
  do
    stepOnce(core);
  while (core.goesOn());
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
