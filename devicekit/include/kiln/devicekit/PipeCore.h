// kiln/devicekit/PipeCore.h: one core of a simulated device: a scalar unit that issues to in-order pipes,
// flags between them, and the events in which their work begins and ends. What an instruction does is the
// device's: PipeModel.
#ifndef KILN_DEVICEKIT_PIPECORE_H
#define KILN_DEVICEKIT_PIPECORE_H

#include "kiln/devicekit/LocalMemory.h"

#include <deque>
#include <random>

namespace kiln::devicekit {

class PipeCore;
class CrossFlags;

/// What a queue of a pipe holds.
enum class JobKind : uint8_t { Work, SetFlag, WaitFlag, Barrier, CrossSet, CrossWait };

struct Job {
  JobKind kind = JobKind::Work;
  uint8_t otherPipe = 0; // SetFlag: who waits; WaitFlag: who sets
  uint8_t mode = 0;      // CrossSet
  uint32_t id = 0;       // flag or cross flag
  uint32_t pc = 0;
  uint32_t work = 0;   // Work: the model's own handle
  uint64_t issued = 0; // time
  uint64_t start = 0, end = 0;
  VectorClock knows;           // of the scalar unit at issue; of the pipe once begun
  std::vector<Range> poisoned; // of Work: destinations in flight, in memory `memory`
  LocalMemory *memory = nullptr;
  std::vector<uint8_t> pending;
};

/// How long a piece of work takes: the pipe takes the next one after `occupancy`, the result is there after
/// `latency`.
struct Duration {
  uint64_t occupancy = 1, latency = 1;
};

/// The device's half of a core. Members are called by the thread that runs the core.
class PipeModel {
public:
  virtual ~PipeModel() = default;
  /// Executes one instruction of the scalar unit: changes its state, issues to pipes, waits, halts, or raises
  /// a fault.
  virtual void step(PipeCore &core) = 0;
  /// A job begins at core.now(): checks and records its accesses, reads its sources, says how long it takes.
  /// With checks it also computes its results and leaves local destinations in job.poisoned and job.memory.
  virtual Duration begin(PipeCore &core, Job &job, const Accessor &by) = 0;
  /// It has ended: results become visible.
  virtual void commit(PipeCore &core, Job &job) = 0;
  virtual std::string printInstruction(uint32_t pc) const = 0;
  virtual int64_t opAt(uint32_t pc) const = 0;
};

struct PipeCoreOptions {
  uint32_t pipes = 1; // pipe 0 is the scalar unit
  uint32_t flags = 8; // of a pipe pair
  uint32_t issueDepth = 32;
  uint64_t flagCycles = 4, barrierCycles = 2;
  bool countsFlags = false;  // a flag may be set again before its wait; else that is a fault
  uint32_t inOrderPipes = 0; // set of pipes that end one instruction before the next begins
  std::span<const std::string_view> pipeNames;
  bool hasChecks = true;
  uint64_t seed = 0; // else durations are drawn from it, between a quarter and four times the given
  bool wantsSpans = false;
};

/// What a pipe has done, in cycles.
struct PipeStats {
  uint64_t instructions = 0, busy = 0, waitFlag = 0, waitIssue = 0;
};

struct Span {
  uint32_t pipe, pc;
  uint64_t start, end, waited;
};

/// One core. Used by one thread at a time; CrossFlags hands it between threads.
class PipeCore {
public:
  enum class State : uint8_t { Running, Blocked, Done, Faulted };

  PipeCore(std::string name, uint32_t number, const PipeCoreOptions &options, PipeModel &model,
           CrossFlags *cross, uint64_t startTime);

  /// Runs events until `until`, the program's end, a fault, or until only another core can help.
  State run(uint64_t until);
  State state() const { return theState; }
  const std::optional<Fault> &fault() const { return theFault; }
  /// The greatest time of an event so far.
  uint64_t time() const { return latest; }
  /// The time of the event that the last run() stopped before; a run() until an earlier time does nothing.
  uint64_t nextTime() const { return theNextTime; }
  uint64_t instructions() const { return executed; }
  const std::string &name() const { return theName; }
  uint32_t number() const { return theNumber; }
  const PipeStats &stats(uint32_t pipe) const { return pipes[pipe].stats; }
  const std::vector<Span> &spans() const { return theSpans; }
  /// Who waits for what: one line a waiting pipe.
  std::string waits() const;

