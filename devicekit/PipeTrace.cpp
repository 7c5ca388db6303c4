// PipeTrace.cpp: which events each pipe may not have seen, followed over all ways through an unrolled
// program. An event is the latest access of one place by one op, or the latest wait for one flag: pipes are
// in order, so who has seen it has seen those before. A set takes along what its pipe has seen and done, a
// wait gives that to its own; what the scalar unit has seen, every later entry has, since it issues them.
// Each event is handled by itself, so where ways meet, what is unseen on one of them is unseen: exact for any
// choice of trip counts, without trying them one by one.
#include "devicekit/PipeTrace.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <numeric>

using namespace mlir;

namespace kiln::devicekit {
namespace {

using Events = llvm::BitVector;

void add(Events &events, unsigned event) {
  if (events.size() <= event)
    events.resize(event + 1);
  events.set(event);
}

bool holds(const Events &events, unsigned event) { return event < events.size() && events.test(event); }

/// A flag on the way, or on the ways that meet.
struct FlagState {
  enum Value { Unset, Set, Either } value = Unset;
  Events unseen; // by the pipe that set it
  bool operator==(const FlagState &other) const = default;
};

/// What is so at one point of the program.
struct State {
  SmallVector<Events, 8> unseen; // by pipe: may not be complete when its next entry starts
  std::vector<FlagState> flags;
  bool operator==(const State &other) const = default;

  /// Joins another way to the same point. What has not happened on a way is not unseen on it. Both know on
  /// each pipe what the scalar unit does.
  void meet(const State &other) {
    for (auto [mine, theirs] : llvm::zip(unseen, other.unseen))
      mine |= theirs;
    flags.resize(std::max(flags.size(), other.flags.size()));
    for (auto [i, flag] : llvm::enumerate(flags)) {
      FlagState absent;
      const FlagState &theirs = i < other.flags.size() ? other.flags[i] : absent;
      if (flag.value != theirs.value)
        flag.value = FlagState::Either;
      flag.unseen |= theirs.unseen;
    }
  }
};

class Trace {
public:
  Trace(const TraceInput &input, const ConflictFn &onConflict, const FlagFaultFn &onFault)
      : input(input), onConflict(onConflict), onFault(onFault), program(*input.program),
        machine(program.machine()), pipes(machine.pipeCount()), scalar(machine.scalarPipe()), eventsOf(pipes),
        history(program.objectCount()) {
    state.unseen.resize(pipes);
    for (const FlagEdge &edge : input.edges) {
      sets[edge.from].push_back(&edge);
      (edge.isBehind ? waitsBehind : waits)[edge.to].push_back(&edge);
      PipeNode *outermost = edge.from->parent;
      while (edge.distance && outermost->parent)
        outermost = outermost->parent;
      if (edge.distance)
        carried[outermost].push_back(&edge);
    }
    for (const BarrierPoint &point : input.barriers)
      barriers[point.before].push_back(point.pipe);
  }

  void run() {
    runBody(program.body());
    for (auto [flag, now] : llvm::zip(flags, state.flags))
      if (!isDone && now.value != FlagState::Unset)
        fault(flag.setBy, flag.edge, "is set without a wait for it");
  }

private:
  struct Access {
    const PipeRange *range;
    PipeNode *node;
    int64_t start;
    unsigned event;
    SmallVector<int64_t, 4> iteration; // of the latest
  };
  struct Flag {
    const FlagEdge *edge; // null: in the program
    unsigned source, target;
    unsigned waitEvent;
    PipeNode *setBy = nullptr;
  };

  void fault(PipeNode *node, const FlagEdge *edge, StringRef what) {
    isDone = isDone || !onFault(node, edge, what);
  }

  /// A new event of `pipe`, which nobody has seen since it has not happened.
  unsigned newEvent(unsigned pipe) {
    add(eventsOf[pipe], eventCount);
    return eventCount++;
  }

  /// What a pipe's next entry, issued now, may start before the end of.
  Events &unseenBy(unsigned pipe) { return state.unseen[pipe] &= state.unseen[scalar]; }

  /// The state with what the scalar unit has seen given to all, which will issue to them.
  const State &settled() {
    for (unsigned pipe = 0; pipe < pipes; ++pipe)
      unseenBy(pipe);
    return state;
  }

  /// The same of what comes after all that the pipe has been given.
  Events unseenAfter(unsigned pipe) {
    Events events = unseenBy(pipe);
    return events.reset(eventsOf[pipe]);
  }

