// kiln/devicekit/ReferenceCodegen.h: a complete lowering for devices that compute on the host: scalar loops,
// one launch on one thread. Where a new backend starts; it then replaces stage by stage with its own.
#ifndef KILN_DEVICEKIT_REFERENCECODEGEN_H
#define KILN_DEVICEKIT_REFERENCECODEGEN_H

#include "kiln/jit/CompilerRegistrar.h"

namespace kiln::devicekit {

/// The reference's passes of a stage (Tensor to Emit). Stage Tensor leaves linalg on tensors, Tile nothing
/// more, Buffer loops on memrefs with results as out-arguments, Lower the LLVM dialect with the entry point
/// `void NAME(void *const *bindings, const int64_t *constants)`.
void buildReferenceStage(jit::Stage stage, mlir::OpPassManager &pm, const jit::Target &target);

/// Turns the module after stage Lower into a flat image (kiln/sdk/FlatKernel.h) and fills in the metadata;
/// the object's format is `format`. The target's triple must be x86-64. Fails with a diagnostic.
mlir::LogicalResult emitFlatObject(mlir::ModuleOp module, const jit::Target &target, llvm::StringRef format,
                                   jit::KernelObjectBuilder &object);

/// Registers all of it for one device type: dialects, the five stages but those that the backend adds itself
/// (`ownStages`), the object emitter.
void registerReference(jit::CompilerRegistrar &registrar, llvm::StringRef target, llvm::StringRef format,
                       llvm::ArrayRef<jit::Stage> ownStages = {});

} // namespace kiln::devicekit
#endif // KILN_DEVICEKIT_REFERENCECODEGEN_H
