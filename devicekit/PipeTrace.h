// PipeTrace.h: runs a program's ops, flags and barriers with vector clocks and finds conflicts that nothing
// orders.
#ifndef KILN_DEVICEKIT_PIPETRACE_H
#define KILN_DEVICEKIT_PIPETRACE_H

#include "devicekit/PipeProgram.h"

#include <functional>

namespace kiln::devicekit {

/// An order that a flag pair gives, not yet in the program: `to` waits for `from`, of `distance` iterations
/// before in the loop that both lie in (0: of the same iteration). Both lie in one body.
struct FlagEdge {
  PipeNode *from, *to;
  unsigned fromPipe, toPipe;
  unsigned distance = 0;
  int64_t slots = 1; // flags that it needs
  bool operator==(const FlagEdge &other) const = default;
};

/// A barrier on one pipe, or on all, before a node; not yet in the program.
struct BarrierPoint {
  PipeNode *before;
  unsigned pipe;
};

/// Two accesses of one place, one of them a write, with nothing between that makes the second wait.
struct PipeConflict {
  PipeNode *first, *second;
  const PipeRange *firstRange, *secondRange;
  llvm::SmallVector<int64_t, 4> firstIteration, secondIteration; // outermost loop first
};

/// How often loops run: by node; others run until all slots and distances have come twice.
using TripChoice = llvm::DenseMap<const PipeNode *, int64_t>;

/// The choices that stand for all trip counts: all loops long; each loop of unknown count not at all, and
/// once.
std::vector<TripChoice> tripChoices(const PipeProgram &program);

struct TraceInput {
  const PipeProgram *program;
  llvm::ArrayRef<FlagEdge> edges;
  llvm::ArrayRef<BarrierPoint> barriers;
  const llvm::DenseSet<mlir::Operation *> *ignored = nullptr; // flags and barriers taken out
};

/// Calls for each conflict, in program order; false ends the run.
using ConflictFn = std::function<bool(const PipeConflict &)>;
/// Calls for each fault of flags in the program; false ends the run.
using FlagFaultFn = std::function<bool(PipeNode *, llvm::StringRef what)>;

/// One pass over the program with these trip counts. Time: events * accesses of one memory.
void runTrace(const TraceInput &input, const TripChoice &trips, const ConflictFn &onConflict,
              const FlagFaultFn &onFault);

/// Whether every choice of trip counts is without conflicts (and faults of flags).
bool isOrdered(const TraceInput &input, llvm::ArrayRef<TripChoice> choices);

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_PIPETRACE_H
