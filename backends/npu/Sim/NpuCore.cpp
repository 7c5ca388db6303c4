// NpuCore.cpp: from issue to end: operands are read when the scalar unit issues, accesses checked and sources
// read when the pipe begins, results appear when it ends.
#include "backends/npu/Sim/NpuCore.h"

#include "backends/npu/Sim/Cost.h"
#include "backends/npu/Sim/GmUpdate.h"

#include <cstring>

namespace kiln::npu {

using devicekit::Accessor;
using devicekit::Duration;
using devicekit::Fault;
using devicekit::FaultKind;
using devicekit::Job;
using devicekit::LocalMemory;
using devicekit::PipeCore;
using devicekit::Range;

NpuCore::NpuCore(const LaunchContext &launch, bool isCube, uint64_t block, uint64_t sub, uint64_t subs,
                 uint32_t group)
    : launch(launch), section(isCube ? launch.object.aic : launch.object.aiv),
      scalar(isCube ? launch.aicScalar : launch.aivScalar), windows(scalar.size()), group(group) {
  const Target &target = launch.target;
  auto make = [&](Memory which, uint64_t size) {
    memories[static_cast<size_t>(which)] =
        std::make_unique<LocalMemory>(memoryName(which), size, launch.hasChecks);
    return memory(which)->data();
  };
  if (target.fusedCores || !isCube) {
    bytes.ub = make(Memory::Ub, target.ubBytes);
    make(Memory::Status, 32);
  }
  if (target.fusedCores || isCube) {
    bytes.l1 = make(Memory::L1, target.l1Bytes);
    bytes.l0a = make(Memory::L0a, target.l0aBytes);
    bytes.l0b = make(Memory::L0b, target.l0bBytes);
    bytes.l0c = make(Memory::L0c, target.l0cBytes);
    bytes.bt = make(Memory::Bt, target.btBytes);
    bytes.fb = make(Memory::Fb, target.fbBytes);
  }
  auto set = [&](Special sr, uint64_t to) { special[static_cast<size_t>(sr)] = to; };
  set(Special::BlockIdx, block);
  set(Special::BlockNum, launch.blocks);
  set(Special::SubIdx, sub);
  set(Special::SubNum, subs);
  set(Special::Mask0, ~uint64_t(0));
  set(Special::Mask1, ~uint64_t(0));
  set(Special::DeqScale, 0x3c00); // 1 in f16
}

std::string NpuCore::printInstruction(uint32_t pc) const {
  return pc < section.code.size() ? printInst(section.code[pc]) : "";
}

uint64_t NpuCore::value(const Inst &inst, Field field) const {
  if (fieldInfo(field).kind == FieldKind::Reg || inst.isReg(field))
    return registers[static_cast<size_t>(inst[field])];
  return static_cast<uint64_t>(static_cast<int64_t>(inst[field]));
}

void NpuCore::issue(PipeCore &core, const Inst &inst) {
  uint32_t handle = static_cast<uint32_t>(pool.size());
  if (freeWork.empty()) {
    pool.emplace_back();
  } else {
    handle = freeWork.back();
    freeWork.pop_back();
  }
  Work &work = pool[handle];
  work.inst = &inst;
  work.special = special;
  for (Field field : formatFields(inst.info->format)) {
    const FieldInfo &info = fieldInfo(field);
    uint64_t operand = value(inst, field);
    if (info.kind == FieldKind::RegImm && inst.isReg(field) && operand >> info.bits)
      return core.raise(FaultKind::Illegal,
                        "operand '" + std::string(info.name) + "' is " + std::to_string(operand) +
                            "; expected less than " + std::to_string(uint64_t(1) << info.bits),
                        core.pc, static_cast<uint32_t>(inst.info->pipe));
    work.values[static_cast<size_t>(field)] = operand;
  }
  if (inst.info->pipe == Pipe::V && work[Special::MaskMode] && work[Special::Mask0] > launch.target.ubBytes)
    return core.raise(FaultKind::Illegal,
                      "counter mode over " + std::to_string(work[Special::Mask0]) + " elements; UB has " +
                          std::to_string(launch.target.ubBytes) + " bytes",
                      core.pc, static_cast<uint32_t>(Pipe::V));
  Job job;
  job.pc = core.pc;
  job.work = handle;
  core.issue(static_cast<uint32_t>(inst.info->pipe), std::move(job));
}

bool NpuCore::check(PipeCore &core, Job &job, const Accessor &by, const Work &work) {
  auto readUb = [&](uint64_t at) -> std::optional<uint32_t> {
    uint32_t offset;
    if (at > memory(Memory::Ub)->size() - 4)
      return std::nullopt;
    std::memcpy(&offset, bytes.ub + at, 4);
    return launch.movesData ? offset : 0;
  };
  if (std::optional<Fault> fault = footprintOf(work, launch.target, footprint, readUb)) {
    core.raise(std::move(*fault), job.pc, by.pipe);
    return false;
  }
  bool isAtomic = work[Special::Atomic] != 0;
  bool computes = by.pipe == static_cast<uint32_t>(Pipe::V) || by.pipe == static_cast<uint32_t>(Pipe::M);
  auto countWritten = [&](const Footprint::Part &part) {
    bool isConversion = work.inst->info->format == Format::VectorConvert;
    uint64_t bytes =
        part.memory == Memory::L0c
            ? 4
            : dtypeBytes(isConversion ? static_cast<DType>((*work.inst)[Field::type2]) : work.inst->type());
    for (const Range &range : part.ranges)
      elementsWritten[by.pipe] += range.bytes / bytes;
  };
  for (const Footprint::Part &part : footprint.parts()) {
    std::optional<Fault> fault;
    if (part.memory == Memory::Gm)
      fault = part.isWrite ? launch.gm.write(part.ranges, by, isAtomic) : launch.gm.read(part.ranges, by);
    else
      fault = part.isWrite ? memory(part.memory)->write(part.ranges, by)
                           : memory(part.memory)->read(part.ranges, by);
    if (fault) {
      core.raise(std::move(*fault), job.pc, by.pipe);
      return false;
    }
    if (computes && part.isWrite)
      countWritten(part);
    if (part.memory == Memory::Gm)
      for (const Range &range : part.ranges)
        (part.isWrite ? gmTraffic.written : gmTraffic.read) += range.bytes;
    if (part.isWrite && part.memory != Memory::Gm && part.memory != Memory::Status && launch.hasChecks) {
      job.memory = memory(part.memory);
      job.poisoned = part.ranges;
    }
  }
  return true;
}

Duration NpuCore::begin(PipeCore &core, Job &job, const Accessor &by) {
  Work &work = pool[job.work];
  if (work[Special::Atomic] && !canUpdate(work)) {
    core.raise(FaultKind::Illegal,
               "special register atomic is " + std::to_string(work[Special::Atomic]) + " for " +
                   updateTypeName(work),
               job.pc, by.pipe);
    return {};
  }
  if (!check(core, job, by, work))
    return {};
  if (launch.hasChecks && launch.movesData)
    execute(work); // results stay out of sight until the end
  if (!launch.isTimed && !launch.hasChecks)
    return {};
  return costOf(work, launch.target, footprint, core.now(), launch.gm, launch.port, group);
}

void NpuCore::commit(PipeCore &, Job &job) {
  Work &work = pool[job.work];
  if (launch.movesData) {
    if (!launch.hasChecks)
      execute(work);
    if (work.op() == Op::MovUbGm || work.op() == Op::FixGm)
      updateGm(work, launch.gm);
    if (work.op() == Op::VReduceV2)
      special[static_cast<size_t>(Special::RsvdCnt)] = work.status;
  }
  freeWork.push_back(job.work);
}

void NpuCore::execute(Work &work) {
  switch (work.inst->info->format) {
  case Format::VectorBinary:
  case Format::VectorUnary:
  case Format::VectorScalar:
  case Format::VectorShift:
  case Format::VectorCompare:
  case Format::VectorCompareScalar:
  case Format::VectorSelect:
  case Format::VectorFill:
    return runVectorArithmetic(work, bytes);
  case Format::VectorConvert:
    return runVectorConvert(work, bytes);
  case Format::VectorReduce:
  case Format::VectorGroup:
    return runVectorReduce(work, bytes);
  case Format::VectorSquare:
  case Format::VectorRows:
  case Format::VectorGather:
  case Format::VectorSort:
  case Format::VectorMerge:
    return runVectorShape(work, bytes);
  case Format::Copy:
  case Format::CopyPad:
  case Format::CopyAtomic:
  case Format::NdToNz:
  case Format::Fill:
    return runMove(work, bytes);
  case Format::Load2d:
  case Format::Load3d:
    return runL0Load(work, bytes);
  case Format::Mmad:
    return runMmad(work, bytes);
  case Format::Fix:
    return runFix(work, bytes);
  default:
    return; // scalar formats issue no work
  }
}

} // namespace kiln::npu
