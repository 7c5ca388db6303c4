// Bytes.cpp: aligned copies.
#include "runtime/Bytes.h"

#include <cstring>
#include <new>

namespace kiln {

OwnedBytes copyBytes(ByteSpan bytes) {
  constexpr std::align_val_t alignment{64};                   // what constants in a flatbuffer ask for
  void *memory = ::operator new(bytes.size() + 1, alignment); // never zero bytes
  std::shared_ptr<const void> owner(memory, [](void *p) { ::operator delete(p, std::align_val_t{64}); });
  if (!bytes.empty())
    std::memcpy(memory, bytes.data(), bytes.size());
  return {{static_cast<const uint8_t *>(memory), bytes.size()}, std::move(owner)};
}

} // namespace kiln