  void happen(unsigned event, unsigned pipe) {
    for (unsigned p = 0; p < pipes; ++p)
      if (p != scalar || pipe != scalar) // the scalar unit's own are over at once
        add(state.unseen[p], event);
    for (FlagState &flag : state.flags)
      add(flag.unseen, event);
  }

  void runBody(const std::vector<PipeNode *> &body) {
    for (PipeNode *node : body) {
      if (isDone)
        return;
      for (const FlagEdge *edge : waits.lookup(node))
        wait(flagOf(*edge, slotOf(*edge)), node);
      for (unsigned pipe : barriers.lookup(node))
        barrier(pipe);
      switch (node->kind) {
      case PipeNode::Kind::Op:
        runOp(node);
        break;
      case PipeNode::Kind::Sync:
        runSync(node);
        break;
      case PipeNode::Kind::Loop:
        forEachCarried(node, [&](unsigned flag) { set(flag, node); });
        runLoop(node);
        forEachCarried(node, [&](unsigned flag) { wait(flag, node); });
        break;
      }
      for (const FlagEdge *edge : waitsBehind.lookup(node))
        wait(flagOf(*edge, slotOf(*edge)), node);
      for (const FlagEdge *edge : sets.lookup(node))
        set(flagOf(*edge, slotOf(*edge)), node);
    }
  }

  /// The flags that are set before an outermost loop and waited for after it, those of carried edges.
  template <typename Fn> void forEachCarried(PipeNode *loop, Fn fn) {
    for (const FlagEdge *edge : carried.lookup(loop))
      for (unsigned slot = 0; slot < edge->distance; ++slot)
        fn(flagOf(*edge, slot));
  }

  /// Which of an edge's flags this iteration uses: the one of the copy that it guards. A carried edge's stay
  /// set between runs of the loop, so that a run's first iterations wait for the last ones of the run before.
  int64_t slotOf(const FlagEdge &edge) {
    return edge.slots > 1 ? counters[edge.from->parent->countingLoop()] % edge.slots : 0;
  }

  /// After so many iterations all slots are the same again.
  int64_t cycleOf(PipeNode *loop) const {
    int64_t cycle = loop->slotCycle;
    for (const FlagEdge &edge : input.edges)
      if (edge.from->parent && edge.from->parent->countingLoop() == loop)
        cycle = std::lcm(cycle, edge.slots);
    return cycle;
  }

  int64_t tripsOf(PipeNode *loop, int64_t cycle) const {
    int64_t count = loop->once ? 1 : 2 * cycle + 2;
    if (!loop->trips)
      return count;
    // Where copies rotate, what counts of a long loop is which of them it ends with.
    return *loop->trips <= count ? *loop->trips : count + (*loop->trips - count) % cycle;
  }

  void runLoop(PipeNode *loop) {
    bool mayEnd = !loop->trips && !input.loopsRunLong;
    std::optional<State> ended;
    if (mayEnd && !loop->runs)
      ended = settled();
    int64_t cycle = cycleOf(loop), count = tripsOf(loop, cycle);
    std::vector<State> last(cycle); // behind the last iterations
    iteration.push_back(0);
    for (int64_t i = 0; i < count && !isDone; ++i) {
      iteration.back() = counters[loop] = i;
      runBody(loop->body);
      if (mayEnd && ended)
        ended->meet(settled());
      else if (mayEnd)
        ended = settled();
      // What follows would be what was since then, again.
      bool repeats = i + 1 >= 2 * cycle && (count - i - 1) % cycle == 0 && last[i % cycle] == settled();
      if (repeats)
        break;
      last[i % cycle] = settled();
    }
    iteration.pop_back();
    if (mayEnd)
      state = std::move(*ended);
  }

  unsigned flagOf(const FlagEdge *edge, unsigned source, unsigned target, int64_t event) {
    auto [it, isNew] = flagNumbers.try_emplace({edge, source, target, event}, flags.size());
    if (isNew)
      flags.push_back({edge, source, target, newEvent(target)});
    if (state.flags.size() < flags.size())
      state.flags.resize(flags.size());
    return it->second;
  }
  unsigned flagOf(const FlagEdge &edge, int64_t slot) {
    return flagOf(&edge, edge.fromPipe, edge.toPipe, slot);
  }

  void set(unsigned number, PipeNode *node) {
    Flag &flag = flags[number];
    FlagState &now = state.flags[number];
    if (now.value != FlagState::Unset)
      return fault(node, flag.edge, "sets a flag that nobody has waited for");
    Events unseen = unseenAfter(flag.source);
    if (holds(unseen, flag.waitEvent))
      fault(node, flag.edge, "may set a flag before the wait for its last set is over");
    now = {FlagState::Set, std::move(unseen)};
    flag.setBy = node;
  }

