// Cost.cpp: vector = head + repeats * slope + conflicts; mmad = head + fractals; transfers = set-up + bytes /
// rate.
#include "backends/npu/Sim/Cost.h"

#include "backends/npu/Banks.h"

#include <algorithm>

namespace kiln::npu {
namespace {

using devicekit::Duration;

uint64_t slopeOf(const Work &work, const Target &target) {
  switch (work.op()) {
  case Op::VDiv:
  case Op::VExp:
  case Op::VLn:
  case Op::VSqrt:
  case Op::VRsqrt:
  case Op::VRec:
    return target.vectorSlowSlope;
  case Op::VCAdd:
  case Op::VCMax:
  case Op::VCMin:
  case Op::VCGAdd:
  case Op::VCGMax:
  case Op::VCGMin:
  case Op::VCPAdd:
  case Op::VNchwConv:
  case Op::VTranspose:
    return target.vectorReduceSlope;
  case Op::VGather:
  case Op::VReduceV2:
    return target.vectorGatherSlope;
  case Op::VGatherB:
    return target.vectorReduceSlope;
  case Op::VBitSort:
  case Op::VMrgSort:
    return target.vectorSortSlope;
  default:
    return target.vectorSlope;
  }
}

uint64_t repeatsOf(const Work &work) {
  switch (work.inst->info->format) {
  case Format::VectorSquare:
    return 1;
  case Format::VectorRows:
  case Format::VectorSort:
    return work[Field::rep];
  case Format::VectorMerge: {
    uint64_t pairs = 0;
    for (int i = 0; i < 4; ++i)
      pairs += work[Field::b] >> (16 * i) & 0xffff;
    return ceilDiv(pairs, 16);
  }
  case Format::VectorConvert:
    return Lanes::of(work,
                     std::max(dtypeBytes(work.type()), dtypeBytes(static_cast<DType>(work[Field::type2]))))
        .repeats;
  default:
    return Lanes::of(work, dtypeBytes(work.type())).repeats;
  }
}

uint64_t localBytes(const Footprint &footprint, bool isWrite) {
  uint64_t bytes = 0;
  for (const Footprint::Part &part : footprint.parts())
    if (part.isWrite == isWrite && part.memory != Memory::Gm)
      for (const devicekit::Range &range : part.ranges)
        bytes += range.bytes;
  return bytes;
}

Duration pipelined(uint64_t setup, uint64_t bytes, uint64_t rate) {
  uint64_t cycles = std::max<uint64_t>(1, ceilDiv(bytes, rate));
  return {cycles, setup + cycles};
}

Duration gmTransfer(const Work &work, const Target &target, const Footprint &footprint, uint64_t now,
                    const devicekit::SharedMemory &memory, devicekit::SharedPort *port, uint32_t group) {
  const Footprint::Part *gm = nullptr;
  for (const Footprint::Part &part : footprint.parts())
    if (part.memory == Memory::Gm)
      gm = &part;
  if (!gm || gm->ranges.empty())
    return {1, target.gmLatency};
  uint64_t bytes = 0, unaligned = 0;
  for (const devicekit::Range &range : gm->ranges) {
    bytes += range.bytes;
    unaligned += memory.modelAddress(range.begin) % 512 != 0;
  }
  uint64_t bursts = gm->ranges.size();
  double derate = unaligned * 2 > bursts ? static_cast<double>(target.gmUnalignedPercent) / 100 : 1.0;
  uint64_t asked =
      work.inst->info->format == Format::Fix ? work[Field::m] : work[Field::n]; // contiguous or not
  uint64_t setup = std::max(bursts, asked) * target.gmBurstCycles;
  if (work.inst->info->pipe == Pipe::FIX)
    setup += target.fixHead;
  if (!port) {
    auto cycles =
        static_cast<uint64_t>(static_cast<double>(bytes) / static_cast<double>(target.ddrRate) / derate);
    return {setup + cycles + 1, setup + cycles + 1 + target.gmLatency};
  }
  devicekit::SharedPort::Transfer transfer = {
      group, memory.modelAddress(gm->ranges.front().begin), bursts, gm->ranges.front().bytes, 0, gm->isWrite,
      derate};
  if (bursts > 1)
    transfer.strideBytes = gm->ranges[1].begin - gm->ranges[0].begin;
  uint64_t end = port->finish(now, transfer);
  return {std::max(end - now, setup), std::max(end - now, setup) + target.gmLatency};
}

} // namespace

uint64_t bankConflicts(const Work &work, const Target &target) {
  Format format = work.inst->info->format;
  if (format != Format::VectorBinary && format != Format::VectorUnary && format != Format::VectorScalar &&
      format != Format::VectorSelect)
    return 0;
  uint32_t bytes = dtypeBytes(work.type());
  auto blocks = [](const LaneLayout &layout) { return RepeatBlocks{layout.address, layout.blockStride}; };
  RepeatBlocks reads[] = {blocks(firstSource(work, bytes)), blocks(secondSource(work, bytes))};
  bool isBinary = format == Format::VectorBinary || format == Format::VectorSelect;
  return bankConflicts(std::span(reads).first(isBinary ? 2 : 1), blocks(destination(work, bytes)), target);
}

Duration costOf(const Work &work, const Target &target, const Footprint &footprint, uint64_t now,
                const devicekit::SharedMemory &gm, devicekit::SharedPort *port, uint32_t group) {
  switch (work.op()) {
  case Op::MmadOp: {
    uint64_t depth = work.type() == DType::I8    ? target.cubeDepthI8
                     : work.type() == DType::F32 ? target.cubeDepthF32
                                                 : target.cubeDepthF16;
    uint64_t cycles = ceilDiv(work[Field::m], target.cubeRows) * ceilDiv(work[Field::n], target.cubeColumns) *
                      ceilDiv(work[Field::k], std::max<uint64_t>(depth, 1));
    return {target.cubeHead + cycles, target.cubeHead + cycles};
  }
  case Op::Load2dA:
  case Op::Load3dA:
    return pipelined(target.mteSetup, localBytes(footprint, true), target.l1ToL0aRate);
  case Op::Load2dB:
  case Op::MovL1Bt:
  case Op::MovL1Fb:
    return pipelined(target.mteSetup, localBytes(footprint, true), target.l1ToL0bRate);
  case Op::MovL1Ub:
  case Op::MovUbL1:
    return pipelined(target.mteSetup, localBytes(footprint, true), std::max<uint64_t>(target.l1ToUbRate, 1));
  case Op::VCopy:
  case Op::SetL1:
    return pipelined(target.mteSetup, localBytes(footprint, true), target.ubCopyRate);
  case Op::FixL1:
    return pipelined(target.fixHead, localBytes(footprint, false), target.fixRate);
  case Op::MovL0cUb:
    return pipelined(target.mteSetup, localBytes(footprint, false),
                     std::max<uint64_t>(target.l0cToUbRate, 1));
  case Op::FixGm: {
    Duration out = gmTransfer(work, target, footprint, now, gm, port, group);
    Duration read = pipelined(target.fixHead, localBytes(footprint, false), target.fixRate);
    return {std::max(out.occupancy, read.occupancy), std::max(out.latency, read.latency)};
  }
  case Op::MovGmUb:
  case Op::MovGmL1:
  case Op::Nd2Nz:
  case Op::MovUbGm:
    return gmTransfer(work, target, footprint, now, gm, port, group);
  default: {
    uint64_t repeats = std::max<uint64_t>(repeatsOf(work), 1);
    uint64_t cycles = repeats * (slopeOf(work, target) + bankConflicts(work, target));
    return {cycles, target.vectorHead + cycles};
  }
  }
}

} // namespace kiln::npu
