// Units.h: what the units of a core compute. Nothing is checked here: a footprint was.
#ifndef KILN_BACKENDS_NPU_SIM_UNITS_H
#define KILN_BACKENDS_NPU_SIM_UNITS_H

#include "backends/npu/Sim/Work.h"

namespace kiln::npu {

/// The memories of a core as bytes; null where the core has none.
struct Memories {
  uint8_t *ub = nullptr, *l1 = nullptr, *l0a = nullptr, *l0b = nullptr, *l0c = nullptr, *bt = nullptr,
          *fb = nullptr;
};

// Each executes one instruction of its kind on local memories. GM: source by host address; what goes to GM is
// left in work.staging, element after element.
void runVectorArithmetic(Work &work,
                         const Memories &memories); // lane by lane: arithmetic, compare, select, fill
void runVectorConvert(Work &work, const Memories &memories);
void runVectorReduce(Work &work, const Memories &memories);
void runVectorShape(Work &work, const Memories &memories); // transpose, gather, pack, sort, copy
void runMmad(const Work &work, const Memories &memories);
void runMove(Work &work, const Memories &memories);         // copies in and out, ND to NZ, fills
void runL0Load(const Work &work, const Memories &memories); // load2d, load3d
void runFix(Work &work, const Memories &memories);

/// A row of lanes as contiguous bytes: straight from memory where the layout allows, else gathered into
/// `buffer`.
const uint8_t *loadLanes(const uint8_t *memory, const LaneLayout &layout, const Lanes &lanes, uint32_t repeat,
                         uint8_t *buffer);
/// Writes active lanes only.
void storeLanes(uint8_t *memory, const LaneLayout &layout, const Lanes &lanes, uint32_t repeat,
                const uint8_t *from);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_SIM_UNITS_H
