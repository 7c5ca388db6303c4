// Model.h: an imported model: its module, weights and ports.
#ifndef KILN_JIT_MODEL_H
#define KILN_JIT_MODEL_H

#include "kiln/compiler.h"
#include "kiln/jit/Importer.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <mutex>

namespace kiln::jit {

/// Attribute of a check op: the indices of the outputs that it compares, made by the import.
inline constexpr llvm::StringLiteral kCheckOutputsAttr = "kiln.outputs";

struct ModelPort {
  std::string name;
  KilnDType dtype = KILN_DTYPE_INVALID;
  std::vector<int64_t> dims; // -1: dynamic
  std::vector<std::string> dimNames;
};

/// A model as an importer left it. Ownership: owns context, module and weights.
/// Threads: immutable after import, but `context` and what lives in it are used under `mutex`.
struct Model {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module; // with one func.func @main
  std::string name, function, digest;
  std::vector<ModelPort> inputs, outputs;
  llvm::StringMap<WeightData> weights; // by digest
  std::mutex mutex;
};

} // namespace kiln::jit

/// The model with the host that its statuses are made by.
struct KilnImportedModel : kiln::jit::Model {
  const KilnHost *host = nullptr;
};

#endif // KILN_JIT_MODEL_H
