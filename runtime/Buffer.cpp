// Buffer.cpp: frees allocations and cuts ranges.
#include "runtime/Buffer.h"

#include "runtime/Device.h"
#include "runtime/Error.h"

namespace kiln {

Allocation::Allocation(std::shared_ptr<Device> device, Origin origin, KilnDeviceAddress address,
                       uint64_t bytes, std::function<void()> release)
    : theDevice(std::move(device)), origin(origin), theAddress(address), theBytes(bytes),
      release(std::move(release)) {}

Allocation::~Allocation() {
  const bool isDefunct = theDevice->isDefunct(); // its locks may be held by threads that are gone
  if (!isDefunct)
    theDevice->forget(*this);
  switch (isDefunct ? Origin::Borrowed : origin) {
  case Origin::Allocated:
    theDevice->ops().memory_free(theDevice->handle(), theAddress);
    break;
  case Origin::Imported:
    theDevice->ops().memory_unimport(theDevice->handle(), theAddress);
    break;
  case Origin::Borrowed:
    break;
  }
  if (release)
    release();
}

Result<Buffer> Buffer::subrange(uint64_t start, uint64_t length) const {
  if (start > theBytes || length > theBytes - start)
    return outOfRange("buffer: bytes [{}, +{}); it has {}", start, length, theBytes);
  return Buffer(allocation, offset + start, length);
}

} // namespace kiln
