// Device.cpp: allocation with a limit; launches are dropped where they are made.
#include "backends/null/Device.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace kiln::null {

NullDevice::NullDevice(const KilnHost &host, const KilnAllocator &allocator, uint64_t limitBytes)
    : Device(host), allocator(allocator), limitBytes(limitBytes) {}

NullDevice::~NullDevice() {
  for (const auto &[address, block] : blocks)
    giveBack(block);
}

void *NullDevice::obtain(uint64_t bytes, uint64_t alignment) {
  if (allocator.allocate)
    return allocator.allocate(allocator.self, bytes, alignment);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void NullDevice::giveBack(const Block &block) {
  if (!allocator.allocate)
    std::free(block.memory);
  else if (allocator.deallocate)
    allocator.deallocate(allocator.self, block.memory, block.bytes, block.alignment);
}

Result<KilnDeviceAddress> NullDevice::allocate(uint64_t bytes, uint64_t alignment) {
  if (bytes == 0)
    return Status(Code::InvalidArgument, "null device: 0 bytes; expected at least 1");
  if (alignment & (alignment - 1))
    return Status(Code::InvalidArgument,
                  "null device: alignment " + std::to_string(alignment) + "; expected a power of two");
  alignment = std::max(alignment, kAlignmentBytes);
  std::lock_guard lock(mutex);
  if (alignment > limitBytes || bytes > limitBytes - bytesInUse)
    return Status(Code::ResourceExhausted, "null device: " + std::to_string(bytes) + " bytes asked for; " +
                                               std::to_string(limitBytes - bytesInUse) + " of " +
                                               std::to_string(limitBytes) + " bytes free");
  void *memory = obtain(bytes, alignment);
  if (!memory)
    return Status(Code::ResourceExhausted,
                  "null device: no host memory for " + std::to_string(bytes) + " bytes");
  auto address = reinterpret_cast<KilnDeviceAddress>(memory);
  blocks[address] = {memory, bytes, alignment};
  bytesInUse += bytes;
  bytesPeak = std::max(bytesPeak, bytesInUse);
  return address;
}

void NullDevice::release(KilnDeviceAddress address) {
  std::lock_guard lock(mutex);
  auto it = blocks.find(address);
  if (it == blocks.end())
    return; // freed twice: nothing of ours
  bytesInUse -= it->second.bytes;
  giveBack(it->second);
  blocks.erase(it);
}

Result<KilnDeviceAddress> NullDevice::import(void *memory, uint64_t bytes) {
  if (!memory || bytes == 0)
    return Status(Code::InvalidArgument, "null device: an import of " + std::to_string(bytes) + " bytes at " +
                                             (memory ? "an address" : "null") +
                                             "; expected memory of at least 1 byte");
  return reinterpret_cast<KilnDeviceAddress>(memory);
}

KilnMemoryStats NullDevice::memoryStats() {
  std::lock_guard lock(mutex);
  return {sizeof(KilnMemoryStats), bytesInUse, bytesPeak, limitBytes, blocks.size()};
}

Result<uint64_t> NullDeviceType::option(std::string_view key) const {
  KilnStr text = {};
  KILN_RETURN_IF_ERROR(
      Status::fromC(theHost, theHost.option(theHost.self, toStr("null"), toStr(key), &text)));
  uint64_t value = 0;
  std::from_chars(text.data, text.data + text.size, value); // the runtime has checked it against the manifest
  return value;
}

Result<uint32_t> NullDeviceType::enumerate() {
  KILN_ASSIGN_OR_RETURN(uint64_t count, option("devices"));
  return static_cast<uint32_t>(count);
}

Status NullDeviceType::checkOrdinal(uint32_t ordinal) {
  KILN_ASSIGN_OR_RETURN(uint32_t count, enumerate());
  if (ordinal < count)
    return {};
  return Status(Code::OutOfRange,
                "null device " + std::to_string(ordinal) + "; there are " + std::to_string(count));
}

Status NullDeviceType::describe(uint32_t ordinal, KilnDeviceInfo &info) {
  KILN_RETURN_IF_ERROR(checkOrdinal(ordinal));
  KILN_ASSIGN_OR_RETURN(uint64_t memoryMib, option("memory-mib"));
  info.name = toStr("computes nothing, on host memory");
  info.kind = KILN_DEVICE_SOFTWARE;
  info.compute_units = 1;
  info.memory_bytes = memoryMib << 20;
  info.alignment_bytes = NullDevice::kAlignmentBytes;
  info.memory_is_host_memory = 1;
  info.max_grid_dimensions = 3;
  info.computes_nothing = 1;
  return {};
}

Status NullDeviceType::target(std::string_view, KilnTargetInfo &target) {
  target.triple = toStr(""); // there is no code
  target.arch = toStr("null");
  return {};
}

Result<std::unique_ptr<sdk::Device>> NullDeviceType::open(const KilnDeviceOpenArgs &args) {
  KILN_RETURN_IF_ERROR(checkOrdinal(args.ordinal));
  KILN_ASSIGN_OR_RETURN(uint64_t memoryMib, option("memory-mib"));
  uint64_t limit = memoryMib << 20;
  if (args.memory_limit_bytes)
    limit = std::min(limit, args.memory_limit_bytes);
  return std::unique_ptr<sdk::Device>(std::make_unique<NullDevice>(theHost, args.allocator, limit));
}

const KilnKernelLoaderOps &loaderOps() {
  static const KilnKernelLoaderOps ops = [] {
    KilnKernelLoaderOps table = {};
    table.struct_size = sizeof(table);
    table.load = [](void *self, KilnDevice *, const KilnKernelImage *image, KilnKernel **out) -> KilnStatus {
      const KilnHost &host = static_cast<NullDeviceType *>(self)->host();
      if (image->object_bytes != 0)
        return host.status_make(KILN_INVALID_ARGUMENT,
                                toStr("null kernel: it has code; expected metadata only"));
      *out = reinterpret_cast<KilnKernel *>(self); // all null kernels are one
      return nullptr;
    };
    table.unload = [](void *, KilnKernel *) {};
    return table;
  }();
  return ops;
}

} // namespace kiln::null
