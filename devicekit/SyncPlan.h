// SyncPlan.h: which flags and barriers make a program free of races, and none more.
#ifndef KILN_DEVICEKIT_SYNCPLAN_H
#define KILN_DEVICEKIT_SYNCPLAN_H

#include "devicekit/PipeTrace.h"

namespace kiln::devicekit {

struct SyncPlan {
  std::vector<FlagEdge> edges;
  std::vector<BarrierPoint> barriers;
};

/// Plans flags and barriers: without any one of them a conflict is left. Deterministic.
SyncPlan planSync(const PipeProgram &program);

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_SYNCPLAN_H
