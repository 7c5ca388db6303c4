// Registers.h: from as many registers as the code names to those that a core has.
#ifndef KILN_BACKENDS_NPU_REGISTERS_H
#define KILN_BACKENDS_NPU_REGISTERS_H

#include "backends/npu/Isa/Isa.h"

#include <optional>
#include <vector>

namespace kiln::npu {

/// Scalar registers of a core.
inline constexpr uint32_t kRegisters = 32;

/// Bytes of UB that nobody else uses, at a multiple of 8; none on a cube core.
struct SpillArea {
  uint64_t address = 0, bytes = 0;
};

struct AllocatedCode {
  std::vector<Inst> code;
  /// Where each instruction of the given code begins, and the new code's length.
  std::vector<uint32_t> starts;
  uint32_t spills = 0; // values that live in UB
};

/// Replaces register numbers from 0 on, as many as there are values, by those of the machine: a linear scan
/// over live ranges from the code's own control flow. Values that find no register, those first that are used
/// least where loops are deepest, live in the spill area; what one instruction makes of nothing (a number, an
/// argument) is made again instead. Nothing if the area is too small. Uses a few registers itself when it
/// spills. Pure.
std::optional<AllocatedCode> allocateRegisters(const std::vector<Inst> &code, SpillArea area);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_REGISTERS_H
