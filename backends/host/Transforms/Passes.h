// Passes.h: the host backend's lowering passes.
#ifndef KILN_BACKENDS_HOST_TRANSFORMS_PASSES_H
#define KILN_BACKENDS_HOST_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace kiln::host {

#define GEN_PASS_DECL
#include "backends/host/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "backends/host/Transforms/Passes.h.inc"

} // namespace kiln::host
#endif // KILN_BACKENDS_HOST_TRANSFORMS_PASSES_H
