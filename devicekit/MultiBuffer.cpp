// MultiBuffer.cpp: candidates are buffers through which two pipes meet in a loop; the planner says what still
// fits. What leaves may take the place of what came in.
#include "devicekit/PipePasses.h"
#include "kiln/devicekit/MemoryPlan.h"

#include "kiln/IR/Kiln.h"

using namespace mlir;

namespace kiln::devicekit {

#define GEN_PASS_DEF_MULTIBUFFERPASS
#include "devicekit/PipePasses.h.inc"

namespace {

bool isCrossed(const BufferPipes &pipes) {
  return !pipes.writers.empty() &&
         (pipes.writers.size() > 1 ||
          llvm::any_of(pipes.readers, [&](unsigned pipe) { return !pipes.writers.contains(pipe); }));
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
  return isCrossed(BufferPipes(alloc));
}

/// Whether `out` may lie where `in` does: it is written by who read `in`, after `in` was read for the last
/// time in the iteration, and leaves by a third pipe.
bool mayShare(const LocalBuffer &in, const LocalBuffer &out) {
  memref::AllocOp first = in.alloc, second = out.alloc;
  if (first.getType() != second.getType() || first->getBlock() != second->getBlock() || in.last >= out.first)
    return false;
  BufferPipes before(first), after(second);
  return llvm::all_of(after.writers,
                      [&](unsigned pipe) {
                        return before.readers.contains(pipe) && !before.writers.contains(pipe);
                      }) &&
         llvm::any_of(after.readers, [&](unsigned pipe) {
           return !before.writers.contains(pipe) && !before.readers.contains(pipe);
         });
}

/// Makes pairs of buffers one, with the copies of both, or else one more than either would get: one flag back
/// does for two. Returns how many.
FailureOr<int64_t> shareBuffers(Operation *function, const MachineInterface &machine, int64_t copies) {
  int64_t shared = 0;
  for (bool changed = true; changed;) {
    changed = false;
    FailureOr<std::vector<LocalBuffer>> buffers = findLocalBuffers(function, machine);
    if (failed(buffers))
      return failure();
    SmallVector<size_t> candidates;
    for (auto [number, buffer] : llvm::enumerate(*buffers))
      if (isCandidate(buffer))
        candidates.push_back(number);
    for (size_t in : candidates) {
      auto out = llvm::find_if(candidates,
                               [&](size_t other) { return mayShare((*buffers)[in], (*buffers)[other]); });
      if (out == candidates.end())
        continue;
      memref::AllocOp kept = (*buffers)[in].alloc, dropped = (*buffers)[*out].alloc;
      auto fits = [&](int64_t count) {
        std::vector<LocalBuffer> trial = *buffers;
        trial[in].copies = count;
        std::tie(trial[in].first, trial[in].last) = spanOf(function, kept->getParentOp());
        trial.erase(trial.begin() + static_cast<ptrdiff_t>(*out));
        return !placeBuffers(trial);
      };
      int64_t count = fits(2 * copies) ? 2 * copies : copies + 1;
      if (!fits(count))
        continue;
      kept->setAttr(kCopiesAttr, Builder(kept).getI64IntegerAttr(count));
      dropped.replaceAllUsesWith(kept.getResult());
      dropped.erase();
      ++shared;
      changed = true;
      break;
    }
  }
  return shared;
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
    auto &dialect = *getContext().getOrLoadDialect<KilnDialect>();
    FailureOr<int64_t> shared = shareBuffers(getOperation(), *machine, count);
    if (failed(shared))
      return signalPassFailure();
    for (int64_t i = 0; i < *shared; ++i)
      dialect.count("multi-buffer.shared");
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
        dialect.count("multi-buffer.buffers");
    }
  }
};

} // namespace
} // namespace kiln::devicekit
