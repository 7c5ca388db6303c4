// kiln/devicekit/CrossFlags.h: counting flags between the cores of a launch, and the threads that run the
// cores.
#ifndef KILN_DEVICEKIT_CROSSFLAGS_H
#define KILN_DEVICEKIT_CROSSFLAGS_H

#include "kiln/devicekit/PipeCore.h"

#include <condition_variable>
#include <functional>
#include <mutex>

namespace kiln::devicekit {

/// Flags of all cores. A set by several cores counts once each of them has set it equally often. Threads:
/// every member is safe.
class CrossFlags {
public:
  struct Options {
    uint32_t flags = 16, most = 15; // ids, and how far a flag counts
    uint64_t cycles = 0;            // from a set to the core that waits
  };
  /// Who sets together and who is told, for a core, by mode. Both may hold the core itself.
  struct Route {
    std::vector<uint32_t> senders, receivers;
  };
  using Router = std::function<Route(uint32_t core, uint32_t mode)>;
  CrossFlags(Options options, Router router) : options(options), router(std::move(router)) {}

  uint32_t flagCount() const { return options.flags; }
  /// Returns a fault's text if the flag counts beyond its most.
  std::optional<std::string> set(uint32_t core, uint32_t mode, uint32_t id, uint64_t time,
                                 const std::shared_ptr<const std::vector<uint32_t>> &knows);
  struct Taken {
    uint64_t time;
    std::shared_ptr<const std::vector<uint32_t>> knows;
  };
  /// When the flag's next count came, without taking it.
  std::optional<uint64_t> peek(uint32_t core, uint32_t id);
  Taken take(uint32_t core, uint32_t id);
  /// The first core that has a flag which nobody waited for, and the flag. To be asked when all cores have
  /// ended.
  std::optional<std::pair<uint32_t, uint32_t>> leftOver();
  /// Called, with a core's number, whenever one of its flags was counted up. Set before cores run.
  std::function<void(uint32_t core)> onCount;

private:
  struct Round { // one set by each sender
    uint32_t arrived = 0;
    uint64_t time = 0;
    VectorClock clock;
  };
  struct Gathering {
    std::unordered_map<uint32_t, uint32_t> setsBy; // sender: rounds it has taken part in
    std::deque<Round> rounds;
    uint32_t finished = 0;
  };
  const Options options;
  const Router router;
  std::mutex mutex;                                   // guards what follows
  std::unordered_map<uint64_t, Gathering> gatherings; // by mode, id and first sender
  std::unordered_map<uint64_t, std::deque<Taken>> counts;
};

/// Runs cores to their end. A core that waits for another's flag holds no thread, so that any number of
/// threads will do, and a `parallel` that calls one function after another too. `make` makes core i when a
/// slot is free for its group; cores of a group start together.
class CoreRunner {
public:
  struct Options {
    uint32_t threads = 1;
    KilnParallelFor parallel = {};                 // an embedder's; zeroed: threads of its own, as many
    bool isTimed = false;                          // one thread, cores in turn by simulated time
    uint32_t groups = 1, groupSize = 1, slots = 1; // groups resident at a time
    uint64_t watchdogInstructions = UINT64_MAX;
    uint64_t sliceCycles = 256;
  };
  using Maker = std::function<std::unique_ptr<PipeCore>(uint32_t core, uint32_t slot, uint64_t startTime)>;
  /// Called when a core has ended, before it is destroyed; one call at a time.
  using Sink = std::function<void(PipeCore &core)>;
  CoreRunner(const Options &options, Maker make, Sink ended)
      : options(options), make(std::move(make)), ended(std::move(ended)) {}

  /// The fault of the core with the least number among those that faulted, if any; else the time of the last
  /// event.
  struct Outcome {
    std::optional<Fault> fault;
    uint64_t cycles = 0, instructions = 0;
  };
  Outcome run(CrossFlags &flags);

private:
  struct Slot {
    uint32_t group = 0, live = 0; // live cores of the group
    uint64_t time = 0;            // of the group's end
  };
  void startGroup(uint32_t slot);
  void runTimed();
  void runThreads();
  void worker();
  void settle(uint32_t core); // after run(): ended, blocked or faulted
  void deadlock();
  bool overWatchdog(PipeCore &core);

  const Options options;
  const Maker make;
  const Sink ended;
  std::mutex mutex; // guards what follows
  std::condition_variable wake;
  std::vector<Slot> slots;
  std::unordered_map<uint32_t, std::unique_ptr<PipeCore>> cores; // resident
  std::unordered_map<uint32_t, uint32_t> slotOf;
  std::deque<uint32_t> runnable;
  std::unordered_map<uint32_t, bool> isBlocked, wasPoked;
  uint32_t nextGroup = 0, running = 0;
  uint64_t instructions = 0, cycles = 0;
  std::optional<std::pair<uint32_t, Fault>> worst;
  bool stop = false;
};

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_CROSSFLAGS_H
