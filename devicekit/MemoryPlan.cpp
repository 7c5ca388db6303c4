// MemoryPlan.cpp: live ranges in the order of ops, with whole loops as the uses of what they use from
// outside; then first fit, the largest buffer first.
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

} // namespace

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
  return buffers;
}

std::pair<unsigned, unsigned> spanOf(Operation *function, Operation *op) {
  return OpNumbers(function).spans.lookup(op);
}

std::optional<LocalMemory> placeBuffers(MutableArrayRef<LocalBuffer> buffers) {
  SmallVector<LocalBuffer *> order;
  for (LocalBuffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::sort(order, [](LocalBuffer *a, LocalBuffer *b) { // equal ones in program order
    return std::pair(b->bytes * b->copies, a) < std::pair(a->bytes * a->copies, b);
  });
  for (size_t i = 0; i < order.size(); ++i) {
    LocalBuffer &buffer = *order[i];
    SmallVector<std::pair<int64_t, int64_t>> taken; // of those placed that are live at the same time
    for (LocalBuffer *other : ArrayRef(order).take_front(i))
      if (buffer.overlaps(*other))
        taken.push_back({other->address, other->address + other->bytes * other->copies});
    llvm::sort(taken);
    int64_t address = 0, size = buffer.bytes * buffer.copies;
    for (auto [begin, end] : taken) {
      if (address + size <= begin)
        break;
      address = std::max(address, end);
    }
    buffer.address = address;
    if (address + size > buffer.memory.capacityBytes)
      return buffer.memory;
  }
  return std::nullopt;
}

} // namespace kiln::devicekit
