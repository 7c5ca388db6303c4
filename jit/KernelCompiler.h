// KernelCompiler.h: one kernel from IR to its object: stages tensor to emit.
#ifndef KILN_JIT_KERNELCOMPILER_H
#define KILN_JIT_KERNELCOMPILER_H

#include "jit/PipelineRegistry.h"
#include "jit/StageRunner.h"

namespace kiln::jit {

struct KernelJob {
  std::string key, name;
  llvm::StringRef ir; // bytecode or text of a module with one kiln.kernel
  StageTrace trace;
};

/// A KernelObject flatbuffer (Kernel.fbs). Safe from many threads: each call has a context of its own.
Result<std::string> compileKernel(const PipelineRegistry &registry, const TargetPipeline &pipeline,
                                  const Target &target, const KernelJob &job);

/// The kernel's module after stage `last`, printed; or what an emitter makes of it.
Result<std::string> emitKernelStage(const PipelineRegistry &registry, const TargetPipeline &pipeline,
                                    const Target &target, const KernelJob &job, Stage last);
Result<std::string> emitKernelWith(const PipelineRegistry &registry, const TargetPipeline &pipeline,
                                   const Target &target, const KernelJob &job, const Emitter &emitter);
/// The device's object alone.
Result<std::string> emitKernelObject(const PipelineRegistry &registry, const TargetPipeline &pipeline,
                                     const Target &target, const KernelJob &job);

} // namespace kiln::jit
#endif // KILN_JIT_KERNELCOMPILER_H
