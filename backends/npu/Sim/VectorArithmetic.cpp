// VectorArithmetic.cpp: instructions that work lane by lane. f16 is computed in f32 and rounded once, which
// is exact for one operation; a long contiguous instruction is computed as one array.
#include "backends/npu/Sim/Half.h"
#include "backends/npu/Sim/Units.h"

#include <cstring>

namespace kiln::npu {
namespace {

constexpr size_t kChunk = 256; // lanes computed at a time

template <typename T, typename Fn> void each(const T *a, const T *b, T *d, size_t n, Fn fn) {
  for (size_t i = 0; i < n; ++i)
    d[i] = fn(a[i], b[i], d[i]);
}

// d holds the old destination.
void computeFloat(Op op, const float *a, const float *b, float *d, size_t n) {
#pragma clang fp contract(off)
  switch (op) {
  case Op::VAdd:
  case Op::VAdds:
    return each(a, b, d, n, [](float x, float y, float) { return x + y; });
  case Op::VSub:
    return each(a, b, d, n, [](float x, float y, float) { return x - y; });
  case Op::VMul:
  case Op::VMuls:
    return each(a, b, d, n, [](float x, float y, float) { return x * y; });
  case Op::VDiv:
    return each(a, b, d, n, [](float x, float y, float) { return x / y; });
  case Op::VMax:
  case Op::VMaxs:
    return each(a, b, d, n, [](float x, float y, float) { return x != x || x > y ? x : y; });
  case Op::VMin:
  case Op::VMins:
    return each(a, b, d, n, [](float x, float y, float) { return x != x || x < y ? x : y; });
  case Op::VAbs:
    return each(a, b, d, n, [](float x, float, float) { return std::fabs(x); });
  case Op::VExp:
    return each(a, b, d, n, [](float x, float, float) { return std::exp(x); });
  case Op::VLn:
    return each(a, b, d, n, [](float x, float, float) { return std::log(x); });
  case Op::VSqrt:
    return each(a, b, d, n, [](float x, float, float) { return std::sqrt(x); });
  case Op::VRsqrt:
    return each(a, b, d, n,
                [](float x, float, float) { return static_cast<float>(1.0 / std::sqrt(double(x))); });
  case Op::VRec:
    return each(a, b, d, n, [](float x, float, float) { return 1.0f / x; });
  case Op::VRelu:
    return each(a, b, d, n, [](float x, float, float) { return x != x || x > 0 ? x : 0.0f; });
  case Op::VLrelu:
    return each(a, b, d, n, [](float x, float y, float) { return x >= 0 ? x : x * y; });
  default:
    return;
  }
}

template <typename T> void computeInteger(Op op, const T *a, const T *b, T *d, size_t n) {
  using U = std::make_unsigned_t<T>;
  auto wrap = [](uint64_t value) { return static_cast<T>(static_cast<U>(value)); };
  auto u = [](T value) { return static_cast<uint64_t>(static_cast<U>(value)); };
  switch (op) {
  case Op::VAdd:
  case Op::VAdds:
    return each(a, b, d, n, [&](T x, T y, T) { return wrap(u(x) + u(y)); });
  case Op::VSub:
    return each(a, b, d, n, [&](T x, T y, T) { return wrap(u(x) - u(y)); });
  case Op::VMul:
  case Op::VMuls:
    return each(a, b, d, n, [&](T x, T y, T) { return wrap(u(x) * u(y)); });
  case Op::VMax:
  case Op::VMaxs:
    return each(a, b, d, n, [](T x, T y, T) { return std::max(x, y); });
  case Op::VMin:
  case Op::VMins:
    return each(a, b, d, n, [](T x, T y, T) { return std::min(x, y); });
  case Op::VRelu:
    return each(a, b, d, n, [](T x, T, T) { return std::max<T>(x, 0); });
  case Op::VAnd:
    return each(a, b, d, n, [](T x, T y, T) { return static_cast<T>(x & y); });
  case Op::VOr:
    return each(a, b, d, n, [](T x, T y, T) { return static_cast<T>(x | y); });
  case Op::VNot:
    return each(a, b, d, n, [](T x, T, T) { return static_cast<T>(~x); });
  case Op::VShl:
    return each(a, b, d, n, [&](T x, T y, T) { return u(y) >= sizeof(T) * 8 ? T(0) : wrap(u(x) << u(y)); });
  case Op::VShr: // a shift by the width or more leaves the sign, or zero
    return each(a, b, d, n, [&](T x, T y, T) {
      return static_cast<T>(x >> std::min<uint64_t>(u(y), sizeof(T) * 8 - 1) >> (u(y) >= sizeof(T) * 8));
    });
  default:
    return;
  }
}

// The bits of f16 become f32 to compute with, and come back rounded. Multiply-add rounds the product, too.
void computeHalf(Op op, const uint8_t *a, const uint8_t *b, uint8_t *d, size_t n) {
  float fa[kChunk], fb[kChunk], fd[kChunk];
  halvesToFloats(a, fa, n);
  halvesToFloats(b, fb, n);
  if (op == Op::VMla || op == Op::VAxpy) {
    uint16_t product[kChunk];
    computeFloat(Op::VMul, fa, fb, fd, n);
    floatsToHalves(fd, product, n);
    halvesToFloats(product, fa, n);
    halvesToFloats(d, fb, n);
    op = Op::VAdd;
  }
  computeFloat(op, fa, fb, fd, n);
  floatsToHalves(fd, d, n);
}

void computeSingle(Op op, const float *a, const float *b, float *d, size_t n) {
  if (op != Op::VMla && op != Op::VAxpy)
    return computeFloat(op, a, b, d, n);
  float product[kChunk];
  computeFloat(Op::VMul, a, b, product, n);
  computeFloat(Op::VAdd, product, d, d, n);
}

void compute(Op op, DType type, const uint8_t *a, const uint8_t *b, uint8_t *d, size_t n) {
  auto as = [&](auto zero) {
    using T = decltype(zero);
    computeInteger(op, reinterpret_cast<const T *>(a), reinterpret_cast<const T *>(b),
                   reinterpret_cast<T *>(d), n);
  };
  switch (type) {
  case DType::F16:
    return computeHalf(op, a, b, d, n);
  case DType::F32:
    return computeSingle(op, reinterpret_cast<const float *>(a), reinterpret_cast<const float *>(b),
                         reinterpret_cast<float *>(d), n);
  case DType::I16:
    return as(int16_t(0));
  case DType::I32:
    return as(int32_t(0));
  case DType::U16:
  case DType::B16:
    return as(uint16_t(0));
  case DType::U32:
  case DType::B32:
    return as(uint32_t(0));
  case DType::BF16:
  case DType::I8:
  case DType::U8:
  case DType::I64:
  case DType::B8:
    return;
  }
}

// The scalar of an instruction as a row of lanes.
void broadcast(uint64_t scalar, uint32_t bytes, uint8_t *row) {
  for (size_t i = 0; i < kChunk; ++i)
    std::memcpy(row + i * bytes, &scalar, bytes);
}

bool readsSecond(Format format) {
  return format == Format::VectorBinary || format == Format::VectorCompare || format == Format::VectorSelect;
}

void runCompare(const Work &work, const Memories &memories) {
  uint32_t bytes = dtypeBytes(work.type());
  Lanes lanes = Lanes::of(work, bytes);
  LaneLayout a = firstSource(work, bytes), b = secondSource(work, bytes);
  auto how = static_cast<Compare>(work[Field::compare]);
  alignas(32) uint8_t rowA[1024], rowB[1024];
  bool isScalar = work.op() == Op::VCmps;
  if (isScalar)
    broadcast(work[Field::b], bytes, rowB);
  for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
    const uint8_t *fromA = loadLanes(memories.ub, a, lanes, repeat, rowA);
    const uint8_t *fromB = isScalar ? rowB : loadLanes(memories.ub, b, lanes, repeat, rowB);
    uint8_t *to = memories.ub + work[Field::d] + uint64_t(repeat) * lanes.perRepeat / 8;
    for (uint32_t lane = 0; lane < lanes.perRepeat; ++lane) {
      if (!lanes.active(repeat, lane))
        continue;
      bool yes = false;
      if (work.type() == DType::I32) {
        int32_t x, y;
        std::memcpy(&x, fromA + lane * 4, 4);
        std::memcpy(&y, fromB + lane * 4, 4);
        yes = holds(how, x, y);
      } else {
        float x, y;
        if (bytes == 2) {
          halvesToFloats(fromA + lane * 2, &x, 1);
          halvesToFloats(fromB + lane * 2, &y, 1);
        } else {
          std::memcpy(&x, fromA + lane * 4, 4);
          std::memcpy(&y, fromB + lane * 4, 4);
        }
        yes = holds(how, x, y);
      }
      uint8_t bit = static_cast<uint8_t>(1u << lane % 8);
      to[lane / 8] = static_cast<uint8_t>(yes ? to[lane / 8] | bit : to[lane / 8] & ~bit);
    }
  }
}

void runFill(const Work &work, const Memories &memories) {
  uint32_t bytes = dtypeBytes(work.type());
  LaneLayout d = destination(work, bytes);
  if (work.op() == Op::VDup) {
    Lanes lanes = Lanes::of(work, bytes);
    alignas(32) uint8_t row[1024];
    broadcast(work[Field::a], bytes, row);
    for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat)
      storeLanes(memories.ub, d, lanes, repeat, row);
    return;
  }
  for (uint32_t repeat = 0; repeat < work[Field::rep]; ++repeat)
    for (uint32_t block = 0; block < 8; ++block)
      for (uint32_t lane = 0; lane < 32 / bytes; ++lane)
        std::memcpy(memories.ub + d.at(repeat, block * (32 / bytes) + lane),
                    memories.ub + work[Field::a] + (repeat * 8 + block) * bytes, bytes);
}

