// NpuBanks.cpp: what the planner asks of vector ops on UB: which may work in place, and what its banks cost.
#include "backends/npu/Banks.h"
#include "backends/npu/IR/Npu.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::npu::ir {
namespace {

/// Buffers that an elementwise op reads and writes in one order.
struct Elementwise {
  SmallVector<Value, 2> sources;
  Value result;
  uint64_t stride = 32; // bytes from block to block of the last source
};

/// The elementwise ops whose conflicts the vector unit has; numbers are no sources.
std::optional<Elementwise> elementwiseOf(Operation *op) {
  auto buffers = [](std::initializer_list<Value> values) {
    SmallVector<Value, 2> found;
    for (Value value : values)
      if (isa<MemRefType>(value.getType()))
        found.push_back(value);
    return found;
  };
  if (auto unary = dyn_cast<UnaryOp>(op))
    return Elementwise{{unary.getSrc()}, unary.getDst()};
  if (auto select = dyn_cast<SelectOp>(op))
    return Elementwise{buffers({select.getLhs(), select.getRhs()}), select.getDst()};
  auto binary = dyn_cast<BinaryOp>(op);
  if (!binary)
    return std::nullopt;
  Elementwise result{buffers({binary.getLhs(), binary.getRhs()}), binary.getDst()};
  if (binary.getBroadcast() == 1) { // one block, or eight, for each row
    auto type = cast<MemRefType>(binary.getRhs().getType());
    result.stride = type.getShape()[1] * type.getElementTypeBitWidth() > 256 ? 32 : 0;
  }
  return result;
}

} // namespace

bool worksInPlace(Operation *op, Value source, Value result) {
  std::optional<Elementwise> found = elementwiseOf(op);
  auto binary = dyn_cast<BinaryOp>(op);
  bool isBroadcast = binary && binary.getBroadcast() && source == binary.getRhs();
  return found && result == found->result && llvm::is_contained(found->sources, source) && !isBroadcast;
}

int64_t bankCycles(Operation *op, devicekit::MachineInterface::AddressOf addressOf) {
  std::optional<Elementwise> found = elementwiseOf(op);
  if (!found)
    return 0;
  SmallVector<RepeatBlocks, 2> reads;
  for (Value source : found->sources)
    if (std::optional<int64_t> address = addressOf(source))
      reads.push_back({uint64_t(*address), source == found->sources.back() ? found->stride : 32});
  std::optional<RepeatBlocks> write;
  if (std::optional<int64_t> address = addressOf(found->result))
    write = RepeatBlocks{uint64_t(*address)};
  return int64_t(kiln::npu::bankConflicts(reads, write, targetOf(op))) * repeatCount(found->result);
}

SmallVector<int64_t> bankPlaces(Operation *at, int64_t from) {
  const Target &target = targetOf(at);
  // Two repeats meet in no group where they begin half of all groups apart.
  int64_t round = int64_t(target.ubBankGroups) * int64_t(target.blockBytes),
          bank = int64_t(target.ubBankBytes);
  SmallVector<int64_t> places = {from};
  auto addBoth = [&](int64_t begin) {
    places.push_back(int64_t(llvm::alignTo(begin, round)));
    places.push_back(int64_t(llvm::alignTo(begin, round / 2)) / round * round + round / 2);
  };
  addBoth(from);
  for (int64_t begin = int64_t(llvm::alignTo(from + 1, bank)); begin < int64_t(target.ubBytes); begin += bank)
    addBoth(begin);
  llvm::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

} // namespace kiln::npu::ir
