// PackedWeights.h: what a program's prologue made of its weights, as it stands in a cache or bundle.
#ifndef KILN_RUNTIME_PACKEDWEIGHTS_H
#define KILN_RUNTIME_PACKEDWEIGHTS_H

#include "runtime/ProgramFile.h"
#include "runtime/cache/CacheLayer.h"

namespace kiln {

/// The bytes of one persistent buffer.
struct PackedBytes {
  uint32_t buffer = 0;
  OwnedBytes bytes;
};

constexpr uint64_t kInlineWeightBytes = kEntryPageBytes; // smaller weights are not worth an entry

/// Whether the prologue launches kernels; else there is nothing worth keeping.
bool prologueLaunches(const ProgramFile &program);
EntryAddress packedAddress(const ProgramFile &program);

/// The payload of an entry of kind Packed. `keep` is handed each buffer that is large enough for a weight's
/// entry of its own, and fails as it does.
Result<std::vector<uint8_t>>
encodePacked(const std::vector<PackedBytes> &buffers,
             const std::function<Status(const std::string &digest, ByteSpan bytes)> &keep);
/// The buffers of such an entry, all of them or nothing. `weight` finds the bytes of a digest; none: not
/// there.
std::vector<PackedBytes> decodePacked(const CacheEntry &entry,
                                      const std::function<OwnedBytes(std::string_view digest)> &weight);

} // namespace kiln
#endif // KILN_RUNTIME_PACKEDWEIGHTS_H
