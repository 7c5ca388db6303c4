// PipeTrace.cpp: vector clocks over an unrolled program. clock[q][p] counts the entries of pipe p that have
// completed before the next entry of q starts. Entries are numbered by pipe; a set takes along all entries
// before it on its pipe, a wait gives them to its own; what the scalar unit knows, every later entry knows,
// since it issues them. Of one access (and copy) only the latest entry is kept: pipes are in order, so who
// has seen it has seen those before.
#include "devicekit/PipeTrace.h"

#include "llvm/ADT/DenseSet.h"

#include <map>

using namespace mlir;

namespace kiln::devicekit {
namespace {

using Clock = SmallVector<uint32_t, 8>;

void join(Clock &clock, const Clock &other) {
  for (auto [mine, theirs] : llvm::zip(clock, other))
    mine = std::max(mine, theirs);
}

class Trace {
public:
  Trace(const TraceInput &input, const TripChoice &trips, const ConflictFn &onConflict,
        const FlagFaultFn &onFault)
      : input(input), trips(trips), onConflict(onConflict), onFault(onFault), program(*input.program),
        machine(program.machine()), pipes(machine.pipeCount()), scalar(machine.scalarPipe()),
        clocks(pipes, Clock(pipes, 0)), issued(pipes, 0), history(program.objectCount()) {
    for (const FlagEdge &edge : input.edges) {
      sets[edge.from].push_back(&edge);
      waits[edge.to].push_back(&edge);
    }
    for (const BarrierPoint &point : input.barriers)
      barriers[point.before].push_back(point.pipe);
  }

  void run() {
    runBody(program.body());
    for (const auto &[flag, state] : flags)
      if (!isDone && state.isSet)
        fault(state.node, "is set without a wait for it");
  }

private:
  struct Entry {
    const PipeRange *range;
    PipeNode *node;
    int64_t start;
    uint32_t index; // on the node's pipe, from 1
    SmallVector<int64_t, 4> iteration;
  };
  struct Flag {
    bool isSet = false;
    Clock clock;
    uint32_t waitIndex = 0; // entry of the target pipe that waited last; 0: none
    PipeNode *node = nullptr;
  };

  void fault(PipeNode *node, StringRef what) { isDone |= !onFault(node, what); }

  Clock &now(unsigned pipe) {
    clocks[scalar][scalar] = issued[scalar];
    join(clocks[pipe], clocks[scalar]);
    return clocks[pipe];
  }
  Clock snapshot(unsigned pipe) {
    Clock clock = now(pipe);
    clock[pipe] = issued[pipe];
    return clock;
  }

  void runBody(const std::vector<PipeNode *> &body) {
    for (PipeNode *node : body) {
      if (isDone)
        return;
      for (unsigned pipe : barriers.lookup(node))
        barrier(pipe);
      for (const FlagEdge *edge : waits.lookup(node))
        waitEdge(*edge);
      switch (node->kind) {
      case PipeNode::Kind::Op:
        runOp(node);
        break;
      case PipeNode::Kind::Sync:
        runSync(node);
        break;
      case PipeNode::Kind::Loop:
        runLoop(node);
        break;
      }
      for (const FlagEdge *edge : sets.lookup(node))
        snapshots[{edge, flagOf(*edge)}] = snapshot(edge->fromPipe);
    }
  }

  /// Which of a carried edge's flags this iteration uses: the one of the copy that it guards. They stay set
  /// between runs of the loop, so that a run's first iterations wait for the last ones of the run before.
  int64_t flagOf(const FlagEdge &edge) {
    return edge.distance ? counters[edge.from->parent] % int64_t(edge.distance) : 0;
  }

  int64_t tripsOf(PipeNode *loop) const {
    int64_t cycle = loop->maxSlots;
    for (const FlagEdge &edge : input.edges)
      if (edge.from->parent == loop)
        cycle = std::max<int64_t>(cycle, edge.distance);
    int64_t count = 2 * cycle + 2;
    if (auto chosen = trips.find(loop); chosen != trips.end())
      count = chosen->second;
    if (!loop->trips)
      return count;
    // Where copies rotate, what counts of a long loop is which of them it ends with.
    return *loop->trips <= count ? *loop->trips : count + (*loop->trips - count) % cycle;
  }

  void runLoop(PipeNode *loop) {
    int64_t count = tripsOf(loop);
    iteration.push_back(0);
    for (int64_t i = 0; i < count && !isDone; ++i) {
      iteration.back() = counters[loop] = i;
      runBody(loop->body);
    }
    iteration.pop_back();
  }

  void waitEdge(const FlagEdge &edge) {
    if (auto made = snapshots.find({&edge, flagOf(edge)});
        made != snapshots.end()) // else set before the program
      join(now(edge.toPipe), made->second);
  }

