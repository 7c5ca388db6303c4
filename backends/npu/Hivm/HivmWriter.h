// HivmWriter.h: a kernel's function on tiles as text of the HIVM dialect, as AscendNPU-IR 1.2.0 reads it.
#ifndef KILN_BACKENDS_NPU_HIVM_HIVMWRITER_H
#define KILN_BACKENDS_NPU_HIVM_HIVMWRITER_H

#include "kiln/jit/StageRegistry.h"

#include "mlir/Pass/Pass.h"

namespace kiln::npu {

/// Emitter `hivm`: the module's kernels after stage tile. Tiles lie in UB, L1 and L0C, with the copies that
/// multi-buffering gives; addresses and flags are the vendor's business, as are L0A, L0B and the bias table.
/// Fails with a diagnostic at the op that has no form in HIVM. Changes nothing.
mlir::LogicalResult printHivm(mlir::ModuleOp module, const jit::Target &target, llvm::raw_ostream &os);

} // namespace kiln::npu
#endif // KILN_BACKENDS_NPU_HIVM_HIVMWRITER_H
