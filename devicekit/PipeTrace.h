// PipeTrace.h: runs a program's ops, flags and barriers on all its ways and finds conflicts that nothing
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
  /// The wait stands behind `to`, before what its pipe sets next: it holds back what comes after `to`, and
  /// who waits for `to`.
  bool isBehind = false;
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

struct TraceInput {
  const PipeProgram *program;
  llvm::ArrayRef<FlagEdge> edges;
  llvm::ArrayRef<BarrierPoint> barriers;
  const llvm::DenseSet<mlir::Operation *> *ignored = nullptr; // flags and barriers taken out
  bool loopsRunLong = false; // loops of unknown count end only after all copies and distances have come twice
};

/// Calls for each conflict, in program order; false ends the run.
using ConflictFn = std::function<bool(const PipeConflict &)>;
/// Calls for each fault of flags in the program, and of edges (else null); false ends the run.
using FlagFaultFn = std::function<bool(PipeNode *, const FlagEdge *, llvm::StringRef what)>;

/// Follows all ways through the program at once: each loop of unknown trip count may end after every
/// iteration, and not run at all unless it says so, each time it is reached. Time: events * accesses of one
/// memory.
void runTrace(const TraceInput &input, const ConflictFn &onConflict, const FlagFaultFn &onFault);

/// Whether no way has a conflict or a fault of flags.
bool isOrdered(const TraceInput &input);

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_PIPETRACE_H
