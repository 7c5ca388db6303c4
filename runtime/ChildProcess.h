// ChildProcess.h: runs a program with a time limit and keeps what it wrote: for work that may end the process
// that does it.
#ifndef KILN_RUNTIME_CHILDPROCESS_H
#define KILN_RUNTIME_CHILDPROCESS_H

#include "kiln/Status.h"

#include <chrono>
#include <string>
#include <vector>

namespace kiln {

/// How a child process ended. Plain data.
struct ChildOutcome {
  enum class End { Exited, Killed, TimedOut, Lost }; // Lost: somebody else waited for it (SIGCHLD ignored)
  End end = End::Lost;
  int code = 0;       // exit code or signal
  std::string output; // stdout
  std::string errors; // stderr; the last kMaxChildText bytes of each
  uint64_t wallNs = 0;
  uint64_t peakBytes = 0; // resident set
  /// "was killed by SIGSEGV", "called exit(3)", "did not end within 10 s".
  std::string describe() const;
};

inline constexpr size_t kMaxChildText = 64 * 1024;

/// Runs arguments[0], an absolute path, with this environment and stdin empty; when `timeout` is over, kills
/// it and all of its process group. Unavailable if it cannot be started.
Result<ChildOutcome> runChild(const std::vector<std::string> &arguments,
                              const std::vector<std::string> &environment, std::chrono::milliseconds timeout);

} // namespace kiln
#endif // KILN_RUNTIME_CHILDPROCESS_H
