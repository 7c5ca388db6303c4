// kiln/jit/StageRegistry.h: the seven stages of a compilation and what backends put into them.
#ifndef KILN_JIT_STAGEREGISTRY_H
#define KILN_JIT_STAGEREGISTRY_H

#include "kiln/Status.h"
#include "kiln/jit/KernelObjectBuilder.h"
#include "kiln/jit/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

#include <functional>

namespace kiln::jit {

/// Graph and Form run on a model's function, the others on one kernel. Order is the order of running.
enum class Stage { Graph, Form, Tensor, Tile, Buffer, Lower, Emit };
inline constexpr size_t kStageCount = 7;
llvm::StringRef stageName(Stage stage); // "graph"
std::optional<Stage> parseStage(llvm::StringRef name);

/// Adds a stage's passes for a target to a pass manager on builtin.module. Must depend on the target alone,
/// not on the module: the pipeline's text is part of every kernel's key.
using StageBuilder = std::function<void(mlir::OpPassManager &, const Target &)>;

/// Turns a kernel module at the end of stage Lower into the device's object: fills format, symbol, object,
/// bindings, grid and the rest of the metadata. Reports errors as diagnostics on the module's ops.
using ObjectEmitter =
    std::function<mlir::LogicalResult(mlir::ModuleOp, const Target &, KernelObjectBuilder &)>;

/// Turns a kernel module at the end of stage `after` into text or bytes for people: --emit=NAME.
struct Emitter {
  std::string name; // "asm", "llvm", "hivm"
  std::string summary;
  Stage after;
  std::function<mlir::LogicalResult(mlir::ModuleOp, const Target &, llvm::raw_ostream &)> emit;
};

/// What one device type compiles with.
struct TargetPipeline {
  std::string backend;
  StageBuilder
      stages[kStageCount]; // empty: Graph and Form take jit's default; an empty other one is an error
  std::vector<StageBuilder> before[kStageCount],
      after[kStageCount]; // insertions by other backends, in order of their names
  ObjectEmitter objectEmitter;
  std::vector<Emitter> emitters;
};

} // namespace kiln::jit
#endif // KILN_JIT_STAGEREGISTRY_H
