// CompilerRegistrarImpl.h: collects what a backend's compiler tier registers until init has succeeded.
#ifndef KILN_JIT_COMPILERREGISTRARIMPL_H
#define KILN_JIT_COMPILERREGISTRARIMPL_H

#include "jit/PipelineRegistry.h"
#include "kiln/jit/CompilerRegistrar.h"

namespace kiln::jit {

struct LoaderRegistration {
  std::string format, loader;
  const KilnKernelLoaderOps *ops; // lives until the process ends
  void *self;
};

/// One backend's registrations in the making. Lives for the call of init; used by one thread.
class CompilerRegistrarImpl final : public CompilerRegistrar {
public:
  CompilerRegistrarImpl(const KilnHost &host, llvm::StringRef backend, llvm::StringRef version);

  mlir::DialectRegistry &dialects() override { return staged.dialects; }
  void addStage(llvm::StringRef target, Stage stage, StageBuilder builder) override;
  void extendStage(llvm::StringRef target, Stage stage, bool after, StageBuilder builder) override;
  void setObjectEmitter(llvm::StringRef target, ObjectEmitter emitter) override;
  void addEmitter(llvm::StringRef target, Emitter emitter) override;
  void addPass(PassFactory factory) override;
  void addKernelLoader(llvm::StringRef format, llvm::StringRef loader, const KilnKernelLoaderOps &ops,
                       void *self) override;
  Status status() const override { return first; }
  const KilnHost &host() const override { return theHost; }

  BackendRegistrations takeRegistrations() { return std::move(staged); }
  const std::vector<LoaderRegistration> &kernelLoaders() const { return loaders; }

private:
  void fail(Code code, const llvm::Twine &message);
  bool checkStage(llvm::StringRef target, Stage stage);

  const KilnHost &theHost;
  BackendRegistrations staged;
  std::vector<LoaderRegistration> loaders;
  Status first;
};

} // namespace kiln::jit
#endif // KILN_JIT_COMPILERREGISTRARIMPL_H
