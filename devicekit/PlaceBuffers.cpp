// PlaceBuffers.cpp: the largest buffer first, in the first gap that holds it; and again with places in all
// gaps weighed by the cycles that ops lose to banks.
#include "kiln/devicekit/MemoryPlan.h"

using namespace mlir;

namespace kiln::devicekit {
namespace {

using Taken = std::pair<int64_t, int64_t>;
/// Where to try a buffer in a gap that begins at an address.
using PlacesIn = llvm::function_ref<SmallVector<int64_t>(int64_t)>;

int64_t sizeOf(const LocalBuffer &buffer) { return buffer.bytes * buffer.copies; }

SmallVector<LocalBuffer *> largestFirst(MutableArrayRef<LocalBuffer> buffers) {
  SmallVector<LocalBuffer *> order;
  for (LocalBuffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::sort(order, [](LocalBuffer *a, LocalBuffer *b) { // equal ones in program order
    return std::pair(sizeOf(*b), a) < std::pair(sizeOf(*a), b);
  });
  return order;
}

/// The addresses in gaps that a buffer may have, rising.
SmallVector<int64_t> choicesFor(const LocalBuffer &buffer, ArrayRef<LocalBuffer *> placed,
                                PlacesIn placesIn) {
  SmallVector<int64_t> choices;
  int64_t size = sizeOf(buffer), capacity = buffer.memory.capacityBytes;
  SmallVector<Taken> taken; // of those placed that live at the same time
  for (LocalBuffer *other : placed)
    if (buffer.overlaps(*other))
      taken.push_back({other->address, other->address + sizeOf(*other)});
  taken.push_back({capacity, capacity});
  llvm::sort(taken);
  int64_t from = 0;
  for (auto [begin, end] : taken) {
    if (from + size <= begin)
      for (int64_t address : placesIn(from))
        if (address + size <= begin)
          choices.push_back(address);
    from = std::max(from, end);
  }
  return choices;
}

/// The ops that touch each buffer, and where in it an operand begins.
class Touches {
public:
  Touches(MutableArrayRef<LocalBuffer> buffers, const MachineInterface &machine) : machine(machine) {
    for (LocalBuffer &buffer : buffers) {
      add(buffer, buffer.alloc, 0);
      for (memref::AllocOp heir : buffer.heirs)
        add(buffer, heir, 0);
    }
  }
  int64_t conflictsOf(const LocalBuffer &buffer) const {
    int64_t cycles = 0;
    for (Operation *op : touching.lookup(&buffer))
      cycles += machine.bankConflicts(op, [&](Value memref) -> std::optional<int64_t> {
        auto [of, offset] = places.lookup(memref);
        return of && of->address >= 0 ? std::optional(of->address + offset) : std::nullopt;
      });
    return cycles;
  }

private:
  void add(LocalBuffer &buffer, Value value, int64_t offset) {
    places[value] = {&buffer, offset};
    for (Operation *user : value.getUsers()) {
      if (isa<PipeOpInterface>(user) && !llvm::is_contained(touching[&buffer], user))
        touching[&buffer].push_back(user);
      if (isa<ViewLikeOpInterface>(user))
        for (Value view : user->getResults())
          add(buffer, view, startOf(view));
    }
  }
  /// Bytes from the buffer to a view's first element; 0 if they are not known.
  static int64_t startOf(Value view) {
    auto type = cast<MemRefType>(view.getType());
    auto [strides, offset] = getStridesAndOffset(type);
    return ShapedType::isDynamic(offset) ? 0 : offset * type.getElementTypeBitWidth() / 8;
  }

  const MachineInterface &machine;
  DenseMap<const LocalBuffer *, SmallVector<Operation *>> touching;
  DenseMap<Value, std::pair<const LocalBuffer *, int64_t>> places;
};

} // namespace

std::optional<LocalMemory> placeBuffers(MutableArrayRef<LocalBuffer> buffers) {
  SmallVector<LocalBuffer *> order = largestFirst(buffers);
  for (size_t i = 0; i < order.size(); ++i) {
    SmallVector<int64_t> choices = choicesFor(*order[i], ArrayRef(order).take_front(i),
                                              [](int64_t from) { return SmallVector<int64_t>{from}; });
    if (choices.empty())
      return order[i]->memory;
    order[i]->address = choices.front();
  }
  return std::nullopt;
}

void spreadBuffers(MutableArrayRef<LocalBuffer> buffers, const MachineInterface &machine) {
  Touches touches(buffers, machine);
  auto total = [&] {
    int64_t cycles = 0;
    for (const LocalBuffer &buffer : buffers)
      cycles += touches.conflictsOf(buffer);
    return cycles;
  };
  int64_t before = total();
  if (before == 0)
    return;
  SmallVector<int64_t> packed;
  for (LocalBuffer &buffer : buffers)
    packed.push_back(std::exchange(buffer.address, -1));
  auto putBack = [&] {
    for (auto [buffer, address] : llvm::zip(buffers, packed))
      buffer.address = address;
  };
  SmallVector<LocalBuffer *> order = largestFirst(buffers);
  for (size_t i = 0; i < order.size(); ++i) {
    LocalBuffer &buffer = *order[i];
    SmallVector<int64_t> choices = choicesFor(buffer, ArrayRef(order).take_front(i), [&](int64_t from) {
      return machine.placesFrom(buffer.alloc, buffer.memory, from);
    });
    if (choices.empty())
      return putBack();
    int64_t best = -1, fewest = std::numeric_limits<int64_t>::max();
    for (int64_t choice : choices) {
      buffer.address = choice;
      if (int64_t cycles = touches.conflictsOf(buffer); cycles < fewest)
        best = choice, fewest = cycles;
    }
    buffer.address = best;
  }
  if (total() >= before)
    putBack();
}

} // namespace kiln::devicekit
