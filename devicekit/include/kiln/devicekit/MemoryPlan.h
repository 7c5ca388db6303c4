// kiln/devicekit/MemoryPlan.h: addresses of a function's local buffers, by liveness: what kiln-plan-memory
// does, for code that places buffers in another way or writes them in another form.
#ifndef KILN_DEVICEKIT_MEMORYPLAN_H
#define KILN_DEVICEKIT_MEMORYPLAN_H

#include "kiln/devicekit/PipeOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::devicekit {

/// I64 attribute of a memref.alloc: how many copies it gets, 1 or more; absent: one.
inline constexpr llvm::StringLiteral kCopiesAttr = "kiln.copies";

/// The pipes that write and that read a buffer, itself or by views of it.
struct BufferPipes {
  llvm::SmallDenseSet<unsigned> writers, readers;
  explicit BufferPipes(mlir::Value buffer);
};

/// The place of one local buffer, or of several in turn. Plain data; borrows the ops.
struct LocalBuffer {
  mlir::memref::AllocOp alloc;
  LocalMemory memory;
  mlir::Attribute space;
  int64_t bytes = 0, copies = 1; // bytes of one copy, rounded up to the alignment
  unsigned first = 0, last = 0;  // live range in op numbers, both included
  mlir::scf::ForOp loop;         // whose iterations rotate the copies; null: none
  int64_t address = -1;          // in bytes, of the first copy; the others follow. -1: none yet
  /// Allocs that take its place one after the other: the op that writes each first reads the one before last.
  llvm::SmallVector<mlir::memref::AllocOp, 0> heirs;
  /// Whether the two are in one memory and live at one time.
  bool overlaps(const LocalBuffer &other) const {
    return space == other.space && first <= other.last && other.first <= last;
  }
};

/// The function's local buffers with their live ranges, without addresses; one for those that may have one
/// place in turn (MachineInterface::mayWriteOver) and that no other pipe uses. Fails with a diagnostic for a
/// local buffer of dynamic or strided type, or copies without a loop around them.
mlir::FailureOr<std::vector<LocalBuffer>> findLocalBuffers(mlir::Operation *function,
                                                           const MachineInterface &machine);

/// The first and the last number of `op` and all that it holds, in the numbering of live ranges of
/// `function`.
std::pair<unsigned, unsigned> spanOf(mlir::Operation *function, mlir::Operation *op);

/// Gives every buffer its address: first fit, the largest first. Returns the first memory that does not hold
/// its buffers, or nothing; addresses are of no use then. The same buffers get the same addresses.
std::optional<LocalMemory> placeBuffers(llvm::MutableArrayRef<LocalBuffer> buffers);

/// Moves placed buffers to where ops lose fewer cycles to banks, if memory is left for that.
void spreadBuffers(llvm::MutableArrayRef<LocalBuffer> buffers, const MachineInterface &machine);

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_MEMORYPLAN_H
