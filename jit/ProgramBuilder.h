// ProgramBuilder.h: a model specialised to input shapes and a target: stages graph and form.
#ifndef KILN_JIT_PROGRAMBUILDER_H
#define KILN_JIT_PROGRAMBUILDER_H

#include "jit/KernelKey.h"
#include "jit/Model.h"
#include "jit/PipelineRegistry.h"
#include "jit/StageRunner.h"

namespace kiln::jit {

/// A copy of the model's module with these input types: -1 stays dynamic, no shapes at all leave them as the
/// model declares them. The caller holds the model's mutex while it uses it.
/// InvalidArgument names the input, what came and what the model declares.
Result<mlir::OwningOpRef<mlir::ModuleOp>> specialise(Model &model, const InputShapes &shapes);

/// The module after stage `last`: Graph or Form. InvalidArgument if the shapes contradict the model's ops.
Result<mlir::OwningOpRef<mlir::ModuleOp>> buildModule(Model &model, const InputShapes &shapes,
                                                      const TargetPipeline &pipeline, const Target &target,
                                                      Stage last, const StageTrace &trace);

/// A verified Program flatbuffer. The caller holds the model's mutex.
Result<std::string> buildProgram(Model &model, const InputShapes &shapes, const TargetPipeline &pipeline,
                                 const Target &target, const TargetKey &key, const StageTrace &trace);

} // namespace kiln::jit
#endif // KILN_JIT_PROGRAMBUILDER_H
