// kiln/devicekit/SharedMemory.h: the memory that all cores of a launch see: the launch's buffers, with their
// shadow.
#ifndef KILN_DEVICEKIT_SHAREDMEMORY_H
#define KILN_DEVICEKIT_SHAREDMEMORY_H

#include "kiln/devicekit/LocalMemory.h"

#include <mutex>
#include <unordered_map>

namespace kiln::devicekit {

/// What a launch may touch. Addresses are host pointers; where regions overlap, the rights of each hold.
/// Threads: regions are fixed before cores run; read, write and lockFor are safe from any thread.
class SharedMemory {
public:
  struct Region {
    uint64_t address, bytes;
    bool isWritable;
    bool isInitialised; // else reads before the first write of this launch are faults
    std::string name;   // "binding 2", "workspace"
  };
  SharedMemory(std::vector<Region> regions, bool hasShadow);

  std::optional<Fault> read(std::span<const Range> ranges, const Accessor &by) {
    return access(ranges, by, false, false);
  }
  std::optional<Fault> write(std::span<const Range> ranges, const Accessor &by, bool isAtomic) {
    return access(ranges, by, true, isAtomic);
  }
  /// The bytes around `range` that accesses of that kind may touch without being recorded: all, if there is
  /// no shadow, else what nobody may write. Nothing if it must not be touched, or not like that.
  std::optional<Range> plainRegionOf(const Range &range, bool isWrite) const;
  /// An address that does not depend on where the host put the buffers: regions one behind the other, each at
  /// a multiple of 512. Simulated time is counted with these.
  uint64_t modelAddress(uint64_t address) const;
  /// Held while an atomic update of memory near `address` is carried out.
  std::mutex &lockFor(uint64_t address) { return stripes[address >> kPageBits & (kStripes - 1)].update; }

private:
  static constexpr uint64_t kBlock = 32, kPageBits = 12, kStripes = 64;
  struct Page {
    AccessCell cells[(1 << kPageBits) / kBlock];
  };
  struct Stripe {
    std::mutex mutex, update; // mutex guards pages
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  };
  /// The region that holds the range, one with the right if there is one; else the one that holds its
  /// beginning.
  const Region *find(const Range &range, bool isWrite) const;
  Page &page(Stripe &stripe, uint64_t number);
  std::optional<Fault> access(std::span<const Range> ranges, const Accessor &by, bool isWrite, bool isAtomic);
  std::optional<Fault> accessBlock(AccessCell &cell, uint64_t address, const BlockAccess &now,
                                   const VectorClock &knows);
  bool needsShadow(const Region &region) const;

  std::vector<Region> regions; // by address
  std::vector<Region> inOrder; // as given: the order of modelAddress
  const bool hasShadow;
  std::array<Stripe, kStripes> stripes;
};

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_SHAREDMEMORY_H
