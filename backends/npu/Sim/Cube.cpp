// Cube.cpp: mmad. Each output is one f32 (or i32) accumulator that takes the products in rising k; products
// of f16 and bf16 are exact in f32, so that fused and separate rounding agree. Fractals are unpacked, then
// multiplied 16 columns at a time.
#include "backends/npu/Sim/Half.h"
#include "backends/npu/Sim/Units.h"

#include <cstring>
#include <vector>

namespace kiln::npu {
namespace {

using Row = float __attribute__((vector_size(64))); // 16 columns

struct Shape {
  uint64_t m, k, n, k0, rowFractals, depthFractals, columnFractals;
};

float element(DType type, const uint8_t *from) {
  if (type == DType::F32) {
    float value;
    std::memcpy(&value, from, 4);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, from, 2);
  return type == DType::F16 ? halfToFloat(bits) : bfloatToFloat(bits);
}

void unpackRow(DType type, const uint8_t *from, float *to, size_t count) {
  if (type == DType::F16)
    return halvesToFloats(from, to, count);
  for (size_t i = 0; i < count; ++i)
    to[i] = element(type, from + i * dtypeBytes(type));
}

// A (zZ) to rows of k: a[row][k], padded to whole fractals.
void unpackA(DType type, const Shape &shape, const uint8_t *l0a, std::vector<float> &a) {
  uint64_t depth = shape.depthFractals * shape.k0;
  a.resize(shape.rowFractals * 16 * depth);
  for (uint64_t mi = 0; mi < shape.rowFractals; ++mi)
    for (uint64_t ki = 0; ki < shape.depthFractals; ++ki)
      for (uint64_t row = 0; row < 16; ++row)
        unpackRow(type, l0a + (mi * shape.depthFractals + ki) * 512 + row * 32,
                  &a[(mi * 16 + row) * depth + ki * shape.k0], shape.k0);
}

// Column fractal `ni` of B (nZ) to rows of 16 columns: b[k][column].
void unpackB(DType type, const Shape &shape, const uint8_t *l0b, uint64_t ni, std::vector<Row> &b) {
  b.resize(shape.depthFractals * shape.k0);
  float column[16];
  for (uint64_t ki = 0; ki < shape.depthFractals; ++ki)
    for (uint64_t c = 0; c < 16; ++c) {
      unpackRow(type, l0b + (ki * shape.columnFractals + ni) * 512 + c * 32, column, shape.k0);
      for (uint64_t k = 0; k < shape.k0; ++k)
        b[ki * shape.k0 + k][c] = column[k];
    }
}

// Four rows of A times 16 columns, added to `sums`.
template <bool kFused>
[[gnu::always_inline]] inline void multiplyRows(const float *a, uint64_t depth, const Row *b, uint64_t k,
                                                Row *sums) {
  Row s0 = sums[0], s1 = sums[1], s2 = sums[2], s3 = sums[3];
  for (uint64_t i = 0; i < k; ++i) {
    if constexpr (kFused) {
#pragma clang fp contract(fast)
      s0 += a[i] * b[i];
      s1 += a[depth + i] * b[i];
      s2 += a[2 * depth + i] * b[i];
      s3 += a[3 * depth + i] * b[i];
    } else {
#pragma clang fp contract(off)
      s0 += a[i] * b[i];
      s1 += a[depth + i] * b[i];
      s2 += a[2 * depth + i] * b[i];
      s3 += a[3 * depth + i] * b[i];
    }
  }
  sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
}

using RowsFn = void (*)(const float *a, uint64_t depth, const Row *b, uint64_t k, Row *sums);
__attribute__((target("avx512f,fma"))) void fusedRows512(const float *a, uint64_t depth, const Row *b,
                                                         uint64_t k, Row *sums) {
  multiplyRows<true>(a, depth, b, k, sums);
}
__attribute__((target("avx2,fma"))) void fusedRows256(const float *a, uint64_t depth, const Row *b,
                                                      uint64_t k, Row *sums) {
  multiplyRows<true>(a, depth, b, k, sums);
}
void exactRows(const float *a, uint64_t depth, const Row *b, uint64_t k, Row *sums) {
  multiplyRows<false>(a, depth, b, k, sums);
}

RowsFn chooseRows(DType type) {
  if (type == DType::F32) // products are not exact: multiply, round, add, round
    return exactRows;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma"))
    return fusedRows512;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? fusedRows256 : exactRows;
}

void multiplyFloats(const Work &work, const Memories &memories, const Shape &shape) {
  thread_local std::vector<float> a;
  thread_local std::vector<Row> b;
  DType type = work.type();
  RowsFn rows = chooseRows(type);
  uint64_t depth = shape.depthFractals * shape.k0;
  unpackA(type, shape, memories.l0a + work[Field::a], a);
  for (uint64_t ni = 0; ni < shape.columnFractals; ++ni) {
    unpackB(type, shape, memories.l0b + work[Field::b], ni, b);
    uint64_t columns = std::min<uint64_t>(16, shape.n - ni * 16);
    Row bias = {};
    if (work[Field::init] && work[Field::bias])
      std::memcpy(&bias, memories.bt + work[Field::c] + ni * 64, columns * 4);
    for (uint64_t m = 0; m < shape.m; m += 4) {
      uint8_t *to = memories.l0c + work[Field::d] + (ni * shape.rowFractals + m / 16) * 1024 + m % 16 * 64;
      uint64_t count = std::min<uint64_t>(4, shape.m - m);
      Row sums[4] = {bias, bias, bias, bias};
      if (!work[Field::init])
        for (uint64_t row = 0; row < count; ++row)
          std::memcpy(&sums[row], to + row * 64, columns * 4);
      rows(&a[m * depth], depth, b.data(), shape.k, sums);
      for (uint64_t row = 0; row < count; ++row)
        std::memcpy(to + row * 64, &sums[row], columns * 4);
    }
  }
}

void multiplyBytes(const Work &work, const Memories &memories, const Shape &shape) {
  for (uint64_t ni = 0; ni < shape.columnFractals; ++ni)
    for (uint64_t m = 0; m < shape.m; ++m) {
      uint64_t columns = std::min<uint64_t>(16, shape.n - ni * 16);
      uint8_t *to = memories.l0c + work[Field::d] + (ni * shape.rowFractals + m / 16) * 1024 + m % 16 * 64;
      int32_t sums[16] = {};
      if (!work[Field::init])
        std::memcpy(sums, to, columns * 4);
      else if (work[Field::bias])
        std::memcpy(sums, memories.bt + work[Field::c] + ni * 64, columns * 4);
      for (uint64_t ki = 0; ki < shape.depthFractals; ++ki) {
        const auto *a = reinterpret_cast<const int8_t *>(
            memories.l0a + work[Field::a] + (m / 16 * shape.depthFractals + ki) * 512 + m % 16 * 32);
        const auto *b = reinterpret_cast<const int8_t *>(memories.l0b + work[Field::b] +
                                                         (ki * shape.columnFractals + ni) * 512);
        uint64_t depth = std::min<uint64_t>(32, shape.k - ki * 32);
        for (uint64_t column = 0; column < columns; ++column) {
          int32_t dot = 0; // at most 32 * 2^14
          for (uint64_t k = 0; k < depth; ++k)
            dot += int32_t(a[k]) * b[column * 32 + k];
          sums[column] =
              static_cast<int32_t>(static_cast<uint32_t>(sums[column]) + static_cast<uint32_t>(dot)); // wraps
        }
      }
      std::memcpy(to, sums, columns * 4);
    }
}

} // namespace

void runMmad(const Work &work, const Memories &memories) {
  Shape shape = {work[Field::m], work[Field::k], work[Field::n], 32 / dtypeBytes(work.type()), 0, 0, 0};
  shape.rowFractals = ceilDiv(shape.m, 16);
  shape.depthFractals = ceilDiv(shape.k, shape.k0);
  shape.columnFractals = ceilDiv(shape.n, 16);
  if (work.type() == DType::I8)
    multiplyBytes(work, memories, shape);
  else
    multiplyFloats(work, memories, shape);
}

} // namespace kiln::npu
