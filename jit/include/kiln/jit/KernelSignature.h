// kiln/jit/KernelSignature.h: a kernel's bindings and constants as its type decides them, for object
// emitters.
#ifndef KILN_JIT_KERNELSIGNATURE_H
#define KILN_JIT_KERNELSIGNATURE_H

#include "kiln/jit/KernelObjectBuilder.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include "mlir/Support/LogicalResult.h"

namespace kiln::jit {

/// Fills in `bindings` and `constantCount` from the type of a kiln.kernel (element types with their signs, as
/// stage form made it): tensor arguments, then results, dense and row-major, aligned to their elements.
/// Constants are the index arguments, then the dynamic extents of arguments, then those of results. Fails
/// with a diagnostic if an element type has no KilnDType.
mlir::LogicalResult describeSignature(mlir::Location loc, mlir::FunctionType type,
                                      KernelObjectBuilder &object);

/// The KilnDType of an element type, signless integers as signed; KILN_DTYPE_INVALID if there is none.
KilnDType elementDType(mlir::Type element);

} // namespace kiln::jit
#endif // KILN_JIT_KERNELSIGNATURE_H
