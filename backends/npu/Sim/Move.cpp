// Move.cpp: copies between memories, ND to NZ, L1 fills, and the loads from L1 to L0.
#include "backends/npu/Sim/Units.h"

#include <cstring>

namespace kiln::npu {
namespace {

const uint8_t *host(uint64_t address) { return reinterpret_cast<const uint8_t *>(address); }

// A burst of no bytes may lie nowhere, which memcpy does not allow.
void copyBytes(uint8_t *to, const uint8_t *from, uint64_t bytes) {
  if (bytes)
    std::memcpy(to, from, bytes);
}

void copyIn(const Work &work, uint8_t *local) {
  CopyShape shape = CopyShape::of(work);
  uint32_t bytes = dtypeBytes(work.type());
  for (uint64_t burst = 0; burst < shape.bursts; ++burst) {
    uint8_t *to = local + work[Field::d] + burst * shape.destinationStep;
    for (uint64_t i = 0; i < shape.before; i += bytes)
      std::memcpy(to + i, &work.special[static_cast<size_t>(Special::PadVal)], bytes);
    to += shape.before;
    copyBytes(to, host(work[Field::a]) + burst * shape.sourceStep, shape.bytes);
    for (uint64_t i = 0; i < shape.after; i += bytes)
      std::memcpy(to + shape.bytes + i, &work.special[static_cast<size_t>(Special::PadVal)], bytes);
  }
}

void copyOut(Work &work, const uint8_t *ub) {
  CopyShape shape = CopyShape::of(work);
  work.staging.resize(shape.bursts * shape.bytes);
  for (uint64_t burst = 0; burst < shape.bursts; ++burst)
    copyBytes(work.staging.data() + burst * shape.bytes, ub + work[Field::a] + burst * shape.sourceStep,
              shape.bytes);
}

void copyLocal(const Work &work, uint8_t *to, const uint8_t *from) {
  CopyShape shape = CopyShape::of(work);
  for (uint64_t burst = 0; burst < shape.bursts; ++burst)
    std::memmove(to + work[Field::d] + burst * shape.destinationStep,
                 from + work[Field::a] + burst * shape.sourceStep, shape.bytes);
}

void ndToNz(const Work &work, uint8_t *l1) {
  uint64_t bytes = dtypeBytes(work.type()), perBlock = 32 / bytes, columns = work[Field::m];
  for (uint64_t block = 0; block * perBlock < columns; ++block)
    for (uint64_t row = 0; row < work[Field::n]; ++row) {
      uint8_t *to = l1 + work[Field::d] + (block * work[Field::dstride] + row) * 32;
      uint64_t count = std::min(perBlock, columns - block * perBlock) * bytes;
      std::memcpy(to, host(work[Field::a]) + (row * work[Field::sstride] + block * perBlock) * bytes, count);
      std::memset(to + count, 0, 32 - count);
    }
}

void fill(const Work &work, uint8_t *l1) {
  uint32_t bytes = dtypeBytes(work.type());
  uint64_t value = work[Field::b];
  for (uint64_t i = 0; i < work[Field::len]; i += bytes)
    std::memcpy(l1 + work[Field::d] + i, &value, bytes);
}

// Element (row, column) of a square as it lies in L1, and where it goes in L0, in bytes.
struct Square {
  uint64_t bytes, rows, columns, sourceFractal, destinationFractal;
  uint64_t source(uint64_t row, uint64_t column) const {
    switch (bytes) {
    case 1: // 32 x 32: two fractals of 16 rows
      return row / 16 * sourceFractal + row % 16 * 32 + column;
    case 2:
      return row * 32 + column * 2;
    default: // 16 x 16: two fractals of eight columns
      return column / 8 * sourceFractal + row * 32 + column % 8 * 4;
    }
  }
  uint64_t destination(uint64_t row, uint64_t column) const { // transposed
    switch (bytes) {
    case 1:
      return column / 16 * destinationFractal + column % 16 * 32 + row;
    case 2:
      return column * 32 + row * 2;
    default:
      return row / 8 * destinationFractal + column * 32 + row % 8 * 4;
    }
  }
};

void load2d(const Work &work, const uint8_t *l1, uint8_t *l0) {
  uint64_t bytes = dtypeBytes(work.type()), edge = bytes == 1 ? 32 : 16;
  Square square = {bytes, edge, edge, work[Field::sfrac] * 512, work[Field::dfrac] * 512};
  for (uint64_t i = 0; i < work[Field::rep]; ++i) {
    const uint8_t *from = l1 + work[Field::a] + i * work[Field::sstride] * 512;
    uint8_t *to = l0 + work[Field::d] + i * work[Field::dstride] * 512;
    if (!work[Field::trans]) {
      std::memcpy(to, from, 512);
      continue;
    }
    for (uint64_t row = 0; row < edge; ++row)
      for (uint64_t column = 0; column < edge; ++column)
        std::memcpy(to + square.destination(row, column), from + square.source(row, column), bytes);
  }
}

void load3d(const Work &work, const uint8_t *l1, uint8_t *l0a) {
  Im2col im = Im2col::of(work);
  uint64_t bytes = dtypeBytes(work.type()), blocks = work[Field::kext] / im.c0;
  for (uint64_t row = 0; row < work[Field::m]; ++row)
    for (uint64_t block = 0; block < blocks; ++block) {
      uint8_t *to = l0a + work[Field::d] + (row / 16 * blocks + block) * 512 + row % 16 * 32;
      int64_t from = im.offset(work[Field::mpos] + row, work[Field::kpos] + block * im.c0);
      if (from >= 0)
        std::memcpy(to, l1 + work[Field::a] + from, 32);
      else
        for (uint64_t lane = 0; lane < im.c0; ++lane)
          std::memcpy(to + lane * bytes, &work.special[static_cast<size_t>(Special::PadVal)], bytes);
    }
}

} // namespace

void runMove(Work &work, const Memories &memories) {
  switch (work.op()) {
  case Op::MovGmUb:
    return copyIn(work, memories.ub);
  case Op::MovGmL1:
    return copyIn(work, memories.l1);
  case Op::MovUbGm:
    return copyOut(work, memories.ub);
  case Op::Nd2Nz:
    return ndToNz(work, memories.l1);
  case Op::SetL1:
    return fill(work, memories.l1);
  case Op::VCopy:
    return copyLocal(work, memories.ub, memories.ub);
  case Op::MovL1Bt:
    return copyLocal(work, memories.bt, memories.l1);
  case Op::MovL1Fb:
    return copyLocal(work, memories.fb, memories.l1);
  case Op::MovL1Ub:
    return copyLocal(work, memories.ub, memories.l1);
  case Op::MovUbL1:
    return copyLocal(work, memories.l1, memories.ub);
  default:
    return;
  }
}

void runL0Load(const Work &work, const Memories &memories) {
  if (work.op() == Op::Load3dA)
    return load3d(work, memories.l1, memories.l0a);
  load2d(work, memories.l1, work.op() == Op::Load2dA ? memories.l0a : memories.l0b);
}

} // namespace kiln::npu