  void barrier(unsigned pipe) {
    if (pipe != kAllPipes) {
      now(pipe)[pipe] = issued[pipe];
      return;
    }
    for (unsigned p = 0; p < pipes; ++p)
      clocks[scalar][p] = issued[p];
  }

  void runSync(PipeNode *node) {
    if (input.ignored && input.ignored->contains(node->op))
      return;
    auto sync = cast<SyncOpInterface>(node->op);
    unsigned source = sync.getSourcePipe(), target = sync.getTargetPipe();
    if (sync.getSyncKind() == SyncKind::Barrier)
      return barrier(source);
    int64_t event = sync.getEventId() + (node->slotLoop ? counters[node->slotLoop] % node->slotCount : 0);
    Flag &flag = flags[{source, target, event}];
    if (sync.getSyncKind() == SyncKind::Set) {
      if (flag.isSet)
        return fault(node, "sets a flag that nobody has waited for");
      if (flag.waitIndex > snapshot(source)[target])
        return fault(node, "may set a flag before the wait for its last set is over");
      ++issued[source];
      flag.isSet = true;
      flag.clock = snapshot(source);
      flag.node = node;
      return;
    }
    if (!flag.isSet)
      return fault(node, "waits for a flag that nobody has set");
    flag.isSet = false;
    flag.waitIndex = ++issued[target];
    join(now(target), flag.clock);
    if (target == scalar)
      clocks[scalar][scalar] = issued[scalar];
  }

  void runOp(PipeNode *node) {
    Clock &clock = now(node->pipe);
    for (const PipeRange &range : node->ranges)
      check(node, range, clock);
    uint32_t index = ++issued[node->pipe];
    for (const PipeRange &range : node->ranges)
      record(node, range, index);
  }

  int64_t startOf(const PipeRange &range) {
    return range.start(range.slotLoop ? counters[range.slotLoop] : 0);
  }

  void check(PipeNode *node, const PipeRange &range, const Clock &clock) {
    int64_t start = startOf(range);
    for (const Entry &entry : history[range.object]) {
      unsigned pipe = entry.node->pipe;
      bool isApart = range.bytes != INT64_MAX && entry.range->bytes != INT64_MAX &&
                     (start + range.bytes <= entry.start || entry.start + entry.range->bytes <= start);
      // Windows of one op that no address is known of are tiles of a result, which do not overlap.
      isApart |= entry.range == &range && range.bytes == INT64_MAX;
      if (isApart || (!range.isWrite && !entry.range->isWrite) || entry.index <= clock[pipe] ||
          (pipe == node->pipe && machine.completesInOrder(pipe)))
        continue;
      isDone |= !onConflict({entry.node, node, entry.range, &range, entry.iteration, iteration});
      if (isDone)
        return;
    }
  }

  void record(PipeNode *node, const PipeRange &range, uint32_t index) {
    int64_t start = startOf(range);
    std::vector<Entry> &entries = history[range.object];
    for (Entry &entry : entries)
      if (entry.range == &range && entry.start == start) {
        entry.index = index;
        entry.iteration = iteration;
        return;
      }
    entries.push_back({&range, node, start, index, iteration});
  }

  const TraceInput &input;
  const TripChoice &trips;
  const ConflictFn &onConflict;
  const FlagFaultFn &onFault;
  const PipeProgram &program;
  const MachineInterface &machine;
  unsigned pipes, scalar;
  std::vector<Clock> clocks;
  Clock issued;
  std::vector<std::vector<Entry>> history; // by object
  std::map<std::tuple<unsigned, unsigned, int64_t>, Flag> flags;
  DenseMap<PipeNode *, SmallVector<const FlagEdge *>> sets, waits;
  DenseMap<PipeNode *, SmallVector<unsigned>> barriers;
  std::map<std::pair<const FlagEdge *, int64_t>, Clock> snapshots; // of the last set, by flag
  DenseMap<const PipeNode *, int64_t> counters;                    // the current iteration of each loop
  SmallVector<int64_t, 4> iteration;
  bool isDone = false;
};

} // namespace

void runTrace(const TraceInput &input, const TripChoice &trips, const ConflictFn &onConflict,
              const FlagFaultFn &onFault) {
  Trace(input, trips, onConflict, onFault).run();
}

std::vector<TripChoice> tripChoices(const PipeProgram &program) {
  std::vector<TripChoice> choices(1);
  for (const PipeNode &node : program.nodes())
    if (node.kind == PipeNode::Kind::Loop && !node.trips)
      for (int64_t count = node.runs; count < 2; ++count)
        choices.push_back({{&node, count}});
  return choices;
}

bool isOrdered(const TraceInput &input, ArrayRef<TripChoice> choices) {
  return llvm::all_of(choices, [&](const TripChoice &trips) {
    bool isClean = true;
    runTrace(
        input, trips, [&](const PipeConflict &) { return isClean = false; },
        [&](PipeNode *, StringRef) { return isClean = false; });
    return isClean;
  });
}

} // namespace kiln::devicekit