  // ---- For the model
  uint64_t now() const { return current; }
  bool hasChecks() const { return options.hasChecks; }
  uint32_t pc = 0; // of the scalar unit
  /// For a model whose step is done: whether what happens next on this core is the scalar unit's next
  /// instruction, since no pipe has work. If so it counts as begun, and the model may go on with it at once.
  bool goesOn() {
    if (jobs != 0 || scalarWait != ScalarWait::None || halted || theFault || scalarTime > untilTime)
      return false;
    current = latest = std::max(latest, scalarTime);
    ++executed;
    ++pipes[0].stats.instructions;
    pipes[0].clock.own[0] = pipes[0].number;
    return true;
  }
  /// Whether the model may carry out instructions of the scalar unit one behind the other without asking in
  /// between: each takes the cycles it says, and nothing else happens on this core.
  bool runsAlone() const {
    return options.seed == 0 && jobs == 0 && scalarWait == ScalarWait::None && !halted && !theFault &&
           scalarTime <= untilTime;
  }
  /// In how many cycles from now the scalar unit's last instruction of this run may begin.
  uint64_t cyclesLeft() const { return untilTime - scalarTime; }
  /// Accounts for `count` instructions that took `cycles`, the last of which began after `lastBegin` of them.
  void ranAlone(uint64_t count, uint64_t cycles, uint64_t lastBegin) {
    if (count == 0)
      return;
    current = latest = std::max(latest, scalarTime + lastBegin);
    scalarTime += cycles;
    executed += count;
    pipes[0].stats.instructions += count;
    pipes[0].clock.own[0] = pipes[0].number;
  }
  /// The scalar unit's next step comes `cycles` later.
  void spend(uint64_t cycles) { scalarTime += draw(cycles); }
  void issue(uint32_t pipe, Job job);
  void setFlag(uint32_t from, uint32_t to, uint32_t id);
  void waitFlag(uint32_t from, uint32_t to, uint32_t id);
  void barrier(uint32_t pipe);
  void barrierAll() { scalarWait = ScalarWait::All; }
  void crossSet(uint32_t pipe, uint32_t mode, uint32_t id);
  void crossWait(uint32_t pipe, uint32_t id);
  void halt() { halted = true; }
  /// The scalar unit's own access to memory.
  Accessor scalarAccess();
  /// The first fault counts; what is missing in it (core, instruction, time) is filled in.
  void raise(Fault fault, uint32_t atPc, uint32_t pipe);
  void raise(FaultKind kind, std::string detail, uint32_t atPc, uint32_t pipe);

private:
  enum class ScalarWait : uint8_t { None, Flag, Cross, Queue, All };
  struct Pipe {
    std::deque<Job> queue, inFlight;
    uint64_t free = 0, lastEnd = 0, notBefore = 0, lastBegin = 0, waited = 0;
    uint32_t number = 0; // instructions begun
    VectorClock clock;
    PipeStats stats;
  };
  struct Flag {
    bool isSet = false;
    uint64_t time = 0;
    uint32_t pc = 0;
    VectorClock clock;
    std::vector<Flag> later; // sets that came before the wait for this one
  };
  Flag &flag(uint32_t from, uint32_t to, uint32_t id) {
    return flags[(from * options.pipes + to) * options.flags + id];
  }
  const Flag &flag(uint32_t from, uint32_t to, uint32_t id) const {
    return const_cast<PipeCore *>(this)->flag(from, to, id);
  }
  bool checkFlag(uint32_t id, uint32_t atPc, uint32_t pipe);
  bool checkCrossFlag(uint32_t id, uint32_t pipe);
  uint64_t draw(uint64_t cycles);
  std::optional<uint64_t> scalarReady();
  std::optional<uint64_t> headReady(uint32_t pipe);
  void runScalar();
  void beginHead(uint32_t pipe);
  void endFront(uint32_t pipe);
  void performSet(uint32_t from, const Job &job);
  VectorClock takeFlag(Flag &event);
  bool allIdle() const;
  void finish();

  const std::string theName;
  const uint32_t theNumber;
  const PipeCoreOptions options;
  PipeModel &model;
  CrossFlags *const cross;
  State theState = State::Running;
  std::optional<Fault> theFault;
  std::vector<Pipe> pipes;
  std::vector<Flag> flags;
  uint64_t current = 0, latest = 0, scalarTime = 0, executed = 0;
  uint64_t untilTime = 0; // of the run that goes on
  uint64_t theNextTime = 0;
  uint64_t jobs = 0; // in all queues and in flight
  ScalarWait scalarWait = ScalarWait::None;
  Job scalarJob;           // what the scalar unit waits for
  uint32_t scalarPipe = 0; // whose queue is full
  bool halted = false;
  std::mt19937_64 randomness;
  std::vector<Span> theSpans;
};

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_PIPECORE_H
