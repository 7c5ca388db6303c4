// Device.h: the device foo: memory that its server maps too, launches that the server runs.
#ifndef FOO_RUNTIME_DEVICE_H
#define FOO_RUNTIME_DEVICE_H

#include "Runtime/Server.h"

#include "kiln/sdk/Device.h"

#include <map>

namespace foo {

/// A kernel that a server has loaded. Owns its place there.
struct Kernel {
  std::shared_ptr<Server> server;
  uint64_t number;
  ~Kernel() { server->unload(number); }
  static Kernel *from(KilnKernel *handle) { return reinterpret_cast<Kernel *>(handle); }
  KilnKernel *handle() { return reinterpret_cast<KilnKernel *>(this); }
};

/// One opened device with a server of its own. Threads: every member from any thread.
class Device final : public kiln::sdk::Device {
public:
  static constexpr uint64_t kAlignmentBytes = 64;

  Device(const KilnHost &host, std::shared_ptr<Server> server, uint64_t memoryBytes);

  kiln::Result<KilnDeviceAddress> allocate(uint64_t bytes, uint64_t alignment) override;
  void release(KilnDeviceAddress address) override;
  kiln::Result<void *> map(KilnDeviceAddress address, uint64_t bytes) override;
  KilnMemoryStats memoryStats() override;

  kiln::Status launch(const kiln::sdk::LaunchCommand &command) override;
  kiln::Status copy(KilnDeviceAddress to, KilnDeviceAddress from, uint64_t bytes) override;
  kiln::Status write(KilnDeviceAddress to, const void *from, uint64_t bytes) override;
  kiln::Status read(void *to, KilnDeviceAddress from, uint64_t bytes) override;
  kiln::Status fill(KilnDeviceAddress to, uint64_t pattern, uint32_t patternBytes, uint64_t bytes) override;
  /// Unavailable once the server is gone.
  kiln::Status checkAlive() { return server->checkAlive(); }

  kiln::Result<std::unique_ptr<Kernel>> load(const KilnKernelImage &image);

private:
  char *at(KilnDeviceAddress address) const;

  const std::shared_ptr<Server> server;
  const uint64_t memoryBytes;
  std::mutex mutex;                    // guards what follows
  std::map<uint64_t, uint64_t> blocks; // bytes by offset, of what is in use
  uint64_t bytesInUse = 0, bytesPeak = 0;
};

} // namespace foo
#endif // FOO_RUNTIME_DEVICE_H
