// PlanMemory.cpp: replaces allocs by placed buffers, in their loop's slot where there are copies.
#include "devicekit/PipePasses.h"
#include "devicekit/RotatingSlot.h"
#include "kiln/devicekit/MemoryPlan.h"

#include "kiln/IR/Kiln.h"
#include "kiln/devicekit/Pipes.h"

#include <map>

using namespace mlir;

namespace kiln::devicekit {

#define GEN_PASS_DEF_PLANMEMORYPASS
#include "devicekit/PipePasses.h.inc"

namespace {

void reportOverflow(const LocalMemory &memory, ArrayRef<LocalBuffer> buffers, Operation *function) {
  int64_t needed = 0, worst = 0;
  for (const LocalBuffer &buffer : buffers) {
    if (buffer.memory.name != memory.name)
      continue;
    int64_t live = 0; // at this buffer's first use
    for (const LocalBuffer &other : buffers)
      if (other.space == buffer.space && other.first <= buffer.first && buffer.first <= other.last)
        live += other.bytes * other.copies;
    needed = std::max(needed, live);
    worst = std::max(worst, buffer.bytes * buffer.copies);
  }
  function->emitError("memory '") << memory.name << "' holds " << memory.capacityBytes
                                  << " bytes; the kernel's buffers need at least " << needed
                                  << " at one time (the largest " << worst << ")";
}

void replace(LocalBuffer &buffer, const MachineInterface &machine) {
  SmallVector<int64_t> addresses;
  for (int64_t copy = 0; copy < buffer.copies; ++copy)
    addresses.push_back(buffer.address + copy * buffer.bytes);
  Value slot;
  if (buffer.copies > 1) {
    auto loop = cast<scf::ForOp>(buffer.alloc->getParentOp());
    slot = getOrAddSlot(loop, buffer.copies);
  }
  SmallVector<memref::AllocOp> allocs = {buffer.alloc};
  allocs.append(buffer.heirs.begin(), buffer.heirs.end());
  for (memref::AllocOp alloc : allocs) {
    OpBuilder builder(alloc);
    alloc.replaceAllUsesWith(machine.place(builder, alloc.getLoc(), alloc.getType(), addresses, slot));
    alloc.erase();
  }
}

struct PlanMemory final : impl::PlanMemoryPassBase<PlanMemory> {
  void runOnOperation() override {
    const MachineInterface *machine = findMachine(getOperation());
    if (!machine)
      return;
    FailureOr<std::vector<LocalBuffer>> buffers = findLocalBuffers(getOperation(), *machine);
    if (failed(buffers))
      return signalPassFailure();
    if (std::optional<LocalMemory> full = placeBuffers(*buffers)) {
      reportOverflow(*full, *buffers, getOperation());
      return signalPassFailure();
    }
    spreadBuffers(*buffers, *machine);
    auto &dialect = *getContext().getOrLoadDialect<KilnDialect>();
    std::map<StringRef, int64_t> peaks;
    for (LocalBuffer &buffer : *buffers) {
      int64_t &peak = peaks[buffer.memory.name];
      peak = std::max(peak, buffer.address + buffer.bytes * buffer.copies);
    }
    Builder builder(&getContext());
    SmallVector<NamedAttribute> bytes;
    for (const auto &[name, peak] : peaks)
      bytes.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(peak)));
    getOperation()->setAttr(kPeakBytesAttr, builder.getDictionaryAttr(bytes));
    getOperation().walk([](memref::DeallocOp dealloc) { dealloc.erase(); });
    for (LocalBuffer &buffer : *buffers) {
      dialect.count("plan-memory.buffers");
      replace(buffer, *machine);
    }
  }
};

} // namespace
} // namespace kiln::devicekit
