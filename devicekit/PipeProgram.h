// PipeProgram.h: a core's program as the shared passes see it: pipe ops, flags and loops, with the byte
// ranges they touch.
#ifndef KILN_DEVICEKIT_PIPEPROGRAM_H
#define KILN_DEVICEKIT_PIPEPROGRAM_H

#include "kiln/devicekit/PipeOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace kiln::devicekit {

/// Where one access of a pipe op goes.
struct PipeRange {
  unsigned object; // number of the memory: a core's memory, or a buffer of which no address is known
  bool isWrite;
  llvm::SmallVector<int64_t> starts;   // byte addresses, one a copy of a multi-buffer
  int64_t bytes;                       // INT64_MAX: all of the object
  struct PipeNode *slotLoop = nullptr; // whose iteration chooses the copy; null if there is one
  bool isSlice = false;                // the starts are of parts of one buffer

  int64_t start(int64_t iteration) const { return starts[iteration % int64_t(starts.size())]; }
};

/// An op, a flag or a loop.
struct PipeNode {
  enum class Kind { Op, Sync, Loop };
  Kind kind = Kind::Op;
  mlir::Operation *op = nullptr;
  PipeNode *parent = nullptr; // the loop around it; null in the function's body
  unsigned position = 0;      // within the parent's body
  unsigned pipe = 0;          // Op
  llvm::SmallVector<PipeRange, 4> ranges;
  PipeNode *slotLoop = nullptr; // Sync with a slot: whose iteration chooses the flag
  int64_t slotCount = 1;
  std::vector<PipeNode *> body; // Loop
  std::optional<int64_t> trips; // Loop: if known
  bool runs = false;            // Loop: at least once, by its attribute kRunsAttr
  bool once = false;            // Loop: at most once, by its attribute kOnceAttr
  int64_t slotCycle = 1;        // Loop: after so many iterations it chooses the same copies again
  unsigned depth() const { return parent ? parent->depth() + 1 : 0; }
  /// Loop: whose iterations choose flags in its body: that around it if it runs once at most.
  PipeNode *countingLoop() { return once && parent ? parent->countingLoop() : this; }
};

/// The program of one function. Nodes live as long as it does; ops must not be erased meanwhile.
class PipeProgram {
public:
  /// Fails with a diagnostic where control flow other than scf.for surrounds pipe ops or flags, or a slot is
  /// not a rotating one.
  static mlir::FailureOr<PipeProgram> create(mlir::Operation *function, const MachineInterface &machine);

  const MachineInterface &machine() const { return *theMachine; }
  const std::vector<PipeNode *> &body() const { return top; }
  const std::deque<PipeNode> &nodes() const { return storage; }
  std::deque<PipeNode> &nodes() { return storage; }
  unsigned objectCount() const { return objects.size(); }

private:
  mlir::LogicalResult addBlock(mlir::Block &block, PipeNode *parent);
  mlir::LogicalResult addOp(PipeOpInterface op, PipeNode *parent);
  mlir::LogicalResult resolve(mlir::Operation *at, PipeAccess access, PipeRange &range);
  mlir::LogicalResult resolveSlot(mlir::Operation *at, mlir::Value slot, int64_t count, PipeNode *&loop);
  PipeNode *append(PipeNode::Kind kind, mlir::Operation *op, PipeNode *parent);

  const MachineInterface *theMachine = nullptr;
  std::deque<PipeNode> storage; // stable addresses
  std::vector<PipeNode *> top;
  llvm::DenseMap<mlir::Operation *, PipeNode *> loops;
  llvm::DenseMap<const void *, unsigned> objects; // by space attribute or by buffer
};

/// The ops of each flag, all sets and waits of a pair and number (with a slot, of all its numbers), and each
/// barrier.
std::vector<llvm::SmallVector<mlir::Operation *>> syncGroups(const PipeProgram &program);

/// The ancestors of two nodes in the innermost block that holds both.
std::pair<PipeNode *, PipeNode *> commonLevel(PipeNode *a, PipeNode *b);

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_PIPEPROGRAM_H
