// MemoryPlan.h: addresses of a function's local buffers, by liveness.
#ifndef KILN_DEVICEKIT_MEMORYPLAN_H
#define KILN_DEVICEKIT_MEMORYPLAN_H

#include "kiln/devicekit/PipeOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::devicekit {

/// How many copies an alloc gets; absent: one.
inline constexpr llvm::StringLiteral kCopiesAttr = "kiln.copies";

/// One local buffer.
struct LocalBuffer {
  mlir::memref::AllocOp alloc;
  LocalMemory memory;
  mlir::Attribute space;
  int64_t bytes = 0, copies = 1; // of one copy, rounded up to the alignment
  unsigned first = 0, last = 0;  // live range in op numbers, both included
  mlir::scf::ForOp loop;         // whose iterations rotate the copies; null: none
  int64_t address = -1;          // of the first copy; the others follow
  bool overlaps(const LocalBuffer &other) const {
    return space == other.space && first <= other.last && other.first <= last;
  }
};

/// The function's local buffers with their live ranges, without addresses. Fails with a diagnostic for a
/// local buffer of dynamic or strided type, or copies without a loop around them.
mlir::FailureOr<std::vector<LocalBuffer>> findLocalBuffers(mlir::Operation *function,
                                                           const MachineInterface &machine);

/// The op numbers of all that `op` holds, in the numbering of live ranges.
std::pair<unsigned, unsigned> spanOf(mlir::Operation *function, mlir::Operation *op);

/// Gives addresses; the name of the first memory that does not hold its buffers, or nothing.
std::optional<LocalMemory> placeBuffers(llvm::MutableArrayRef<LocalBuffer> buffers);

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_MEMORYPLAN_H
