// Protocol.h: what the device and its server say to each other over a socket; tensors lie in memory that both
// map.
//
// The device sends a Request with its payload and waits for the Reply with its text. Integers are the
// machine's own: both ends run on one.
#ifndef FOO_RUNTIME_PROTOCOL_H
#define FOO_RUNTIME_PROTOCOL_H

#include <cerrno>
#include <cstdint>
#include <sys/socket.h>
#include <unistd.h>

namespace foo {

// Descriptors that the server inherits.
constexpr int kSocketFd = 3, kMemoryFd = 4;
// Device addresses start here: an address is this plus the offset in the shared memory, and never a host
// pointer.
constexpr uint64_t kFirstAddress = 0x10000;

enum class RequestKind : uint32_t { Hello, Load, Unload, Launch };

struct Request {
  RequestKind kind;
  uint32_t reserved;
  uint64_t kernel;       // Load gives its number
  uint64_t payloadBytes; // Hello: 0; Load: the object; Launch: bindings, then constants
  uint64_t bindingCount, constantCount;
};

struct Reply {
  uint32_t code; // a KilnCode
  uint32_t textBytes;
};

/// Sends or receives all of it; false at the end of the connection or after its time-out.
inline bool sendAll(int fd, const void *data, uint64_t bytes) {
  for (auto *at = static_cast<const char *>(data); bytes > 0;) {
    ssize_t sent = ::send(fd, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    at += sent;
    bytes -= static_cast<uint64_t>(sent);
  }
  return true;
}
inline bool receiveAll(int fd, void *data, uint64_t bytes) {
  for (auto *at = static_cast<char *>(data); bytes > 0;) {
    ssize_t got = ::recv(fd, at, bytes, 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    at += got;
    bytes -= static_cast<uint64_t>(got);
  }
  return true;
}

} // namespace foo
#endif // FOO_RUNTIME_PROTOCOL_H
