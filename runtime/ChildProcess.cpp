// ChildProcess.cpp: posix_spawn, since a fork of a process with threads may do next to nothing; a pidfd to
// wait for the end, since grandchildren may keep the pipes open.
#include "runtime/ChildProcess.h"

#include "runtime/Error.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPollStep(5); // where the kernel has no pidfd

/// A file descriptor that is closed at the end of the scope.
struct Descriptor {
  int fd = -1;
  Descriptor() = default;
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() { close(); }
  void close() {
    if (fd >= 0)
      ::close(fd);
    fd = -1;
  }
};

struct Pipe {
  Descriptor read, write;
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      return false;
    read.fd = ends[0];
    write.fd = ends[1];
    fcntl(read.fd, F_SETFL, O_NONBLOCK);
    return true;
  }
};

// Appends what can be read now; false at the end of the file.
bool drain(int fd, std::string &text) {
  char chunk[4096];
  for (;;) {
    ssize_t count = ::read(fd, chunk, sizeof chunk);
    if (count <= 0)
      return count < 0 && (errno == EAGAIN || errno == EINTR);
    text.append(chunk, count);
    if (text.size() > 2 * kMaxChildText)
      text.erase(0, text.size() - kMaxChildText);
  }
}

std::vector<char *> pointersTo(const std::vector<std::string> &strings) {
  std::vector<char *> pointers;
  for (const std::string &string : strings)
    pointers.push_back(const_cast<char *>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

int spawn(const std::vector<std::string> &arguments, const std::vector<std::string> &environment, int output,
          int errors, pid_t *pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int error = posix_spawn(pid, arguments[0].c_str(), &actions, &attributes, pointersTo(arguments).data(),
                          pointersTo(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Reads both pipes until the child has ended or `deadline` has come; fills the outcome's end once it is
// known.
void watch(pid_t pid, Pipe &output, Pipe &errors, Clock::time_point deadline, ChildOutcome &outcome) {
  Descriptor ended;
  ended.fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    bool isLate = left.count() <= 0;
    if (isLate)
      kill(-pid, SIGKILL);
    pollfd files[] = {{output.read.fd, POLLIN, 0}, {errors.read.fd, POLLIN, 0}, {ended.fd, POLLIN, 0}};
    int wait = static_cast<int>(std::min<int64_t>(left.count() + 1, ended.fd < 0 ? kPollStep.count() : 1000));
    if (!isLate)
      poll(files, 3, wait); // a negative fd is left out
    if (output.read.fd >= 0 && !drain(output.read.fd, outcome.output))
      output.read.close();
    if (errors.read.fd >= 0 && !drain(errors.read.fd, outcome.errors))
      errors.read.close();
    rusage usage = {};
    int status = 0;
    pid_t result = wait4(pid, &status, isLate ? 0 : WNOHANG, &usage);
    if (result == 0 || (result < 0 && errno == EINTR))
      continue;
    if (result == pid) {
      outcome.peakBytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
      outcome.end = isLate                ? ChildOutcome::End::TimedOut
                    : WIFSIGNALED(status) ? ChildOutcome::End::Killed
                                          : ChildOutcome::End::Exited;
      outcome.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    }
    return;
  }
}

void keepEnd(std::string &text) {
  if (text.size() > kMaxChildText)
    text.erase(0, text.size() - kMaxChildText);
}

} // namespace

std::string ChildOutcome::describe() const {
  switch (end) {
  case End::Exited:
    return fmt::format("called exit({})", code);
  case End::Killed:
    return fmt::format("was killed by SIG{}", sigabbrev_np(code) ? sigabbrev_np(code) : std::to_string(code));
  case End::TimedOut:
    return fmt::format("did not end within {:.1f} s", static_cast<double>(wallNs) / 1e9);
  case End::Lost:
    return "ended unseen: this process ignores or collects its children";
  }
  return "";
}

Result<ChildOutcome> runChild(const std::vector<std::string> &arguments,
                              const std::vector<std::string> &environment,
                              std::chrono::milliseconds timeout) {
  Pipe output, errors;
  if (!output.open() || !errors.open())
    return unavailable("'{}': no pipe: {}", arguments[0], strerror(errno));
  Clock::time_point start = Clock::now();
  pid_t pid = 0;
  if (int error = spawn(arguments, environment, output.write.fd, errors.write.fd, &pid); error != 0)
    return unavailable("'{}': cannot be started: {}", arguments[0], strerror(error));
  output.write.close();
  errors.write.close();
  ChildOutcome outcome;
  watch(pid, output, errors, start + timeout, outcome);
  kill(-pid, SIGKILL); // what it left behind
  if (output.read.fd >= 0)
    drain(output.read.fd, outcome.output);
  if (errors.read.fd >= 0)
    drain(errors.read.fd, outcome.errors);
  keepEnd(outcome.output);
  keepEnd(outcome.errors);
  outcome.wallNs = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
  return outcome;
}

} // namespace kiln
