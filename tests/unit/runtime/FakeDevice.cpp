// FakeDevice.cpp: the smallest KilnDeviceOps that keeps every promise of backend.h.
#include "tests/unit/runtime/FakeDevice.h"

#include "runtime/Error.h"
#include "runtime/HostTable.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

using kiln::fromC;
using kiln::Status;
using kiln::toC;
using kiln::toStr;
using kiln::toView;
using kiln::testing::FakeDevice;

struct KilnDevice {
  FakeDevice &fake;
  std::map<KilnDeviceAddress, uint64_t> sizes; // of allocations
};
struct KilnEvent {
  FakeDevice &fake;
  KilnQueue *queue = nullptr;
  bool done = false;
  Status poison;
};
struct KilnQueue {
  KilnDevice &device;
  std::vector<std::function<Status()>> commands;
  Status poison;
};
struct KilnKernel {
  FakeDevice &fake;
  std::string code, name;
};

namespace {

using namespace kiln;

FakeDevice &fakeOf(void *self) { return *static_cast<FakeDevice *>(self); }
void *pointer(KilnDeviceAddress address) { return reinterpret_cast<void *>(address); }

void drain(KilnQueue *queue) {
  auto commands = std::move(queue->commands);
  queue->commands.clear();
  for (auto &command : commands)
    if (Status status = command(); !status.ok() && queue->poison.ok())
      queue->poison = status;
}

// Queues `work`, which runs unless the queue is poisoned by then.
KilnStatus enqueue(KilnQueue *queue, std::function<Status()> work) {
  if (!queue->poison.ok())
    return toC(queue->poison);
  queue->commands.push_back(
      [queue, work = std::move(work)] { return queue->poison.ok() ? work() : Status(); });
  if (!queue->device.fake.deferred)
    drain(queue);
  return toC(queue->poison);
}

KilnStatus enumerate(void *self, uint32_t *count) { return *count = fakeOf(self).ordinals, nullptr; }
KilnStatus describe(void *self, uint32_t ordinal, KilnDeviceInfo *info) {
  FakeDevice &fake = fakeOf(self);
  if (ordinal >= fake.ordinals)
    return toC(outOfRange("ordinal {}; there are {}", ordinal, fake.ordinals));
  info->name = toStr("fake device");
  info->kind = KILN_DEVICE_SOFTWARE;
  info->compute_units = 1;
  info->memory_bytes = fake.memoryLimitBytes;
  info->alignment_bytes = 64;
  info->memory_is_host_memory = fake.isHostMemory;
  info->max_grid_dimensions = 3;
  return nullptr;
}
KilnStatus target(void *, KilnStr options, KilnTargetInfo *info) {
  if (toView(options) == "bad")
    return toC(invalidArgument("option 'bad' has no value"));
  info->triple = toStr("fake-unknown-none");
  info->arch = toStr("fake1");
  info->features = toStr("+a,+b");
  info->options = toStr("");
  info->storage_types = KILN_TYPES_ALL;
  info->arithmetic_types = KILN_TYPE_BIT(KILN_F32);
  return nullptr;
}
KilnStatus deviceOpen(void *self, const KilnDeviceOpenArgs *args, KilnDevice **out) {
  FakeDevice &fake = fakeOf(self);
  if (args->ordinal >= fake.ordinals)
    return toC(outOfRange("ordinal {}", args->ordinal));
  fake.lastOpen = *args;
  ++fake.devicesOpen;
  *out = new KilnDevice{fake, {}};
  return nullptr;
}
void deviceClose(KilnDevice *device) {
  --device->fake.devicesOpen;
  delete device;
}

KilnStatus memoryAllocate(KilnDevice *device, uint64_t bytes, uint64_t alignment, KilnDeviceAddress *out) {
  FakeDevice &fake = device->fake;
  std::scoped_lock lock(fake.mutex);
  if (bytes > fake.memoryLimitBytes - fake.bytesInUse)
    return toC(resourceExhausted("wants {} bytes; {} of {} free", bytes,
                                 fake.memoryLimitBytes - fake.bytesInUse, fake.memoryLimitBytes));
  uint64_t align = std::max<uint64_t>(alignment, 64);
  void *memory = std::aligned_alloc(align, (bytes + align - 1) / align * align);
  std::memset(memory, 0xCD, bytes); // what was not written shows
  fake.bytesInUse += bytes;
  fake.bytesPeak = std::max(fake.bytesPeak, fake.bytesInUse);
  ++fake.allocations;
  *out = reinterpret_cast<KilnDeviceAddress>(memory);
  device->sizes[*out] = bytes;
  return nullptr;
}
void memoryFree(KilnDevice *device, KilnDeviceAddress address) {
  std::scoped_lock lock(device->fake.mutex);
  device->fake.bytesInUse -= device->sizes.at(address); // a double free throws
  device->sizes.erase(address);
  std::free(pointer(address));
}
KilnStatus memoryImport(KilnDevice *device, void *host, uint64_t, KilnDeviceAddress *out) {
  if (!device->fake.isHostMemory)
    return toC(unimplemented("import: this device has its own memory"));
  std::scoped_lock lock(device->fake.mutex);
  ++device->fake.imports;
  *out = reinterpret_cast<KilnDeviceAddress>(host);
  return nullptr;
}
void memoryUnimport(KilnDevice *device, KilnDeviceAddress) {
  std::scoped_lock lock(device->fake.mutex);
  --device->fake.imports;
}
KilnStatus memoryMap(KilnDevice *device, KilnDeviceAddress address, uint64_t, void **out) {
  if (!device->fake.isHostMemory)
    return toC(unimplemented("map: this device has its own memory"));
  return *out = pointer(address), nullptr;
}
KilnStatus memoryStats(KilnDevice *device, KilnMemoryStats *stats) {
  std::scoped_lock lock(device->fake.mutex);
  stats->bytes_in_use = device->fake.bytesInUse;
  stats->bytes_peak = device->fake.bytesPeak;
  stats->bytes_limit = device->fake.memoryLimitBytes;
  stats->allocations = device->fake.allocations;
  return nullptr;
}

KilnStatus queueCreate(KilnDevice *device, KilnQueue **out) {
  return *out = new KilnQueue{*device, {}, {}}, nullptr;
}
void queueDestroy(KilnQueue *queue) {
  drain(queue);
  delete queue;
}

// What queue_launch must copy.
struct LaunchCopy {
  std::vector<KilnBinding> bindings;
  std::vector<int64_t> constants;
  KilnLaunch launch;
};

KilnStatus queueLaunch(KilnQueue *queue, KilnKernel *kernel, const KilnLaunch *launch) {
  auto copy = std::make_shared<LaunchCopy>();
  copy->bindings.assign(launch->bindings, launch->bindings + launch->binding_count);
  copy->constants.assign(launch->constants, launch->constants + launch->constant_count);
  copy->launch = *launch;
  copy->launch.bindings = copy->bindings.data();
  copy->launch.constants = copy->constants.data();
  return enqueue(queue, [copy, kernel]() -> Status {
    ++kernel->fake.launches;
    if (copy->launch.profile) {
      copy->launch.profile->start_ns = 1000;
      copy->launch.profile->end_ns = 3000;
      copy->launch.profile->cycles = 7;
    }
    if (kernel->code == "fault") {
      const KilnLaunchSite *site = copy->launch.site;
      return internalError("kernel '{}' faulted in launch '{}' ({})", kernel->name,
                           site ? toView(site->name) : "?", site ? toView(site->location) : "?");
    }
    kernel->fake.kernels.at(kernel->code)(copy->launch);
    return {};
  });
}
KilnStatus queueCopy(KilnQueue *queue, KilnDeviceAddress to, KilnDeviceAddress from, uint64_t bytes) {
  return enqueue(queue, [=]() -> Status {
    queue->device.fake.copiedBytes += bytes;
    return std::memmove(pointer(to), pointer(from), bytes), Status();
  });
}
KilnStatus queueWrite(KilnQueue *queue, KilnDeviceAddress to, const void *from, uint64_t bytes) {
  return enqueue(queue, [=]() -> Status { return std::memcpy(pointer(to), from, bytes), Status(); });
}
KilnStatus queueRead(KilnQueue *queue, void *to, KilnDeviceAddress from, uint64_t bytes) {
  return enqueue(queue, [=]() -> Status { return std::memcpy(to, pointer(from), bytes), Status(); });
}
KilnStatus queueFill(KilnQueue *queue, KilnDeviceAddress to, uint64_t pattern, uint32_t patternBytes,
                     uint64_t bytes) {
  return enqueue(queue, [=]() -> Status {
    for (uint64_t at = 0; at < bytes; at += patternBytes)
      std::memcpy(pointer(to + at), &pattern, patternBytes);
    return {};
  });
}
KilnStatus queueAllocate(KilnQueue *queue, uint64_t bytes, uint64_t alignment, KilnDeviceAddress *out) {
  if (!queue->poison.ok())
    return toC(queue->poison);
  return memoryAllocate(&queue->device, bytes, alignment, out);
}
KilnStatus queueFree(KilnQueue *queue, KilnDeviceAddress address) {
  queue->commands.push_back([=]() -> Status { return memoryFree(&queue->device, address), Status(); });
  if (!queue->device.fake.deferred)
    drain(queue);
  return nullptr;
}
KilnStatus queueCall(KilnQueue *queue, KilnHostFn fn, void *arg) {
  queue->commands.push_back([=]() -> Status { return fn(arg), Status(); });
  if (!queue->device.fake.deferred)
    drain(queue);
  return nullptr;
}
KilnStatus queueSignal(KilnQueue *queue, KilnEvent *event) {
  event->queue = queue;
  queue->commands.push_back([=]() -> Status {
    event->poison = queue->poison;
    event->done = true;
    return {};
  });
  return toC(queue->poison);
}
KilnStatus eventWait(KilnEvent *event, uint64_t timeout) {
  if (event->fake.neverEnds && timeout != KILN_WAIT_FOREVER)
    return toC(deadlineExceeded("event: not signalled after {} ns", timeout));
  if (event->queue)
    drain(event->queue);
  return toC(event->poison);
}
KilnStatus queueWait(KilnQueue *queue, KilnEvent *event) {
  return enqueue(queue, [=]() -> Status { return fromC(eventWait(event, KILN_WAIT_FOREVER)); });
}
KilnStatus queueFlush(KilnQueue *queue) {
  if (!queue->device.fake.neverEnds && !queue->device.fake.deferred)
    drain(queue);
  return toC(queue->poison);
}
KilnStatus queueSynchronize(KilnQueue *queue, uint64_t timeout) {
  if (queue->device.fake.neverEnds && timeout != KILN_WAIT_FOREVER)
    return toC(deadlineExceeded("queue: not done after {} ns", timeout));
  drain(queue);
  return toC(queue->poison);
}
KilnStatus queueStatus(KilnQueue *queue) { return toC(queue->poison); }
KilnStatus queueReset(KilnQueue *queue) {
  queue->poison = kiln::internalError("dropped");
  drain(queue); // what is queued sees the poison and does nothing; frees and calls still happen
  queue->poison = {};
  return nullptr;
}

KilnStatus eventCreate(KilnDevice *device, KilnEvent **out) {
  return *out = new KilnEvent{device->fake, nullptr, false, {}}, nullptr;
}
void eventDestroy(KilnEvent *event) { delete event; }
KilnStatus eventQuery(KilnEvent *event, uint32_t *done) { return *done = event->done, toC(event->poison); }

KilnStatus load(void *self, KilnDevice *, const KilnKernelImage *image, KilnKernel **out) {
  FakeDevice &fake = fakeOf(self);
  std::string code(static_cast<const char *>(image->object), image->object_bytes);
  if (code != "fault" && !fake.kernels.contains(code))
    return toC(invalidArgument("object: '{}' is no kernel of the fake device", code));
  std::scoped_lock lock(fake.mutex);
  ++fake.loads;
  fake.lastIr = std::string(toView(image->ir)) + "#" + std::string(toView(image->ir_digest));
  *out = new KilnKernel{fake, code, std::string(toView(image->name))};
  return nullptr;
}
void unload(void *self, KilnKernel *kernel) {
  ++fakeOf(self).unloads;
  delete kernel;
}

} // namespace

namespace kiln::testing {

FakeDevice::FakeDevice() {
  theType.name = "fake";
  theType.backend = "fake";
  theType.kind = KILN_DEVICE_SOFTWARE;
  theType.self = this;
  KilnDeviceOps &ops = theType.ops;
  ops = {sizeof(KilnDeviceOps),
         enumerate,
         describe,
         target,
         deviceOpen,
         deviceClose,
         memoryAllocate,
         memoryFree,
         memoryImport,
         memoryUnimport,
         memoryMap,
         memoryStats,
         queueCreate,
         queueDestroy,
         queueLaunch,
         queueCopy,
         queueWrite,
         queueRead,
         queueFill,
         queueAllocate,
         queueFree,
         queueCall,
         queueSignal,
         queueWait,
         queueFlush,
         queueSynchronize,
         queueStatus,
         queueReset,
         eventCreate,
         eventDestroy,
         eventQuery,
         eventWait,
         nullptr};
  theLoader = {
      "fake", "fake-obj", "strict", {sizeof(KilnKernelLoaderOps), load, unload, nullptr, nullptr}, this};
}

} // namespace kiln::testing
