// Buffer.h: memory of one device, by reference: whole allocations, imports, parts of either.
#ifndef KILN_RUNTIME_BUFFER_H
#define KILN_RUNTIME_BUFFER_H

#include "kiln/Status.h"

#include <functional>
#include <memory>

namespace kiln {

class Device;

/// One allocation or import. Freed with its last Buffer; `release` then tells an import's owner.
/// Ownership: keeps its device open. Threads: immutable.
class Allocation {
public:
  enum class Origin : uint8_t {
    Allocated,
    Imported,
    Borrowed
  }; // Borrowed: an address that somebody else frees
  Allocation(std::shared_ptr<Device> device, Origin origin, KilnDeviceAddress address, uint64_t bytes,
             std::function<void()> release);
  ~Allocation();
  Allocation(const Allocation &) = delete;
  Allocation &operator=(const Allocation &) = delete;

  Device &device() const { return *theDevice; }
  KilnDeviceAddress address() const { return theAddress; }
  uint64_t bytes() const { return theBytes; }

private:
  const std::shared_ptr<Device> theDevice;
  const Origin origin;
  const KilnDeviceAddress theAddress;
  const uint64_t theBytes;
  const std::function<void()> release;
};

/// A range of an allocation. Cheap to copy; every copy keeps the allocation alive. Empty by default.
/// Threads: as shared_ptr: distinct objects are independent.
class Buffer {
public:
  Buffer() = default;
  Buffer(std::shared_ptr<const Allocation> allocation, uint64_t offset, uint64_t bytes)
      : allocation(std::move(allocation)), offset(offset), theBytes(bytes) {}

  explicit operator bool() const { return allocation != nullptr; }
  Device &device() const { return allocation->device(); }
  KilnDeviceAddress address() const { return allocation->address() + offset; }
  uint64_t bytes() const { return theBytes; }
  KilnBinding binding() const { return {address(), theBytes}; }
  /// OutOfRange if it does not end inside this range.
  Result<Buffer> subrange(uint64_t offset, uint64_t bytes) const;
  /// How many Buffers share the allocation.
  long useCount() const { return allocation.use_count(); }

private:
  std::shared_ptr<const Allocation> allocation;
  uint64_t offset = 0, theBytes = 0;
};

} // namespace kiln
#endif // KILN_RUNTIME_BUFFER_H
