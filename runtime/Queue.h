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
  ~Event() { device->ops().event_destroy(theHandle); }
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;

  KilnEvent *handle() const { return theHandle; }
  /// True once signalled; the error that the signalling queue carried.
  Result<bool> query() const {
    uint32_t done = 0;
    KILN_RETURN_IF_ERROR(fromC(device->ops().event_query(theHandle, &done)));
    return done != 0;
  }
  Status wait(uint64_t timeoutNs = KILN_WAIT_FOREVER) const {
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
  ~Queue() { ops.queue_destroy(theHandle); }
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  Device &device() const { return *theDevice; }
  KilnQueue *handle() const { return theHandle; }

  Status launch(KilnKernel *kernel, const KilnLaunch &launch) {
    return fromC(ops.queue_launch(theHandle, kernel, &launch));
  }
  Status copy(KilnDeviceAddress to, KilnDeviceAddress from, uint64_t bytes) {
    return fromC(ops.queue_copy(theHandle, to, from, bytes));
  }
  /// Host memory must live until the queue has passed this point, here and in read.
  Status write(KilnDeviceAddress to, const void *from, uint64_t bytes) {
    return fromC(ops.queue_write(theHandle, to, from, bytes));
  }
  Status read(void *to, KilnDeviceAddress from, uint64_t bytes) {
    return fromC(ops.queue_read(theHandle, to, from, bytes));
  }
  Status fill(KilnDeviceAddress to, uint64_t pattern, uint32_t patternBytes, uint64_t bytes) {
    return fromC(ops.queue_fill(theHandle, to, pattern, patternBytes, bytes));
  }
  Result<KilnDeviceAddress> allocate(uint64_t bytes, uint64_t alignment = 0) {
    KilnDeviceAddress address = 0;
    KILN_RETURN_IF_ERROR(fromC(ops.queue_allocate(theHandle, bytes, alignment, &address)));
    return address;
  }
  Status free(KilnDeviceAddress address) { return fromC(ops.queue_free(theHandle, address)); }
  /// fn is called when the queue gets there, poisoned or not; `arg` must live until then.
  Status call(KilnHostFn fn, void *arg) { return fromC(ops.queue_call(theHandle, fn, arg)); }
  Status signal(const Event &event) { return fromC(ops.queue_signal(theHandle, event.handle())); }
  Status wait(const Event &event) { return fromC(ops.queue_wait(theHandle, event.handle())); }
  Status flush() { return fromC(ops.queue_flush(theHandle)); }
  Status synchronize(uint64_t timeoutNs = KILN_WAIT_FOREVER) {
    return fromC(ops.queue_synchronize(theHandle, timeoutNs));
  }
  /// The poison, or OK; never waits.
  Status status() { return fromC(ops.queue_status(theHandle)); }
  Status reset() { return fromC(ops.queue_reset(theHandle)); }

private:
  const std::shared_ptr<Device> theDevice;
  const KilnDeviceOps &ops;
  KilnQueue *const theHandle;
};

} // namespace kiln
#endif // KILN_RUNTIME_QUEUE_H
