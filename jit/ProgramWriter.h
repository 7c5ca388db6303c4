// ProgramWriter.h: a formed function as a Program flatbuffer.
#ifndef KILN_JIT_PROGRAMWRITER_H
#define KILN_JIT_PROGRAMWRITER_H

#include "jit/KernelKey.h"
#include "jit/Model.h"
#include "kiln/IR/Kiln.h"
#include "kiln/jit/Target.h"

namespace kiln::jit {

/// What a program needs to know beside its IR.
struct ProgramRequest {
  std::string name, function, modelDigest;
  std::vector<ModelPort> inputs, outputs; // inputs with the extents to build for
  const Target *target;
  const TargetKey *targetKey;
};

/// The program of a module with @main and its kernels, as stage form leaves it. Kernels carry IR, no objects.
/// Unimplemented: something that programs cannot do, by name and place.
Result<std::string> writeProgram(mlir::ModuleOp module, const ProgramRequest &request);

/// The IR of one kernel alone, as programs carry it: a module with the kernel under its base name.
mlir::OwningOpRef<mlir::ModuleOp> kernelModule(KernelOp kernel);

} // namespace kiln::jit
#endif // KILN_JIT_PROGRAMWRITER_H
