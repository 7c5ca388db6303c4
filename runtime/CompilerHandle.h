// CompilerHandle.h: libkiln_compiler in this process: found, opened at first need, reached through its table.
#ifndef KILN_RUNTIME_COMPILERHANDLE_H
#define KILN_RUNTIME_COMPILERHANDLE_H

#include "kiln/compiler.h"
#include "runtime/BackendAccess.h"
#include "runtime/Bytes.h"
#include "runtime/ForkGuard.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace kiln {

/// Ownership: the library stays open until the process ends; so does the table that the compiler calls back
/// through. Threads:   every member is safe from any thread; the first caller opens, without a lock, others
/// wait; a thread that asks while it opens gets InProgress.
class CompilerHandle final : ForkGuard {
public:
  /// `backends` must live until the process ends.
  explicit CompilerHandle(BackendAccess &backends) : backends(&backends) {}
  /// A table that is there already; for tests.
  explicit CompilerHandle(const KilnCompiler &table) : table(table), state(State::Open) {}

  /// Opens libkiln_compiler at the first call. A failure stays: FailedPrecondition with every path that was
  /// tried, or the reason of the loader or of the compiler itself.
  Result<const KilnCompiler *> get();
  /// The table if it is open, else null; never opens.
  const KilnCompiler *ifOpen();
  /// What decides what the compiler half makes, told without opening it: Kiln's version, build ids of
  /// libkiln_compiler, of the libraries beside it (importers), and of the libMLIR and libLLVM that it was
  /// built with. Read once. FailedPrecondition as get(), if it is not installed.
  Result<std::string> identity();

  /// Where libkiln_compiler is looked for: KILN_COMPILER_LIBRARY alone if it is set (and the process not
  /// privileged), else beside the library
  /// (or program) that holds this code and in ../lib of its folder.
  static std::vector<std::string> candidates();

private:
  void beforeFork() override { mutex.lock(); }
  void afterFork(bool isChild) override;
  Status open();
  Result<std::string> readIdentity() const;
  static Result<std::string> installed(); // the path of the library
  BackendAccess *backends = nullptr;
  KilnCompiler table = {};
  std::mutex mutex; // guards what follows
  std::unique_ptr<std::condition_variable> changed =
      std::make_unique<std::condition_variable>(); // see afterFork
  enum class State { Closed, Opening, Open, Failed } state = State::Closed;
  std::thread::id opener;
  Status failure;
  std::mutex identityMutex;
  std::string theIdentity;       // "" until it was read
  ForkGuard::Entry guard{*this}; // last: made once the rest is there
};

/// Takes over a blob of the compiler: its bytes, released with the last reference.
OwnedBytes takeBlob(const KilnBlob &blob);

} // namespace kiln
#endif // KILN_RUNTIME_COMPILERHANDLE_H
