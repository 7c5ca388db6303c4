// Preflight.h: tries a backend's library in a child process before this process opens it: a constructor that
// crashes, exits or hangs ends the child, and the backend is left out.
#ifndef KILN_RUNTIME_PREFLIGHT_H
#define KILN_RUNTIME_PREFLIGHT_H

#include "runtime/ChildProcess.h"
#include "runtime/Environment.h"
#include "runtime/Fingerprint.h"
#include "runtime/Manifest.h"

namespace kiln {

/// When a library is tried, by what, and where verdicts are kept. Plain data; by default nothing is tried.
struct PreflightSettings {
  enum class Mode { Off, FirstTime, Always };
  Mode mode = Mode::Off;
  std::string program;       // kiln-preflight; "" if it is not installed: nothing is tried
  std::string verdictFolder; // "": verdicts are not kept
  std::chrono::milliseconds timeout = kDefaultTimeout;
  std::vector<std::string> problems; // of variables, for a warning

  static constexpr std::chrono::milliseconds kDefaultTimeout{20000};

  /// From KILN_BACKEND_PREFLIGHT, KILN_BACKEND_PREFLIGHT_TIMEOUT and the cache's folder; the program is
  /// FOLDER/kiln/kiln-preflight for the first of `libraryDirs` that has it. A privileged process tries
  /// nothing.
  static PreflightSettings fromEnvironment(const Environment &variables, bool secure,
                                           const std::vector<std::string> &libraryDirs);
};

/// OK if the tier's library may be opened: tried now or before, or not to be tried. FailedPrecondition with
/// the way it ended and the part of the load it was in.
Status preflight(const Manifest &manifest, Tier tier, const PreflightSettings &settings);

/// The words of the child that tries one backend: `kiln-preflight MANIFEST MODE`, MODE runtime, compiler or
/// report (all of it, results as JSON on stdout). jit-info doctor uses it too.
Result<ChildOutcome> tryInChild(const PreflightSettings &settings, const std::string &manifest,
                                const char *mode, const std::vector<std::string> &directories);
/// The last line that the child wrote if it got to its end: what follows are destructors.
inline constexpr std::string_view kPreflightEnd = "kiln-preflight: end";
/// How the child ends when the backend closed files of the process: the standard output may be one of them.
inline constexpr int kPreflightFilesClosed = 121;
/// "was killed by SIGSEGV during dlopen: LAST LINE OF STDERR".
std::string describeTrial(const ChildOutcome &outcome);

} // namespace kiln
#endif // KILN_RUNTIME_PREFLIGHT_H
