// kiln/InOrderQueue.h: an in-order command queue for devices whose memory the host can address, or that are
// simulated.
//
// Header-only and free of Kiln's libraries, so that any backend can use it. kiln/sdk/Device.h makes a
// KilnDeviceOps of it. Commands are recorded, and run when somebody asks for their results:
//   * synchronize and an event's wait without a time-out run the queue on the calling thread if nobody else
//   does: a
//     short program pays no thread switch;
//   * flush, a wait with a time-out, or Options::autoFlushCommands recorded commands hand it to a worker
//   thread, one a
//     queue, created at first need. A queue that holds a host call always runs there.
#ifndef KILN_INORDERQUEUE_H
#define KILN_INORDERQUEUE_H

#include "kiln/sdk/CommandBatch.h"
#include "kiln/sdk/Fork.h"

#include <atomic>
#include <thread>
#include <utility>

namespace kiln::sdk {

/// An in-order queue with the faults of kiln/backend.h: the first one poisons the queue, what is queued
/// behind it does not run, signals among it carry the fault, and every call returns it until reset(). Frees
/// and host calls among it do take effect, so that nothing leaks. Waiting for an event that carries a fault
/// is a fault. Ownership: shared with the events it signals; does not own the Executor, which must outlive
/// close(). Threads:   every member is safe from any thread. No lock is held while a command runs. Fork: in a
/// child of fork() the worker is gone: every call returns Forked, close() abandons what was queued.
class InOrderQueue final : public EventSource, public std::enable_shared_from_this<InOrderQueue> {
public:
  struct Options {
    /// Recorded commands after which the worker is started without being asked; 0: never.
    uint32_t autoFlushCommands = 256;
  };

  static std::shared_ptr<InOrderQueue> create(Executor &executor) { return create(executor, Options()); }
  static std::shared_ptr<InOrderQueue> create(Executor &executor, Options options) {
    return std::shared_ptr<InOrderQueue>(new InOrderQueue(executor, options));
  }
  ~InOrderQueue() override { close(); }

  /// Copies the arrays of `launch`.
  Status launch(KilnKernel *kernel, const KilnLaunch &launch) {
    return record(CommandKind::Launch, [&](CommandBatch &batch, Command &command) {
      command.launch.kernel = kernel;
      command.launch.bindings = batch.keep(launch.bindings, launch.binding_count * sizeof(KilnBinding));
      command.launch.constants = batch.keep(launch.constants, launch.constant_count * sizeof(int64_t));
      command.launch.bindingCount = static_cast<uint32_t>(launch.binding_count);
      command.launch.constantCount = static_cast<uint32_t>(launch.constant_count);
      command.launch.workspace = launch.workspace;
      std::copy(launch.grid, launch.grid + 3, command.launch.grid);
      command.launch.site = launch.site;
      command.launch.profile = launch.profile;
    });
  }
  Status copy(KilnDeviceAddress to, KilnDeviceAddress from, uint64_t bytes) {
    return transfer(CommandKind::Copy, to, from, bytes);
  }
  Status write(KilnDeviceAddress to, const void *from, uint64_t bytes) {
    return transfer(CommandKind::Write, to, reinterpret_cast<uint64_t>(from), bytes);
  }
  Status read(void *to, KilnDeviceAddress from, uint64_t bytes) {
    return transfer(CommandKind::Read, reinterpret_cast<uint64_t>(to), from, bytes);
  }
  Status fill(KilnDeviceAddress to, uint64_t pattern, uint32_t patternBytes, uint64_t bytes) {
    if (patternBytes != 1 && patternBytes != 2 && patternBytes != 4 && patternBytes != 8)
      return Status(Code::InvalidArgument,
                    "fill: a pattern of " + std::to_string(patternBytes) + " bytes; expected 1, 2, 4 or 8");
    if (bytes % patternBytes)
      return Status(Code::InvalidArgument, "fill: " + std::to_string(bytes) +
                                               " bytes; expected a multiple of " +
                                               std::to_string(patternBytes));
    return record(CommandKind::Fill, [&](CommandBatch &, Command &command) {
      command.fill = {to, pattern, bytes, patternBytes};
    });
  }
  /// Releases memory when the queue gets here. Takes effect at once on a poisoned queue, which then still
  /// returns its poison.
  Status free(KilnDeviceAddress address) {
    Status status =
        record(CommandKind::Free, [&](CommandBatch &, Command &command) { command.release = address; });
    if (!status.ok() && status.code() != Code::Forked)
      executor.release(address);
    return status;
  }
  /// Calls fn(arg) on the queue's worker. Not called if this returns an error.
  Status call(KilnHostFn fn, void *arg) {
    return record(CommandKind::Call, [&](CommandBatch &, Command &command) {
      command.call = {fn, arg};
      ++pendingCalls;
    });
  }
  Status signal(const std::shared_ptr<EventState> &event) {
    bool waited = false;
    uint64_t generation = 0;
    Status status = record(CommandKind::Signal, [&](CommandBatch &batch, Command &command) {
      generation = event->record(shared_from_this(), &waited);
      command.use = {batch.keep(event), generation};
    });
    if (status.ok())
      return waited ? flush() : status;
    if (status.code() !=
        Code::Forked) // nobody may hang on an event that a poisoned queue would have signalled
      event->complete(event->record(shared_from_this(), &waited), status);
    return status;
  }
  Status wait(const std::shared_ptr<EventState> &event) {
    return record(CommandKind::Wait, [&](CommandBatch &batch, Command &command) {
      command.use = {batch.keep(event), event->waitGeneration()};
    });
  }

