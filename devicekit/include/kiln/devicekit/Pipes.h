// kiln/devicekit/Pipes.h: the shared passes over a device's pipes, for its pipelines.
#ifndef KILN_DEVICEKIT_PIPES_H
#define KILN_DEVICEKIT_PIPES_H

#include "kiln/devicekit/PipeOps.h"
#include "kiln/jit/CompilerRegistrar.h"

namespace kiln::devicekit {

struct PipePassOptions {
  int64_t copies = 2;     // of a multi-buffer; 1: single buffers
  bool insertSync = true; // false: stop before flags are placed
};

/// Adds, on func.func: multi-buffering, memory planning, sync insertion and the proof of the result.
void buildPipePasses(mlir::OpPassManager &pm, const PipePassOptions &options = {});

/// Registers the four passes for jit-opt; more than one backend may do so.
void registerPipePasses(jit::CompilerRegistrar &registrar);

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_PIPES_H
