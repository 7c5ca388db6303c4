// Passes.h: jit's own passes (Passes.td).
#ifndef KILN_JIT_PASSES_H
#define KILN_JIT_PASSES_H

#include "jit/PipelineRegistry.h"

#include <memory>
#include <vector>

namespace kiln::jit {

std::unique_ptr<mlir::Pass> createFormKernelsPass();

/// Kiln's own passes, and those of MLIR that stages name.
std::vector<PassFactory> ownPasses();

} // namespace kiln::jit
#endif // KILN_JIT_PASSES_H
