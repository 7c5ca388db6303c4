// kiln/sdk/Device.h: KilnDeviceOps from two small C++ classes, with InOrderQueue behind its queues and
// events.
//
// Header-only. A backend derives Device and DeviceType and registers
//   registrar.addDeviceType("toy", kiln::sdk::deviceOps(), &theToyDeviceType);
#ifndef KILN_SDK_DEVICE_H
#define KILN_SDK_DEVICE_H

#include "kiln/InOrderQueue.h"

#include <new>

namespace kiln::sdk {

/// An opened device. KilnDevice handles of deviceOps() point to one.
/// Ownership: made by DeviceType::open, deleted by device_close, after its queues and kernels.
/// Threads:   every member may be called from any thread.
class Device : public Executor {
public:
  /// `host` is the runtime's table given to init.
  explicit Device(const KilnHost &host) : theHost(host), bornIn(forkGeneration()) {}
  const KilnHost &host() const { return theHost; }

  /// alignment: a power of two, or 0 for the device's own. Executor::release frees.
  virtual Result<KilnDeviceAddress> allocate(uint64_t bytes, uint64_t alignment) = 0;
  virtual Result<KilnDeviceAddress> import(void *, uint64_t) {
    return Status(Code::Unimplemented, "import: this device cannot use host memory");
  }
  virtual void unimport(KilnDeviceAddress) {}
  virtual Result<void *> map(KilnDeviceAddress, uint64_t) {
    return Status(Code::Unimplemented, "map: the host cannot address this device's memory");
  }
  virtual KilnMemoryStats memoryStats() = 0; // struct_size need not be set
  virtual InOrderQueue::Options queueOptions() const { return {}; }
  /// Looks at a launch before it is queued, so that a wrong one is refused where it is made.
  virtual Status checkLaunch(KilnKernel *, const KilnLaunch &) { return {}; }

  /// Made before a fork: close and destroy do nothing then.
  bool isDefunct() const { return bornIn != forkGeneration(); }

