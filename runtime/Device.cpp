// Device.cpp: calls a backend's table and wraps what it gives.
#include "runtime/Device.h"

#include "runtime/Error.h"
#include "runtime/HostTable.h"
#include "runtime/LoadedKernel.h"
#include "runtime/Queue.h"

#include <atomic>
#include <bit>

namespace kiln {

namespace {

std::atomic<uint64_t> openDevices = 0;
std::atomic<bool> openingIsForbidden = false;

std::string textOf(KilnStr string) { return std::string(toView(string)); }

} // namespace

Result<DeviceDescription> describeDevice(const DeviceType &type, uint32_t ordinal) {
  Result<KilnDeviceInfo> found = deviceInfo(type, ordinal);
  if (!found.ok())
    return withContext(found.status(), "device '{}:{}'", type.name, ordinal);
  const KilnDeviceInfo &info = *found;
  DeviceDescription description;
  description.name = textOf(info.name);
  description.kind = info.kind == KILN_DEVICE_HARDWARE ? KILN_DEVICE_HARDWARE : KILN_DEVICE_SOFTWARE;
  description.computeUnits = info.compute_units;
  description.maxGridDimensions = info.max_grid_dimensions;
  description.memoryBytes = info.memory_bytes;
  description.alignmentBytes = info.alignment_bytes;
  description.memoryIsHostMemory = info.memory_is_host_memory != 0;
  description.simulatedTime = info.simulated_time != 0;
  description.computesNothing = info.computes_nothing != 0;
  if (!std::has_single_bit(description.alignmentBytes))
    return internalError("device '{}:{}': alignment {}; a backend must give a power of two", type.name,
                         ordinal, description.alignmentBytes);
  return description;
}

Result<TargetDescription> targetOf(const DeviceType &type, std::string_view options) {
  KILN_ASSIGN_OR_RETURN(KilnTargetInfo info, targetInfo(type, options));
  return TargetDescription{type.name,
                           textOf(info.triple),
                           textOf(info.arch),
                           textOf(info.features),
                           textOf(info.options),
                           info.storage_types,
                           info.arithmetic_types};
}

uint64_t Device::openCount() { return openDevices; }
void Device::forbidOpening(bool isForbidden) { openingIsForbidden = isForbidden; }

Result<std::shared_ptr<Device>> Device::open(const DeviceType &type, const OpenOptions &options) {
  if (openingIsForbidden)
    return failedPrecondition("device '{}:{}': kiln_shutdown was called", type.name, options.ordinal);
  KILN_ASSIGN_OR_RETURN(DeviceDescription description, describeDevice(type, options.ordinal));
  std::string name = fmt::format("{}:{}", type.name, options.ordinal);
  KilnDeviceOpenArgs args = {};
  args.struct_size = sizeof(args);
  args.ordinal = options.ordinal;
  args.max_threads = options.maxThreads;
  args.memory_limit_bytes = options.memoryLimitBytes;
  args.options = toStr(options.options);
  args.allocator = options.allocator;
  args.parallel = options.parallel;
  Result<KilnDevice *> handle = openDevice(type, args);
  if (!handle.ok())
    return withContext(handle.status(), "device '{}'", name);
  return std::shared_ptr<Device>(new Device(type, std::move(name), std::move(description), *handle));
}

Device::Device(const DeviceType &type, std::string name, DeviceDescription description, KilnDevice *handle)
    : theType(type), theName(std::move(name)), theDescription(std::move(description)), theHandle(handle) {
  ++openDevices;
}

Device::~Device() {
  if (!isDefunct())
    ops().device_close(theHandle);
  --openDevices;
}

Status Device::checkProcess() const {
  if (!isDefunct())
    return {};
  return forkedError("device '{}': opened before a fork; open it again in the child", theName);
}

Buffer Device::adopt(Allocation::Origin origin, KilnDeviceAddress address, uint64_t bytes,
                     uint64_t visibleBytes, std::function<void()> release) {
  auto allocation =
      std::make_shared<const Allocation>(shared_from_this(), origin, address, bytes, std::move(release));
  std::scoped_lock lock(allocationsMutex);
  allocations[address] = allocation;
  return Buffer(std::move(allocation), 0, visibleBytes);
}

void Device::forget(const Allocation &allocation) {
  std::scoped_lock lock(allocationsMutex);
  auto it = allocations.find(allocation.address());
  if (it != allocations.end() && it->second.expired()) // the same host memory may be imported twice
    allocations.erase(it);
}

Result<Buffer> Device::allocate(uint64_t bytes, uint64_t alignment) {
  KILN_RETURN_IF_ERROR(checkProcess());
  if (alignment != 0 && !std::has_single_bit(alignment))
    return invalidArgument("device '{}': alignment {}; expected a power of two", theName, alignment);
  uint64_t least = std::max<uint64_t>(bytes, 1);
  KilnDeviceAddress address = 0;
  KILN_RETURN_IF_ERROR(withContext(fromC(ops().memory_allocate(theHandle, least, alignment, &address)),
                                   "device '{}'", theName));
  return adopt(Allocation::Origin::Allocated, address, least, bytes, nullptr);
}

Result<Buffer> Device::importHost(void *memory, uint64_t bytes, std::function<void()> release) {
  KILN_RETURN_IF_ERROR(checkProcess());
  if (!memory || bytes == 0)
    return invalidArgument("device '{}': import of {} bytes at {}; expected memory", theName, bytes, memory);
  KilnDeviceAddress address = 0;
  KILN_RETURN_IF_ERROR(
      withContext(fromC(ops().memory_import(theHandle, memory, bytes, &address)), "device '{}'", theName));
  return adopt(Allocation::Origin::Imported, address, bytes, bytes, std::move(release));
}

Result<Buffer> Device::bufferAt(KilnDeviceAddress address, uint64_t bytes) {
  KILN_RETURN_IF_ERROR(checkProcess());
  std::shared_ptr<const Allocation> owner;
  {
    std::scoped_lock lock(allocationsMutex);
    auto it = allocations.upper_bound(address);
    if (it != allocations.begin())
      owner = std::prev(it)->second.lock();
  }
  if (!owner || address - owner->address() > owner->bytes() ||
      bytes > owner->bytes() - (address - owner->address()))
    return notFound("device '{}': no allocation holds {} bytes at {:#x}", theName, bytes, address);
  return Buffer(owner, address - owner->address(), bytes);
}

Result<void *> Device::map(const Buffer &buffer) {
  KILN_RETURN_IF_ERROR(checkProcess());
  void *memory = nullptr;
  KILN_RETURN_IF_ERROR(withContext(
      fromC(ops().memory_map(theHandle, buffer.address(), buffer.bytes(), &memory)), "device '{}'", theName));
  return memory;
}

Result<KilnMemoryStats> Device::memoryStats() {
  KILN_RETURN_IF_ERROR(checkProcess());
  KilnMemoryStats stats = {};
  stats.struct_size = sizeof(stats);
  KILN_RETURN_IF_ERROR(withContext(fromC(ops().memory_stats(theHandle, &stats)), "device '{}'", theName));
  return stats;
}

Result<std::unique_ptr<Queue>> Device::createQueue() {
  KILN_RETURN_IF_ERROR(checkProcess());
  KilnQueue *queue = nullptr;
  KILN_RETURN_IF_ERROR(withContext(fromC(ops().queue_create(theHandle, &queue)), "device '{}'", theName));
  return std::make_unique<Queue>(shared_from_this(), queue);
}

Result<std::unique_ptr<Event>> Device::createEvent() {
  KILN_RETURN_IF_ERROR(checkProcess());
  KilnEvent *event = nullptr;
  KILN_RETURN_IF_ERROR(withContext(fromC(ops().event_create(theHandle, &event)), "device '{}'", theName));
  return std::make_unique<Event>(shared_from_this(), event);
}

Result<std::shared_ptr<LoadedKernel>> Device::load(const KernelLoader &loader, CompiledKernelRef kernel,
                                                   KernelIr ir) {
  KILN_RETURN_IF_ERROR(checkProcess());
  const KernelMetadata &metadata = kernel->metadata();
  if (metadata.format != loader.format)
    return invalidArgument("kernel '{}': format '{}'; loader '{}' takes '{}'", metadata.name, metadata.format,
                           loader.name, loader.format);
  KilnKernelImage image = {};
  image.struct_size = sizeof(image);
  image.format = toStr(metadata.format);
  image.symbol = toStr(metadata.symbol);
  image.name = toStr(metadata.name);
  image.object = kernel->object().data();
  image.object_bytes = kernel->object().size();
  image.binding_count = static_cast<uint32_t>(metadata.bindings.size());
  image.constant_count = metadata.constantCount;
  image.key = toStr(metadata.key);
  image.pc_table = kernel->pcTable().data();
  image.pc_count = kernel->pcTable().size();
  image.ir = toStr(ir.bytecode);
  image.ir_digest = toStr(ir.digest);
  KilnKernel *handle = nullptr;
  KILN_RETURN_IF_ERROR(withContext(fromC(loader.ops.load(loader.self, theHandle, &image, &handle)),
                                   "kernel '{}' on '{}' (loader '{}')", metadata.name, theName, loader.name));
  return std::make_shared<LoadedKernel>(shared_from_this(), loader, std::move(kernel), handle);
}

} // namespace kiln
