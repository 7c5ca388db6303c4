// PipePasses.h: declarations of the passes over pipe ops, for their own files; others use
// kiln/devicekit/Pipes.h.
#ifndef KILN_DEVICEKIT_PIPEPASSES_H
#define KILN_DEVICEKIT_PIPEPASSES_H

#include "kiln/devicekit/Pipes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace kiln::devicekit {

#define GEN_PASS_DECL
#include "devicekit/PipePasses.h.inc"

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_PIPEPASSES_H