  /// Errors: ResourceExhausted, the worker cannot be started; the commands stay queued.
  Status flush() override {
    KILN_RETURN_IF_ERROR(checkProcess());
    std::unique_lock lock(mutex);
    KILN_RETURN_IF_ERROR(flushLocked());
    return poisonLocked();
  }
  /// Waits for what is queued now; returns the poison if there is one. DeadlineExceeded after timeoutNs.
  Status synchronize(uint64_t timeoutNs = KILN_WAIT_FOREVER) {
    KILN_RETURN_IF_ERROR(checkProcess());
    std::unique_lock lock(mutex);
    KILN_RETURN_IF_ERROR(checkNotInside("synchronize"));
    uint64_t target = enqueued;
    if (timeoutNs == KILN_WAIT_FOREVER) {
      finish(lock, target);
    } else if (completed < target) {
      KILN_RETURN_IF_ERROR(flushLocked());
      constexpr uint64_t maxNs = uint64_t(365) * 24 * 3600 * 1000000000;
      auto limit = std::chrono::nanoseconds(timeoutNs < maxNs ? timeoutNs : maxNs);
      if (!progress.wait_for(lock, limit, [&] { return completed >= target; }))
        return Status(Code::DeadlineExceeded, "queue: not done in time; " +
                                                  std::to_string(target - completed) +
                                                  " commands are not known to have ended");
    }
    return poisonLocked();
  }
  /// The poison, or OK. Never waits for a command.
  Status status() {
    KILN_RETURN_IF_ERROR(checkProcess());
    std::lock_guard lock(mutex);
    return poisonLocked();
  }
  /// Drops what has not run, waits for what is running, heals the poison. Dropped signals carry the poison,
  /// or Cancelled.
  Status reset() {
    KILN_RETURN_IF_ERROR(checkProcess());
    std::unique_lock lock(mutex);
    KILN_RETURN_IF_ERROR(checkNotInside("reset"));
    if (enqueued != completed) {
      setPoisonLocked(Status(Code::Cancelled, "queue: reset before this command ran"));
      interrupted.store(true);
      if (waitingFor)
        waitingFor->poke();
      finish(lock, enqueued);
      interrupted.store(false);
    }
    poison = Status();
    poisoned.store(false);
    return {};
  }
  /// Runs what is queued and ends the worker; waits that can never end are given up. Later calls fail. To be
  /// called before the last reference goes, not from a host call. Does nothing in a child of fork(): leak the
  /// queue there.
  void close() {
    if (isDefunct())
      return;
    std::unique_lock lock(mutex);
    if (closing.load())
      return;
    closing.store(true);
    if (waitingFor)
      waitingFor->poke();
    finish(lock, enqueued);
    work.notify_all();
    lock.unlock();
    if (worker.joinable())
      worker.join();
  }

  /// Made before a fork: its worker and the state of its locks are lost.
  bool isDefunct() const { return bornIn != forkGeneration(); }

