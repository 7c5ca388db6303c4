// Banks.cpp: blocks go round the groups of banks; the banks of a group lie ubBankBytes apart.
#include "backends/npu/Banks.h"

#include <algorithm>

namespace kiln::npu {

uint64_t bankConflicts(std::span<const RepeatBlocks> reads, std::optional<RepeatBlocks> write,
                       const Target &target) {
  constexpr uint64_t kBlocks = 8, kMostGroups = 64;
  uint64_t readsOf[kMostGroups] = {}, writesOf[kMostGroups] = {}, crossing = 0;
  for (uint64_t block = 0; block < kBlocks; ++block) {
    auto at = [&](const RepeatBlocks &operand) { return operand.address + block * operand.stride; };
    auto group = [&](const RepeatBlocks &operand) {
      return at(operand) / 32 % target.ubBankGroups % kMostGroups;
    };
    for (const RepeatBlocks &read : reads) {
      ++readsOf[group(read)];
      if (write && group(read) == group(*write) &&
          at(read) / target.ubBankBytes == at(*write) / target.ubBankBytes && read.address != write->address)
        crossing = 1;
    }
    if (write)
      ++writesOf[group(*write)];
  }
  auto most = [](const uint64_t(&counts)[kMostGroups]) {
    return std::max<uint64_t>(*std::max_element(counts, counts + kMostGroups), 1);
  };
  return (most(readsOf) - 1 + most(writesOf) - 1 + crossing) * target.bankConflictCycles;
}

} // namespace kiln::npu