void runSelect(const Work &work, const Memories &memories) {
  uint32_t bytes = dtypeBytes(work.type());
  Lanes lanes = Lanes::of(work, bytes);
  LaneLayout d = destination(work, bytes), a = firstSource(work, bytes), b = secondSource(work, bytes);
  alignas(32) uint8_t rowA[1024], rowB[1024], row[1024];
  for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
    const uint8_t *fromA = loadLanes(memories.ub, a, lanes, repeat, rowA);
    const uint8_t *fromB = loadLanes(memories.ub, b, lanes, repeat, rowB);
    const uint8_t *bits = memories.ub + work[Field::c] + uint64_t(repeat) * lanes.perRepeat / 8;
    for (uint32_t lane = 0; lane < lanes.perRepeat; ++lane)
      if (lanes.active(repeat, lane))
        std::memcpy(row + lane * bytes, (bits[lane / 8] >> lane % 8 & 1 ? fromA : fromB) + lane * bytes,
                    bytes);
    storeLanes(memories.ub, d, lanes, repeat, row);
  }
}

} // namespace

const uint8_t *loadLanes(const uint8_t *memory, const LaneLayout &layout, const Lanes &lanes, uint32_t repeat,
                         uint8_t *buffer) {
  uint32_t perBlock = 32 / layout.elementBytes;
  if (lanes.isFullRepeat(repeat)) {
    if (layout.blockStride == 32)
      return memory + layout.at(repeat, 0);
    for (uint32_t lane = 0; lane < lanes.perRepeat; lane += perBlock)
      std::memcpy(buffer + lane * layout.elementBytes, memory + layout.at(repeat, lane),
                  std::min(perBlock, lanes.perRepeat) * layout.elementBytes);
    return buffer;
  }
  for (uint32_t lane = 0; lane < lanes.perRepeat; ++lane)
    if (lanes.active(repeat, lane))
      std::memcpy(buffer + lane * layout.elementBytes, memory + layout.at(repeat, lane), layout.elementBytes);
    else
      std::memset(buffer + lane * layout.elementBytes, 0, layout.elementBytes);
  return buffer;
}

