// MemoryPlan.cpp: live ranges in the order of ops, with whole loops as the uses of what they use from
// outside, and which buffers have one place in turn.
#include "kiln/devicekit/MemoryPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::devicekit {
namespace {

/// Numbers ops in program order; an op with regions ends after what it holds.
struct OpNumbers {
  DenseMap<Operation *, std::pair<unsigned, unsigned>> spans;
  explicit OpNumbers(Operation *function) {
    unsigned next = 0;
    number(function, next);
  }
  void number(Operation *op, unsigned &next) {
    unsigned first = next++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          number(&inner, next);
    spans[op] = {first, next - 1};
  }
};

/// Widens a live range by the uses of a buffer and of its views.
void addUses(Value value, Block *home, const OpNumbers &numbers, LocalBuffer &buffer) {
  for (Operation *user : value.getUsers()) {
    auto [first, last] = numbers.spans.lookup(home->findAncestorOpInBlock(*user));
    buffer.first = std::min(buffer.first, first);
    buffer.last = std::max(buffer.last, last);
    if (isa<ViewLikeOpInterface>(user))
      for (Value view : user->getResults())
        addUses(view, home, numbers, buffer);
  }
}

/// The buffer that a memref, or a view from its first element on, is; null if it is none.
memref::AllocOp wholeBuffer(Value memref) {
  if (auto view = memref.getDefiningOp<memref::SubViewOp>()) {
    auto areAll = [](ArrayRef<OpFoldResult> values, int64_t number) {
      return llvm::all_of(values, [&](OpFoldResult value) { return getConstantIntValue(value) == number; });
    };
    if (!areAll(view.getMixedOffsets(), 0) || !areAll(view.getMixedStrides(), 1))
      return {};
    memref = view.getSource();
  }
  return memref.getDefiningOp<memref::AllocOp>();
}

bool isOnlyOn(memref::AllocOp buffer, unsigned pipe) {
  BufferPipes pipes(buffer);
  auto isPipe = [&](unsigned other) { return other == pipe; };
  return llvm::all_of(pipes.writers, isPipe) && llvm::all_of(pipes.readers, isPipe);
}

/// Gives a buffer the place of one that is read for the last time by the op that writes it first, which may
/// write over it. Where another pipe reads or writes one of the two, it would have to wait for both.
void shareInPlace(Operation *function, const OpNumbers &numbers, const MachineInterface &machine,
                  std::vector<LocalBuffer> &buffers) {
  DenseMap<Operation *, LocalBuffer *> bufferOf;
  for (LocalBuffer &buffer : buffers)
    bufferOf[buffer.alloc] = &buffer;
  auto share = [&](PipeOpInterface op, Value read, Value written) {
    memref::AllocOp from = wholeBuffer(read), to = wholeBuffer(written);
    LocalBuffer *source = bufferOf.lookup(from), *result = bufferOf.lookup(to);
    unsigned number = numbers.spans.lookup(op).first;
    if (!source || !result || from.getType() != to.getType() || source->last != number ||
        result->first != number || source->copies * result->copies != 1 ||
        from->getBlock() != op->getBlock() || to->getBlock() != op->getBlock() ||
        !isOnlyOn(from, op.getPipe()) || !isOnlyOn(to, op.getPipe()))
      return;
    source->last = result->last;
    source->heirs.push_back(to);
    bufferOf[to] = source;
    result->alloc = {};
  };
  function->walk([&](PipeOpInterface op) {
    SmallVector<PipeAccess> accesses;
    op.getAccesses(accesses);
    for (const PipeAccess &write : accesses)
      for (const PipeAccess &read : accesses)
        if (write.isWrite && !read.isWrite && machine.mayWriteOver(op, read.memref, write.memref))
          share(op, read.memref, write.memref);
  });
  llvm::erase_if(buffers, [](const LocalBuffer &buffer) { return !buffer.alloc; });
}

} // namespace

BufferPipes::BufferPipes(Value buffer) {
  for (Operation *user : buffer.getUsers()) {
    if (auto op = dyn_cast<PipeOpInterface>(user)) {
      SmallVector<PipeAccess> accesses;
      op.getAccesses(accesses);
      for (const PipeAccess &access : accesses)
        if (access.memref == buffer)
          (access.isWrite ? writers : readers).insert(op.getPipe());
    } else if (isa<ViewLikeOpInterface>(user)) {
      for (Value view : user->getResults()) {
        BufferPipes pipes(view);
        writers.insert(pipes.writers.begin(), pipes.writers.end());
        readers.insert(pipes.readers.begin(), pipes.readers.end());
      }
    }
  }
}

FailureOr<std::vector<LocalBuffer>> findLocalBuffers(Operation *function, const MachineInterface &machine) {
  OpNumbers numbers(function);
  std::vector<LocalBuffer> buffers;
  WalkResult walked = function->walk([&](memref::AllocOp alloc) -> WalkResult {
    Attribute space = alloc.getType().getMemorySpace();
    std::optional<LocalMemory> memory = machine.localMemory(alloc, space);
    if (!memory)
      return WalkResult::advance();
    std::optional<int64_t> bytes = staticBytes(alloc.getType());
    if (!bytes)
      return alloc.emitOpError("local buffer of type ")
             << alloc.getType() << "; expected static extents without gaps";
    LocalBuffer buffer;
    buffer.alloc = alloc;
    buffer.memory = *memory;
    buffer.space = space;
    buffer.bytes = llvm::alignTo(std::max<int64_t>(*bytes, 1), memory->alignmentBytes);
    if (auto copies = alloc->getAttrOfType<IntegerAttr>(kCopiesAttr))
      buffer.copies = copies.getInt();
    if (buffer.copies < 1)
      return alloc.emitOpError("attribute '")
             << kCopiesAttr << "' is " << buffer.copies << "; expected 1 or more";
    buffer.first = UINT_MAX;
    addUses(alloc, alloc->getBlock(), numbers, buffer);
    if (buffer.first == UINT_MAX)
      buffer.first = buffer.last = numbers.spans[alloc].first;
    if (buffer.copies > 1) {
      buffer.loop = dyn_cast<scf::ForOp>(alloc->getParentOp());
      if (!buffer.loop)
        return alloc.emitOpError("has ")
               << buffer.copies << " copies outside of a loop; expected an scf.for around it";
      std::tie(buffer.first, buffer.last) = numbers.spans[buffer.loop];
    }
    buffers.push_back(buffer);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  shareInPlace(function, numbers, machine, buffers);
  return buffers;
}

std::pair<unsigned, unsigned> spanOf(Operation *function, Operation *op) {
  return OpNumbers(function).spans.lookup(op);
}

} // namespace kiln::devicekit
