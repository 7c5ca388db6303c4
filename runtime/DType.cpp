// DType.cpp: one table by KilnDType.
#include "runtime/DType.h"

#include <iterator>
#include <limits>

namespace kiln {

namespace {

struct DTypeEntry {
  const char *name;
  uint32_t bits;
};
constexpr DTypeEntry kDTypes[] = {
    {"invalid", 0}, {"f16", 16}, {"bf16", 16},    {"f32", 32},   {"f64", 64}, {"i1", 8},
    {"i8", 8},      {"i16", 16}, {"i32", 32},     {"i64", 64},   {"u8", 8},   {"u16", 16},
    {"u32", 32},    {"u64", 64}, {"f8E4M3FN", 8}, {"f8E5M2", 8}, {"i4", 4},   {"u4", 4},
};
static_assert(std::size(kDTypes) == KILN_U4 + 1);

const DTypeEntry &entryOf(KilnDType dtype) { return kDTypes[dtype < std::size(kDTypes) ? dtype : 0]; }

} // namespace

uint32_t dtypeBits(KilnDType dtype) { return entryOf(dtype).bits; }
const char *dtypeName(KilnDType dtype) { return entryOf(dtype).name; }
bool isScalarInteger(KilnDType dtype) { return dtype >= KILN_I1 && dtype <= KILN_U64; }

std::optional<uint64_t> denseBytes(KilnDType dtype, std::span<const int64_t> dims) {
  int64_t count = 1;
  bool overflow = false; // reported only if no extent is 0
  for (int64_t dim : dims) {
    if (dim < 0)
      return std::nullopt;
    if (dim == 0)
      return 0;
    overflow |= __builtin_mul_overflow(count, dim, &count);
  }
  int64_t bits = 0;
  if (overflow || __builtin_mul_overflow(count, static_cast<int64_t>(dtypeBits(dtype)), &bits) ||
      bits > std::numeric_limits<int64_t>::max() - 7)
    return std::nullopt;
  return (static_cast<uint64_t>(bits) + 7) / 8;
}

} // namespace kiln