  void help(EventState &event, uint64_t generation) override {
    if (isDefunct())
      return;
    std::unique_lock lock(mutex);
    if (mayRunHere())
      run(lock, UINT64_MAX, &event, generation);
    if (!event.reached(generation))
      (void)flushLocked(); // if there is no worker to be had, whoever synchronises this queue runs it
  }

private:
  InOrderQueue(Executor &executor, Options options)
      : executor(executor), options(options), bornIn(forkGeneration()) {}

  Status checkProcess() const {
    if (!isDefunct())
      return {};
    return Status(Code::Forked, "queue: made before a fork; open the device again in the child");
  }
  Status checkNotInside(const char *what) const {
    if (!running || runner != std::this_thread::get_id())
      return {};
    return Status(Code::InProgress, std::string("queue: ") + what + " called by a command of the same queue");
  }
  Status poisonLocked() const { return poisoned.load(std::memory_order_relaxed) ? poison : Status(); }
  void setPoisonLocked(Status status) {
    if (poisoned.load(std::memory_order_relaxed))
      return;
    poison = std::move(status);
    poisoned.store(true);
  }

  template <typename Fn> Status record(CommandKind kind, Fn set) {
    KILN_RETURN_IF_ERROR(checkProcess());
    std::lock_guard lock(mutex);
    if (poisoned.load(std::memory_order_relaxed))
      return poison;
    if (closing.load(std::memory_order_relaxed))
      return Status(Code::FailedPrecondition, "queue: it has been closed");
    recording.reserveOne(); // nothing may throw once an event knows of its signal
    Command command;
    command.kind = kind;
    set(recording, command);
    recording.append(command);
    ++enqueued;
    if (options.autoFlushCommands && recording.size() >= options.autoFlushCommands)
      (void)flushLocked(); // an optimisation: without a worker the commands wait for synchronize
    return {};
  }
  Status transfer(CommandKind kind, uint64_t to, uint64_t from, uint64_t bytes) {
    return record(kind, [&](CommandBatch &, Command &command) { command.transfer = {to, from, bytes}; });
  }

  Status flushLocked() {
    if (completed == enqueued)
      return {};
    flushTarget = enqueued;
    if (running) // the runner wakes the worker for what it leaves behind
      return ensureWorker();
    KILN_RETURN_IF_ERROR(ensureWorker());
    work.notify_one();
    return {};
  }
  Status ensureWorker() {
    if (worker.joinable())
      return {};
    try {
      worker = std::thread([this] { workerMain(); });
    } catch (const std::system_error &error) {
      return Status(Code::ResourceExhausted, std::string("queue: no worker thread: ") + error.what());
    }
    return {};
  }
  void workerMain() {
    std::unique_lock lock(mutex);
    for (;;) {
      work.wait(lock, [&] { return !running && (flushTarget > completed || closing.load()); });
      if (flushTarget > completed)
        run(lock, UINT64_MAX, nullptr, 0);
      else if (completed == enqueued)
        return;
      else
        flushTarget = enqueued; // closing: nothing stays behind
    }
  }

  /// Whether the calling thread may take the queue. Host calls must run on a thread of the backend.
  bool mayRunHere() const { return !running && pendingCalls == 0; }
  /// Waits until everything up to `target` has run, running it here if possible.
  void finish(std::unique_lock<std::mutex> &lock, uint64_t target) {
    while (completed < target) {
      if (!running && (pendingCalls == 0 || !flushLocked().ok() || !worker.joinable()))
        run(lock, target, nullptr, 0);
      else
        progress.wait(lock, [&] { return completed >= target || mayRunHere(); });
    }
  }

  /// Becomes the queue's runner until `target` commands have ended, the queue is empty or `stopAt` has
  /// reached `generation`. Called with the lock held and no runner; commands run without the lock.
  void run(std::unique_lock<std::mutex> &lock, uint64_t target, EventState *stopAt, uint64_t generation) {
    running = true;
    runner = std::this_thread::get_id();
    while (completed < target) {
      if (executing.exhausted()) {
        executing.clear();
        if (recording.size() == 0)
          break;
        std::swap(recording, executing);
      }
      uint64_t left = target - completed;
      lock.unlock();
      bool stop = false;
      while (left-- && !executing.exhausted() && !stop) {
        const Command &command = executing.next();
        execute(command);
        ++endedCommands;
        endedCalls += command.kind == CommandKind::Call;
        stop = stopAt && command.kind == CommandKind::Signal && stopAt->reached(generation);
      }
      lock.lock();
      publishLocked();
      if (stop)
        break;
    }
    running = false;
    runner = std::thread::id();
    progress.notify_all();
    if (flushTarget > completed || closing.load())
      work.notify_one();
  }

