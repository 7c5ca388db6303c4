// kiln/devicekit/PipeOps.h: the interfaces between a device's dialect and the shared passes over its pipes.
#ifndef KILN_DEVICEKIT_PIPEOPS_H
#define KILN_DEVICEKIT_PIPEOPS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/OpDefinition.h"

namespace kiln::devicekit {

/// One buffer that an op touches.
struct PipeAccess {
  mlir::Value memref;
  bool isWrite;
};

enum class SyncKind { Set, Wait, Barrier };

/// Unit attribute of an scf.for of unknown trip count that its lowering knows to run at least once.
inline constexpr llvm::StringLiteral kRunsAttr = "kiln.runs";
/// Unit attribute of an scf.for of unknown trip count that its lowering knows to run once or not at all.
inline constexpr llvm::StringLiteral kOnceAttr = "kiln.once";

/// The pipe of a barrier for which the scalar unit waits until every pipe is idle.
inline constexpr unsigned kAllPipes = ~0u;

/// A memory of one core.
struct LocalMemory {
  llvm::StringRef name;
  int64_t capacityBytes, alignmentBytes;
};

/// What the shared passes ask of a device's dialect and do through it. Registered on the dialect
/// (addInterfaces). Stateless; `at` is any op of the kernel, whose attributes may name the chip.
class MachineInterface : public mlir::DialectInterface::Base<MachineInterface> {
public:
  explicit MachineInterface(mlir::Dialect *dialect) : Base(dialect) {}
  virtual unsigned pipeCount() const = 0;
  virtual llvm::StringRef pipeName(unsigned pipe) const = 0;
  /// The pipe that issues all others' ops, and whose own complete before the next is issued.
  virtual unsigned scalarPipe() const = 0;
  /// Whether a pipe's op sees the effects of those before it without a barrier.
  virtual bool completesInOrder(unsigned pipe) const = 0;
  /// Flags that one pair of pipes has.
  virtual unsigned eventCount(mlir::Operation *at, unsigned source, unsigned target) const = 0;
  /// The core's memory that a memory space names; nothing for global memory and foreign spaces.
  virtual std::optional<LocalMemory> localMemory(mlir::Operation *at, mlir::Attribute space) const = 0;
  /// Whether `op` may write `result` to the address of its operand `source`, which nothing reads later:
  /// element by element, in one order.
  virtual bool mayWriteOver(mlir::Operation *, mlir::Value /*source*/, mlir::Value /*result*/) const {
    return false;
  }
  /// About how many cycles `op` loses because its buffers lie in the same banks. `addressOf` gives the byte
  /// address of an operand, or nothing: it is not counted then.
  using AddressOf = llvm::function_ref<std::optional<int64_t>(mlir::Value)>;
  virtual int64_t bankConflicts(mlir::Operation *, AddressOf) const { return 0; }
  /// Addresses worth trying for a buffer in free memory that begins at `from`, in rising order: for each way
  /// in which its banks may lie to those of others, the first.
  virtual llvm::SmallVector<int64_t> placesFrom(mlir::Operation *, const LocalMemory &, int64_t from) const {
    return {from};
  }

  /// A buffer at `addresses`, of which `slot` chooses if there are several.
  virtual mlir::Value place(mlir::OpBuilder &builder, mlir::Location loc, mlir::MemRefType type,
                            llvm::ArrayRef<int64_t> addresses, mlir::Value slot) const = 0;
  virtual void setFlag(mlir::OpBuilder &builder, mlir::Location loc, unsigned source, unsigned target,
                       int64_t event, mlir::Value slot) const = 0;
  virtual void waitFlag(mlir::OpBuilder &builder, mlir::Location loc, unsigned source, unsigned target,
                        int64_t event, mlir::Value slot) const = 0;
  virtual void barrier(mlir::OpBuilder &builder, mlir::Location loc, unsigned pipe) const = 0;
};

/// The machine of the first pipe op below `root`; null if there is none.
const MachineInterface *findMachine(mlir::Operation *root);

/// Bytes of a memref whose extents are static, without gaps; nothing else has a size.
std::optional<int64_t> staticBytes(mlir::MemRefType type);

} // namespace kiln::devicekit

#include "kiln/devicekit/PipeInterfaces.h.inc"

#endif // KILN_DEVICEKIT_PIPEOPS_H
