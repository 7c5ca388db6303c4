// HostTensor.h: a tensor in host memory with its name: what tools read, compare and write.
#ifndef KILN_TOOLS_LIB_HOSTTENSOR_H
#define KILN_TOOLS_LIB_HOSTTENSOR_H

#include "kiln/Status.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <vector>

namespace kiln::tools {

/// Allocates at cache lines: what lies so, a host device reads where it is instead of copying it at every
/// run.
template <typename T> struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  CacheLineAllocator() = default;
  template <typename Other> CacheLineAllocator(const CacheLineAllocator<Other> &) {}
  T *allocate(size_t count) { return static_cast<T *>(::operator new(count * sizeof(T), kAlignment)); }
  void deallocate(T *memory, size_t) { ::operator delete(memory, kAlignment); }
  bool operator==(const CacheLineAllocator &) const = default;
};

/// Dense and row-major. Owns its bytes; a value, not thread-safe while it changes.
struct HostTensor {
  std::string name;
  KilnDType dtype = KILN_DTYPE_INVALID;
  std::vector<int64_t> dims;
  std::vector<std::byte, CacheLineAllocator<std::byte>> bytes;

  int64_t elementCount() const;
  /// Element `index` in row-major order as a double; u64 and i64 beyond 2^53 are rounded.
  double element(int64_t index) const;
  void setElement(int64_t index, double value); // rounds and saturates to the type
  std::string shapeText() const;                // "1x3x224x224xf32"
};

/// Bits of one element; 0 for an unknown type.
uint32_t dtypeBits(KilnDType dtype);
std::string_view dtypeName(KilnDType dtype);
/// KILN_DTYPE_INVALID for an unknown name.
KilnDType dtypeFromName(std::string_view name);
/// A zeroed tensor. InvalidArgument if an extent is negative or the rank above KILN_MAX_RANK,
/// ResourceExhausted if it is larger than this machine's memory.
Result<HostTensor> makeTensor(std::string name, KilnDType dtype, std::vector<int64_t> dims);

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_HOSTTENSOR_H
