// VectorShape.cpp: instructions that move elements: transposes, gathers, packing by mask, sorting, copies
// within UB.
#include "backends/npu/Sim/Half.h"
#include "backends/npu/Sim/Units.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace kiln::npu {
namespace {

constexpr uint32_t kPair = 8; // bytes of a value and its index

void transposeSquare(const Work &work, const Memories &memories) {
  uint16_t in[16][16], out[16][16];
  std::memcpy(in, memories.ub + work[Field::a], sizeof(in));
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j)
      out[j][i] = in[i][j];
  std::memcpy(memories.ub + work[Field::d], out, sizeof(out));
}

// 16 rows of up to 32 bytes: element j of row i goes to column i. b32 has eight columns of 16, two rows a
// column; b8 takes and leaves one half of each block.
void transposeRows(const Work &work, const Memories &memories) {
  uint32_t bytes = dtypeBytes(work.type()), columns = bytes == 4 ? 8 : 16;
  for (uint64_t repeat = 0; repeat < work[Field::rep]; ++repeat) {
    const uint8_t *from = memories.ub + work[Field::a] + repeat * work[Field::arep] * 32 +
                          (bytes == 1 ? work[Field::ahigh] * 16 : 0);
    uint8_t *to = memories.ub + work[Field::d] + repeat * work[Field::drep] * 32 +
                  (bytes == 1 ? work[Field::dhigh] * 16 : 0);
    uint8_t block[16][32];
    for (uint64_t row = 0; row < 16; ++row)
      std::memcpy(block[row], from + row * work[Field::arow] * 32, columns * bytes);
    for (uint64_t column = 0; column < columns; ++column)
      for (uint64_t row = 0; row < 16; ++row) {
        uint64_t toRow = bytes == 4 ? column * 2 + row / 8 : column, toColumn = bytes == 4 ? row % 8 : row;
        std::memcpy(to + toRow * work[Field::drow] * 32 + toColumn * bytes, block[row] + column * bytes,
                    bytes);
      }
  }
}

void gather(const Work &work, const Memories &memories) {
  uint32_t bytes = dtypeBytes(work.type());
  Lanes lanes = Lanes::of(work, bytes);
  auto offset = [&](uint64_t index) {
    uint32_t value;
    std::memcpy(&value, memories.ub + work[Field::a] + index * 4, 4);
    return uint64_t(value);
  };
  LaneLayout d = {work[Field::d], bytes, 32, work[Field::drep] * 32};
  if (work.op() == Op::VGatherB) {
    for (uint32_t repeat = 0; repeat < work[Field::rep]; ++repeat)
      for (uint32_t block = 0; block < 8; ++block)
        std::memmove(memories.ub + d.at(repeat, block * (32 / bytes)),
                     memories.ub + work[Field::b] + offset(repeat * 8 + block), 32);
    return;
  }
  for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat)
    for (uint32_t lane = 0; lane < lanes.perRepeat; ++lane)
      if (lanes.active(repeat, lane))
        std::memcpy(memories.ub + d.at(repeat, lane),
                    memories.ub + work[Field::b] + offset(uint64_t(repeat) * lanes.perRepeat + lane), bytes);
}

void pack(Work &work, const Memories &memories) {
  uint32_t bytes = dtypeBytes(work.type());
  Lanes lanes = Lanes::of(work, bytes);
  LaneLayout a = {work[Field::a], bytes, 32, 256};
  work.status = 0;
  for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat)
    for (uint32_t lane = 0; lane < lanes.perRepeat; ++lane) {
      uint64_t bit = uint64_t(repeat) * lanes.perRepeat + lane;
      if (lanes.active(repeat, lane) && (memories.ub[work[Field::b] + bit / 8] >> bit % 8 & 1))
        std::memmove(memories.ub + work[Field::d] + work.status++ * bytes, memories.ub + a.at(repeat, lane),
                     bytes);
    }
}

struct Pair {
  uint8_t bytes[kPair];
  float key(DType type) const {
    float value;
    if (type == DType::F16)
      halvesToFloats(bytes, &value, 1);
    else
      std::memcpy(&value, bytes, 4);
    return value;
  }
};

// Greatest first; NaN in front of everything, so that the order is total.
bool goesBefore(float a, float b) { return a != a ? b == b : a > b; }

void sortPairs(const Work &work, const Memories &memories) {
  uint32_t bytes = dtypeBytes(work.type());
  for (uint64_t repeat = 0; repeat < work[Field::rep]; ++repeat) {
    std::vector<Pair> pairs(32);
    for (uint64_t i = 0; i < 32; ++i) {
      std::memset(pairs[i].bytes, 0, kPair);
      std::memcpy(pairs[i].bytes, memories.ub + work[Field::a] + (repeat * 32 + i) * bytes, bytes);
      std::memcpy(pairs[i].bytes + 4, memories.ub + work[Field::b] + (repeat * 32 + i) * 4, 4);
    }
    for (size_t i = 1; i < pairs.size(); ++i) // insertion keeps equal keys in order
      for (size_t j = i; j > 0 && goesBefore(pairs[j].key(work.type()), pairs[j - 1].key(work.type())); --j)
        std::swap(pairs[j], pairs[j - 1]);
    std::memcpy(memories.ub + work[Field::d] + repeat * 32 * kPair, pairs.data(), 32 * kPair);
  }
}

void mergePairs(const Work &work, const Memories &memories) {
  std::vector<Pair> lists[4], merged;
  size_t next[4] = {};
  for (int i = 0; i < 4; ++i) {
    lists[i].resize(work[Field::b] >> (16 * i) & 0xffff);
    uint64_t address = (work[Field::a] >> (16 * i) & 0xffff) * kPair;
    if (!lists[i].empty())
      std::memcpy(lists[i].data(), memories.ub + address, lists[i].size() * kPair);
  }
  while (true) {
    int from = -1;
    for (int i = 0; i < 4; ++i)
      if (next[i] < lists[i].size() && (from < 0 || goesBefore(lists[i][next[i]].key(work.type()),
                                                               lists[from][next[from]].key(work.type()))))
        from = i;
    if (from < 0)
      break;
    merged.push_back(lists[from][next[from]++]);
  }
  if (!merged.empty())
    std::memcpy(memories.ub + work[Field::d], merged.data(), merged.size() * kPair);
}

} // namespace

void runVectorShape(Work &work, const Memories &memories) {
  switch (work.op()) {
  case Op::VTranspose:
    return transposeSquare(work, memories);
  case Op::VNchwConv:
    return transposeRows(work, memories);
  case Op::VGather:
  case Op::VGatherB:
    return gather(work, memories);
  case Op::VReduceV2:
    return pack(work, memories);
  case Op::VBitSort:
    return sortPairs(work, memories);
  case Op::VMrgSort:
    return mergePairs(work, memories);
  default:
    return;
  }
}

} // namespace kiln::npu
