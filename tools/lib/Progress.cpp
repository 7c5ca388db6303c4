// Progress.cpp: a thread that reads the session's counters four times a second.
#include "tools/lib/Progress.h"

#include <fmt/format.h>

#include <iostream>

#include <unistd.h>

namespace kiln::tools {
namespace {

constexpr std::chrono::milliseconds kPeriod(250);
constexpr std::string_view kWipe = "\r\033[K"; // to the line's begin, clear to its end

} // namespace

std::ostream *Progress::terminal(std::ostream &err) {
  return &err == &std::cerr && isatty(STDERR_FILENO) ? &err : nullptr;
}

Progress::Progress(KilnSession *session, std::ostream *out, std::chrono::milliseconds delay)
    : session(session), out(out) {
  if (out)
    thread = std::thread([this, delay] { run(delay); });
}

Progress::~Progress() {
  if (!thread.joinable())
    return;
  {
    std::scoped_lock lock(mutex);
    ended = true;
  }
  wake.notify_all();
  thread.join();
}

void Progress::run(std::chrono::milliseconds delay) {
  auto start = std::chrono::steady_clock::now();
  bool shown = false;
  std::unique_lock lock(mutex);
  for (auto wait = delay; !wake.wait_for(lock, wait, [&] { return ended; }); wait = kPeriod) {
    auto stats = sized<KilnCompileStats>();
    if (Status status = take(kiln_session_compile_stats(session, &stats)); !status.ok())
      break;
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::string what =
        stats.kernels_wanted > stats.kernels_compiled
            ? fmt::format("{} of {} kernels compiled", stats.kernels_compiled, stats.kernels_wanted)
            : "reading the model and forming kernels";
    *out << kWipe << fmt::format("{}, {:.0f} s", what, seconds) << std::flush;
    shown = true;
  }
  if (shown)
    *out << kWipe << std::flush;
}

} // namespace kiln::tools