void storeLanes(uint8_t *memory, const LaneLayout &layout, const Lanes &lanes, uint32_t repeat,
                const uint8_t *from) {
  uint32_t perBlock = 32 / layout.elementBytes;
  if (lanes.isFullRepeat(repeat)) {
    for (uint32_t lane = 0; lane < lanes.perRepeat; lane += perBlock)
      std::memmove(memory + layout.at(repeat, lane), from + lane * layout.elementBytes,
                   std::min(perBlock, lanes.perRepeat) * layout.elementBytes);
    return;
  }
  for (uint32_t lane = 0; lane < lanes.perRepeat; ++lane)
    if (lanes.active(repeat, lane))
      std::memcpy(memory + layout.at(repeat, lane), from + lane * layout.elementBytes, layout.elementBytes);
}

void runVectorArithmetic(Work &work, const Memories &memories) {
  Format format = work.inst->info->format;
  if (format == Format::VectorCompare || format == Format::VectorCompareScalar)
    return runCompare(work, memories);
  if (format == Format::VectorFill)
    return runFill(work, memories);
  if (format == Format::VectorSelect)
    return runSelect(work, memories);
  uint32_t bytes = dtypeBytes(work.type());
  Lanes lanes = Lanes::of(work, bytes);
  LaneLayout d = destination(work, bytes), a = firstSource(work, bytes), b = secondSource(work, bytes);
  bool hasSecond = readsSecond(format);
  alignas(32) uint8_t rowA[1024], rowB[1024] = {}, row[1024];
  if (format == Format::VectorScalar)
    broadcast(work[Field::b], bytes, rowB);
  if (format == Format::VectorShift)
    broadcast(work[Field::bi], bytes, rowB);
  if (lanes.isFull && d.isContiguous(lanes) && a.isContiguous(lanes) &&
      (!hasSecond || b.isContiguous(lanes))) {
    size_t total = size_t(lanes.perRepeat) * lanes.repeats;
    for (size_t i = 0; i < total; i += kChunk)
      compute(work.op(), work.type(), memories.ub + a.address + i * bytes,
              hasSecond ? memories.ub + b.address + i * bytes : rowB, memories.ub + d.address + i * bytes,
              std::min(kChunk, total - i));
    return;
  }
  for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
    const uint8_t *fromA = loadLanes(memories.ub, a, lanes, repeat, rowA);
    const uint8_t *fromB = hasSecond ? loadLanes(memories.ub, b, lanes, repeat, rowB) : rowB;
    if (work.op() == Op::VMla || work.op() == Op::VAxpy) {
      const uint8_t *old = loadLanes(memories.ub, d, lanes, repeat, row);
      if (old != row)
        std::memcpy(row, old, 256);
    }
    compute(work.op(), work.type(), fromA, fromB, row, lanes.perRepeat);
    storeLanes(memories.ub, d, lanes, repeat, row);
  }
}

} // namespace kiln::npu
