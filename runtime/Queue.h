// Queue.h: in-order queues of a device and events between them.
#ifndef KILN_RUNTIME_QUEUE_H
#define KILN_RUNTIME_QUEUE_H

#include "runtime/Device.h"
#include "runtime/HostTable.h"

namespace kiln {

/// A point in a queue. Ownership: destroys the event; keeps its device open. Threads: safe from any thread.
class Event {
public:
  Event(std::shared_ptr<Device> device, KilnEvent *handle) : device(std::move(device)), theHandle(handle) {}
  ~Event() {
    if (!device->isDefunct())
      device->ops().event_destroy(theHandle);
  }
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;

  KilnEvent *handle() const { return theHandle; }
  /// True once signalled; the error that the signalling queue carried.
  Result<bool> query() const {
    KILN_RETURN_IF_ERROR(device->checkProcess());
    uint32_t done = 0;
    KILN_RETURN_IF_ERROR(fromC(device->ops().event_query(theHandle, &done)));
    return done != 0;
  }
  Status wait(uint64_t timeoutNs = KILN_WAIT_FOREVER) const {
    KILN_RETURN_IF_ERROR(device->checkProcess());
    return fromC(device->ops().event_wait(theHandle, timeoutNs));
  }

private:
  const std::shared_ptr<Device> device;
  KilnEvent *const theHandle;
};

/// A queue. The first fault poisons it: every later call returns that error until reset().
/// Ownership: waits for its work when destroyed; keeps its device open, not the buffers that queued work
/// uses. Threads:   safe from any thread; calls of one thread keep their order.
class Queue {
public:
  Queue(std::shared_ptr<Device> device, KilnQueue *handle)
      : theDevice(std::move(device)), ops(theDevice->ops()), theHandle(handle) {}
  ~Queue() {
    if (!theDevice->isDefunct())
      ops.queue_destroy(theHandle);
  }
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  Device &device() const { return *theDevice; }
  KilnQueue *handle() const { return theHandle; }

  Status launch(KilnKernel *kernel, const KilnLaunch &launch) {
    return invoke(ops.queue_launch, kernel, &launch);
  }
  Status copy(KilnDeviceAddress to, KilnDeviceAddress from, uint64_t bytes) {
    return invoke(ops.queue_copy, to, from, bytes);
  }
  /// Host memory must live until the queue has passed this point, here and in read.
  Status write(KilnDeviceAddress to, const void *from, uint64_t bytes) {
    return invoke(ops.queue_write, to, from, bytes);
  }
  Status read(void *to, KilnDeviceAddress from, uint64_t bytes) {
    return invoke(ops.queue_read, to, from, bytes);
  }
  Status fill(KilnDeviceAddress to, uint64_t pattern, uint32_t patternBytes, uint64_t bytes) {
    return invoke(ops.queue_fill, to, pattern, patternBytes, bytes);
  }
  Result<KilnDeviceAddress> allocate(uint64_t bytes, uint64_t alignment = 0) {
    KilnDeviceAddress address = 0;
    KILN_RETURN_IF_ERROR(invoke(ops.queue_allocate, bytes, alignment, &address));
    return address;
  }
  Status free(KilnDeviceAddress address) { return invoke(ops.queue_free, address); }
  /// fn is called when the queue gets there, poisoned or not; `arg` must live until then.
  Status call(KilnHostFn fn, void *arg) { return invoke(ops.queue_call, fn, arg); }
  Status signal(const Event &event) { return invoke(ops.queue_signal, event.handle()); }
  Status wait(const Event &event) { return invoke(ops.queue_wait, event.handle()); }
  Status flush() { return invoke(ops.queue_flush); }
  Status synchronize(uint64_t timeoutNs = KILN_WAIT_FOREVER) {
    return invoke(ops.queue_synchronize, timeoutNs);
  }
  /// The poison, or OK; never waits.
  Status status() { return invoke(ops.queue_status); }
  Status reset() { return invoke(ops.queue_reset); }

private:
  // Calls the backend unless the device was opened before a fork.
  template <typename... Params, typename... Args>
  Status invoke(KilnStatus (*function)(KilnQueue *, Params...), Args... args) {
    if (theDevice->isDefunct())
      return theDevice->checkProcess();
    return fromC(function(theHandle, args...));
  }
  const std::shared_ptr<Device> theDevice;
  const KilnDeviceOps &ops;
  KilnQueue *const theHandle;
};

} // namespace kiln
#endif // KILN_RUNTIME_QUEUE_H
