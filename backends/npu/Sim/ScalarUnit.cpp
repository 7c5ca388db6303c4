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

void NpuCore::compute(PipeCore &core, const Inst &inst) {
  uint64_t &d = registers[static_cast<size_t>(inst[Field::d])];
  uint64_t a = value(inst, Field::a), b = value(inst, Field::bi);
  auto signedA = static_cast<int64_t>(a), signedB = static_cast<int64_t>(b);
  uint64_t cycles = launch.target.scalarCycles;
  switch (inst.op()) {
  case Op::MovI:
    d = inst.imm;
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
    cycles = launch.target.scalarMulCycles;
    break;
  case Op::Div:
  case Op::Rem:
    if (b == 0)
      return core.raise(FaultKind::Illegal, std::to_string(signedA) + " divided by 0", core.pc, 0);
    if (signedB == -1) // the least number has no opposite: it wraps
      d = inst.op() == Op::Div ? 0 - a : 0;
    else
      d = static_cast<uint64_t>(inst.op() == Op::Div ? signedA / signedB : signedA % signedB);
    cycles = launch.target.scalarMulCycles;
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
    d = holds(static_cast<Compare>(inst[Field::compare]), signedA, signedB);
    break;
  case Op::FAdd:
    d = fromFloat(toFloat(a) + toFloat(b));
    break;
  case Op::FMul:
    d = fromFloat(toFloat(a) * toFloat(b));
    break;
  case Op::FDiv:
    d = fromFloat(toFloat(a) / toFloat(b));
    break;
  case Op::IntToF:
    d = fromFloat(static_cast<float>(signedA));
    break;
  case Op::FToInt: {
    double rounded = std::nearbyint(double(toFloat(a)));
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
  core.spend(cycles);
}

void NpuCore::access(PipeCore &core, const Inst &inst) {
  bool isStore = inst.op() == Op::Store, isGm = static_cast<Space>(inst[Field::space]) == Space::Gm;
  uint32_t size = dtypeBytes(inst.type());
  uint64_t address = value(inst, Field::a) + static_cast<uint64_t>(int64_t(inst[Field::off]));
  if (!isGm && !bytes.ub)
    return core.raise(FaultKind::Illegal, "a cube core has no UB", core.pc, 0);
  Fault misaligned;
  misaligned.kind = FaultKind::Misaligned;
  misaligned.space = isGm ? "GM" : "UB";
  misaligned.address = address;
  misaligned.detail = "expected a multiple of " + std::to_string(size);
  if (address % size)
    return core.raise(std::move(misaligned), core.pc, 0);
  Range range = {address, size};
  Accessor by = core.scalarAccess();
  std::optional<Fault> fault;
  if (isGm)
    fault = isStore ? launch.gm.write({&range, 1}, by, false) : launch.gm.read({&range, 1}, by);
  else
    fault = isStore ? memory(Memory::Ub)->write({&range, 1}, by) : memory(Memory::Ub)->read({&range, 1}, by);
  if (fault)
    return core.raise(std::move(*fault), core.pc, 0);
  uint8_t *at = isGm ? reinterpret_cast<uint8_t *>(address) : bytes.ub + address;
  if (isStore) {
    uint64_t stored = value(inst, Field::b);
    std::memcpy(at, &stored, size);
  } else {
    uint64_t loaded = 0;
    if (launch.movesData || isGm) // without data UB holds nothing
      std::memcpy(&loaded, at, size);
    registers[static_cast<size_t>(inst[Field::d])] = extend(inst.type(), loaded);
  }
  if (isGm)
    (isStore ? gmTraffic.written : gmTraffic.read) += size;
  ++core.pc;
  core.spend(isGm ? launch.target.scalarGmCycles : launch.target.scalarUbCycles);
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
  const Inst &inst = section.code[core.pc]; // the loader saw to it that the last one does not fall through
  uint64_t cycles = launch.target.scalarCycles;
  auto jump = [&](bool taken) {
    core.pc = taken ? static_cast<uint32_t>(inst[Field::target]) : core.pc + 1;
    core.spend(cycles);
  };
  switch (inst.info->format) {
  case Format::None:
    if (inst.op() == Op::Halt)
      return core.halt();
    return jump(false);
  case Format::MoveImm:
  case Format::Scalar1:
  case Format::Scalar2:
  case Format::ScalarCompare:
    return compute(core, inst);
  case Format::Branch:
    return jump(holds(static_cast<Compare>(inst[Field::compare]), static_cast<int64_t>(value(inst, Field::a)),
                      static_cast<int64_t>(value(inst, Field::bi))));
  case Format::Jump:
    return jump(true);
  case Format::Loop:
    return jump(static_cast<int64_t>(--registers[static_cast<size_t>(inst[Field::d])]) > 0);
  case Format::ReadSpecial:
    if (readSpecial(core, inst))
      jump(false);
    return;
  case Format::WriteSpecial:
    special[static_cast<size_t>(inst[Field::sr])] = value(inst, Field::bi);
    return jump(false);
  case Format::Argument:
    if (static_cast<size_t>(inst[Field::index]) >= launch.arguments.size())
      return core.raise(FaultKind::OutOfBounds,
                        "slot " + std::to_string(inst[Field::index]) + " of the argument buffer; it has " +
                            std::to_string(launch.arguments.size()),
                        core.pc, 0);
    registers[static_cast<size_t>(inst[Field::d])] =
        launch.arguments[static_cast<size_t>(inst[Field::index])];
    return jump(false);
  case Format::ScalarLoad:
  case Format::ScalarStore:
    return access(core, inst);
  case Format::Flag:
  case Format::Barrier:
  case Format::CrossSet:
  case Format::CrossWait:
    return synchronise(core, inst);
  default:
    core.spend(cycles);
    issue(core, inst);
    ++core.pc;
    return;
  }
}

} // namespace kiln::npu
