// kiln/sdk/Event.h: events of in-order queues: points in one queue that the host and other queues wait for.
#ifndef KILN_SDK_EVENT_H
#define KILN_SDK_EVENT_H

#include "kiln/Status.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace kiln::sdk {

class EventState;

/// A queue as its events see it: whoever waits can have it run.
class EventSource {
public:
  virtual ~EventSource() = default;
  /// Starts what is queued, on the source's own thread.
  virtual Status flush() = 0;
  /// Runs the queue on the calling thread until the event has reached the generation, unless another thread
  /// runs it or it must not run here; then makes sure that it runs. May return before the event is done.
  virtual void help(EventState &event, uint64_t generation) = 0;
};

/// The shared state of an event. Each queue_signal is a new generation; the event is done when the newest
/// generation that was queued has been reached. A wait that was queued before any signal waits for the first
/// one. Ownership: shared by the handle and by the queued commands, so that an event may be destroyed while
/// in use. Threads:   every member is safe from any thread; takes its own lock only, never a queue's while
/// holding it.
class EventState {
public:
  /// A signal has been queued at `source`. Returns its generation; *outWaited: somebody waits for it already.
  uint64_t record(const std::shared_ptr<EventSource> &source, bool *outWaited) {
    std::lock_guard lock(mutex);
    signaller = source;
    *outWaited = waiters > 0;
    return ++recorded;
  }
  /// The generation that a wait queued now is for.
  uint64_t waitGeneration() {
    std::lock_guard lock(mutex);
    return recorded ? recorded : 1;
  }
  /// The queue got to a signal, or dropped it; `status` is then its poison.
  void complete(uint64_t generation, Status status) {
    std::lock_guard lock(mutex);
    if (generation <= completed)
      return;
    completed = generation;
    outcome = std::move(status);
    changed.notify_all();
  }
  bool reached(uint64_t generation) {
    std::lock_guard lock(mutex);
    return completed >= generation;
  }
  /// Whether the newest signal has been reached; *outStatus is then what it carried.
  bool query(Status *outStatus) {
    std::lock_guard lock(mutex);
    if (!recorded || completed < recorded)
      return false;
    *outStatus = outcome;
    return true;
  }
  /// Waits on the host. DeadlineExceeded after timeoutNs, else what the signal carried.
  Status wait(uint64_t timeoutNs) {
    uint64_t generation = waitGeneration();
    if (timeoutNs == KILN_WAIT_FOREVER) {
      (void)waitUntil(generation, [] { return false; });
    } else {
      if (std::shared_ptr<EventSource> source = sourceOf(generation))
        KILN_RETURN_IF_ERROR(source->flush());
      std::unique_lock lock(mutex);
      Waiting waiting(*this);
      if (!changed.wait_for(lock, std::chrono::nanoseconds(timeoutNs < maxWaitNs ? timeoutNs : maxWaitNs),
                            [&] { return completed >= generation; }))
        return Status(Code::DeadlineExceeded, "event: not signalled in time");
    }
    std::lock_guard lock(mutex);
    return outcome;
  }
  /// Waits, running the signalling queue if that helps, until the generation is reached (true) or giveUp()
  /// holds (false). giveUp is asked under the event's lock, again after every poke().
  template <typename Fn> bool waitUntil(uint64_t generation, Fn giveUp) {
    if (std::shared_ptr<EventSource> source = sourceOf(generation))
      source->help(*this, generation);
    std::unique_lock lock(mutex);
    Waiting waiting(*this);
    changed.wait(lock, [&] { return completed >= generation || giveUp(); });
    return completed >= generation;
  }
  /// Whether `waiter`, a queue that is closing, can never see the generation: nobody has queued its signal,
  /// or only the waiter itself, behind its wait. For waitUntil's giveUp, which is asked under the lock.
  bool isHopelessLocked(uint64_t generation, const EventSource *waiter) const {
    return recorded < generation || signaller.lock().get() == waiter;
  }
  void poke() {
    std::lock_guard lock(mutex);
    changed.notify_all();
  }
  Status status() {
    std::lock_guard lock(mutex);
    return outcome;
  }

private:
  // Longer time-outs overflow the clock's arithmetic; nobody waits a year.
  static constexpr uint64_t maxWaitNs = uint64_t(365) * 24 * 3600 * 1000000000;

  struct Waiting { // constructed and destroyed under the lock
    explicit Waiting(EventState &event) : event(event) { ++event.waiters; }
    ~Waiting() { --event.waiters; }
    EventState &event;
  };
  std::shared_ptr<EventSource> sourceOf(uint64_t generation) {
    std::lock_guard lock(mutex);
    return completed >= generation ? nullptr : signaller.lock();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::weak_ptr<EventSource> signaller; // of the newest generation
  uint64_t recorded = 0, completed = 0;
  uint32_t waiters = 0;
  Status outcome; // of generation `completed`
};

} // namespace kiln::sdk
#endif // KILN_SDK_EVENT_H