  void wait(unsigned number, PipeNode *node) {
    const Flag &flag = flags[number];
    FlagState &now = state.flags[number];
    if (now.value != FlagState::Set)
      return fault(node, flag.edge, "waits for a flag that nobody has set");
    now.value = FlagState::Unset;
    unseenBy(flag.target) &= now.unseen;
    now.unseen.reset();
    happen(flag.waitEvent, flag.target);
  }

  void barrier(unsigned pipe) {
    if (pipe == kAllPipes)
      state.unseen[scalar].reset();
    else
      unseenBy(pipe).reset(eventsOf[pipe]);
  }

  void runSync(PipeNode *node) {
    if (input.ignored && input.ignored->contains(node->op))
      return;
    auto sync = cast<SyncOpInterface>(node->op);
    if (sync.getSyncKind() == SyncKind::Barrier)
      return barrier(sync.getSourcePipe());
    int64_t event = sync.getEventId() + (node->slotLoop ? counters[node->slotLoop] % node->slotCount : 0);
    unsigned number = flagOf(nullptr, sync.getSourcePipe(), sync.getTargetPipe(), event);
    if (sync.getSyncKind() == SyncKind::Set)
      set(number, node);
    else
      wait(number, node);
  }

  void runOp(PipeNode *node) {
    const Events &unseen = unseenBy(node->pipe);
    for (const PipeRange &range : node->ranges)
      check(node, range, unseen);
    for (const PipeRange &range : node->ranges)
      record(node, range);
  }

  int64_t startOf(const PipeRange &range) {
    return range.start(range.slotLoop ? counters[range.slotLoop] : 0);
  }

  void check(PipeNode *node, const PipeRange &range, const Events &unseen) {
    int64_t start = startOf(range);
    for (const Access &access : history[range.object]) {
      unsigned pipe = access.node->pipe;
      bool isApart = range.bytes != INT64_MAX && access.range->bytes != INT64_MAX &&
                     (start + range.bytes <= access.start || access.start + access.range->bytes <= start);
      // Windows of one op that no address is known of are tiles of a result, which do not overlap.
      isApart |= access.range == &range && range.bytes == INT64_MAX;
      if (isApart || (!range.isWrite && !access.range->isWrite) || !holds(unseen, access.event) ||
          (pipe == node->pipe && machine.completesInOrder(pipe)))
        continue;
      isDone |= !onConflict({access.node, node, access.range, &range, access.iteration, iteration});
      if (isDone)
        return;
    }
  }

  void record(PipeNode *node, const PipeRange &range) {
    int64_t start = startOf(range);
    std::vector<Access> &accesses = history[range.object];
    auto it = llvm::find_if(
        accesses, [&](const Access &access) { return access.range == &range && access.start == start; });
    if (it == accesses.end())
      it = accesses.insert(it, {&range, node, start, newEvent(node->pipe), {}});
    it->iteration = iteration;
    happen(it->event, node->pipe);
  }

  const TraceInput &input;
  const ConflictFn &onConflict;
  const FlagFaultFn &onFault;
  const PipeProgram &program;
  const MachineInterface &machine;
  unsigned pipes, scalar;
  State state;
  unsigned eventCount = 0;
  std::vector<Events> eventsOf;             // by pipe
  std::vector<std::vector<Access>> history; // by object
  std::vector<Flag> flags;
  std::map<std::tuple<const FlagEdge *, unsigned, unsigned, int64_t>, unsigned> flagNumbers;
  DenseMap<PipeNode *, SmallVector<const FlagEdge *>> sets, waits, waitsBehind, carried;
  DenseMap<PipeNode *, SmallVector<unsigned>> barriers;
  DenseMap<const PipeNode *, int64_t> counters; // the current iteration of each loop
  SmallVector<int64_t, 4> iteration;
  bool isDone = false;
};

} // namespace

void runTrace(const TraceInput &input, const ConflictFn &onConflict, const FlagFaultFn &onFault) {
  Trace(input, onConflict, onFault).run();
}

bool isOrdered(const TraceInput &input) {
  bool isClean = true;
  runTrace(
      input, [&](const PipeConflict &) { return isClean = false; },
      [&](PipeNode *, const FlagEdge *, StringRef) { return isClean = false; });
  return isClean;
}

} // namespace kiln::devicekit
