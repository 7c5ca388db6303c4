// Passes.h: the npu's own passes.
#ifndef KILN_BACKENDS_NPU_TRANSFORMS_PASSES_H
#define KILN_BACKENDS_NPU_TRANSFORMS_PASSES_H

#include "backends/npu/IR/Npu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace kiln::npu {

#define GEN_PASS_DECL
#include "backends/npu/Transforms/Passes.h.inc"

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_TRANSFORMS_PASSES_H
