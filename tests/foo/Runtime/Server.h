// Server.h: the process that computes, as its device sees it: started, spoken to, missed when it is gone.
#ifndef FOO_RUNTIME_SERVER_H
#define FOO_RUNTIME_SERVER_H

#include "kiln/Status.h"

#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace foo {

struct Request;

/// One running server and the memory that it shares.
/// Ownership: owns the process, the socket and the mapping. Threads: every member is safe; one request at a
/// time.
class Server {
public:
  /// Unavailable: `program` cannot be started or does not answer; ResourceExhausted: no memory.
  static kiln::Result<std::shared_ptr<Server>> start(const std::string &device, const std::string &program,
                                                     uint64_t memoryBytes, uint64_t timeoutMs);
  ~Server();

  char *memory() const { return mapped; }
  kiln::Result<uint64_t> load(const void *object, size_t bytes);
  void unload(uint64_t kernel);
  kiln::Status launch(uint64_t kernel, std::span<const KilnBinding> bindings,
                      std::span<const int64_t> constants);
  /// Unavailable, with the way it ended, once the process is gone. Costs one system call.
  kiln::Status checkAlive();

private:
  Server() = default;
  kiln::Status spawn(const std::string &program);
  kiln::Status gone(const std::string &how);
  kiln::Status ask(const Request &request, std::span<const std::span<const char>> payload);

  std::string device;
  char *mapped = nullptr;
  uint64_t memoryBytes = 0;
  int socket = -1, memoryFd = -1, processFd = -1;
  int process = 0;
  std::mutex mutex; // one request at a time; guards what follows
  uint64_t lastKernel = 0;
  kiln::Status failure; // why the server is gone
};

} // namespace foo
#endif // FOO_RUNTIME_SERVER_H
