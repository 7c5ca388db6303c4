// ProcessState.cpp: a snapshot of each kind of state before the call, compared after it.
#include "runtime/ProcessState.h"

#include "runtime/Error.h"
#include "runtime/Log.h"

#include <array>
#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <locale>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace kiln {

namespace {

constexpr int kCopyEnded = 120; // exit code of a copy that a backend forked

// Without umask(2), which would change it for a moment.
std::optional<mode_t> currentUmask() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Umask:"))
      return static_cast<mode_t>(std::strtoul(line.c_str() + 6, nullptr, 8));
  return std::nullopt;
}

std::string currentFolder() {
  char *folder = getcwd(nullptr, 0);
  std::string text = folder ? folder : "";
  free(folder);
  return text;
}

bool sameHandler(const struct sigaction &a, const struct sigaction &b) {
  return (a.sa_flags & SA_SIGINFO) == (b.sa_flags & SA_SIGINFO) &&
         (a.sa_flags & SA_SIGINFO ? a.sa_sigaction == b.sa_sigaction : a.sa_handler == b.sa_handler);
}

std::string signalName(int number) {
  const char *name = sigabbrev_np(number);
  return name ? std::string("SIG") + name : fmt::format("signal {}", number);
}

/// The modes of floating-point arithmetic of this thread; the flags of what happened are no state.
struct FloatModes {
  int rounding = fegetround();
#if defined(__x86_64__)
  static constexpr unsigned kFlags = 0x3f;
  unsigned control = _mm_getcsr() & ~kFlags;
  bool operator==(const FloatModes &) const = default;
  void restore() const {
    fesetround(rounding);
    _mm_setcsr((_mm_getcsr() & kFlags) | control);
  }
#else
  bool operator==(const FloatModes &) const = default;
  void restore() const { fesetround(rounding); }
#endif
};

/// An open file of this process's own: a backend that closes what it did not open closes it too.
class Canary {
public:
  Canary() : fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)) { valid = fd >= 0 && fstat(fd, &before) == 0; }
  Canary(const Canary &) = delete;
  Canary &operator=(const Canary &) = delete;
  ~Canary() {
    if (isAlive())
      ::close(fd);
  }
  bool isAlive() const {
    struct stat now;
    return !valid || (fstat(fd, &now) == 0 && now.st_dev == before.st_dev && now.st_ino == before.st_ino);
  }

private:
  int fd;
  bool valid;
  struct stat before = {};
};

class Snapshot {
public:
  Snapshot() {
    for (int number = 1; number < NSIG; ++number)
      hasHandler[number] = sigaction(number, nullptr, &handlers[number]) == 0;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    for (int fd = 0; fd <= STDERR_FILENO; ++fd)
      isOpen[fd] = fcntl(fd, F_GETFD) >= 0;
  }

  /// The names of the standard streams that were closed, or of other files; "" if none was.
  std::string closed() const {
    constexpr const char *kStreams[] = {"the standard input", "the standard output", "the standard error"};
    for (int fd = 0; fd <= STDERR_FILENO; ++fd)
      if (isOpen[fd] && fcntl(fd, F_GETFD) < 0)
        return kStreams[fd];
    return canary.isAlive() ? "" : "files that it did not open";
  }

  /// Puts back what differs; says what did.
  std::vector<std::string> restore() const {
    std::vector<std::string> changed;
    if (std::locale() != cxxLocale) {
      std::locale::global(cxxLocale);
      changed.emplace_back("the C++ locale");
    }
    if (const char *now = setlocale(LC_ALL, nullptr); now && now != cLocale) {
      changed.push_back(fmt::format("the locale ('{}')", now));
      setlocale(LC_ALL, cLocale.c_str());
    }
    if (std::optional<mode_t> now = currentUmask(); fileMask && now && *now != *fileMask) {
      changed.push_back(fmt::format("the umask ({:03o})", *now));
      umask(*fileMask);
    }
    if (std::string now = currentFolder(); !folder.empty() && now != folder && chdir(folder.c_str()) == 0)
      changed.push_back(fmt::format("the working directory ('{}')", now));
    for (int number = 1; number < NSIG; ++number) {
      struct sigaction now;
      if (!hasHandler[number] || sigaction(number, nullptr, &now) != 0 || sameHandler(now, handlers[number]))
        continue;
      sigaction(number, &handlers[number], nullptr);
      changed.push_back("the handler of " + signalName(number));
    }
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    for (int number = 1; number < NSIG; ++number)
      if (sigismember(&now, number) != sigismember(&mask, number)) {
        pthread_sigmask(SIG_SETMASK, &mask, nullptr);
        changed.push_back("the signal mask (" + signalName(number) + ")");
        break;
      }
    if (FloatModes() != modes) {
      modes.restore();
      changed.emplace_back("the floating-point modes (is it linked with -ffast-math?)");
    }
    return changed;
  }

private:
  std::locale cxxLocale;
  std::string cLocale = setlocale(LC_ALL, nullptr);
  std::optional<mode_t> fileMask = currentUmask();
  std::string folder = currentFolder();
  std::array<struct sigaction, NSIG> handlers = {};
  std::array<bool, NSIG> hasHandler = {};
  sigset_t mask;
  FloatModes modes;
  std::array<bool, STDERR_FILENO + 1> isOpen = {};
  Canary canary;
};

// A backend must not throw; one that does shall not end the process.
Status callCatching(std::string_view part, const std::function<Status()> &fn) {
  try {
    return fn();
  } catch (const std::exception &error) {
    return internalError("{}: threw an exception: {}", part, error.what());
  } catch (...) {
    return internalError("{}: threw an exception that is no std::exception", part);
  }
}

} // namespace

Status runBackendCode(std::string_view backend, std::string_view part, const std::function<Status()> &fn) {
  const Snapshot before;
  const pid_t process = getpid();
  Status status = callCatching(part, fn);
  if (getpid() != process) {
    logWarn("backend", "backend '{}': {} forked; the copy of the process ends here", backend, part);
    _exit(kCopyEnded);
  }
  std::string closed = before.closed();
  std::vector<std::string> changed = before.restore();
  if (!changed.empty())
    logWarn("backend", "backend '{}': {} changed {} of this process; put back", backend, part,
            fmt::join(changed, ", "));
  if (!closed.empty() && status.ok())
    return failedPrecondition("{}: closed {}", part, closed);
  return status;
}

} // namespace kiln
