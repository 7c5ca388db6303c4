// Progress.h: a line on the terminal while a model is read and compiled.
#ifndef KILN_TOOLS_LIB_PROGRESS_H
#define KILN_TOOLS_LIB_PROGRESS_H

#include "tools/lib/KilnApi.h"

#include <chrono>
#include <condition_variable>
#include <iosfwd>
#include <mutex>
#include <thread>

namespace kiln::tools {

/// Shows what a session compiles, from `delay` on, until it is destroyed; then the line is wiped. Writes to
/// `out` from a thread of its own: nothing else may write there meanwhile.
class Progress {
public:
  /// Null `out`: shows nothing.
  Progress(KilnSession *session, std::ostream *out,
           std::chrono::milliseconds delay = std::chrono::milliseconds(1000));
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// `err` if it is the standard error stream and that is a terminal, else null.
  static std::ostream *terminal(std::ostream &err);

private:
  void run(std::chrono::milliseconds delay);
  KilnSession *const session;
  std::ostream *const out;
  std::mutex mutex;
  std::condition_variable wake;
  bool ended = false;
  std::thread thread;
};

} // namespace kiln::tools
#endif // KILN_TOOLS_LIB_PROGRESS_H
