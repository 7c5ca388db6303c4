// PipelineRegistry.h: what every loaded backend compiles with: pipelines by device type, dialects, passes.
#ifndef KILN_JIT_PIPELINEREGISTRY_H
#define KILN_JIT_PIPELINEREGISTRY_H

#include "kiln/jit/StageRegistry.h"

#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

namespace kiln::jit {

using PassFactory = std::function<std::unique_ptr<mlir::Pass>()>;

/// Passes that a backend puts around a stage of another backend's target.
struct StageInsertion {
  std::string backend, target;
  Stage stage;
  bool after;
  StageBuilder builder;
};

/// What one backend's init registered; plain data.
struct BackendRegistrations {
  std::string backend, version;
  std::string buildIds;                          // of its library and those that it is linked with
  std::map<std::string, TargetPipeline> targets; // by device type
  std::vector<StageInsertion> insertions;
  mlir::DialectRegistry dialects;
  std::vector<PassFactory> passes;
};

/// A pass that jit-opt and jit-info know by its argument.
struct RegisteredPass {
  std::string backend; // "" for Kiln's own
  std::string argument, summary;
};

/// The registrations of all loaded backends.
/// Ownership: owns the pipelines; those handed out stay alive with their last user and never change.
/// Threads:   safe from any thread.
class PipelineRegistry {
public:
  /// `dialects` are those that every context knows.
  explicit PipelineRegistry(mlir::DialectRegistry dialects);

  /// Publishes a backend's registrations, all or none. AlreadyExists: a target or pass of another backend;
  /// FailedPrecondition: a target lacks a stage or its object emitter.
  Status commit(BackendRegistrations registrations);
  /// Would commit publish them now? Publishes nothing, names no pass.
  Status validate(const BackendRegistrations &registrations) const;
  /// The pipeline of a device type with the insertions committed so far, ordered by backend; null if there is
  /// none.
  std::shared_ptr<const TargetPipeline> find(llvm::StringRef target) const;
  std::vector<std::string> targets() const; // sorted
  std::vector<RegisteredPass> passes() const;
  /// Who makes the code of a target, with versions and build ids: its backend and those that extend it. "" if
  /// there is no such target.
  std::string producers(llvm::StringRef target) const;

  /// A context that knows every registered dialect; loads none. Each is for one thread at a time.
  std::unique_ptr<mlir::MLIRContext> createContext() const;
  /// Adds every registered dialect to `registry`.
  void appendDialects(mlir::DialectRegistry &registry) const;

private:
  Status check(const BackendRegistrations &registrations) const; // under the lock
  Status checkDialects(const BackendRegistrations &registrations) const;
  void assemble(llvm::StringRef target);

  mutable std::shared_mutex mutex;
  std::map<std::string, TargetPipeline, std::less<>> own; // as registered by the target's backend
  std::map<std::string, std::shared_ptr<const TargetPipeline>, std::less<>> assembled; // with insertions
  std::vector<StageInsertion> insertions;
  std::vector<RegisteredPass> allPasses;
  std::map<std::string, std::string, std::less<>> versions; // with build ids, by backend
  mlir::DialectRegistry dialects;
  std::map<std::string, std::string, std::less<>> dialectOwners; // backends by dialect; Kiln's own left out
};

/// Registers a pass with MLIR for the process. InvalidArgument: it has no argument; AlreadyExists: another
/// pass has it.
Result<RegisteredPass> registerPassOnce(llvm::StringRef backend, const PassFactory &factory);

} // namespace kiln::jit
#endif // KILN_JIT_PIPELINEREGISTRY_H
