// Model.h: an imported model: its module, weights and ports.
#ifndef KILN_JIT_MODEL_H
#define KILN_JIT_MODEL_H

#include "kiln/compiler.h"
#include "kiln/jit/Importer.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <map>
#include <mutex>
#include <unistd.h>

struct KilnImportedModel;

namespace kiln::jit {

/// One list of extents an input; -1: not known.
using InputShapes = std::vector<std::vector<int64_t>>;

/// Attribute of a check op: the indices of the outputs that it compares, made by the import.
inline constexpr llvm::StringLiteral kCheckOutputsAttr = "kiln.outputs";

struct ModelPort {
  std::string name;
  KilnDType dtype = KILN_DTYPE_INVALID;
  std::vector<int64_t> dims; // -1: dynamic
  std::vector<std::string> dimNames;
};

/// A model as an importer left it. Ownership: owns context, module and weights.
/// Threads: immutable after import, but `context` and what lives in it are used under `mutex`, `byShapes` and
/// `weights` of a model that needs shapes under `shapesMutex`.
struct Model {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module; // with one func.func @main
  std::string name, function, digest;
  std::vector<ModelPort> inputs, outputs;
  llvm::StringMap<WeightData> weights; // by digest
  std::timed_mutex mutex;
  const pid_t process = getpid(); // a lock of another process's thread is never given back

  // Of a model that can be imported for known input shapes only: why, and the imports that there were.
  std::string needsShapes;
  std::function<Result<std::unique_ptr<KilnImportedModel>>(std::vector<InputShape> shapes)> importFor;
  std::map<InputShapes, std::unique_ptr<KilnImportedModel>> byShapes;
  std::timed_mutex shapesMutex;
};

} // namespace kiln::jit

/// The model with the host that its statuses are made by.
struct KilnImportedModel : kiln::jit::Model {
  const KilnHost *host = nullptr;
};

namespace kiln::jit {

/// Takes `mutex`, one of `model`'s. Errors: Forked, if in the child of a fork a thread holds it that the
/// child has not (found out within seconds).
Result<std::unique_lock<std::timed_mutex>> lockModel(const Model &model, std::timed_mutex &mutex);

/// The model to build programs of these shapes from: `model` itself, unless it needs known shapes. Then it is
/// imported for them at the first call; owned by `model`. Errors: KilnCompiler::model_for_shapes.
/// Threads: safe from any thread; imports of one model wait for each other.
Result<KilnImportedModel *> modelForShapes(KilnImportedModel &model, const InputShapes &shapes);

} // namespace kiln::jit

#endif // KILN_JIT_MODEL_H
