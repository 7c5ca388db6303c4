// ServerMain.cpp: foo-server: maps the shared memory, loads kernels, runs them, until the device hangs up.
#include "Runtime/Protocol.h"

#include "kiln/sdk/FlatKernel.h"

#include <map>
#include <string>
#include <sys/stat.h>

namespace {

using namespace kiln;
using namespace foo;

/// The server's whole state. One thread.
class Server {
public:
  bool mapMemory() {
    struct stat info;
    if (fstat(kMemoryFd, &info) != 0)
      return false;
    bytes = static_cast<uint64_t>(info.st_size);
    void *mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, kMemoryFd, 0);
    memory = static_cast<char *>(mapped);
    return mapped != MAP_FAILED;
  }
  // Answers requests until the connection ends.
  void serve() {
    Request request;
    while (receiveAll(kSocketFd, &request, sizeof request)) {
      std::vector<char> payload(request.payloadBytes);
      if (!receiveAll(kSocketFd, payload.data(), payload.size()))
        return;
      Status status = answer(request, payload);
      Reply reply = {static_cast<uint32_t>(status.code()), static_cast<uint32_t>(status.message().size())};
      if (!sendAll(kSocketFd, &reply, sizeof reply) ||
          !sendAll(kSocketFd, status.message().data(), status.message().size()))
        return;
    }
  }

private:
  Status answer(const Request &request, const std::vector<char> &payload) {
    switch (request.kind) {
    case RequestKind::Hello:
      return {};
    case RequestKind::Load: {
      KILN_ASSIGN_OR_RETURN(kernels[request.kernel], sdk::FlatKernel::load(payload.data(), payload.size()));
      return {};
    }
    case RequestKind::Unload:
      kernels.erase(request.kernel);
      return {};
    case RequestKind::Launch:
      return launch(request, payload);
    }
    return Status(Code::Internal, "foo-server: an unknown request");
  }
  Status launch(const Request &request, const std::vector<char> &payload) {
    auto kernel = kernels.find(request.kernel);
    if (kernel == kernels.end())
      return Status(Code::Internal,
                    "foo-server: kernel " + std::to_string(request.kernel) + " is not loaded");
    std::vector<KilnBinding> bindings(request.bindingCount);
    std::vector<int64_t> constants(request.constantCount);
    size_t bindingBytes = bindings.size() * sizeof(KilnBinding);
    if (payload.size() != bindingBytes + constants.size() * sizeof(int64_t))
      return Status(Code::Internal, "foo-server: a torn launch");
    std::memcpy(bindings.data(), payload.data(), bindingBytes);
    std::memcpy(constants.data(), payload.data() + bindingBytes, payload.size() - bindingBytes);
    for (KilnBinding &binding : bindings) {
      uint64_t offset = binding.address - kFirstAddress;
      if (binding.address < kFirstAddress || offset > bytes || binding.bytes > bytes - offset)
        return Status(Code::OutOfRange, "foo-server: a binding lies outside the device's memory");
      binding.address = reinterpret_cast<uint64_t>(memory + offset);
    }
    return kernel->second->run(bindings, constants);
  }

  char *memory = nullptr;
  uint64_t bytes = 0;
  std::map<uint64_t, std::unique_ptr<sdk::FlatKernel>> kernels;
};

} // namespace

int main() {
  Server server;
  if (!server.mapMemory())
    return 1;
  server.serve();
  return 0;
}
