// DType.h: what the runtime knows of element types.
#ifndef KILN_RUNTIME_DTYPE_H
#define KILN_RUNTIME_DTYPE_H

#include "kiln/Status.h"

#include <optional>
#include <span>

namespace kiln {

/// Bits of an element in memory; 0 for an unknown type. i1 takes 8.
uint32_t dtypeBits(KilnDType dtype);
/// "f32"; "invalid" for an unknown type. Static.
const char *dtypeName(KilnDType dtype);
inline bool isKnownDType(KilnDType dtype) { return dtypeBits(dtype) != 0; }
/// True for the integers that ReadScalar can load: i1, i8 to i64, u8 to u64.
bool isScalarInteger(KilnDType dtype);

/// Bytes of a dense tensor; nothing on overflow or a negative extent. Sub-byte types are rounded up to a
/// byte.
std::optional<uint64_t> denseBytes(KilnDType dtype, std::span<const int64_t> dims);

} // namespace kiln
#endif // KILN_RUNTIME_DTYPE_H
