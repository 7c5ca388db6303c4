// SharedMemory.cpp: regions for bounds and rights; shadow pages, made when first touched, for races between
// cores.
#include "kiln/devicekit/SharedMemory.h"

namespace kiln::devicekit {
namespace {

Fault fault(FaultKind kind, uint64_t address, std::string detail) {
  Fault result;
  result.kind = kind;
  result.space = "GM";
  result.address = address;
  result.detail = std::move(detail);
  return result;
}

} // namespace

SharedMemory::SharedMemory(std::vector<Region> given, bool hasShadow)
    : regions(std::move(given)), hasShadow(hasShadow) {
  std::erase_if(regions, [](const Region &region) { return region.bytes == 0; });
  inOrder = regions;
  std::sort(regions.begin(), regions.end(),
            [](const Region &a, const Region &b) { return a.address < b.address; });
}

uint64_t SharedMemory::modelAddress(uint64_t address) const {
  uint64_t start = 0;
  for (const Region &region : inOrder) {
    if (address - region.address < region.bytes)
      return start + (address - region.address);
    start += (region.bytes + 511) / 512 * 512;
  }
  return address;
}

std::optional<Range> SharedMemory::plainRegionOf(const Range &range, bool isWrite) const {
  const Region *region = find(range, isWrite);
  if (!region || region->address + region->bytes - range.begin < range.bytes ||
      (isWrite && !region->isWritable) || (hasShadow && needsShadow(*region)))
    return std::nullopt;
  return Range{region->address, region->bytes};
}

const SharedMemory::Region *SharedMemory::find(const Range &range, bool isWrite) const {
  const Region *best = nullptr;
  int bestRank = -1;
  for (const Region &region : regions) {
    if (region.address > range.begin)
      break;
    if (range.begin - region.address >= region.bytes)
      continue;
    bool holds = region.address + region.bytes - range.begin >= range.bytes;
    int rank = holds * 2 + (!isWrite || region.isWritable);
    if (rank > bestRank) {
      best = &region;
      bestRank = rank;
    }
  }
  return best;
}

/// What nobody may write needs no record of its readers.
bool SharedMemory::needsShadow(const Region &region) const {
  return !region.isInitialised || std::any_of(regions.begin(), regions.end(), [&](const Region &other) {
    return other.isWritable && other.address < region.address + region.bytes &&
           region.address < other.address + other.bytes;
  });
}

SharedMemory::Page &SharedMemory::page(Stripe &stripe, uint64_t number) {
  std::unique_ptr<Page> &page = stripe.pages[number];
  if (!page) {
    page = std::make_unique<Page>();
    for (uint64_t i = 0; i < std::size(page->cells); ++i)
      for (const Region &region : regions) { // a block may hold the ends of two regions
        uint64_t block = (number << kPageBits) + i * kBlock;
        uint64_t from = std::max(block, region.address),
                 to = std::min(block + kBlock, region.address + region.bytes);
        if (from < to && region.isInitialised)
          page->cells[i].initialised |=
              static_cast<uint32_t>((uint64_t(1) << (to - block)) - (uint64_t(1) << (from - block)));
      }
  }
  return *page;
}

std::optional<Fault> SharedMemory::access(std::span<const Range> ranges, const Accessor &by, bool isWrite,
                                          bool isAtomic) {
  for (const Range &range : ranges) {
    if (range.bytes == 0)
      continue;
    const Region *region = find(range, isWrite);
    if (!region || region->address + region->bytes - range.begin < range.bytes)
      return fault(
          FaultKind::OutOfBounds, range.begin,
          std::to_string(range.bytes) + " bytes" +
              (region ? " reach beyond the end of " + region->name : " belong to no buffer of the launch"));
    if (isWrite && !region->isWritable)
      return fault(FaultKind::ReadOnly, range.begin, region->name + " is an input");
    if (!hasShadow || !needsShadow(*region))
      continue;
    uint64_t end = range.begin + range.bytes;
    for (uint64_t number = range.begin >> kPageBits; number << kPageBits < end; ++number) {
      Stripe &stripe = stripes[number & (kStripes - 1)];
      std::lock_guard lock(stripe.mutex);
      Page &cells = page(stripe, number);
      uint64_t first = std::max(range.begin, number << kPageBits),
               last = std::min(end, (number + 1) << kPageBits);
      for (uint64_t block = first / kBlock * kBlock; block < last; block += kBlock) {
        uint64_t from = std::max(first, block) - block, to = std::min(last, block + kBlock) - block;
        auto mask = static_cast<uint32_t>((uint64_t(1) << to) - (uint64_t(1) << from));
        BlockAccess now = {by.number, mask,    static_cast<uint16_t>(by.core), static_cast<uint8_t>(by.pipe),
                           isWrite,   isAtomic};
        if (auto found =
                accessBlock(cells.cells[block / kBlock % std::size(cells.cells)], block, now, by.knows))
          return found;
      }
    }
  }
  return std::nullopt;
}

std::optional<Fault> SharedMemory::accessBlock(AccessCell &cell, uint64_t address, const BlockAccess &now,
                                               const VectorClock &knows) {
  if ((!now.isWrite || now.isAtomic) && (cell.initialised & now.mask) != now.mask)
    return fault(FaultKind::Uninitialised, address, "nobody wrote this block in this launch");
  std::optional<BlockAccess> then = cell.record(now, knows);
  if (!then)
    return std::nullopt;
  bool isOverlap = now.isWrite && then->isWrite && then->core != now.core;
  return fault(isOverlap ? FaultKind::Overlap : FaultKind::Race, address,
               std::string(now.isWrite ? "written" : "read") + " while instruction " +
                   std::to_string(then->number) + " of core " + std::to_string(then->core) + ", pipe " +
                   std::to_string(then->pipe) + ", which " + (then->isWrite ? "writes" : "reads") +
                   " it, is not known to have ended");
}

} // namespace kiln::devicekit
