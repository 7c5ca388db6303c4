// Device.h: an opened device and what is made from it.
#ifndef KILN_RUNTIME_DEVICE_H
#define KILN_RUNTIME_DEVICE_H

#include "kiln/sdk/Fork.h"
#include "runtime/Buffer.h"
#include "runtime/DeviceType.h"
#include "runtime/KernelMetadata.h"

#include <map>
#include <mutex>

namespace kiln {

class Queue;
class Event;
class LoadedKernel;

/// Owned copy of KilnDeviceInfo.
struct DeviceDescription {
  std::string name;
  KilnDeviceKind kind = KILN_DEVICE_HARDWARE;
  uint32_t computeUnits = 0, maxGridDimensions = 3;
  uint64_t memoryBytes = 0, alignmentBytes = 1;
  bool memoryIsHostMemory = false, simulatedTime = false, computesNothing = false;
};

/// What the type says of one of its devices without opening it.
Result<DeviceDescription> describeDevice(const DeviceType &type, uint32_t ordinal);
/// What to compile for; `options` over the environment's.
Result<TargetDescription> targetOf(const DeviceType &type, std::string_view options);

/// An opened device (level L3). In the child of a fork() it is defunct: every call returns Forked, and what
/// is destroyed there does not call the backend, whose threads are gone. Ownership: closes the device when
/// the last reference is gone; queues, buffers, events and kernels hold one. Threads:   every member is safe
/// from any thread.
class Device : public std::enable_shared_from_this<Device> {
public:
  struct OpenOptions {
    uint32_t ordinal = 0;
    uint32_t maxThreads = 0;       // 0: the device's choice
    uint64_t memoryLimitBytes = 0; // 0: the device's own
    std::string options = {};      // "key=value;..."
    KilnAllocator allocator = {};
    KilnParallelFor parallel = {};
  };
  /// `type` must live until the process ends, as registered types do.
  static Result<std::shared_ptr<Device>> open(const DeviceType &type, const OpenOptions &options);
  ~Device();
  /// How many devices are open in this process; after forbidOpening no more can be opened.
  static uint64_t openCount();
  static void forbidOpening(bool isForbidden);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const std::string &name() const { return theName; } // "host:0"
  const DeviceType &type() const { return theType; }
  const DeviceDescription &description() const { return theDescription; }
  KilnDevice *handle() const { return theHandle; }
  const KilnDeviceOps &ops() const { return theType.ops; }

  /// Opened before a fork of this process.
  bool isDefunct() const { return bornIn != sdk::forkGeneration(); }
  /// Forked if the device is defunct.
  Status checkProcess() const;

  /// Zero bytes give a buffer that has an address and no length. alignment 0: the device's own.
  Result<Buffer> allocate(uint64_t bytes, uint64_t alignment = 0);
  /// No copy; `memory` must live until `release` is called (or, without one, as long as any Buffer of it).
  Result<Buffer> importHost(void *memory, uint64_t bytes, std::function<void()> release = nullptr);
  /// The range at an address that lies inside an allocation or import of this device. NotFound if none has
  /// it.
  Result<Buffer> bufferAt(KilnDeviceAddress address, uint64_t bytes);
  /// A host pointer to a buffer. Unimplemented if the host cannot address it.
  Result<void *> map(const Buffer &buffer);
  Result<KilnMemoryStats> memoryStats();

  Result<std::unique_ptr<Queue>> createQueue();
  Result<std::unique_ptr<Event>> createEvent();
  Result<std::shared_ptr<LoadedKernel>> load(const KernelLoader &loader, CompiledKernelRef kernel,
                                             KernelIr ir = {});

private:
  friend class Allocation;
  Device(const DeviceType &type, std::string name, DeviceDescription description, KilnDevice *handle);
  Buffer adopt(Allocation::Origin origin, KilnDeviceAddress address, uint64_t bytes, uint64_t visibleBytes,
               std::function<void()> release);
  void forget(const Allocation &allocation);

  const DeviceType &theType;
  const std::string theName;
  const DeviceDescription theDescription;
  KilnDevice *const theHandle;
  const uint32_t bornIn = sdk::forkGeneration();
  std::mutex allocationsMutex; // never held while the device is called
  std::map<KilnDeviceAddress, std::weak_ptr<const Allocation>> allocations; // by start
};

} // namespace kiln
#endif // KILN_RUNTIME_DEVICE_H
