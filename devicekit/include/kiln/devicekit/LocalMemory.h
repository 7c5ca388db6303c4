// kiln/devicekit/LocalMemory.h: one memory of one core, with the shadow that finds uninitialised reads and
// races.
#ifndef KILN_DEVICEKIT_LOCALMEMORY_H
#define KILN_DEVICEKIT_LOCALMEMORY_H

#include "kiln/devicekit/AccessCell.h"
#include "kiln/devicekit/Fault.h"

#include <span>

namespace kiln::devicekit {

/// Bytes that an instruction touches: [begin, begin + bytes).
struct Range {
  uint64_t begin;
  uint64_t bytes;
};

/// A scratchpad. Its contents begin as a pattern, never as zeros. Used by one thread at a time.
class LocalMemory {
public:
  /// `hasShadow`: whether accesses are recorded and checked, not only their bounds.
  LocalMemory(std::string_view name, uint64_t bytes, bool hasShadow);
  std::string_view name() const { return theName; }
  uint64_t size() const { return bytes.size(); }
  uint8_t *data() { return bytes.data(); }

  /// Checks and records accesses; the first fault found has kind, space, address and detail.
  std::optional<Fault> read(std::span<const Range> ranges, const Accessor &by) {
    return access(ranges, by, false);
  }
  std::optional<Fault> write(std::span<const Range> ranges, const Accessor &by) {
    return access(ranges, by, true);
  }
  /// Moves what an instruction has written at its start out of sight until it ends: the bytes go to
  /// `pending`, poison takes their place.
  void poison(std::span<const Range> ranges, std::vector<uint8_t> &pending);
  void restore(std::span<const Range> ranges, const std::vector<uint8_t> &pending);

private:
  static constexpr uint64_t kBlock = 32;
  std::optional<Fault> access(std::span<const Range> ranges, const Accessor &by, bool isWrite);
  std::optional<Fault> accessBlock(uint64_t block, uint32_t mask, const Accessor &by, bool isWrite);
  Fault fault(FaultKind kind, uint64_t address, std::string detail) const;

  const std::string theName;
  std::vector<uint8_t> bytes;
  const bool hasShadow;
  using CellPage = std::array<AccessCell, 64>;
  std::vector<std::unique_ptr<CellPage>> pages; // made when first touched
};

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_LOCALMEMORY_H
