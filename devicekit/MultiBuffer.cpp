// MultiBuffer.cpp: candidates are buffers through which two pipes meet in a loop; the planner says what still
// fits.
#include "devicekit/PipePasses.h"
#include "kiln/devicekit/MemoryPlan.h"

#include "kiln/IR/Kiln.h"

using namespace mlir;

namespace kiln::devicekit {

#define GEN_PASS_DEF_MULTIBUFFERPASS
#include "devicekit/PipePasses.h.inc"

namespace {

void addPipes(Value value, llvm::SmallDenseSet<unsigned> &pipes, bool &isWritten) {
  for (Operation *user : value.getUsers()) {
    if (auto op = dyn_cast<PipeOpInterface>(user)) {
      pipes.insert(op.getPipe());
      SmallVector<PipeAccess> accesses;
      op.getAccesses(accesses);
      for (PipeAccess access : accesses)
        isWritten |= access.isWrite && access.memref == value;
    } else if (isa<ViewLikeOpInterface>(user)) {
      for (Value view : user->getResults())
        addPipes(view, pipes, isWritten);
    }
  }
}

/// Whether two pipes meet in the buffer, in a loop that may run more than once.
bool isCandidate(const LocalBuffer &buffer) {
  memref::AllocOp alloc = buffer.alloc;
  auto loop = dyn_cast<scf::ForOp>(alloc->getParentOp());
  if (!loop || alloc->hasAttr(kCopiesAttr))
    return false;
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  if (lower && upper && step && *lower + *step >= *upper)
    return false;
  llvm::SmallDenseSet<unsigned> pipes;
  bool isWritten = false;
  addPipes(alloc, pipes, isWritten);
  return isWritten && pipes.size() > 1;
}

} // namespace

bool fitsMemory(Operation *function, int64_t copies) {
  const MachineInterface *machine = findMachine(function);
  if (!machine)
    return true;
  FailureOr<std::vector<LocalBuffer>> buffers = findLocalBuffers(function, *machine);
  if (failed(buffers))
    return false;
  for (LocalBuffer &buffer : *buffers)
    if (isCandidate(buffer)) {
      buffer.copies = copies;
      std::tie(buffer.first, buffer.last) = spanOf(function, buffer.alloc->getParentOp());
    }
  return !placeBuffers(*buffers);
}

namespace {

struct MultiBuffer final : impl::MultiBufferPassBase<MultiBuffer> {
  using MultiBufferPassBase::MultiBufferPassBase;
  void runOnOperation() override {
    const MachineInterface *machine = findMachine(getOperation());
    if (!machine || count <= 1)
      return;
    FailureOr<std::vector<LocalBuffer>> buffers = findLocalBuffers(getOperation(), *machine);
    if (failed(buffers))
      return signalPassFailure();
    SmallVector<LocalBuffer *> candidates;
    for (LocalBuffer &buffer : *buffers)
      if (isCandidate(buffer))
        candidates.push_back(&buffer);
    llvm::sort(candidates, [](LocalBuffer *a, LocalBuffer *b) {
      return std::pair(a->bytes, a) < std::pair(b->bytes, b);
    });
    Builder builder(&getContext());
    for (LocalBuffer *candidate : candidates) {
      candidate->alloc->setAttr(kCopiesAttr, builder.getI64IntegerAttr(count));
      FailureOr<std::vector<LocalBuffer>> trial = findLocalBuffers(getOperation(), *machine);
      if (failed(trial) || placeBuffers(*trial))
        candidate->alloc->removeAttr(kCopiesAttr);
      else
        getContext().getOrLoadDialect<KilnDialect>()->count("multi-buffer.buffers");
    }
  }
};

} // namespace
} // namespace kiln::devicekit
