// Server.cpp: posix_spawn with two inherited descriptors; a pidfd tells its death.
#include "Runtime/Server.h"

#include "Runtime/Protocol.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <vector>

extern char **environ;

namespace foo {

using namespace kiln;

namespace {

constexpr int kGoodbyeMs = 2000; // a server that does not leave by then is killed

std::string errorText() { return std::strerror(errno); }

std::span<const char> bytesOf(const void *data, size_t bytes) {
  return {static_cast<const char *>(data), bytes};
}

void setTimeout(int socket, uint64_t milliseconds) {
  timeval limit = {static_cast<time_t>(milliseconds / 1000),
                   static_cast<suseconds_t>(milliseconds % 1000 * 1000)};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

} // namespace

Result<std::shared_ptr<Server>> Server::start(const std::string &device, const std::string &program,
                                              uint64_t memoryBytes, uint64_t timeoutMs) {
  std::shared_ptr<Server> server(new Server);
  server->device = device;
  server->memoryBytes = memoryBytes;
  server->memoryFd = memfd_create("foo-memory", MFD_CLOEXEC);
  if (server->memoryFd < 0 || ftruncate(server->memoryFd, static_cast<off_t>(memoryBytes)) != 0)
    return Status(Code::ResourceExhausted,
                  device + ": no shared memory of " + std::to_string(memoryBytes) + " bytes: " + errorText());
  void *mapped = mmap(nullptr, memoryBytes, PROT_READ | PROT_WRITE, MAP_SHARED, server->memoryFd, 0);
  if (mapped == MAP_FAILED)
    return Status(Code::ResourceExhausted, device + ": its memory cannot be mapped: " + errorText());
  server->mapped = static_cast<char *>(mapped);
  KILN_RETURN_IF_ERROR(server->spawn(program));
  setTimeout(server->socket, timeoutMs);
  KILN_RETURN_IF_ERROR(server->ask(Request{RequestKind::Hello, 0, 0, 0, 0, 0}, {}));
  return server;
}

Status Server::spawn(const std::string &program) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Status(Code::ResourceExhausted, device + ": no socket: " + errorText());
  socket = ends[0];
  // Above what the server inherits, so that one dup2 does not overwrite the other's source.
  int theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, 16), shared = fcntl(memoryFd, F_DUPFD_CLOEXEC, 16);
  ::close(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs, kSocketFd);
  posix_spawn_file_actions_adddup2(&actions, shared, kMemoryFd);
  char *arguments[] = {const_cast<char *>(program.c_str()), nullptr};
  pid_t pid = 0;
  int error = posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(theirs);
  ::close(shared);
  if (error != 0)
    return Status(Code::Unavailable,
                  device + ": its server '" + program + "' cannot be started: " + std::strerror(error));
  process = pid;
  processFd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  return {};
}

Server::~Server() {
  if (socket >= 0) {
    ::shutdown(socket, SHUT_RDWR); // the server leaves when it reads the end
    ::close(socket);
  }
  if (process > 0 && failure.ok()) {
    pollfd ended = {processFd, POLLIN, 0};
    if (poll(&ended, 1, kGoodbyeMs) == 0)
      kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
  for (int fd : {memoryFd, processFd})
    if (fd >= 0)
      ::close(fd);
  if (mapped)
    munmap(mapped, memoryBytes);
}

// With the lock held. Waits for the process, so that its end can be told.
Status Server::gone(const std::string &how) {
  if (!failure.ok())
    return failure;
  int status = 0;
  std::string end = how;
  kill(process, SIGKILL); // nothing if it has ended
  if (waitpid(process, &status, 0) == process && how.empty())
    end = WIFSIGNALED(status) ? std::string("was killed by SIG") + sigabbrev_np(WTERMSIG(status))
                              : "ended with code " + std::to_string(WEXITSTATUS(status));
  failure = Status(Code::Unavailable, device + ": its server foo-server (process " + std::to_string(process) +
                                          ") " + end + "; open the device again");
  return failure;
}

Status Server::ask(const Request &request, std::span<const std::span<const char>> payload) {
  std::lock_guard lock(mutex);
  if (!failure.ok())
    return failure;
  bool isSent = sendAll(socket, &request, sizeof request);
  for (std::span<const char> part : payload)
    isSent = isSent && sendAll(socket, part.data(), part.size());
  Reply reply;
  errno = 0;
  if (!isSent || !receiveAll(socket, &reply, sizeof reply))
    return gone(errno == EAGAIN ? "did not answer in time" : "");
  std::string text(reply.textBytes, '\0');
  if (!receiveAll(socket, text.data(), text.size()))
    return gone("");
  return reply.code == KILN_OK ? Status() : Status(static_cast<Code>(reply.code), text);
}

Result<uint64_t> Server::load(const void *object, size_t bytes) {
  uint64_t kernel = 0;
  {
    std::lock_guard lock(mutex);
    kernel = ++lastKernel;
  }
  std::span<const char> payload[] = {bytesOf(object, bytes)};
  KILN_RETURN_IF_ERROR(ask(Request{RequestKind::Load, 0, kernel, bytes, 0, 0}, payload));
  return kernel;
}

void Server::unload(uint64_t kernel) { (void)ask(Request{RequestKind::Unload, 0, kernel, 0, 0, 0}, {}); }

Status Server::launch(uint64_t kernel, std::span<const KilnBinding> bindings,
                      std::span<const int64_t> constants) {
  std::span<const char> payload[] = {bytesOf(bindings.data(), bindings.size_bytes()),
                                     bytesOf(constants.data(), constants.size_bytes())};
  Request request = {RequestKind::Launch, 0, kernel, payload[0].size() + payload[1].size(), bindings.size(),
                     constants.size()};
  return ask(request, payload);
}

Status Server::checkAlive() {
  pollfd ended = {processFd, POLLIN, 0};
  if (poll(&ended, 1, 0) == 0) // also where the kernel has no pidfd: then the next request tells
    return {};
  std::lock_guard lock(mutex);
  return gone("");
}

} // namespace foo
