// Work.h: one instruction on its way through a pipe: operands as the scalar unit issued them, and the lanes
// of vectors.
#ifndef KILN_BACKENDS_NPU_SIM_WORK_H
#define KILN_BACKENDS_NPU_SIM_WORK_H

#include "backends/npu/Isa/Isa.h"

#include <cstring>
#include <vector>

namespace kiln::npu {

/// Operands are values: registers were read at issue. A plain value, kept in a pool and used again.
struct Work {
  const Inst *inst = nullptr;
  std::array<uint64_t, kFieldCount> values; // of the format's fields
  std::array<uint64_t, kSpecialCount> special;
  std::vector<uint8_t> staging; // what goes to GM when the instruction ends, in the order of its elements
  uint64_t status = 0;          // special register rsvdcnt when it ends

  Op op() const { return inst->op(); }
  DType type() const { return inst->type(); }
  uint64_t operator[](Field field) const { return values[static_cast<size_t>(field)]; }
  uint64_t operator[](Special sr) const { return special[static_cast<size_t>(sr)]; }
};

/// Which lanes of which repeats a vector instruction works on.
struct Lanes {
  uint32_t perRepeat = 0; // lanes of a repeat
  uint32_t repeats = 0;
  uint64_t mask[2] = {};
  bool isFull = false; // every lane of every repeat
  bool counts = false; // counter mode
  uint64_t count = 0;  // of elements in counter mode

  static Lanes of(const Work &work, uint32_t elementBytes);
  bool active(uint32_t repeat, uint32_t lane) const {
    if (counts)
      return uint64_t(repeat) * perRepeat + lane < count;
    return mask[lane >> 6] >> (lane & 63) & 1;
  }
  bool isFullRepeat(uint32_t repeat) const {
    return isFull || (counts && uint64_t(repeat + 1) * perRepeat <= count);
  }
};

/// Where the lanes of one operand lie.
struct LaneLayout {
  uint64_t address = 0;
  uint32_t elementBytes = 0;
  uint64_t blockStride = 32, repeatStride = 256; // bytes
  uint64_t at(uint32_t repeat, uint32_t lane) const {
    uint32_t perBlock = 32 / elementBytes;
    return address + repeat * repeatStride + lane / perBlock * blockStride + lane % perBlock * elementBytes;
  }
  bool isContiguous(const Lanes &lanes) const {
    return blockStride == 32 &&
           (repeatStride == uint64_t(lanes.perRepeat) * elementBytes || lanes.repeats <= 1);
  }
};
LaneLayout destination(const Work &work, uint32_t elementBytes);
LaneLayout firstSource(const Work &work, uint32_t elementBytes);
LaneLayout secondSource(const Work &work, uint32_t elementBytes);

/// A value in memory, aligned or not.
template <typename T> T load(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

/// Shapes that footprint and execution must agree on.
constexpr uint64_t ceilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
constexpr uint64_t roundUp(uint64_t a, uint64_t b) { return ceilDiv(a, b) * b; }
/// Bytes from one burst to the next on each side of a copy, and of its padded burst in local memory.
struct CopyShape {
  uint64_t bursts, bytes, sourceStep, destinationStep, before, after; // before, after: bytes of padding
  static CopyShape of(const Work &work);
};
/// The im2col matrix of load3d.
struct Im2col {
  uint32_t height, width, padLeft, padRight, padTop, padBottom;
  uint32_t strideW, strideH, filterW, filterH, dilationW, dilationH, channels, c0;
  uint64_t outWidth, outHeight;
  static Im2col of(const Work &work);
  /// The byte offset of element (row, column), or -1 for padding.
  int64_t offset(uint64_t row, uint64_t column) const;
};
/// Elements of a column block that fixpipe writes in fractal layout.
inline uint64_t fixBlockWidth(uint32_t resultBytes) { return resultBytes == 1 ? 32 : 16; }

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_SIM_WORK_H
