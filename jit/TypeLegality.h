// TypeLegality.h: which element types a target's kernels may hold, asked before the first is compiled.
#ifndef KILN_JIT_TYPELEGALITY_H
#define KILN_JIT_TYPELEGALITY_H

#include "kiln/Status.h"
#include "kiln/jit/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace kiln::jit {

/// Compares the kernels of a module after stage form with the target's storage_types. Unimplemented: lists
/// every kind of op with a type that the target does not hold, each with its first location.
Status checkElementTypes(mlir::ModuleOp module, const Target &target);

} // namespace kiln::jit
#endif // KILN_JIT_TYPELEGALITY_H
