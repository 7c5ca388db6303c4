// Footprint.h: what an instruction reads and writes, before it does.
#ifndef KILN_BACKENDS_NPU_SIM_FOOTPRINT_H
#define KILN_BACKENDS_NPU_SIM_FOOTPRINT_H

#include "backends/npu/Sim/Work.h"
#include "kiln/devicekit/LocalMemory.h"

#include <functional>

namespace kiln::npu {

/// The memories of a core, and GM. Status holds special register rsvdcnt, which the vector unit writes.
enum class Memory : uint8_t { Ub, L1, L0a, L0b, L0c, Bt, Fb, Status, Gm };
inline constexpr size_t kLocalMemories = 8;
std::string_view memoryName(Memory memory);

/// Byte ranges by memory and direction, exact to the byte. Kept and used again.
class Footprint {
public:
  struct Part {
    Memory memory;
    bool isWrite;
    std::vector<devicekit::Range> ranges;
  };
  std::span<const Part> parts() const { return {theParts.data(), used}; }
  void clear() { used = 0; }
  std::vector<devicekit::Range> &add(Memory memory, bool isWrite);
  static void push(std::vector<devicekit::Range> &ranges, uint64_t begin, uint64_t bytes);

private:
  std::vector<Part> theParts;
  size_t used = 0;
};

/// Fills `footprint`. Returns a fault for operands that the instruction does not take: misaligned addresses,
/// illegal values. `readUb` reads four bytes of UB, for offsets of gathers, or gives nothing beyond its end.
std::optional<devicekit::Fault> footprintOf(const Work &work, const Target &target, Footprint &footprint,
                                            const std::function<std::optional<uint32_t>(uint64_t)> &readUb);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_SIM_FOOTPRINT_H
