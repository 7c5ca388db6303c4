// Bytes.h: bytes with what keeps them alive.
#ifndef KILN_RUNTIME_BYTES_H
#define KILN_RUNTIME_BYTES_H

#include <cstdint>
#include <memory>
#include <span>

namespace kiln {

using ByteSpan = std::span<const uint8_t>;

/// Immutable bytes and a share of their owner: a mapped file, a vector, a blob of the compiler.
struct OwnedBytes {
  ByteSpan bytes;
  std::shared_ptr<const void> owner;

  bool empty() const { return bytes.empty(); }
};

/// A copy at an address that is a multiple of 64.
OwnedBytes copyBytes(ByteSpan bytes);

} // namespace kiln
#endif // KILN_RUNTIME_BYTES_H
