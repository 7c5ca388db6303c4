// Device.cpp: first-fit allocation in the shared memory; copies here, launches there.
#include "Runtime/Device.h"

#include "Runtime/Protocol.h"

namespace foo {

using namespace kiln;

Device::Device(const KilnHost &host, std::shared_ptr<Server> server, uint64_t memoryBytes)
    : sdk::Device(host), server(std::move(server)), memoryBytes(memoryBytes) {}

char *Device::at(KilnDeviceAddress address) const { return server->memory() + (address - kFirstAddress); }

Result<KilnDeviceAddress> Device::allocate(uint64_t bytes, uint64_t alignment) {
  if (bytes == 0)
    return Status(Code::InvalidArgument, "foo: 0 bytes; expected at least 1");
  if (alignment & (alignment - 1))
    return Status(Code::InvalidArgument,
                  "foo: alignment " + std::to_string(alignment) + "; expected a power of two");
  alignment = std::max(alignment, kAlignmentBytes);
  std::lock_guard lock(mutex);
  // Addresses are aligned, not offsets.
  auto aligned = [&](uint64_t offset) {
    return ((offset + kFirstAddress + alignment - 1) & ~(alignment - 1)) - kFirstAddress;
  };
  uint64_t offset = aligned(0);
  for (const auto &[start, size] : blocks) {
    if (offset <= start && bytes <= start - offset)
      break;
    offset = aligned(start + size);
  }
  if (alignment > memoryBytes || offset > memoryBytes || bytes > memoryBytes - offset)
    return Status(Code::ResourceExhausted, "foo: " + std::to_string(bytes) + " bytes asked for; " +
                                               std::to_string(memoryBytes - bytesInUse) + " of " +
                                               std::to_string(memoryBytes) + " bytes free");
  blocks[offset] = bytes;
  bytesInUse += bytes;
  bytesPeak = std::max(bytesPeak, bytesInUse);
  return offset + kFirstAddress;
}

void Device::release(KilnDeviceAddress address) {
  std::lock_guard lock(mutex);
  auto it = blocks.find(address - kFirstAddress);
  if (it == blocks.end())
    return;
  bytesInUse -= it->second;
  blocks.erase(it);
}

Result<void *> Device::map(KilnDeviceAddress address, uint64_t bytes) {
  if (address < kFirstAddress || address - kFirstAddress > memoryBytes ||
      bytes > memoryBytes - (address - kFirstAddress))
    return Status(Code::InvalidArgument, "foo: no device memory at this address");
  return static_cast<void *>(at(address));
}

KilnMemoryStats Device::memoryStats() {
  std::lock_guard lock(mutex);
  return {sizeof(KilnMemoryStats), bytesInUse, bytesPeak, memoryBytes, blocks.size()};
}

Status Device::launch(const sdk::LaunchCommand &command) {
  return server->launch(Kernel::from(command.kernel)->number, command.bindings, command.constants);
}
Status Device::copy(KilnDeviceAddress to, KilnDeviceAddress from, uint64_t bytes) {
  std::memmove(at(to), at(from), bytes);
  return {};
}
Status Device::write(KilnDeviceAddress to, const void *from, uint64_t bytes) {
  std::memcpy(at(to), from, bytes);
  return {};
}
Status Device::read(void *to, KilnDeviceAddress from, uint64_t bytes) {
  std::memcpy(to, at(from), bytes);
  return {};
}
Status Device::fill(KilnDeviceAddress to, uint64_t pattern, uint32_t patternBytes, uint64_t bytes) {
  fillHost(at(to), pattern, patternBytes, bytes);
  return {};
}

Result<std::unique_ptr<Kernel>> Device::load(const KilnKernelImage &image) {
  KILN_ASSIGN_OR_RETURN(uint64_t number, server->load(image.object, image.object_bytes));
  return std::unique_ptr<Kernel>(new Kernel{server, number});
}

} // namespace foo
