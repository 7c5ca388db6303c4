// VectorReduce.cpp: reductions within a repeat or a block. Sums go by halves: lane i takes lane i + n/2, then
// n/2 halves; every partial sum is rounded to the element type. Lanes that are masked out do not take part.
#include "backends/npu/Sim/Half.h"
#include "backends/npu/Sim/Units.h"

#include <cstring>

namespace kiln::npu {
namespace {

// Lanes of a repeat as f32, with the identity where the mask is 0.
void loadRow(const Work &work, const Memories &memories, const Lanes &lanes, uint32_t repeat, float identity,
             float *row) {
  uint32_t bytes = dtypeBytes(work.type());
  alignas(32) uint8_t buffer[256];
  const uint8_t *from = loadLanes(memories.ub, firstSource(work, bytes), lanes, repeat, buffer);
  if (bytes == 2)
    halvesToFloats(from, row, lanes.perRepeat);
  else
    std::memcpy(row, from, 256);
  if (!lanes.isFullRepeat(repeat))
    for (uint32_t lane = 0; lane < lanes.perRepeat; ++lane)
      if (!lanes.active(repeat, lane))
        row[lane] = identity;
}

float rounded(DType type, float value) {
  return type == DType::F16 ? halfToFloat(floatToHalf(value)) : value;
}

float sum(DType type, float *row, uint32_t count) {
  for (; count > 1; count /= 2)
    for (uint32_t i = 0; i < count / 2; ++i)
      row[i] = rounded(type, row[i] + row[i + count / 2]);
  return row[0];
}

// The first lane with the greatest value; a NaN counts as the greatest. sign -1 finds the least.
uint32_t best(const float *row, uint32_t count, float sign) {
  uint32_t at = 0;
  for (uint32_t i = 1; i < count; ++i)
    if (row[at] == row[at] && (row[i] != row[i] || sign * row[i] > sign * row[at]))
      at = i;
  return at;
}

void store(DType type, uint8_t *to, float value) {
  if (type == DType::F16) {
    uint16_t bits = floatToHalf(value);
    std::memcpy(to, &bits, 2);
  } else {
    std::memcpy(to, &value, 4);
  }
}

void runWhole(const Work &work, const Memories &memories, const Lanes &lanes) {
  DType type = work.type();
  uint32_t bytes = dtypeBytes(type);
  bool adds = work.op() == Op::VCAdd;
  float sign = work.op() == Op::VCMin ? -1.0f : 1.0f;
  bool hasPair = !adds && work[Field::order] != 2;
  float row[128];
  for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
    loadRow(work, memories, lanes, repeat, adds ? 0.0f : -sign * INFINITY, row);
    uint8_t *to = memories.ub + work[Field::d] + repeat * work[Field::drep] * bytes * (hasPair ? 2 : 1);
    if (adds) {
      store(type, to, sum(type, row, lanes.perRepeat));
      continue;
    }
    uint32_t index = best(row, lanes.perRepeat, sign);
    bool indexFirst = work[Field::order] == 1;
    store(type, to + (indexFirst ? bytes : 0), row[index]);
    if (hasPair)
      std::memcpy(to + (indexFirst ? 0 : bytes), &index, bytes); // little-endian
  }
}

void runGroup(const Work &work, const Memories &memories, const Lanes &lanes) {
  DType type = work.type();
  uint32_t bytes = dtypeBytes(type), perBlock = 32 / bytes;
  bool isPairs = work.op() == Op::VCPAdd, adds = isPairs || work.op() == Op::VCGAdd;
  float sign = work.op() == Op::VCGMin ? -1.0f : 1.0f;
  uint32_t width = isPairs ? 2 : perBlock, results = lanes.perRepeat / width;
  float row[128];
  for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
    loadRow(work, memories, lanes, repeat, adds ? 0.0f : -sign * INFINITY, row);
    uint8_t *to = memories.ub + work[Field::d] + repeat * work[Field::drep] * results * bytes;
    for (uint32_t i = 0; i < results; ++i) {
      float *group = row + i * width;
      store(type, to + i * bytes, adds ? sum(type, group, width) : group[best(group, width, sign)]);
    }
  }
}

} // namespace

void runVectorReduce(Work &work, const Memories &memories) {
  Lanes lanes = Lanes::of(work, dtypeBytes(work.type()));
  if (work.inst->info->format == Format::VectorReduce)
    runWhole(work, memories, lanes);
  else
    runGroup(work, memories, lanes);
}

} // namespace kiln::npu
