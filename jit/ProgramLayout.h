// ProgramLayout.h: which memory each tensor of a formed function lives in, and how long.
#ifndef KILN_JIT_PROGRAMLAYOUT_H
#define KILN_JIT_PROGRAMLAYOUT_H

#include "kiln/IR/Kiln.h"
#include "kiln/Status.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace kiln::jit {

inline bool isTensor(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }

enum class StorageKind {
  Input,             // index: argument
  Constant,          // op: the kiln.constant or kiln.weight
  Temporary,         // in the arena, or allocated when the extents are known
  Output,            // index: result of the function; written in place
  Persistent,        // filled by the prologue
  PrologueTemporary, // only the prologue reads it
};

/// Memory for one or several tensors: aliases and values that loops carry share theirs.
struct Storage {
  StorageKind kind;
  mlir::Value value;                  // the first tensor in it
  mlir::Block *block = nullptr;       // that it lives in
  mlir::Operation *wholeOp = nullptr; // a loop in all of which it lives
  uint32_t index = 0;
  uint32_t begin = 0, end = 0;        // positions, closed
  mlir::Operation *lastUse = nullptr; // in `block`; null if nobody reads it
  uint32_t lastUseEnd = 0;            // its position
  bool readOutsidePrologue = false;
  bool isCarried = false;   // a loop writes it in each round, with other extents perhaps: never an output
  bool isMomentary = false; // allocated and freed where it is used
};

/// The storages of a function. Borrows its IR. Immutable; safe to share.
class ProgramLayout {
public:
  /// `main` holds launches, aliases, index arithmetic and scf control flow. Unimplemented: another op, by
  /// name and place.
  static Result<ProgramLayout> analyse(mlir::func::FuncOp main);

  /// The storage of a tensor.
  uint32_t storageOf(mlir::Value value) const { return storages.lookup(value); }
  const std::vector<Storage> &all() const { return table; }
  /// Where a yield's operand waits while the other values that the loop carries are written; nothing if it
  /// need not.
  std::optional<uint32_t> yieldTemporary(mlir::OpOperand &operand) const;
  /// Storages whose last use is `op`.
  llvm::ArrayRef<uint32_t> dyingAfter(mlir::Operation *op) const;

private:
  friend class LayoutAnalysis;
  llvm::DenseMap<mlir::Value, uint32_t> storages;
  std::vector<Storage> table;
  llvm::DenseMap<mlir::OpOperand *, uint32_t> yieldTemporaries;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<uint32_t, 2>> dying;
};

/// Whether an append's list is carried by a loop and used by nothing else: the list grows where it lies.
bool appendsInPlace(AppendOp op);

/// The tensor that `op`'s result is another view of, or null: reshapes, casts, barriers.
mlir::Value aliasedOperand(mlir::Operation *op);

} // namespace kiln::jit
#endif // KILN_JIT_PROGRAMLAYOUT_H