  /// Tells those who wait what has ended since the last time.
  void publishLocked() {
    completed += std::exchange(endedCommands, 0);
    pendingCalls -= std::exchange(endedCalls, 0);
    progress.notify_all();
  }

  void execute(const Command &command) {
    Status status;
    try {
      status = perform(command, poisoned.load());
    } catch (const std::exception &error) { // a backend's, and memory that is not to be had
      status = Status(Code::Internal, std::string("queue: a command threw: ") + error.what());
    }
    if (!status.ok()) {
      std::lock_guard lock(mutex);
      setPoisonLocked(std::move(status));
    }
  }
  Status perform(const Command &command, bool drop) {
    Status status;
    switch (command.kind) {
    case CommandKind::Launch:
      if (!drop)
        status = executeLaunch(executing.launchCommand(command.launch));
      break;
    case CommandKind::Copy:
      if (!drop)
        status = executor.copy(command.transfer.to, command.transfer.from, command.transfer.bytes);
      break;
    case CommandKind::Write:
      if (!drop)
        status = executor.write(command.transfer.to, reinterpret_cast<const void *>(command.transfer.from),
                                command.transfer.bytes);
      break;
    case CommandKind::Read:
      if (!drop)
        status = executor.read(reinterpret_cast<void *>(command.transfer.to), command.transfer.from,
                               command.transfer.bytes);
      break;
    case CommandKind::Fill:
      if (!drop)
        status = executor.fill(command.fill.to, command.fill.pattern, command.fill.patternBytes,
                               command.fill.bytes);
      break;
    case CommandKind::Free:
      executor.release(command.release);
      break;
    case CommandKind::Call:
      command.call.fn(command.call.arg);
      break;
    case CommandKind::Signal:
      executing.event(command.use.event).complete(command.use.generation, drop ? lockedPoison() : Status());
      break;
    case CommandKind::Wait:
      if (!drop)
        status = executeWait(executing.eventRef(command.use.event), command.use.generation);
      break;
    }
    return status;
  }
  Status lockedPoison() {
    std::lock_guard lock(mutex);
    return poisonLocked();
  }
  Status executeLaunch(const LaunchCommand &command) {
    if (command.profile)
      command.profile->start_ns = steadyNs();
    Status status = executor.launch(command);
    if (command.profile)
      command.profile->end_ns = steadyNs();
    if (status.ok() || !command.site)
      return status;
    std::string text = "kernel '" + std::string(toView(command.site->name)) + "'";
    if (command.site->location.size)
      text += " (" + std::string(toView(command.site->location)) + ")";
    return Status(status.code(), text + ": " + status.message());
  }
  Status executeWait(const std::shared_ptr<EventState> &event, uint64_t generation) {
    {
      std::lock_guard lock(mutex);
      publishLocked(); // this may take long, and who waits for what went before must not
      waitingFor = event;
    }
    bool reached = event->waitUntil(generation, [&] {
      return interrupted.load() || (closing.load() && event->isHopelessLocked(generation, this));
    });
    {
      std::lock_guard lock(mutex);
      waitingFor = nullptr;
    }
    if (!reached)
      return Status(Code::Cancelled, "queue: gave up waiting for an event that nobody signals");
    return event->status();
  }
  static uint64_t steadyNs() {
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                 std::chrono::nanoseconds(1));
  }

  Executor &executor;
  const Options options;
  const uint32_t bornIn; // fork generation

  std::mutex mutex;
  std::condition_variable work, progress; // for the worker; for those who wait for commands to end
  CommandBatch recording;                 // under the lock
  CommandBatch executing;                 // the runner's
  bool running = false;
  std::thread::id runner;
  uint64_t enqueued = 0, completed = 0;       // commands, ever; completed grows in steps
  uint64_t flushTarget = 0;                   // the worker is to run up to here
  uint64_t pendingCalls = 0;                  // host calls among what has not ended
  uint64_t endedCommands = 0, endedCalls = 0; // the runner's, not yet in the counts above
  std::shared_ptr<EventState> waitingFor;
  Status poison;
  std::atomic<bool> poisoned = false, interrupted = false, closing = false;
  std::thread worker;
};

} // namespace kiln::sdk
#endif // KILN_INORDERQUEUE_H
