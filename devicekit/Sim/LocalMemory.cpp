// LocalMemory.cpp: shadow cells of 32 bytes; an access conflicts with one that its clock does not know to
// have ended.
#include "kiln/devicekit/LocalMemory.h"

#include <cstring>

namespace kiln::devicekit {
namespace {

constexpr uint8_t kFresh = 0xcd;  // what memory holds before anything is written
constexpr uint8_t kPoison = 0xff; // destinations in flight: NaN in every float type

} // namespace

LocalMemory::LocalMemory(std::string_view name, uint64_t size, bool hasShadow)
    : theName(name), bytes(size, kFresh), hasShadow(hasShadow) {
  uint64_t page = kBlock * std::tuple_size_v<CellPage>;
  pages.resize(hasShadow ? (size + page - 1) / page : 0);
}

Fault LocalMemory::fault(FaultKind kind, uint64_t address, std::string detail) const {
  Fault result;
  result.kind = kind;
  result.space = theName;
  result.address = address;
  result.detail = std::move(detail);
  return result;
}

std::optional<Fault> LocalMemory::access(std::span<const Range> ranges, const Accessor &by, bool isWrite) {
  for (const Range &range : ranges) {
    if (range.begin > size() || size() - range.begin < range.bytes)
      return fault(FaultKind::OutOfBounds, range.begin,
                   std::to_string(range.bytes) + " bytes; it has " + std::to_string(size()));
    if (!hasShadow || range.bytes == 0)
      continue;
    uint64_t end = range.begin + range.bytes;
    for (uint64_t block = range.begin / kBlock; block * kBlock < end; ++block) {
      uint64_t from = std::max(range.begin, block * kBlock) % kBlock;
      uint64_t to = std::min(end, (block + 1) * kBlock) - block * kBlock;
      auto mask = static_cast<uint32_t>((uint64_t(1) << to) - (uint64_t(1) << from));
      if (auto found = accessBlock(block, mask, by, isWrite))
        return found;
    }
  }
  return std::nullopt;
}

std::optional<Fault> LocalMemory::accessBlock(uint64_t block, uint32_t mask, const Accessor &by,
                                              bool isWrite) {
  std::unique_ptr<CellPage> &page = pages[block / std::tuple_size_v<CellPage>];
  if (!page)
    page = std::make_unique<CellPage>();
  AccessCell &cell = (*page)[block % std::tuple_size_v<CellPage>];
  if (!isWrite && (cell.initialised & mask) != mask) {
    uint64_t offset = static_cast<uint64_t>(__builtin_ctz(mask & ~cell.initialised));
    return fault(FaultKind::Uninitialised, block * kBlock + offset, "nobody wrote this byte");
  }
  BlockAccess now = {by.number, mask, static_cast<uint16_t>(by.core), static_cast<uint8_t>(by.pipe),
                     isWrite,   false};
  std::optional<BlockAccess> then = cell.record(now, by.knows);
  if (!then)
    return std::nullopt;
  return fault(FaultKind::Race, block * kBlock,
               std::string(isWrite ? "written" : "read") + " while instruction " +
                   std::to_string(then->number) + " of pipe " + std::to_string(then->pipe) + ", which " +
                   (then->isWrite ? "writes" : "reads") + " it, is not known to have ended");
}

void LocalMemory::poison(std::span<const Range> ranges, std::vector<uint8_t> &pending) {
  for (const Range &range : ranges) {
    uint8_t *at = bytes.data() + range.begin;
    pending.insert(pending.end(), at, at + range.bytes);
    std::memset(at, kPoison, range.bytes);
  }
}

void LocalMemory::restore(std::span<const Range> ranges, const std::vector<uint8_t> &pending) {
  size_t from = 0;
  for (const Range &range : ranges) {
    std::memcpy(bytes.data() + range.begin, pending.data() + from, range.bytes);
    from += range.bytes;
  }
}

} // namespace kiln::devicekit
