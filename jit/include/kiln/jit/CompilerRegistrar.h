// kiln/jit/CompilerRegistrar.h: what a backend's compiler tier registers when it initialises: dialects,
// lowering passes into named stages, emitters, compiler-tier kernel loaders.
//
//   kiln::Status registerToyCompiler(kiln::jit::CompilerRegistrar &registrar) {
//     registrar.addDialect<toy::ToyDialect>();
//     registrar.addStage("toy", Stage::Tile, buildTileStage);
//     registrar.setObjectEmitter("toy", emitToyObject);
//     return registrar.status();
//   }
//   KILN_BACKEND_COMPILER(toy, "0.1.0", registerToyCompiler)
#ifndef KILN_JIT_COMPILERREGISTRAR_H
#define KILN_JIT_COMPILERREGISTRAR_H

#include "kiln/jit/StageRegistry.h"

namespace kiln::jit {

/// Stages a backend's registrations; they are published together after init succeeded, or not at all.
/// Lives for the call of init; used by one thread.
class CompilerRegistrar {
public:
  virtual ~CompilerRegistrar() = default;

  template <typename... Dialects> void addDialect() { dialects().insert<Dialects...>(); }
  /// The registry that the backend's dialects and external models go into.
  virtual mlir::DialectRegistry &dialects() = 0;

  /// The passes of one stage for a device type of this backend. For Graph and Form this replaces jit's
  /// default; call kiln::jit::buildDefaultStage first to extend it.
  virtual void addStage(llvm::StringRef target, Stage stage, StageBuilder builder) = 0;
  /// Inserts passes around a stage of another backend's target; both manifests must allow it (extends,
  /// extensible).
  virtual void extendStage(llvm::StringRef target, Stage stage, bool after, StageBuilder builder) = 0;
  virtual void setObjectEmitter(llvm::StringRef target, ObjectEmitter emitter) = 0;
  /// One more form for `--emit`. The names of the stages and "object" are Kiln's own.
  virtual void addEmitter(llvm::StringRef target, Emitter emitter) = 0;
  /// A pass for jit-opt, jit-lsp-server and jit-info: registered by its argument.
  virtual void addPass(std::function<std::unique_ptr<mlir::Pass>()> factory) = 0;
  /// `ops` and `self` must live until the process ends; load and unload are required.
  virtual void addKernelLoader(llvm::StringRef format, llvm::StringRef loader, const KilnKernelLoaderOps &ops,
                               void *self) = 0;
  /// OK, or the first error, which names what was being added.
  virtual Status status() const = 0;
  virtual const KilnHost &host() const = 0;
};

/// Adds jit's own passes for Graph or Form, for backends that extend instead of replace.
void buildDefaultStage(Stage stage, mlir::OpPassManager &pm, const Target &target);

} // namespace kiln::jit

/// Defines kiln_backend_compiler_query_v1 for `Status registerFn(CompilerRegistrar &)`.
#define KILN_BACKEND_COMPILER(backendName, backendVersion, registerFn)                                       \
  extern "C" KILN_EXPORT KilnStatus kiln_backend_compiler_query_v1(const KilnHost *,                         \
                                                                   KilnBackendCompiler *out) {               \
    out->abi_major = KILN_ABI_MAJOR;                                                                         \
    out->abi_minor = KILN_ABI_MINOR;                                                                         \
    out->name = ::kiln::toStr(#backendName);                                                                 \
    out->version = ::kiln::toStr(backendVersion);                                                            \
    out->init = [](void *, const KilnHost *host, void *registrar) -> KilnStatus {                            \
      return registerFn(*static_cast<::kiln::jit::CompilerRegistrar *>(registrar)).toC(*host);               \
    };                                                                                                       \
    return nullptr;                                                                                          \
  }

#endif // KILN_JIT_COMPILERREGISTRAR_H
