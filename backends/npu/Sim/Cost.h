// Cost.h: how long an instruction takes, from the figures of Target.def.
#ifndef KILN_BACKENDS_NPU_SIM_COST_H
#define KILN_BACKENDS_NPU_SIM_COST_H

#include "backends/npu/Sim/Footprint.h"
#include "kiln/devicekit/PipeCore.h"
#include "kiln/devicekit/SharedMemory.h"
#include "kiln/devicekit/SharedPort.h"

namespace kiln::npu {

/// Occupancy and latency of one instruction that begins at `now`. GM transfers ask `port` of AI core `group`;
/// without a port they take the rate of one core alone.
devicekit::Duration costOf(const Work &work, const Target &target, const Footprint &footprint, uint64_t now,
                           const devicekit::SharedMemory &gm, devicekit::SharedPort *port, uint32_t group);
/// Cycles that one repeat loses because blocks of its operands lie in the same bank groups of UB.
uint64_t bankConflicts(const Work &work, const Target &target);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_SIM_COST_H
