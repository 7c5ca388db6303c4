// kiln/devicekit/Pipes.h: the shared passes over a device's pipes, for its pipelines.
#ifndef KILN_DEVICEKIT_PIPES_H
#define KILN_DEVICEKIT_PIPES_H

#include "kiln/devicekit/PipeOps.h"
#include "kiln/jit/CompilerRegistrar.h"

namespace kiln::devicekit {

/// What a function's buffers take: a dictionary of bytes by memory.
inline constexpr llvm::StringLiteral kPeakBytesAttr = "kiln.peak_bytes";

/// Adds, on func.func: the choice of buffers that get that many copies (1: none).
void buildMultiBufferPass(mlir::OpPassManager &pm, int64_t copies = 2);

/// Adds, on func.func: multi-buffering with that many copies (1: none) and memory planning.
void buildMemoryPasses(mlir::OpPassManager &pm, int64_t copies = 2);

/// Adds, on func.func: sync insertion and the proof of its result.
void buildSyncPasses(mlir::OpPassManager &pm);

/// Whether a function's local buffers fit into their memories when each that two pipes share in a loop has
/// `copies`. For lowerings that choose tile sizes; reports nothing.
bool fitsMemory(mlir::Operation *function, int64_t copies);

/// Registers the four passes for jit-opt; more than one backend may do so.
void registerPipePasses(jit::CompilerRegistrar &registrar);

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_PIPES_H