  static Device &from(KilnDevice *handle) { return *reinterpret_cast<Device *>(handle); }
  KilnDevice *handle() { return reinterpret_cast<KilnDevice *>(this); }

private:
  const KilnHost &theHost;
  const uint32_t bornIn;
};

/// A device type as it is registered. Lives until the process ends. Threads: every member from any thread.
class DeviceType {
public:
  virtual ~DeviceType() = default;
  virtual const KilnHost &host() const = 0;
  virtual Result<uint32_t> enumerate() = 0;
  virtual Status describe(uint32_t ordinal, KilnDeviceInfo &info) = 0; // struct_size need not be set
  virtual Status target(std::string_view options, KilnTargetInfo &target) = 0;
  virtual Result<std::unique_ptr<Device>> open(const KilnDeviceOpenArgs &args) = 0;
  /// Tells people about the machine model that `options` choose; one call of fn a property.
  virtual Status properties(std::string_view, KilnPropertyFn, void *) { return {}; }
};

namespace detail {

struct QueueHandle {
  Device &device;
  std::shared_ptr<InOrderQueue> queue;
  static QueueHandle &from(KilnQueue *handle) { return *reinterpret_cast<QueueHandle *>(handle); }
};
struct EventHandle {
  Device &device;
  std::shared_ptr<EventState> state;
  static EventHandle &from(KilnEvent *handle) { return *reinterpret_cast<EventHandle *>(handle); }
};

/// Runs fn, turns its Status into C; memory that is not to be had becomes a status, nothing is thrown across
/// the ABI.
template <typename Fn> KilnStatus guarded(const KilnHost &host, Fn fn) {
  try {
    return Status(fn()).toC(host);
  } catch (const std::bad_alloc &) {
    return host.status_make(KILN_RESOURCE_EXHAUSTED, toStr("backend: out of host memory"));
  } catch (const std::exception &error) {
    return host.status_make(KILN_INTERNAL, toStr(error.what()));
  }
}
template <typename Fn> KilnStatus onQueue(KilnQueue *handle, Fn fn) {
  QueueHandle &queue = QueueHandle::from(handle);
  return guarded(queue.device.host(), [&] { return fn(*queue.queue); });
}
template <typename T> Status store(Result<T> result, T *out) {
  KILN_RETURN_IF_ERROR(result.status());
  *out = *std::move(result);
  return {};
}
/// Copies what the caller's version of a struct has room for; its struct_size stays.
template <typename T> void storeStruct(const T &from, T *out) {
  size_t size = out->struct_size < sizeof(T) ? out->struct_size : sizeof(T);
  if (size > sizeof(size_t))
    std::memcpy(reinterpret_cast<char *>(out) + sizeof(size_t),
                reinterpret_cast<const char *>(&from) + sizeof(size_t), size - sizeof(size_t));
}

inline void setTypeOps(KilnDeviceOps &ops) {
  ops.enumerate = [](void *self, uint32_t *out) {
    auto &type = *static_cast<DeviceType *>(self);
    return guarded(type.host(), [&] { return store(type.enumerate(), out); });
  };
  ops.describe = [](void *self, uint32_t ordinal, KilnDeviceInfo *out) {
    auto &type = *static_cast<DeviceType *>(self);
    return guarded(type.host(), [&]() -> Status {
      KilnDeviceInfo info = {};
      KILN_RETURN_IF_ERROR(type.describe(ordinal, info));
      storeStruct(info, out);
      return {};
    });
  };
  ops.target = [](void *self, KilnStr options, KilnTargetInfo *out) {
    auto &type = *static_cast<DeviceType *>(self);
    return guarded(type.host(), [&]() -> Status {
      KilnTargetInfo target = {};
      KILN_RETURN_IF_ERROR(type.target(toView(options), target));
      storeStruct(target, out);
      return {};
    });
  };
  ops.device_open = [](void *self, const KilnDeviceOpenArgs *args, KilnDevice **out) {
    auto &type = *static_cast<DeviceType *>(self);
    return guarded(type.host(), [&]() -> Status {
      KilnDeviceOpenArgs known = {};
      std::memcpy(&known, args, args->struct_size < sizeof(known) ? args->struct_size : sizeof(known));
      KILN_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, type.open(known));
      *out = device.release()->handle();
      return {};
    });
  };
  ops.properties = [](void *self, KilnStr options, KilnPropertyFn fn, void *arg) {
    auto &type = *static_cast<DeviceType *>(self);
    return guarded(type.host(), [&] { return type.properties(toView(options), fn, arg); });
  };
  ops.device_close = [](KilnDevice *device) {
    if (!Device::from(device).isDefunct())
      delete &Device::from(device);
  };
}

inline void setMemoryOps(KilnDeviceOps &ops) {
  ops.memory_allocate = [](KilnDevice *device, uint64_t bytes, uint64_t alignment, KilnDeviceAddress *out) {
    Device &to = Device::from(device);
    return guarded(to.host(), [&] { return store(to.allocate(bytes, alignment), out); });
  };
  ops.memory_free = [](KilnDevice *device, KilnDeviceAddress address) {
    Device::from(device).release(address);
  };
  ops.memory_import = [](KilnDevice *device, void *host, uint64_t bytes, KilnDeviceAddress *out) {
    Device &to = Device::from(device);
    return guarded(to.host(), [&] { return store(to.import(host, bytes), out); });
  };
  ops.memory_unimport = [](KilnDevice *device, KilnDeviceAddress address) {
    Device::from(device).unimport(address);
  };
  ops.memory_map = [](KilnDevice *device, KilnDeviceAddress address, uint64_t bytes, void **out) {
    Device &to = Device::from(device);
    return guarded(to.host(), [&] { return store(to.map(address, bytes), out); });
  };
  ops.memory_stats = [](KilnDevice *device, KilnMemoryStats *out) {
    Device &to = Device::from(device);
    return guarded(to.host(), [&] {
      storeStruct(to.memoryStats(), out);
      return Status();
    });
  };
}

inline void setQueueOps(KilnDeviceOps &ops) {
  ops.queue_create = [](KilnDevice *device, KilnQueue **out) {
    Device &to = Device::from(device);
    return guarded(to.host(), [&]() -> Status {
      if (to.isDefunct())
        return Status(Code::Forked, "device: opened before a fork; open it again in the child");
      auto *handle = new QueueHandle{to, InOrderQueue::create(to, to.queueOptions())};
      *out = reinterpret_cast<KilnQueue *>(handle);
      return {};
    });
  };
  ops.queue_destroy = [](KilnQueue *handle) {
    QueueHandle &queue = QueueHandle::from(handle);
    if (queue.queue->isDefunct())
      return; // destroying locks that lost threads hold would hang
    queue.queue->close();
    delete &queue;
  };
  ops.queue_launch = [](KilnQueue *handle, KilnKernel *kernel, const KilnLaunch *launch) {
    QueueHandle &queue = QueueHandle::from(handle);
    return guarded(queue.device.host(), [&]() -> Status {
      KILN_RETURN_IF_ERROR(queue.device.checkLaunch(kernel, *launch));
      return queue.queue->launch(kernel, *launch);
    });
  };
  ops.queue_copy = [](KilnQueue *handle, KilnDeviceAddress to, KilnDeviceAddress from, uint64_t bytes) {
    return onQueue(handle, [&](InOrderQueue &queue) { return queue.copy(to, from, bytes); });
  };
  ops.queue_write = [](KilnQueue *handle, KilnDeviceAddress to, const void *from, uint64_t bytes) {
    return onQueue(handle, [&](InOrderQueue &queue) { return queue.write(to, from, bytes); });
  };
  ops.queue_read = [](KilnQueue *handle, void *to, KilnDeviceAddress from, uint64_t bytes) {
    return onQueue(handle, [&](InOrderQueue &queue) { return queue.read(to, from, bytes); });
  };
  ops.queue_fill = [](KilnQueue *handle, KilnDeviceAddress to, uint64_t pattern, uint32_t patternBytes,
                      uint64_t bytes) {
    return onQueue(handle, [&](InOrderQueue &queue) { return queue.fill(to, pattern, patternBytes, bytes); });
  };
  ops.queue_allocate = [](KilnQueue *handle, uint64_t bytes, uint64_t alignment, KilnDeviceAddress *out) {
    Device &device = QueueHandle::from(handle).device;
    return onQueue(handle, [&](InOrderQueue &queue) -> Status {
      KILN_RETURN_IF_ERROR(queue.status());
      return store(device.allocate(bytes, alignment), out);
    });
  };
  ops.queue_free = [](KilnQueue *handle, KilnDeviceAddress address) {
    return onQueue(handle, [&](InOrderQueue &queue) { return queue.free(address); });
  };
  ops.queue_call = [](KilnQueue *handle, KilnHostFn fn, void *arg) {
    return onQueue(handle, [&](InOrderQueue &queue) { return queue.call(fn, arg); });
  };
  ops.queue_signal = [](KilnQueue *handle, KilnEvent *event) {
    return onQueue(handle, [&](InOrderQueue &queue) { return queue.signal(EventHandle::from(event).state); });
  };
  ops.queue_wait = [](KilnQueue *handle, KilnEvent *event) {
    return onQueue(handle, [&](InOrderQueue &queue) { return queue.wait(EventHandle::from(event).state); });
  };
  ops.queue_flush = [](KilnQueue *handle) {
    return onQueue(handle, [](InOrderQueue &queue) { return queue.flush(); });
  };
  ops.queue_synchronize = [](KilnQueue *handle, uint64_t timeoutNs) {
    return onQueue(handle, [&](InOrderQueue &queue) { return queue.synchronize(timeoutNs); });
  };
  ops.queue_status = [](KilnQueue *handle) {
    return onQueue(handle, [](InOrderQueue &queue) { return queue.status(); });
  };
  ops.queue_reset = [](KilnQueue *handle) {
    return onQueue(handle, [](InOrderQueue &queue) { return queue.reset(); });
  };
}

inline void setEventOps(KilnDeviceOps &ops) {
  ops.event_create = [](KilnDevice *device, KilnEvent **out) {
    Device &to = Device::from(device);
    return guarded(to.host(), [&] {
      *out = reinterpret_cast<KilnEvent *>(new EventHandle{to, std::make_shared<EventState>()});
      return Status();
    });
  };
  ops.event_destroy = [](KilnEvent *event) {
    if (!EventHandle::from(event).device.isDefunct())
      delete &EventHandle::from(event);
  };
  ops.event_query = [](KilnEvent *event, uint32_t *outDone) {
    EventHandle &handle = EventHandle::from(event);
    return guarded(handle.device.host(), [&] {
      Status status;
      *outDone = handle.state->query(&status);
      return status;
    });
  };
  ops.event_wait = [](KilnEvent *event, uint64_t timeoutNs) {
    EventHandle &handle = EventHandle::from(event);
    return guarded(handle.device.host(), [&] { return handle.state->wait(timeoutNs); });
  };
}

} // namespace detail

/// The table to register with a DeviceType as its self.
inline const KilnDeviceOps &deviceOps() {
  static const KilnDeviceOps table = [] {
    KilnDeviceOps ops = {};
    ops.struct_size = sizeof(ops);
    detail::setTypeOps(ops);
    detail::setMemoryOps(ops);
    detail::setQueueOps(ops);
    detail::setEventOps(ops);
    return ops;
  }();
  return table;
}

} // namespace kiln::sdk
#endif // KILN_SDK_DEVICE_H
