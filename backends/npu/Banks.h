// Banks.h: cycles that the vector unit loses to banks of UB, for the simulator that counts them and the
// planner that avoids them.
#ifndef KILN_BACKENDS_NPU_BANKS_H
#define KILN_BACKENDS_NPU_BANKS_H

#include "backends/npu/Target.h"

#include <optional>
#include <span>

namespace kiln::npu {

/// Where an operand's eight blocks of one repeat lie in UB, in bytes.
struct RepeatBlocks {
  uint64_t address = 0;
  uint64_t stride = 32; // from one block to the next; 0: the same one
};

/// Cycles that a repeat loses: one for each further block that is read from, or written to, a group of banks,
/// and one where it reads and writes one bank, other than in place. Nothing of an operand not given.
uint64_t bankConflicts(std::span<const RepeatBlocks> reads, std::optional<RepeatBlocks> write,
                       const Target &target);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_BANKS_H
