// RotatingSlot.h: a loop's counter modulo n, which chooses among the copies of a multi-buffer and among
// flags.
#ifndef KILN_DEVICEKIT_ROTATINGSLOT_H
#define KILN_DEVICEKIT_ROTATINGSLOT_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::devicekit {

/// A loop-carried index that starts at 0 and is (slot + 1) mod count in the next iteration.
struct RotatingSlot {
  mlir::scf::ForOp loop;
  int64_t count = 0; // 0: the value is no such index
  static RotatingSlot match(mlir::Value value);
};

/// The slot of `count` of a loop; adds an iteration argument if there is none yet, which replaces the loop op
/// (its body's ops stay) and updates `loop`.
mlir::Value getOrAddSlot(mlir::scf::ForOp &loop, int64_t count);

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_ROTATINGSLOT_H
