// SyncPlan.h: which flags and barriers make a program free of races, and none more.
#ifndef KILN_DEVICEKIT_SYNCPLAN_H
#define KILN_DEVICEKIT_SYNCPLAN_H

#include "devicekit/PipeTrace.h"

namespace kiln::devicekit {

struct SyncPlan {
  std::vector<FlagEdge> edges;
  std::vector<BarrierPoint> barriers;
};

/// Plans flags and barriers for the function that `program` was made of: without any one of them a conflict
/// is left, or a flag is set twice. Edges of inner loops come first; of each pair of pipes they take no more
/// flags than the machine has, where barriers on all pipes take their place. Deterministic.
SyncPlan planSync(const PipeProgram &program, mlir::Operation *function);

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_SYNCPLAN_H
